// SPDX-License-Identifier: Apache-2.0
#include "sym/unwind_elf.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "test.h"
#include "write/cfi.h"
#include "write/elf.h"

enum { TEXT = 0x1000, EH = 0x3000, HDR = 0x2000 };

static struct elf f;
static struct cfi_bytes eh, hdr, debug;

static void sections(void)
{
	uint64_t pairs[1][2];

	eh = (struct cfi_bytes){ .vaddr = EH, .encoding = 0x1b };
	hdr = (struct cfi_bytes){ .vaddr = HDR };
	debug = (struct cfi_bytes){ .is_debug = true };
	cfi_cie(&eh, "zR", "cfa rsp 8");
	pairs[0][0] = TEXT;
	pairs[0][1] = eh.n;
	cfi_fde(&eh, TEXT, 16, "");
	cfi_hdr(&hdr, &eh, pairs, 1);
	cfi_cie(&debug, "", "cfa rsp 8");
	cfi_fde(&debug, TEXT, 16, "");
}

static uint32_t add(const char *name, uint64_t vaddr, const struct cfi_bytes *b)
{
	return elf_add(&f, name, SHT_PROGBITS, vaddr, op_view(b->p, b->n));
}

/* A library with all three sections; text is code in a segment with more. */
static void library(void)
{
	static const uint8_t text[64] = { 0xc3 };
	uint32_t n;

	sections();
	elf_start(&f, true);
	n = elf_add(&f, ".text", SHT_PROGBITS, TEXT,
		    op_view(text, sizeof(text)));
	f.sections[n].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	elf_segment(&f, PT_LOAD, PF_R | PF_X, TEXT, n);
	n = add(".eh_frame_hdr", HDR, &hdr);
	elf_segment(&f, PT_LOAD, PF_R, HDR, n);
	elf_segment(&f, PT_GNU_EH_FRAME, PF_R, HDR, n);
	elf_segment(&f, PT_LOAD, PF_R, EH, add(".eh_frame", EH, &eh));
}

static int take(struct op_arena *mem, struct op_cfi *cfi, struct op_err *err)
{
	struct op_elf e;

	elf_finish(&f);
	CHECK(!op_elf_open(&e, elf_view(&f), err));
	return op_unwind_elf(&e, mem, cfi, err);
}

static void clear(struct op_arena *mem)
{
	op_arena_free(mem);
	cfi_free(&eh);
	cfi_free(&hdr);
	cfi_free(&debug);
}

static bool same(struct op_view v, const struct cfi_bytes *b)
{
	return op_view_eq(v, op_view(b->p, b->n));
}

TEST(by_name)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi cfi;

	library();
	add(".debug_frame", 0, &debug);
	CHECK(!take(&mem, &cfi, &err));
	CHECK(same(cfi.eh.bytes, &eh) && cfi.eh.vaddr == EH);
	CHECK(same(cfi.hdr.bytes, &hdr) && cfi.hdr.vaddr == HDR);
	CHECK(same(cfi.debug.bytes, &debug) && cfi.debug.is_debug);
	CHECK_EQ(cfi.code_start, TEXT);
	CHECK_EQ(cfi.code_end, TEXT + 64);
	CHECK_EQ(cfi.code.bytes.n, 64);
	clear(&mem);
}

/* Without section headers, as sstrip leaves it. */
TEST(by_segment)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi cfi;

	library();
	f.no_sections = true;
	CHECK(!take(&mem, &cfi, &err));
	CHECK_EQ(cfi.eh.vaddr, EH);
	CHECK(cfi.eh.bytes.n >= eh.n && !memcmp(cfi.eh.bytes.p, eh.p, eh.n));
	CHECK_EQ(cfi.code_start, TEXT);
	CHECK_EQ(cfi.code_end, TEXT + 64);
	clear(&mem);
}

/* .debug_frame in zlib, unpacked into the arena. */
TEST(packed)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_cfi cfi;
		uint8_t out[512];
		Elf64_Chdr ch = { .ch_type = ELFCOMPRESS_ZLIB,
				  .ch_addralign = 8 };
		struct libdeflate_compressor *c;
		size_t n = sizeof(ch);
		uint32_t row;
		int rc;

		library();
		c = libdeflate_alloc_compressor(6);
		ch.ch_size = debug.n;
		memcpy(out, &ch, sizeof(ch));
		n += libdeflate_zlib_compress(c, debug.p, debug.n, out + n,
					      sizeof(out) - n);
		libdeflate_free_compressor(c);
		row = elf_add(&f, ".debug_frame", SHT_PROGBITS, 0,
			      op_view(out, n));
		f.sections[row].sh_flags = SHF_COMPRESSED;
		rc = take(&mem, &cfi, &err);
		CHECK_EQ(rc, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		if (!rc)
			CHECK(same(cfi.debug.bytes, &debug));
		clear(&mem);
	}
}

/* A section that claims to be longer than the file is not code. */
TEST(lying_code)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi cfi;
	uint32_t n;

	library();
	n = elf_add(&f, ".init", SHT_PROGBITS, 0x500, op_view("\xc3", 1));
	f.sections[n].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	f.sections[n].sh_size = UINT64_C(1) << 40;
	CHECK(!take(&mem, &cfi, &err));
	CHECK_EQ(cfi.code_start, TEXT);
	CHECK_EQ(cfi.code_end, TEXT + 64);
	clear(&mem);
}

TEST(others)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi cfi;

	/* Nothing to unwind with. */
	sections();
	elf_start(&f, true);
	CHECK(!take(&mem, &cfi, &err));
	CHECK(!cfi.eh.bytes.n && !cfi.debug.bytes.n && !cfi.code_end);
	/* Another machine. */
	elf_start(&f, true);
	f.head.e_machine = EM_AARCH64;
	CHECK_EQ(take(&mem, &cfi, &err), OP_EFORMAT);
	err = (struct op_err){ 0 };
	elf_start(&f, false);
	CHECK_EQ(take(&mem, &cfi, &err), OP_EFORMAT);
	CHECK_STR(err.text,
		  "unwind tables are supported for x86-64 files only");
	clear(&mem);
}

TEST_MAIN(by_name, by_segment, packed, lying_code, others)
