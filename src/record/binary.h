// SPDX-License-Identifier: Apache-2.0
/* record/binary.h: binaries that processes map: their unwind tables, and their
 * rows of op_live. */
#ifndef OP_RECORD_BINARY_H
#define OP_RECORD_BINARY_H

#include "host/host.h"
#include "live/live.h"
#include "record/tables.h"
#include "sym/elf.h"
#include "sym/kept.h"

enum { OP_BINARIES_LIVES = 2 };

/* What is kept of a binary: op_host_binary.user. */
struct op_rec_binary {
	bool is_tried; /* it was opened, or cannot be */
	uint8_t nr_tries;
	bool is_elf;
	bool has_no_table;
	bool is_vdso;
	bool is_kept;	   /* its name leads elsewhere: sym/kept.h */
	uint32_t table;	   /* OP_BPF_NO_TABLE: it has none */
	uint64_t dev, ino; /* of the file */
	uint8_t *loads;	   /* its segments: op_elf_part_loads() */
	struct op_elf elf; /* a view of them, or the vDSO in memory */
	char build_id[2 * OP_HOST_ID_BYTES + 1];
	char htlhash[33];
	/* One for each part that is mapped. */
	OP_VEC(struct op_rec_row) rows;
};

struct op_rec_row {
	uint64_t base, limit, offset;
	uint32_t row[OP_BINARIES_LIVES];
};

struct op_binaries {
	struct op_host *host;
	struct op_rec_tables *tables;
	/* What has rows of them; NULL: none. */
	struct op_live *live[OP_BINARIES_LIVES];
	struct op_kept *kept; /* for who looks up names; may be NULL */
	struct op_err *err;
};

struct op_rec_binary *op_rec_binary(struct op_binaries *l, uint32_t binary);
/* Finds where a mapping has its addresses in the terms of its file. */
void op_rec_locate(struct op_binaries *l, uint32_t pid, struct op_host_map *m);
/* The table of a mapping, loaded if it has one. */
bool op_rec_table(struct op_binaries *l, uint32_t pid, struct op_host_map *m,
		  struct op_unwind_table *out);
/* The rows of a file in each op_live; NULL: it is none. */
const uint32_t *op_rec_rows(struct op_binaries *l, struct op_host_map *m);
/* For op_host.binary_gone. */
void op_rec_binary_gone(struct op_binaries *l, struct op_host_binary *b);
/* Keeps binaries of this window that were replaced or deleted since they were
 * looked at. */
void op_rec_keep_replaced(struct op_binaries *l);

#endif
