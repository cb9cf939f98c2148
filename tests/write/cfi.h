// SPDX-License-Identifier: Apache-2.0
/* tests/write/cfi.h: call frame information from a few lines.
 *
 *	struct cfi_bytes b = { .vaddr = 0x8000 };
 *	cfi_cie(&b, "zR", "cfa rsp 8 offset ra 1");
 *	cfi_fde(&b, 0x1000, 0x40, "+1 cfa_offset 16 offset rbp 2");
 *	... cfi_section(&b) ...
 *	cfi_free(&b);
 *
 * A program is words: "+N" goes N bytes on, in the shortest form; others are
 * in the table in cfi.c. Registers are names or numbers, expressions hex
 * digits. What goes wrong in a text stops the program. */
#ifndef OP_TESTS_WRITE_CFI_H
#define OP_TESTS_WRITE_CFI_H

#include "sym/cfi.h"

struct cfi_bytes {
	uint8_t *p;
	size_t n, cap;

	/* To be changed at will. */
	uint64_t vaddr;
	bool is_debug;
	bool is_wide;	     /* lengths of 12 bytes */
	uint8_t encoding;    /* of addresses, for augmentations with R */
	uint8_t version;     /* 0: 1, in .debug_frame 4 */
	uint64_t code_align; /* 0: 1 */
	int64_t data_align;  /* 0: -8 */
	uint64_t datarel, textrel;

	/* Of the last CIE. */
	size_t cie;
	const char *letters;
};

void cfi_cie(struct cfi_bytes *b, const char *letters, const char *program);
void cfi_fde(struct cfi_bytes *b, uint64_t start, uint64_t size,
	     const char *program);

/* Bytes as they are, in hex digits, between entries. */
void cfi_raw(struct cfi_bytes *b, const char *hex);

struct op_cfi_section cfi_section(const struct cfi_bytes *b);

/* An .eh_frame_hdr of nr pairs (start, offset of the FDE). */
void cfi_hdr(struct cfi_bytes *hdr, const struct cfi_bytes *eh,
	     const uint64_t (*pairs)[2], size_t nr);

void cfi_free(struct cfi_bytes *b);

#endif
