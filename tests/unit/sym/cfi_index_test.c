// SPDX-License-Identifier: Apache-2.0
#include "sym/cfi_index.h"

#include "test.h"
#include "write/cfi.h"

enum { EH = 0x80000, CODE = 0x10000 };

struct span {
	uint64_t start, size;
};

/* FDEs of both sections (the end of each: a size of 0), and the ranges they
 * become, from the begin of the code. */
struct row {
	const char *name;
	struct span eh[4], debug[4], want[5];
};

static void write_spans(struct cfi_bytes *b, const struct span *s)
{
	cfi_cie(b, "", "cfa rsp 8");
	for (; s->size; s++)
		cfi_fde(b, CODE + s->start, s->size, "");
}

static void check_row(const struct row *row)
{
	struct cfi_bytes eh = { .vaddr = EH }, debug = { .is_debug = true };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x1000 };
	struct op_cfi_index ix;
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	size_t n = 0;

	write_spans(&eh, row->eh);
	write_spans(&debug, row->debug);
	cfi.eh = cfi_section(&eh);
	cfi.debug = cfi_section(&debug);
	CHECK(!op_cfi_index_init(&ix, &cfi, &mem, &err));
	while (row->want[n].size)
		n++;
	if (ix.ranges.n != n)
		TEST_FAIL("%s: %zu ranges", row->name, ix.ranges.n);
	for (size_t i = 0; i < n && i < ix.ranges.n; i++) {
		const struct op_cfi_range *r = &ix.ranges.p[i];

		if (r->start != row->want[i].start ||
		    r->end - r->start != row->want[i].size)
			TEST_FAIL("%s: range %zu is %x to %x", row->name, i,
				  r->start, r->end);
	}
	op_arena_free(&mem);
	cfi_free(&eh);
	cfi_free(&debug);
}

TEST(ranges)
{
	static const struct row rows[] = {
		{ "none", { { 0, 0 } }, { { 0, 0 } }, { { 0, 0 } } },
		{ "as they are",
		  { { 0, 16 }, { 0x100, 32 } },
		  { { 0, 0 } },
		  { { 0, 16 }, { 0x100, 32 } } },
		{ "sorted",
		  { { 0x200, 16 }, { 0x100, 16 }, { 0, 16 } },
		  { { 0, 0 } },
		  { { 0, 16 }, { 0x100, 16 }, { 0x200, 16 } } },
		{ "the first of one start",
		  { { 0, 16 }, { 0, 64 } },
		  { { 0, 0 } },
		  { { 0, 16 } } },
		{ "cut at the next",
		  { { 0, 100 }, { 50, 10 } },
		  { { 0, 0 } },
		  { { 0, 50 }, { 50, 10 } } },
		{ "15 bytes of padding",
		  { { 0, 17 }, { 32, 16 } },
		  { { 0, 0 } },
		  { { 0, 32 }, { 32, 16 } } },
		{ "code, before what is not aligned",
		  { { 0, 17 }, { 24, 16 } },
		  { { 0, 0 } },
		  { { 0, 17 }, { 24, 16 } } },
		{ "16 bytes of something",
		  { { 0, 16 }, { 32, 16 } },
		  { { 0, 0 } },
		  { { 0, 16 }, { 32, 16 } } },
		{ "outside of the code",
		  { { 0xff0, 0x11 }, { 0x2000, 16 }, { 0, 16 } },
		  { { 0, 0 } },
		  { { 0, 16 } } },
		{ "the other section",
		  { { 0, 16 } },
		  { { 0, 64 }, { 0x100, 16 } },
		  { { 0, 16 }, { 0x100, 16 } } },
		{ "within what is known",
		  { { 0, 100 } },
		  { { 50, 10 }, { 200, 8 } },
		  { { 0, 100 }, { 200, 8 } } },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i]);
}

/* A linker leaves address 0 in .debug_frame for a function it dropped. */
TEST(dropped)
{
	struct cfi_bytes b = { .is_debug = true };
	struct op_cfi cfi = { .code_end = 0x1000 };
	struct op_cfi_index ix;
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };

	cfi_cie(&b, "", "cfa rsp 8");
	cfi_fde(&b, 0, 100, "");
	cfi_fde(&b, 0x20, 16, "");
	cfi.debug = cfi_section(&b);
	CHECK(!op_cfi_index_init(&ix, &cfi, &mem, &err));
	CHECK(ix.ranges.n == 1 && ix.ranges.p[0].start == 0x20);
	op_arena_free(&mem);
	cfi_free(&b);
}

TEST(sigreturn)
{
	static const struct {
		const char *hex;
		uint32_t start, end; /* of the range; 0: none */
	} rows[] = {
		{ "909048c7c00f0000000f05", 1, 11 },
		{ "909090b80f0000000f05", 2, 10 },
		{ "48c7c00f0000000f05", 0, 9 },
		{ "909048c7c00e0000000f05", 0, 0 },
		{ "b80f0000000f", 0, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes code = { 0 };
		struct op_cfi cfi = { .code_start = CODE };
		struct op_cfi_index ix;
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };

		cfi_raw(&code, rows[i].hex);
		cfi.code = (struct op_cfi_section){ op_view(code.p, code.n),
						    CODE, false };
		cfi.code_end = CODE + code.n;
		CHECK(!op_cfi_index_init(&ix, &cfi, &mem, &err));
		CHECK_EQ(ix.ranges.n, rows[i].end > 0);
		if (ix.ranges.n == 1) {
			CHECK_EQ(ix.ranges.p[0].start, rows[i].start);
			CHECK_EQ(ix.ranges.p[0].end, rows[i].end);
		}
		op_arena_free(&mem);
		cfi_free(&code);
	}
}

/* Entries that are broken are counted and the next are read. */
TEST(broken_entries)
{
	struct cfi_bytes b = { .vaddr = EH };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x1000 };
	struct op_cfi_index ix;
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };

	cfi_cie(&b, "", "cfa rsp 8");
	cfi_fde(&b, CODE, 16, "");
	cfi_raw(&b, "0400000004000000"); /* its own CIE */
	cfi_cie(&b, "Q", "cfa rsp 8");
	cfi_fde(&b, CODE + 0x40, 16, "");
	cfi_fde(&b, CODE + 0x80, UINT64_MAX, "");
	cfi_raw(&b, "00000000");
	cfi_cie(&b, "", "cfa rsp 8");
	cfi_fde(&b, CODE + 0x100, UINT64_MAX - 5, ""); /* past all */
	cfi_fde(&b, CODE + 0x200, 16, "");
	cfi_raw(&b, "ff00000000000000"); /* longer than what is left */
	cfi.eh = cfi_section(&b);
	CHECK(!op_cfi_index_init(&ix, &cfi, &mem, &err));
	CHECK_EQ(ix.ranges.n, 2);
	CHECK_EQ(ix.nr_broken, 5);
	op_arena_free(&mem);
	cfi_free(&b);
}

TEST(limits)
{
	struct op_cfi cfi = { .code_start = 0x123456 };
	struct op_cfi_index ix;
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };

	cfi.code_end = cfi.code_start + UINT32_MAX;
	CHECK_EQ(op_cfi_index_init(&ix, &cfi, &mem, &err), OP_ELIMIT);
	CHECK_STR(err.text, "code spans 4 GiB or more");
	op_arena_free(&mem);
}

TEST_MAIN(ranges, dropped, sigreturn, broken_entries, limits)
