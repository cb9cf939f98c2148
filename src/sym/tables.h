// SPDX-License-Identifier: Apache-2.0
/* sym/tables.h: one unwind table per binary, for all processes that map it.
 *
 * Who gets a table is a user of it until it gives it back. Tables without users
 * stay while all together are below a number of bytes; beyond it those that
 * were not used longest go. If all have users, new ones are refused.
 *
 *	struct op_tables t = { .max_bytes = 32 << 20 };
 *	const struct op_file_table *a = op_tables_get_fd(&t, fd, err);
 *
 *	if (a && a->block.n)
 *		use a->table, or the block of bytes that it is
 *	op_tables_put(&t, a);
 *	op_tables_fini(&t);
 */
#ifndef OP_SYM_TABLES_H
#define OP_SYM_TABLES_H

#include "base/intern.h"
#include "base/vec.h"
#include "sym/elf.h"
#include "sym/unwind_table.h"

/* Which file it is of. */
struct op_file_key {
	uint64_t dev, ino, mtime_ns, size;
};

struct op_file_table {
	struct op_file_key key;
	struct op_unwind_table table;
	struct op_view block; /* the same as bytes; empty: no table */
	uint32_t nr_users;
	uint32_t row;
	uint64_t used;
};

struct op_tables {
	size_t max_bytes;

	/* The rest is private and must be zero. */
	size_t bytes;
	struct op_arena mem;
	struct op_intern index;
	OP_VEC(struct op_file_table *) rows; /* NULL: free */
	struct op_id_vec free_rows;
	uint64_t nr_used;
	uint64_t nr_made;    /* tables, from all of a binary */
	uint64_t nr_refused; /* for want of room */
};

/* All of the file, in mem or elsewhere until it returns; false: it cannot be
 * read. */
typedef bool op_file_elf_fn(void *arg, struct op_arena *mem,
			    struct op_elf *out);

/* The table of a file, made if it is not there. A file without one has an empty
 * block, which is remembered too. NULL only without memory, which err tells. */
const struct op_file_table *op_tables_get(struct op_tables *t,
					  const struct op_file_key *key,
					  op_file_elf_fn *elf, void *arg,
					  struct op_err *err);

/* The same of an open file, of which at most 512 MiB are read. The caller keeps
 * the descriptor. NULL, with an error, also if it is no file. */
const struct op_file_table *op_tables_get_fd(struct op_tables *t, int fd,
					     struct op_err *err);

/* Counts one more user. */
void op_tables_share(const struct op_file_table *table);
/* Gives it back; NULL is nothing. */
void op_tables_put(struct op_tables *t, const struct op_file_table *table);

/* Frees all of them. */
void op_tables_fini(struct op_tables *t);

#endif
