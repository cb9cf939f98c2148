// SPDX-License-Identifier: Apache-2.0
#include "sym/unwind_table.h"

#include "sym/unwind_build.h"
#include "test.h"
#include "write/cfi.h"
#include "write/cfi_text.h"

enum { EH = 0x80000, CODE = 0x10000 };

/* A table with rows, runs, wide rules and an expression, as bytes. */
static struct op_view make(struct op_arena *mem)
{
	struct cfi_bytes eh = { .vaddr = EH, .encoding = 0x1b };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x20000 };
	struct op_err err = { 0 };
	struct op_unwind_build b;
	struct op_unwind_table t = { 0 };

	cfi_cie(&eh, "zR", "cfa rsp 8 offset ra 1");
	for (uint64_t i = 0; i < 4; i++)
		cfi_fde(&eh, CODE + 32 * i, 32,
			"+2 cfa_offset 16 offset r15 2 +2 cfa_offset 24");
	cfi_fde(&eh, CODE + 128, 32, "cfa_expr 30 +2 expr rbx 31");
	cfi.eh = cfi_section(&eh);
	CHECK(!op_unwind_build_init(&b, &cfi, mem, &err));
	CHECK(!op_unwind_build_all(&b));
	CHECK(!op_unwind_build_table(&b, &t));
	cfi_free(&eh);
	return op_view(t.head, t.head->bytes);
}

TEST(layout)
{
	CHECK_EQ(sizeof(struct op_unwind_head), 64);
	CHECK_EQ(sizeof(struct op_unwind_page), 136);
	CHECK_EQ(sizeof(struct op_unwind_step), 4);
	CHECK_EQ(sizeof(struct op_rule), 16);
	CHECK_EQ(sizeof(struct op_wide_rule), 72);
}

/* A block may be moved: it is found in as it was. */
TEST(moved)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_view v = make(&mem);
	struct op_unwind_table t;
	struct cfi_text text;
	uint8_t *copy = op_heap_resize(NULL, v.n, OP_IGNORED);

	memcpy(copy, v.p, v.n);
	op_arena_free(&mem);
	CHECK(!op_unwind_table_open(&t, op_view(copy, v.n), &err));
	CHECK_EQ(t.head->base, CODE);
	CHECK_EQ(t.head->nr_wide, 2);
	cfi_text_find(&text, &t, CODE + 100);
	CHECK_STR(text.s, "rsp+24 r15[cfa-16]");
	cfi_text_find(&text, &t, CODE + 96);
	CHECK_STR(text.s, "rsp+8");
	cfi_text_find(&text, &t, CODE + 128);
	CHECK_STR(text.s, "(30)");
	cfi_text_find(&text, &t, CODE + 159);
	CHECK_STR(text.s, "(30) rbx@(31)");
	op_heap_free(copy);
}

TEST(lies)
{
#define AT(field) offsetof(struct op_unwind_head, field)
	static const struct {
		const char *name;
		size_t at;
		uint32_t v;
	} rows[] = {
		{ "magic", AT(magic), 1 },
		{ "version", AT(version), 1 },
		{ "bytes", AT(bytes), 1u << 30 },
		{ "pages", AT(nr_pages), 1u << 28 },
		{ "rows", AT(nr_rows), 1u << 30 },
		{ "no rules", AT(nr_rules), 0 },
		{ "rules", AT(nr_rules), 0x8001 },
		{ "few rules", AT(nr_rules), 1 },
		{ "steps", AT(nr_steps), 1u << 31 },
		{ "few steps", AT(nr_steps), 1 },
		{ "wide", AT(nr_wide), 1u << 27 },
		{ "few wide", AT(nr_wide), 1 },
		{ "rows outside", AT(rows), UINT32_MAX - 3 },
		{ "rows at 2", AT(rows), 66 },
		{ "rules in the head", AT(rules), 0 },
		{ "rules at 4", AT(rules), 68 },
		{ "steps", AT(steps), UINT32_MAX - 3 },
		{ "wide", AT(wide), UINT32_MAX - 7 },
		{ "expr", AT(expr), UINT32_MAX },
		{ "first row", 64, 1u << 20 },
		{ "no rows", 68, 1 },
		{ "many rows", 68, UINT32_MAX },
		{ "a block's row", 72, 200 },
		{ "blocks that go back", 72, 1 },
	};
	struct op_arena mem = { 0 };
	struct op_view v = make(&mem);
	struct op_unwind_table t;

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t *copy = op_heap_resize(NULL, v.n, OP_IGNORED);
		struct op_err err = { 0 };

		memcpy(copy, v.p, v.n);
		memcpy(copy + rows[i].at, &rows[i].v, 4);
		if (op_unwind_table_open(&t, op_view(copy, v.n), &err) !=
		    OP_EFORMAT)
			TEST_FAIL("%s", rows[i].name);
		op_heap_free(copy);
	}
	op_arena_free(&mem);
#undef AT
}

/* Cut short, or not aligned. */
TEST(short_blocks)
{
	struct op_arena mem = { 0 };
	struct op_view v = make(&mem);
	struct op_unwind_table t;

	for (size_t n = 0; n < v.n; n++) {
		struct op_err err = { 0 };

		CHECK_EQ(op_unwind_table_open(&t, op_view(v.p, n), &err),
			 OP_EFORMAT);
		err = (struct op_err){ 0 };
		CHECK_EQ(op_unwind_table_open(&t, op_view(v.p + 1, v.n - 1),
					      &err),
			 OP_EFORMAT);
	}
	op_arena_free(&mem);
}

TEST(search)
{
	static const struct op_unwind_row sorted[] = {
		{ 0, 7 },  { 3, 1 },   { 9, 9 },
		{ 10, 3 }, { 500, 2 }, { 65535, 0 },
	};
	static const struct {
		uint32_t v, want;
	} rows[] = {
		{ 0, 0 },  { 2, 0 },   { 3, 1 },   { 8, 1 },	 { 9, 2 },
		{ 10, 3 }, { 499, 3 }, { 500, 4 }, { 65534, 4 }, { 65535, 5 },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_unwind_search(sorted, op_countof(sorted),
					  rows[i].v),
			 rows[i].want);
	CHECK_EQ(op_unwind_search(sorted, 1, 77), 0);
}

TEST_MAIN(layout, moved, lies, short_blocks, search)
