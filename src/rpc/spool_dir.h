// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_dir.h: what is in the directory of a spool, by name. */
#ifndef OP_RPC_SPOOL_DIR_H
#define OP_RPC_SPOOL_DIR_H

#include "rpc/queue.h"

enum { OP_SPOOL_NAME = 40 };

struct op_spool_entry {
	char name[OP_SPOOL_NAME];
	uint64_t bytes; /* of the file */
	enum op_signal signal;
	bool is_busy;	  /* being sent */
	bool is_sent;	  /* but could not be removed */
	bool is_unsynced; /* written by this process */
};

/* Sorted by name, from head to n. */
struct op_spool_index {
	struct op_spool_entry *p;
	size_t head, n, cap;
	uint64_t bytes;
	uint64_t nr[OP_NR_SIGNALS]; /* that are not sent */
};

void op_spool_name(char *out, uint64_t time_ns, uint32_t who,
		   enum op_signal signal);

/* Where the name is or would be. */
size_t op_spool_index_find(const struct op_spool_index *ix, const char *name);

/* Adds an entry, or changes the one of that name. False without memory. */
bool op_spool_index_put(struct op_spool_index *ix,
			const struct op_spool_entry *e);
void op_spool_index_remove(struct op_spool_index *ix, size_t i);
void op_spool_index_sent(struct op_spool_index *ix, size_t i);
void op_spool_index_free(struct op_spool_index *ix);

/* The messages of a directory into an empty index. Removes what is left over
 * of processes that died, and with drop_bad also damaged files, whose bytes are
 * given. */
int op_spool_dir_list(int dir, bool drop_bad, struct op_spool_index *out,
		      uint64_t *bad_bytes, struct op_err *err);

#endif
