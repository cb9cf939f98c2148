// SPDX-License-Identifier: Apache-2.0
/* Any bytes as .eh_frame or .debug_frame: what a table says of an address is
 * what running the program up to that address says, whether the table was
 * built whole or a page at a time. Rows are sorted, a block that was built
 * can be opened, and .eh_frame_hdr finds no FDE without the address.
 *
 * The first byte tells what the section is, the rest is the section. */
#include <stdlib.h>

#include "fuzz/prop.h"
#include "sym/unwind_build.h"
#include "write/cfi_text.h"

enum {
	CODE = 0x10000,
	CODE_BYTES = 4 * OP_PAGE_BYTES,
	SECTION = 0x80000,
	MAX_CHECKS = 600,
};

static void check_at(const struct op_unwind_build *b,
		     const struct op_unwind_table *t, uint64_t vaddr)
{
	static struct cfi_text ours, naive;

	cfi_text_find(&ours, t, vaddr);
	cfi_text_naive(&naive, &b->index, vaddr);
	PROP(!strcmp(ours.s, naive.s));
}

/* Around the begin and end of each row of a page. */
static int check_page(const struct op_unwind_build *b,
		      const struct op_unwind_table *t, uint32_t page)
{
	const struct op_unwind_page *p = op_unwind_pages(t) + page;
	const struct op_unwind_row *rows = op_unwind_part(t, t->head->rows);
	uint64_t base = t->head->base + (uint64_t)page * OP_PAGE_BYTES;
	uint32_t nr = p->nr_built - 1;

	PROP(p->nr_built > 1 && !rows[p->first].low);
	rows += p->first;
	for (uint32_t i = 0; i < nr; i++) {
		PROP(!i || rows[i].low > rows[i - 1].low);
		if (i > MAX_CHECKS / 4)
			continue;
		check_at(b, t, base + rows[i].low);
		if (rows[i].low)
			check_at(b, t, base + rows[i].low - 1u);
		/* In the middle of a run of steps, perhaps. */
		check_at(b, t, base + ((rows[i].low + 3u) & 0xffff));
	}
	check_at(b, t, base + OP_PAGE_BYTES - 1);
	return 0;
}

/* Where ranges begin and end, which a wrong table need not know. */
static void check_ranges(const struct op_unwind_build *b,
			 const struct op_unwind_table *t)
{
	for (size_t i = 0; i < b->index.ranges.n && i < MAX_CHECKS; i++) {
		const struct op_cfi_range *r = &b->index.ranges.p[i];

		PROP(r->start < r->end && r->end <= b->index.size);
		PROP(!i || r[-1].end <= r->start);
		check_at(b, t, b->index.base + r->start);
		check_at(b, t, b->index.base + r->end - 1);
		check_at(b, t, b->index.base + (r->start + r->end) / 2);
	}
}

static void check_table(struct op_unwind_build *b, bool is_lazy)
{
	struct op_err err = { 0 };
	struct op_unwind_table t, again;

	for (uint32_t i = b->nr_pages; is_lazy && i--;)
		PROP(!op_unwind_build_pages(b, i, 1));
	PROP(!op_unwind_build_all(b) && !op_unwind_build_table(b, &t));
	PROP(!b->nr_lost);
	PROP(!op_unwind_table_open(&again, op_view(t.head, t.head->bytes),
				   &err));
	for (uint32_t i = 0; i < t.head->nr_pages; i++)
		check_page(b, &t, i);
	check_ranges(b, &t);
}

static void check_hdr(const struct op_cfi *cfi, const struct op_cfi_index *ix)
{
	for (size_t i = 0; i < ix->ranges.n && i < 50; i++) {
		uint64_t vaddr = ix->base + ix->ranges.p[i].start;
		struct op_cfi_cie cie;
		struct op_cfi_fde fde;

		if (op_cfi_find(cfi, vaddr, &cie, &fde))
			PROP(vaddr - fde.start < fde.size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_cfi cfi = { .code_start = CODE,
			      .code_end = CODE + CODE_BYTES };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_unwind_build b;
	struct op_cfi_section s;

	if (!n)
		return 0;
	s = (struct op_cfi_section){ op_view(data + 1, n - 1), SECTION,
				     data[0] & 1 };
	if (s.is_debug)
		cfi.debug = s;
	else
		cfi.eh = s;
	if (data[0] & 2)
		cfi.hdr = s;
	if (data[0] & 8)
		cfi.code = (struct op_cfi_section){ s.bytes, CODE, false };
	cfi.got = CODE;
	cfi.text = CODE;
	PROP(!op_unwind_build_init(&b, &cfi, &mem, &err));
	check_table(&b, data[0] & 4);
	check_hdr(&cfi, &b.index);
	op_arena_free(&mem);
	return 0;
}
