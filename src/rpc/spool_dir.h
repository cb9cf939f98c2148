// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_dir.h: an index of the directory of a spool, by name. */
#ifndef OP_RPC_SPOOL_DIR_H
#define OP_RPC_SPOOL_DIR_H

#include "rpc/queue.h"

enum { OP_SPOOL_NAME = 40 };

struct op_spool_entry {
	char name[OP_SPOOL_NAME];
	uint64_t bytes; /* of the file */
	enum op_signal signal;
	bool is_busy;	  /* being sent */
	bool is_sent;	  /* but not removable */
	bool is_unsynced; /* written by this process */
};

/* Sorted by name, from head to n. */
struct op_spool_index {
	struct op_spool_entry *p;
	size_t head, n, cap;
	uint64_t bytes;
	uint64_t nr[OP_NR_SIGNALS]; /* not sent yet */
};

void op_spool_name(char *out, uint64_t time_ns, uint32_t who,
		   enum op_signal signal);

/* The position of the name, or where it would be inserted. */
size_t op_spool_index_find(const struct op_spool_index *ix, const char *name);

/* Adds an entry, or updates the one with that name. False if out of memory. */
bool op_spool_index_put(struct op_spool_index *ix,
			const struct op_spool_entry *e);
void op_spool_index_remove(struct op_spool_index *ix, size_t i);
void op_spool_index_sent(struct op_spool_index *ix, size_t i);
void op_spool_index_free(struct op_spool_index *ix);

/* Other files there. */
struct op_spool_others {
	uint64_t bad_bytes;  /* of damaged files */
	uint64_t nr_foreign; /* files with our names that are not ours */
	char foreign[100];   /* the first of them, and its kind */
};

/* Opens the directory, which is created if it does not exist. -1: it is
 * unusable, or others could write to it: it must be ours, not writable by
 * others, and not a symbolic link. */
int op_spool_dir_open(const char *path, struct op_err *err);

/* Reads the messages of a directory into an empty index. Removes leftovers of
 * processes that died and, with drop_bad, damaged files. */
int op_spool_dir_list(int dir, bool drop_bad, struct op_spool_index *out,
		      struct op_spool_others *others, struct op_err *err);

#endif
