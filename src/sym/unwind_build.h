// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build.h: builds unwind tables from call frame information.
 *
 *	struct op_unwind_build b;
 *	struct op_unwind_table t;
 *
 *	if (op_unwind_build_init(&b, &cfi, &mem, &err) ||
 *	    op_unwind_build_all(&b) || op_unwind_build_table(&b, &t))
 *		...
 *
 * A table may be built on demand, one page of 64 KiB at a time: existing pages
 * never change; rules and steps are only appended. Addresses with broken input
 * have no rule (OP_CFA_NONE); the rest is not affected.
 */
#ifndef OP_SYM_UNWIND_BUILD_H
#define OP_SYM_UNWIND_BUILD_H

#include "sym/cfi_index.h"
#include "sym/unwind_table.h"

/* Recent rules, by a hash of their words. */
enum { OP_RULE_CACHE_BITS = 9 };

struct op_rule_cache {
	uint64_t words[2];
	uint32_t id;
};

struct op_unwind_build {
	struct op_cfi_index index;
	struct op_arena *mem;
	struct op_err *err;

	struct op_unwind_page *pages;
	uint32_t nr_pages, nr_built;
	OP_VEC(struct op_unwind_row) rows;
	OP_VEC(struct op_rule) rules;
	OP_VEC(struct op_unwind_step) steps;
	OP_VEC(struct op_wide_rule) wide;
	OP_VEC(uint8_t) expr;
	struct op_intern by_rule, by_steps, by_wide;
	uint32_t nr_lost; /* rows that found no room among the rules */

	uint32_t *seen; /* hashes of runs of rows that occurred once */
	struct op_rule_cache *cache;
	/* Of the page being built; a code is a rule. */
	struct op_unwind_row *page_rows;
	uint32_t nr_rows, page;
	uint64_t from, to; /* range being built, relative to base */
	uint64_t range_end;
};

/* The sections must outlive the build, but not the tables. */
int op_unwind_build_init(struct op_unwind_build *b, const struct op_cfi *cfi,
			 struct op_arena *mem, struct op_err *err);

/* Builds the missing pages among nr from first on. */
int op_unwind_build_pages(struct op_unwind_build *b, uint32_t first,
			  uint32_t nr);

int op_unwind_build_all(struct op_unwind_build *b);

/* The page of a vaddr; false if the table has none for it. */
bool op_unwind_build_page_of(const struct op_unwind_build *b, uint64_t vaddr,
			     uint32_t *page);

/* A block of everything built so far, in the arena of the build. */
int op_unwind_build_table(struct op_unwind_build *b,
			  struct op_unwind_table *out);

#endif
