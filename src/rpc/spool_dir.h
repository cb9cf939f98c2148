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

/* What else is there. */
struct op_spool_others {
	uint64_t bad_bytes;  /* of damaged files */
	uint64_t nr_foreign; /* files that have our names but are not ours */
	char foreign[100];   /* the first of them, and what it is */
};

/* Opens the directory, which is made if it is not there. -1: it cannot be
 * used, or others could put something there: it must be ours, not writable by
 * others, and no symbolic link. */
int op_spool_dir_open(const char *path, struct op_err *err);

/* The messages of a directory into an empty index. Removes what is left over
 * of processes that died, and with drop_bad also damaged files. */
int op_spool_dir_list(int dir, bool drop_bad, struct op_spool_index *out,
		      struct op_spool_others *others, struct op_err *err);

#endif
