// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_elf.c: the sections of an ELF file that unwinding needs. */
#include "sym/unwind_elf.h"

#include <elf.h>

#include "sym/go_frames.h"

enum { MAX_DEBUG_FRAME = 256 << 20 };

static void take(const struct op_elf *e, const char *name,
		 struct op_cfi_section *out)
{
	struct op_elf_section s;

	if (op_elf_section(e, name, &s) && !op_elf_is_packed(&s))
		*out = (struct op_cfi_section){ s.bytes, s.vaddr, false };
}

/* Everything from the address in .eh_frame_hdr to the end of its segment; zeros
 * or other data after .eh_frame end it. */
static void take_by_segment(const struct op_elf *e, struct op_cfi *cfi)
{
	struct op_elf_segment seg = { 0 };
	struct op_cfi_bases bases = { .s = &cfi->hdr };
	struct op_cfi_bytes b;
	uint64_t vaddr;
	uint8_t encoding;

	for (uint32_t i = 0; op_elf_segment(e, i, &seg); i++)
		if (seg.type == PT_GNU_EH_FRAME)
			break;
	if (seg.type != PT_GNU_EH_FRAME || seg.file_bytes > SIZE_MAX)
		return;
	cfi->hdr.vaddr = seg.vaddr;
	cfi->hdr.bytes = op_elf_at(e, seg.vaddr, (size_t)seg.file_bytes);
	if (cfi->hdr.bytes.n < 4)
		return;
	b = (struct op_cfi_bytes){ cfi->hdr.bytes.p + 4,
				   cfi->hdr.bytes.p + cfi->hdr.bytes.n, false };
	bases.data = cfi->hdr.vaddr;
	encoding = cfi->hdr.bytes.p[1];
	vaddr = op_cfi_pointer(&b, encoding, &bases);
	if (b.is_broken)
		return;
	cfi->eh.vaddr = vaddr;
	cfi->eh.bytes = op_elf_at(e, vaddr, SIZE_MAX);
}

static int take_debug(const struct op_elf *e, struct op_arena *mem,
		      struct op_cfi_section *out, struct op_err *err)
{
	struct op_elf_section s;
	struct op_buf b = { .limit = MAX_DEBUG_FRAME, .err = err };
	uint8_t *copy;

	out->is_debug = true;
	if (!op_elf_section(e, ".debug_frame", &s) &&
	    !op_elf_section(e, ".zdebug_frame", &s))
		return 0;
	out->bytes = s.bytes;
	if (!op_elf_is_packed(&s))
		return 0;
	out->bytes = (struct op_view){ 0 };
	if (op_elf_unpack(e, &s, &b)) {
		op_buf_free(&b);
		if (err->code == OP_ENOMEM)
			return err->code;
		*err = (struct op_err){ 0 }; /* treated as missing */
		return 0;
	}
	copy = op_arena_alloc(mem, b.n);
	if (copy) {
		if (b.n)
			memcpy(copy, b.p, b.n);
		out->bytes = op_view(copy, b.n);
	}
	op_buf_free(&b);
	return err->code;
}

/* Code between two vaddrs, of which some bytes are available. */
static void add_code(struct op_cfi *cfi, struct op_cfi_section s, uint64_t size)
{
	uint64_t end = s.vaddr + size;

	if (end <= s.vaddr)
		return;
	if (!cfi->code_end || s.vaddr < cfi->code_start)
		cfi->code_start = s.vaddr;
	if (end > cfi->code_end)
		cfi->code_end = end;
	if (s.bytes.n > cfi->code.bytes.n)
		cfi->code = s;
}

/* By sections: an executable segment may contain much besides code. A section
 * that is not in the file is of a debug file, or invalid. */
static void take_code(const struct op_elf *e, struct op_cfi *cfi)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;
	struct op_elf_section s;

	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++)
		if ((s.flags & wanted) == wanted &&
		    (s.type == SHT_NOBITS || s.bytes.n == s.size))
			add_code(cfi,
				 (struct op_cfi_section){ s.bytes, s.vaddr,
							  false },
				 s.size);
}

static void take_code_by_segment(const struct op_elf *e, struct op_cfi *cfi)
{
	struct op_elf_segment seg;

	for (uint32_t i = 0; op_elf_segment(e, i, &seg); i++) {
		struct op_cfi_section s = { .vaddr = seg.vaddr };

		if (seg.type != PT_LOAD || !(seg.flags & PF_X))
			continue;
		if (seg.file_bytes <= SIZE_MAX)
			s.bytes = op_elf_at(e, seg.vaddr,
					    (size_t)seg.file_bytes);
		add_code(cfi, s, seg.mem_bytes);
	}
}

int op_unwind_elf(const struct op_elf *e, struct op_arena *mem,
		  struct op_cfi *out, struct op_err *err)
{
	struct op_cfi cfi = { 0 };
	struct op_elf_section s;

	if (!e->is_64 || e->machine != EM_X86_64)
		return op_fail(err, OP_EFORMAT,
			       "unwind tables are supported for x86-64 files "
			       "only");
	take_code(e, &cfi);
	if (!cfi.code_end)
		take_code_by_segment(e, &cfi);
	take(e, ".eh_frame", &cfi.eh);
	take(e, ".eh_frame_hdr", &cfi.hdr);
	if (!cfi.eh.bytes.n)
		take_by_segment(e, &cfi);
	if (op_elf_section(e, ".text", &s))
		cfi.text = s.vaddr;
	if (op_elf_section(e, ".got", &s))
		cfi.got = s.vaddr;
	if (take_debug(e, mem, &cfi.debug, err))
		return err->code;
	if (!cfi.debug.bytes.n && op_go_frames(e, mem, &cfi.debug, err))
		return err->code;
	*out = cfi;
	return 0;
}
