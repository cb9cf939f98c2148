// SPDX-License-Identifier: Apache-2.0
/* record/tables.h: unwind tables of binaries, where BPF and this process find
 * them.
 *
 * A binary gets a number at once, and its table when a stack first needs it.
 * All tables together have a limit: the one that was not used for the longest
 * time goes, and comes back when it is needed again. */
#ifndef OP_RECORD_TABLES_H
#define OP_RECORD_TABLES_H

#include "base/vec.h"
#include "record/slabs.h"
#include "sym/elf.h"
#include "sym/unwind_table.h"

struct op_table_row {
	uint32_t place, bytes; /* 0: it is not loaded */
	uint32_t last_used;    /* tick */
	bool is_taken;	       /* the row has a binary */
};

struct op_rec_tables {
	struct op_slabs slabs;
	struct op_bpf_table *shared; /* what BPF sees; NULL: no BPF */
	struct op_arena *mem;
	OP_VEC(struct op_table_row) rows;
	struct op_id_vec free;
	/* Places that BPF may still be reading: since this tick, and before. */
	OP_VEC(struct op_table_row) old[2];
	uint32_t tick;
	uint64_t nr_built, nr_dropped;
};

int op_rec_tables_init(struct op_rec_tables *t, struct op_arena *mem,
		       const struct op_slab_maps *maps,
		       struct op_bpf_table *shared, uint64_t max_bytes,
		       struct op_err *err);
void op_rec_tables_fini(struct op_rec_tables *t);

/* A number for a binary; OP_BPF_NO_TABLE: there are too many. */
uint32_t op_rec_tables_add(struct op_rec_tables *t);
void op_rec_tables_drop(struct op_rec_tables *t, uint32_t nr);

enum op_table_load {
	OP_TABLE_LOADED,
	OP_TABLE_NONE,	  /* the file has none, or one above the limit */
	OP_TABLE_NO_ROOM, /* there will be soon */
};

/* Builds the table of a file. */
enum op_table_load op_rec_tables_load(struct op_rec_tables *t, uint32_t nr,
				      const struct op_elf *elf);

/* The table, if it is loaded. */
bool op_rec_tables_get(struct op_rec_tables *t, uint32_t nr,
		       struct op_unwind_table *out);

/* To be called several times a second. */
void op_rec_tables_tick(struct op_rec_tables *t);

#endif
