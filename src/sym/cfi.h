// SPDX-License-Identifier: Apache-2.0
/* sym/cfi.h: call frame information, as .eh_frame and .debug_frame have it.
 *
 * A section is entries behind each other: CIEs, which say what many functions
 * have in common, and FDEs, one for each range of code, with a program that
 * tells, row by row, how to find the caller. This reads entries; cfi_run.h
 * runs their programs.
 *
 * Sections are plain bytes with the vaddr they are loaded at. Nothing here
 * takes memory, and nothing is trusted: an entry that is broken is left out
 * (OP_CFI_BROKEN) and the next is read, as long as its length can be right.
 */
#ifndef OP_SYM_CFI_H
#define OP_SYM_CFI_H

#include "base/view.h"

struct op_cfi_section {
	struct op_view bytes;
	uint64_t vaddr;
	bool is_debug; /* .debug_frame: other ids, offsets and no pcrel */
};

/* What a file has for unwinding. Any part may be empty. */
struct op_cfi {
	struct op_cfi_section eh;    /* .eh_frame */
	struct op_cfi_section debug; /* .debug_frame, unpacked */
	struct op_cfi_section hdr;   /* .eh_frame_hdr */
	uint64_t text, got; /* vaddrs that textrel, datarel count from */
	/* The vaddrs that are executed. What an FDE says of others is left
	 * out. code is what is known of the bytes there. */
	uint64_t code_start, code_end;
	struct op_cfi_section code;
};

/* How pointers are written: format, what they count from, by reference. */
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
	OP_CFI_BROKEN, /* left out; what follows can be read */
};

/* Bytes of one entry. */
struct op_cfi_entry {
	enum op_cfi_kind kind;
	size_t at;	     /* of its length */
	size_t next;	     /* of the entry behind it */
	size_t cie_at;	     /* FDE: its CIE */
	struct op_view body; /* behind the id */
};

/* The entry at an offset of a section. Zeros between entries are passed. */
struct op_cfi_entry op_cfi_entry(const struct op_cfi_section *s, size_t at);

/* Reads an entry of its kind; false if it is broken or of no known form. */
bool op_cfi_cie_read(const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, struct op_cfi_cie *out);
bool op_cfi_fde_read(const struct op_cfi *cfi, const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, const struct op_cfi_cie *cie,
		     struct op_cfi_fde *out);

/* The CIE at an offset. */
bool op_cfi_cie_at(const struct op_cfi_section *s, size_t at,
		   struct op_cfi_cie *out);

/* A reader of the bytes of an entry. Behind its end it reads zeros and is
 * broken. */
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

/* What a pointer counts from besides its own place. */
struct op_cfi_bases {
	const struct op_cfi_section *s;
	uint64_t text, data, func;
};

/* A pointer in this encoding. One by reference is broken: what it refers to
 * is written when a program is loaded. */
uint64_t op_cfi_pointer(struct op_cfi_bytes *b, uint8_t encoding,
			const struct op_cfi_bases *bases);

/* The FDE that has a vaddr, by .eh_frame_hdr. It is a hint: the FDE is read,
 * and if it does not have the vaddr there is none. */
bool op_cfi_find(const struct op_cfi *cfi, uint64_t vaddr,
		 struct op_cfi_cie *cie, struct op_cfi_fde *fde);

#endif
