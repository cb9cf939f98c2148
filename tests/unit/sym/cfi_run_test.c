// SPDX-License-Identifier: Apache-2.0
/* Programs and what they say of a place: in a table, and by a second reading
 * of them (tests/write/cfi_text.c). */
#include "sym/cfi_run.h"

#include "sym/unwind_build.h"
#include "test.h"
#include "write/cfi.h"
#include "write/cfi_text.h"

enum { EH = 0x80000, CODE = 0x10000, SIZE = 0x100 };

struct row {
	const char *program;
	uint64_t at; /* bytes from the begin of the function */
	const char *want;
};

static void check_row(const struct row *row, const char *letters,
		      const char *begin)
{
	struct cfi_bytes b = { .vaddr = EH, .encoding = 0x1b };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x10000 };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_unwind_build build;
	struct op_unwind_table t;
	struct cfi_text text = { 0 };

	cfi_cie(&b, letters, begin);
	cfi_fde(&b, CODE, SIZE, row->program);
	cfi.eh = cfi_section(&b);
	CHECK(!op_unwind_build_init(&build, &cfi, &mem, &err));
	CHECK(!op_unwind_build_all(&build));
	CHECK(!op_unwind_build_table(&build, &t));
	cfi_text_find(&text, &t, CODE + row->at);
	if (strcmp(text.s, row->want))
		TEST_FAIL("\"%.60s\" at %llu: %.60s", row->program,
			  (unsigned long long)row->at, text.s);
	cfi_text_naive(&text, &build.index, CODE + row->at);
	if (strcmp(text.s, row->want))
		TEST_FAIL("naive: \"%.60s\" at %llu: %.60s", row->program,
			  (unsigned long long)row->at, text.s);
	op_arena_free(&mem);
	cfi_free(&b);
}

static const char cie[] = "cfa rsp 8 offset ra 1";

TEST(instructions)
{
	static const struct row rows[] = {
		{ "", 0, "rsp+8" },
		{ "", SIZE - 1, "rsp+8" },
		{ "", SIZE, "none" },
		{ "+1 cfa_offset 16 offset rbp 2", 0, "rsp+8" },
		{ "+1 cfa_offset 16 offset rbp 2", 1, "rsp+16 rbp[cfa-16]" },
		{ "+1 cfa rbp 16", 1, "rbp+16" },
		{ "+1 cfa_register rbx", 1, "rbx+8" },
		{ "+1 cfa_sf rsp -3", 1, "rsp+24" },
		{ "+1 cfa_offset_sf -4", 1, "rsp+32" },
		{ "loc1 200 cfa_offset 16", 199, "rsp+8" },
		{ "loc1 200 cfa_offset 16", 200, "rsp+16" },
		{ "loc2 3 cfa_offset 16", 3, "rsp+16" },
		{ "loc4 3 cfa_offset 16", 3, "rsp+16" },
		{ "set_loc 0x10005 cfa_offset 16", 4, "rsp+8" },
		{ "set_loc 0x10005 cfa_offset 16", 5, "rsp+16" },
		{ "offset_extended r12 2", 0, "rsp+8 r12[cfa-16]" },
		{ "offset_sf r12 2", 0, "rsp+8 r12[cfa-16]" },
		{ "offset_sf r12 -2", 0, "rsp+8 r12[cfa+16]" },
		{ "negative r12 2", 0, "rsp+8 r12[cfa+16]" },
		{ "offset r12 254", 0, "rsp+8 r12[cfa-2032]" },
		{ "offset r12 255", 0, "rsp+8 r12[cfa-2040]" },
		{ "offset r12 0", 0, "rsp+8 r12[cfa+0]" },
		{ "val_offset r12 2", 0, "rsp+8 r12=cfa-16" },
		{ "val_offset_sf r12 -2", 0, "rsp+8 r12=cfa+16" },
		{ "register r12 rdi", 0, "rsp+8 r12=rdi+0" },
		{ "register ra rdi", 0, "rsp+8 ra=rdi+0" },
		{ "undefined r12", 0, "rsp+8 r12?" },
		{ "undefined ra", 0, "rsp+8 ra?" },
		{ "offset r12 2 same r12", 0, "rsp+8" },
		{ "same ra", 0, "rsp+8 ra=same" },
		{ "offset ra 2", 0, "rsp+8 ra[cfa-16]" },
		{ "offset ra 2 restore ra", 0, "rsp+8" },
		{ "offset r15 2 +1 restore r15", 0, "rsp+8 r15[cfa-16]" },
		{ "offset r15 2 +1 restore r15", 1, "rsp+8" },
		{ "offset r15 2 +1 restore_extended r15", 1, "rsp+8" },
		{ "val_offset rsp 0", 0, "rsp+8" },
		{ "val_offset rsp 1", 0, "rsp+8 rsp=cfa-8" },
		{ "same rsp", 0, "rsp+8 rsp=same" },
		{ "args_size 16 nop nop +1 cfa_offset 16", 1, "rsp+16" },
		/* Registers that nobody keeps. */
		{ "offset rax 2 undefined rcx same 40 restore 17 offset 33 3",
		  0, "rsp+8" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i], "zR", cie);
}

TEST(states)
{
	static const struct row rows[] = {
		{ "+1 offset rbx 2 remember +1 cfa rbp 16 same rbx +1 recall",
		  2, "rbp+16" },
		{ "+1 offset rbx 2 remember +1 cfa rbp 16 same rbx +1 recall",
		  3, "rsp+8 rbx[cfa-16]" },
		{ "remember cfa rbp 16 remember +1 cfa rbx 0 +1 recall +1 "
		  "recall",
		  2, "rbp+16" },
		{ "remember cfa rbp 16 remember +1 cfa rbx 0 +1 recall +1 "
		  "recall",
		  3, "rsp+8" },
		{ "expr rbx 7708 remember +1 same rbx +1 recall", 2,
		  "rsp+8 rbx[rsp+8]" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i], "zR", cie);
}

