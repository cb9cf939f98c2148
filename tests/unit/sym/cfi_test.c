// SPDX-License-Identifier: Apache-2.0
#include "sym/cfi.h"

#include "test.h"
#include "write/cfi.h"

enum { EH = 0x80000, START = 0x12340, SIZE = 0x56 };

/* The first FDE of a section. */
static bool first_fde(const struct op_cfi *cfi, const struct op_cfi_section *s,
		      struct op_cfi_cie *cie, struct op_cfi_fde *fde)
{
	struct op_cfi_entry e = { .next = 0 };

	do {
		e = op_cfi_entry(s, e.next);
		if (e.kind == OP_CFI_END)
			return false;
	} while (e.kind != OP_CFI_FDE);
	return op_cfi_cie_at(s, e.cie_at, cie) &&
	       op_cfi_fde_read(cfi, s, &e, cie, fde);
}

TEST(encodings)
{
	static const struct {
		uint8_t encoding;
		bool is_good;
	} rows[] = {
		{ OP_PE_ABSPTR, true },
		{ OP_PE_ULEB, true },
		{ OP_PE_UDATA4, true },
		{ OP_PE_UDATA8, true },
		{ OP_PE_SLEB, true },
		{ OP_PE_SDATA4, true },
		{ OP_PE_SDATA8, true },
		{ OP_PE_PCREL | OP_PE_SDATA4, true },
		{ OP_PE_PCREL | OP_PE_SDATA8, true },
		{ OP_PE_PCREL | OP_PE_ABSPTR, true },
		{ OP_PE_TEXTREL | OP_PE_SDATA4, true },
		{ OP_PE_TEXTREL | OP_PE_UDATA2, true },
		{ OP_PE_TEXTREL | OP_PE_SDATA2, true },
		{ OP_PE_DATAREL | OP_PE_SDATA4, true },
		{ OP_PE_DATAREL | OP_PE_ULEB, true },
		{ OP_PE_ALIGNED, true },
		{ OP_PE_INDIRECT | OP_PE_PCREL | OP_PE_SDATA4, false },
		{ OP_PE_ALIGNED | OP_PE_SDATA4, false },
		{ 0x60, false },
		{ 0x05, false },
		{ OP_PE_OMIT, false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes b = { .vaddr = EH,
				       .encoding = rows[i].encoding,
				       .textrel = 0x12000,
				       .datarel = 0x11000 };
		struct op_cfi cfi = { .text = 0x12000, .got = 0x11000 };
		struct op_cfi_cie cie;
		struct op_cfi_fde fde;
		bool is_good;

		cfi_cie(&b, "zR", "cfa rsp 8");
		cfi_fde(&b, START, SIZE, "+1");
		cfi.eh = cfi_section(&b);
		is_good = first_fde(&cfi, &cfi.eh, &cie, &fde);
		if (is_good != rows[i].is_good)
			TEST_FAIL("encoding %02x", rows[i].encoding);
		if (is_good) {
			CHECK_EQ(fde.start, START);
			CHECK_EQ(fde.size, SIZE);
			CHECK_EQ(fde.program.p[0], 0x41);
		}
		cfi_free(&b);
	}
}

TEST(augmentations)
{
	static const struct {
		const char *letters;
		bool is_good, is_signal;
	} rows[] = {
		{ "", true, false },	 { "zR", true, false },
		{ "zPLR", true, false }, { "zRS", true, true },
		{ "zPLRS", true, true }, { "S", true, true },
		{ "z", true, false },	 { "zRX", true, false },
		{ "X", false, false },	 { "RX", false, false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes b = { .vaddr = EH };
		struct op_cfi cfi = { 0 };
		struct op_cfi_cie cie = { 0 };
		struct op_cfi_fde fde = { 0 };

		cfi_cie(&b, rows[i].letters, "cfa rsp 8");
		cfi_fde(&b, START, SIZE, "+1");
		cfi.eh = cfi_section(&b);
		if (first_fde(&cfi, &cfi.eh, &cie, &fde) != rows[i].is_good ||
		    cie.is_signal != rows[i].is_signal ||
		    (rows[i].is_good && fde.start != START))
			TEST_FAIL("augmentation %s", rows[i].letters);
		cfi_free(&b);
	}
}

TEST(forms)
{
	static const struct {
		bool is_debug, is_wide;
		uint8_t version;
		bool is_good;
	} rows[] = {
		{ false, false, 1, true },  { false, false, 3, true },
		{ false, true, 1, true },   { false, false, 4, true },
		{ true, false, 4, true },   { true, true, 4, true },
		{ true, false, 1, true },   { true, true, 3, true },
		{ false, false, 2, false }, { true, false, 5, false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes b = { .vaddr = rows[i].is_debug ? 0 : EH,
				       .is_debug = rows[i].is_debug,
				       .is_wide = rows[i].is_wide,
				       .version = rows[i].version,
				       .code_align = 4,
				       .data_align = -16 };
		struct op_cfi cfi = { 0 };
		struct op_cfi_section s;
		struct op_cfi_cie cie = { 0 };
		struct op_cfi_fde fde = { 0 };

		/* So that the CIE is not at 0, which is also no offset. */
		cfi_cie(&b, "", "");
		cfi_cie(&b, "", "cfa rsp 8");
		cfi_fde(&b, START, SIZE, "+1");
		s = cfi_section(&b);
		CHECK_EQ(first_fde(&cfi, &s, &cie, &fde), rows[i].is_good);
		if (rows[i].is_good) {
			CHECK_EQ(fde.start, START);
			CHECK_EQ(cie.code_align, 4);
			CHECK_EQ(cie.data_align, -16);
			CHECK_EQ(cie.ra_reg, 16);
		}
		cfi_free(&b);
	}
}

TEST(entries_that_lie)
{
	static const struct {
		const char *name, *hex;
		enum op_cfi_kind kind;
	} rows[] = {
		{ "nothing", "", OP_CFI_END },
		{ "zeros", "0000000000000000", OP_CFI_END },
		{ "half a length", "0800", OP_CFI_END },
		{ "longer than the section", "0900000000000000ffffffff",
		  OP_CFI_END },
		{ "escape", "f0ffffff00000000", OP_CFI_END },
		{ "longer in 64 bits", "ffffffffffffffffffffffff00000000",
		  OP_CFI_END },
		{ "no room for an id", "02000000abcd0000", OP_CFI_BROKEN },
		{ "a CIE before the section", "0400000005000000",
		  OP_CFI_BROKEN },
		{ "itself as its CIE", "0400000004000000", OP_CFI_FDE },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes b = { .vaddr = EH };
		struct op_cfi_section s;
		struct op_cfi_entry e;
		struct op_cfi_cie cie;

		cfi_raw(&b, rows[i].hex);
		s = cfi_section(&b);
		e = op_cfi_entry(&s, 0);
		if (e.kind != rows[i].kind)
			TEST_FAIL("%s: %d", rows[i].name, e.kind);
		if (e.kind == OP_CFI_FDE)
			CHECK(!op_cfi_cie_at(&s, e.cie_at, &cie));
		cfi_free(&b);
	}
}

/* Every cut of a section is read without a byte behind it. */
TEST(cut_short)
{
	struct cfi_bytes b = { .vaddr = EH, .encoding = 0x1b };
	struct op_cfi_section s;

	cfi_cie(&b, "zPLRS", "cfa rsp 8 offset ra 1");
	cfi_fde(&b, START, SIZE, "+1 cfa_offset 16");
	s = cfi_section(&b);
	for (size_t n = 0; n <= b.n; n++) {
		struct op_cfi cfi = { 0 };
		struct op_cfi_cie cie;
		struct op_cfi_fde fde;
		uint8_t *copy = op_heap_resize(NULL, n + 1, OP_IGNORED);

		memcpy(copy, b.p, n);
		s.bytes = op_view(copy, n);
		CHECK_EQ(first_fde(&cfi, &s, &cie, &fde), n == b.n);
		op_heap_free(copy);
	}
	cfi_free(&b);
}

TEST(numbers)
{
	static const struct {
		const char *hex;
		uint64_t u;
		int64_t s;
	} rows[] = {
		{ "00", 0, 0 },
		{ "7f", 127, -1 },
		{ "8001", 128, 128 },
		{ "e58e26", 624485, 624485 },
		{ "c0bb78", 0x1e1dc0, -123456 },
		{ "ffffffffffffffffff01", UINT64_MAX, -1 },
		{ "80808080808080808080808000", 0, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes w = { 0 };
		struct op_cfi_bytes b;

		cfi_raw(&w, rows[i].hex);
		b = (struct op_cfi_bytes){ w.p, w.p + w.n, false };
		CHECK(op_cfi_uleb(&b) == rows[i].u && b.p == b.end);
		b = (struct op_cfi_bytes){ w.p, w.p + w.n, false };
		CHECK(op_cfi_sleb(&b) == rows[i].s && !b.is_broken);
		b = (struct op_cfi_bytes){ w.p, w.p + w.n - 1, false };
		CHECK(!op_cfi_uleb(&b) && b.is_broken);
		cfi_free(&w);
	}
}

/* .eh_frame_hdr is a hint. */
TEST(hdr)
{
	struct cfi_bytes eh = { .vaddr = EH, .encoding = 0x1b };
	struct cfi_bytes hdr = { .vaddr = EH - 0x1000 };
	uint64_t pairs[3][2] = { { 0x1000 }, { 0x2000 }, { 0x3000 } };
	struct op_cfi cfi = { 0 };
	struct op_cfi_cie cie;
	struct op_cfi_fde fde;

	cfi_cie(&eh, "zR", "cfa rsp 8 offset ra 1");
	for (int i = 0; i < 3; i++) {
		pairs[i][1] = eh.n;
		cfi_fde(&eh, pairs[i][0], 0x100, "");
	}
	pairs[2][1] = pairs[0][1]; /* a lie */
	cfi_hdr(&hdr, &eh, pairs, 3);
	cfi.eh = cfi_section(&eh);
	cfi.hdr = cfi_section(&hdr);
	CHECK(op_cfi_find(&cfi, 0x1000, &cie, &fde) && fde.start == 0x1000);
	CHECK(op_cfi_find(&cfi, 0x20ff, &cie, &fde) && fde.start == 0x2000);
	CHECK(!op_cfi_find(&cfi, 0x2100, &cie, &fde));
	CHECK(!op_cfi_find(&cfi, 0xfff, &cie, &fde));
	CHECK(!op_cfi_find(&cfi, 0x3000, &cie, &fde));
	hdr.p[8] = 200; /* more pairs than there are */
	CHECK(!op_cfi_find(&cfi, 0x1000, &cie, &fde));
	cfi_free(&eh);
	cfi_free(&hdr);
}

TEST_MAIN(encodings, augmentations, forms, entries_that_lie, cut_short, numbers,
	  hdr)
