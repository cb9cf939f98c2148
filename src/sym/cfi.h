// SPDX-License-Identifier: Apache-2.0
/* sym/cfi.h: call frame information, as in .eh_frame and .debug_frame.
 *
 * A section is a sequence of entries: CIEs, which hold what many functions have
 * in common, and FDEs, one for each range of code, with a program that
 * describes, row by row, how to find the caller. This file reads entries;
 * cfi_run.h runs their programs.
 *
 * Sections are plain bytes with the vaddr they are loaded at. Nothing here
 * allocates memory, and nothing is trusted: a broken entry is skipped
 * (OP_CFI_BROKEN) and the next is read, as long as its length is plausible.
 */
#ifndef OP_SYM_CFI_H
#define OP_SYM_CFI_H

#include "base/view.h"

struct op_cfi_section {
	struct op_view bytes;
	uint64_t vaddr;
	bool is_debug; /* .debug_frame: other ids, offsets and no pcrel */
};

/* The unwind information of a file. Any part may be empty. */
struct op_cfi {
	struct op_cfi_section eh;    /* .eh_frame */
	struct op_cfi_section debug; /* .debug_frame, decompressed */
	struct op_cfi_section hdr;   /* .eh_frame_hdr */
	uint64_t text, got;	     /* bases of textrel and datarel */
	/* The executable vaddrs. What an FDE says about others is ignored. code
	 * holds the bytes there, as far as known. */
	uint64_t code_start, code_end;
	struct op_cfi_section code;
};

/* Encoding of pointers: format, base, indirection. */
enum op_cfi_encoding {
	OP_PE_ABSPTR = 0x00,
	OP_PE_ULEB = 0x01,
	OP_PE_UDATA2 = 0x02,
	OP_PE_UDATA4 = 0x03,
	OP_PE_UDATA8 = 0x04,
	OP_PE_SLEB = 0x09,
	OP_PE_SDATA2 = 0x0a,
	OP_PE_SDATA4 = 0x0b,
	OP_PE_SDATA8 = 0x0c,
	OP_PE_PCREL = 0x10,
	OP_PE_TEXTREL = 0x20,
	OP_PE_DATAREL = 0x30,
	OP_PE_FUNCREL = 0x40,
	OP_PE_ALIGNED = 0x50,
	OP_PE_INDIRECT = 0x80,
	OP_PE_OMIT = 0xff,
};

struct op_cfi_cie {
	size_t at; /* offset in its section */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;
	uint8_t encoding; /* of addresses in FDEs */
	bool has_data;	  /* augmentation data with its length, in FDEs too */
	bool is_signal;
	bool is_debug;
	struct op_view program;
};

struct op_cfi_fde {
	size_t at, cie_at; /* offsets in its section */
	uint64_t start, size;
	struct op_view program;
};

enum op_cfi_kind {
	OP_CFI_END,
	OP_CFI_CIE,
	OP_CFI_FDE,
	OP_CFI_BROKEN, /* skipped; the next entry can be read */
};

/* The bytes of one entry. */
struct op_cfi_entry {
	enum op_cfi_kind kind;
	size_t at;	     /* of its length */
	size_t next;	     /* of the next entry */
	size_t cie_at;	     /* FDE: its CIE */
	struct op_view body; /* after the id */
};

/* The entry at an offset of a section. Zeros between entries are skipped. */
struct op_cfi_entry op_cfi_entry(const struct op_cfi_section *s, size_t at);

/* Reads an entry of its kind; false if it is broken or of an unknown form. */
bool op_cfi_cie_read(const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, struct op_cfi_cie *out);
bool op_cfi_fde_read(const struct op_cfi *cfi, const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, const struct op_cfi_cie *cie,
		     struct op_cfi_fde *out);

/* The CIE at an offset. */
bool op_cfi_cie_at(const struct op_cfi_section *s, size_t at,
		   struct op_cfi_cie *out);

/* A reader of the bytes of an entry. Past its end it returns zeros and is
 * marked broken. */
struct op_cfi_bytes {
	const uint8_t *p, *end;
	bool is_broken;
};

uint64_t op_cfi_uleb_long(struct op_cfi_bytes *b);
int64_t op_cfi_sleb(struct op_cfi_bytes *b);
uint64_t op_cfi_fixed(struct op_cfi_bytes *b, unsigned int n);
struct op_view op_cfi_take(struct op_cfi_bytes *b, uint64_t n);

op_inline uint64_t op_cfi_uleb(struct op_cfi_bytes *b)
{
	if (op_likely(b->p < b->end && *b->p < 0x80))
		return *b->p++;
	return op_cfi_uleb_long(b);
}

/* What a pointer is relative to, besides its own position. */
struct op_cfi_bases {
	const struct op_cfi_section *s;
	uint64_t text, data, func;
};

/* A pointer in this encoding. An indirect one is broken: its target is written
 * when a program is loaded. */
uint64_t op_cfi_pointer(struct op_cfi_bytes *b, uint8_t encoding,
			const struct op_cfi_bases *bases);

/* The FDE that contains a vaddr, by .eh_frame_hdr. That is only a hint: the FDE
 * is read, and if it does not contain the vaddr there is none. */
bool op_cfi_find(const struct op_cfi *cfi, uint64_t vaddr,
		 struct op_cfi_cie *cie, struct op_cfi_fde *fde);

#endif
