// SPDX-License-Identifier: Apache-2.0
#include "sym/go_frames.h"

#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"
#include "test.h"
#include "write/go.h"

static struct elf f;

static struct op_elf open_it(void)
{
	struct op_err err = { 0 };
	struct op_elf e;

	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	return e;
}

/* --- rules --- */

static const struct {
	uint64_t vaddr;
	int32_t cfa; /* from the stack pointer; 0: no rule */
	uint8_t rbp; /* words below the CFA */
	bool is_top;
} places[] = {
	{ 0x1000, 8, 0, false },  { 0x1003, 8, 0, false },
	{ 0x1004, 16, 2, false }, { 0x100b, 16, 2, false },
	{ 0x100c, 48, 2, false }, { 0x102f, 48, 2, false },
	{ 0x1030, 16, 2, false }, { 0x1033, 16, 2, false },
	{ 0x1034, 8, 0, false },  { 0x103f, 8, 0, false },
	{ 0x1040, 8, 0, true },	  { 0x105f, 8, 0, true },
	{ 0x1060, 0, 0, false },
};

static void check_table(const struct op_unwind_table *t)
{
	for (size_t i = 0; i < op_countof(places); i++) {
		const struct op_rule *r = NULL;

		CHECK_EQ(op_unwind_find(t, places[i].vaddr, &r), OP_FOUND);
		CHECK_EQ(r->cfa, places[i].cfa ? OP_CFA_REG : OP_CFA_NONE);
		if (!places[i].cfa)
			continue;
		CHECK_EQ(r->cfa_off, places[i].cfa);
		CHECK_EQ(r->saved[OP_COL_RBP], places[i].rbp);
		CHECK_EQ(r->ra, places[i].is_top ? OP_RA_END : OP_RA_BELOW);
	}
}

static void check_program(const struct go_program *g)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_unwind_build b;
	struct op_unwind_table t;
	struct op_cfi cfi = { .code_start = GO_TEXT,
			      .code_end = GO_TEXT + 0x100 };
	struct op_elf e;

	go_write(&f, g);
	e = open_it();
	CHECK_EQ(op_go_frames(&e, &mem, &cfi.debug, &err), OP_OK);
	CHECK(cfi.debug.is_debug);
	CHECK_EQ(op_unwind_build_init(&b, &cfi, &mem, &err), OP_OK);
	CHECK_EQ(op_unwind_build_all(&b), OP_OK);
	CHECK_EQ(op_unwind_build_table(&b, &t), OP_OK);
	CHECK_EQ(b.index.nr_broken, 0);
	check_table(&t);
	op_arena_free(&mem);
}

TEST(rules_of_all_versions)
{
	for (int v = OP_GO_1_2; v <= OP_GO_1_20; v++)
		check_program(&(struct go_program){ .version = v });
	check_program(&(struct go_program){ .version = OP_GO_1_20,
					    .is_moved = true });
	check_program(&(struct go_program){ .version = OP_GO_1_20,
					    .no_sections = true });
}

TEST(other_programs_have_none)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi_section out = { 0 };
	struct op_elf e;

	elf_start(&f, true);
	elf_finish(&f);
	e = open_it();
	CHECK_EQ(op_go_frames(&e, &mem, &out, &err), OP_OK);
	CHECK_EQ(out.bytes.n, 0);
	op_arena_free(&mem);
}

/* Only if there is no .debug_frame. */
TEST(taken_for_unwinding)
{
	const struct go_program g = { .version = OP_GO_1_20 };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi cfi;
	struct op_elf e;

	go_write(&f, &g);
	e = open_it();
	CHECK_EQ(op_unwind_elf(&e, &mem, &cfi, &err), OP_OK);
	CHECK(cfi.debug.bytes.n);
	op_arena_free(&mem);
}

TEST_MAIN(rules_of_all_versions, other_programs_have_none, taken_for_unwinding)