TEST(expressions)
{
	static const struct row rows[] = {
		{ "cfa_expr 7708", 0, "rsp+8" },
		{ "cfa_expr 767806", 0, "[rbp-8]+0" },
		{ "cfa_expr 7678062310", 0, "[rbp-8]+16" },
		{ "cfa_expr 767806238080807e", 0, "(767806238080807e)" },
		{ "cfa_expr 770880003f1a3b2a332422", 0, "plt rsp+8 11" },
		{ "cfa_expr 770880003f1a3a2a332422", 0, "plt rsp+8 10" },
		{ "cfa_expr 770880003f1a392a332422", 0, "plt rsp+8 9" },
		{ "cfa_expr 770880003f1a3b2a342422", 0,
		  "(770880003f1a3b2a342422)" },
		{ "expr rbx 7670", 0, "rsp+8 rbx[rbp-16]" },
		{ "expr rbx 767006", 0, "rsp+8 rbx@(767006)" },
		{ "val_expr rbx 7670", 0, "rsp+8 rbx=rbp-16" },
		{ "val_expr rbx 23f00f", 0, "rsp+8 rbx=(23f00f)" },
		{ "expr rax 23f00f", 0, "rsp+8" },
		{ "cfa_expr 30 expr rbx 31", 0, "(30) rbx@(31)" },
		{ "cfa_expr 767806 +1 cfa rsp 8", 1, "rsp+8" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i], "zR", cie);
}

/* What glibc says of the code behind a signal handler. */
TEST(signals)
{
	static const char all[] =
		"cfa_expr 77a00106 expr ra 77a801 expr rsp 77a001 "
		"expr rbp 77f800 expr rbx 778001 expr r12 77c800 "
		"expr r13 77d000 expr r14 77d800 expr r15 77e000 "
		"expr rax 779001 expr r8 7728";
	static const char other[] = "cfa_expr 77a00106 expr ra 77a801";
	const struct row rows[] = {
		{ all, 0, "signal" },
		{ other, 0, "[rsp+160]+0 ra[rsp+168] S" },
		{ "", 0, "rsp+8 S" },
	};
	const struct row plain = { other, 0, "[rsp+160]+0 ra[rsp+168]" };

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i], "zRS", cie);
	check_row(&plain, "zR", cie);
}

/* From the instruction that is broken on nothing is known; before, all is. */
TEST(broken_programs)
{
	static const struct row rows[] = {
		{ "+4 cfa_offset 16 +4 =3f", 7, "rsp+16" },
		{ "+4 cfa_offset 16 +4 =3f", 8, "none" },
		{ "+4 cfa_offset 16 +4 =3f +4 cfa_offset 8", 20, "none" },
		{ "+4 recall", 3, "rsp+8" },
		{ "+4 recall", 4, "none" },
		{ "+4 cfa 300 8", 4, "none" },
		{ "+4 cfa rsp 0x80000000", 4, "none" },
		{ "+4 offset_sf rbx 0x40000000", 4, "none" },
		{ "+4 register rbx 300", 4, "none" },
		{ "+4 cfa_expr 767806 cfa_offset 16", 4, "none" },
		{ "+4 cfa_expr 767806 cfa_register rbp", 4, "none" },
		{ "+4 set_loc 0x10003", 4, "none" },
		{ "+4 set_loc 0x10003", 3, "rsp+8" },
		{ "+4 =0fff01", 4, "none" },
		/* Rows behind the end of the function. */
		{ "+4 cfa_offset 16 loc2 0x1000 cfa_offset 24", 255, "rsp+16" },
		{ "+4 cfa_offset 16 loc2 0x1000 =3f", 255, "rsp+16" },
	};
	static const struct row no_cie[] = {
		{ "", 0, "none" },
		{ "+1 cfa rsp 8", 0, "none" },
	};
	static const struct row no_cfa[] = {
		{ "", 0, "none" },
		{ "+1 cfa_offset 8 +1 cfa rsp 8", 2, "none" },
		{ "+1 cfa rsp 8", 1, "rsp+8" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i], "zR", cie);
	for (size_t i = 0; i < op_countof(no_cie); i++) {
		check_row(&no_cie[i], "zR", "cfa rsp 8 +1");
		check_row(&no_cie[i], "zR", "cfa rsp 8 recall");
	}
	for (size_t i = 0; i < op_countof(no_cfa); i++)
		check_row(&no_cfa[i], "zR", "");
}

TEST(states_have_a_limit)
{
	char program[OP_CFI_MAX_STATES * 16] = "";
	struct row row = { program, 1, "rbp+8" };
	int n = 0;

	for (int i = 0; i < OP_CFI_MAX_STATES; i++)
		n += snprintf(program + n, sizeof(program) - (size_t)n,
			      "remember ");
	snprintf(program + n, sizeof(program) - (size_t)n, "+1 cfa rbp 8");
	check_row(&row, "zR", cie);
	snprintf(program + n, sizeof(program) - (size_t)n,
		 "+1 remember cfa rbp 8");
	row.want = "none";
	check_row(&row, "zR", cie);
}

TEST_MAIN(instructions, states, expressions, signals, broken_programs,
	  states_have_a_limit)
