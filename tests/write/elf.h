// SPDX-License-Identifier: Apache-2.0
/* tests/write/elf.h: small ELF files.
 *
 *	struct elf f;
 *	elf_start(&f, true);
 *	elf_segment(&f, PT_LOAD, PF_X, 0x1000, elf_add(&f, ".text", ...));
 *	elf_symbol(&f, "main", 0x1010, 4, "gf");
 *	elf_finish(&f);
 *
 * Sections lie in the file in the order they come; the tables follow. The
 * fields of the header can be changed before elf_finish(), which writes it, and
 * any byte afterwards.
 */
#ifndef OP_TESTS_WRITE_ELF_H
#define OP_TESTS_WRITE_ELF_H

#include <elf.h>

#include "base/view.h"

enum { ELF_MAX = 256 * 1024, ELF_ROWS = 32, ELF_TEXTS = 32 * 1024 };

struct elf {
	bool is_64;
	bool many; /* counts stand in section 0, as if they did not fit */
	bool no_sections;
	Elf64_Ehdr head;
	Elf64_Phdr segments[ELF_ROWS];
	Elf64_Shdr sections[ELF_ROWS];
	uint32_t nr_segments, nr_sections;
	uint8_t names[1024];
	size_t names_n;
	/* Symbols of .symtab, and of .dynsym, with their names. */
	struct elf_symbols {
		Elf64_Sym rows[1024];
		uint32_t nr;
		uint8_t texts[ELF_TEXTS];
		size_t texts_n;
	} symbols[2];
	uint8_t p[ELF_MAX];
	size_t n;
};

/* A shared library for x86-64, or of the smaller class. */
void elf_start(struct elf *f, bool is_64);

/* Adds a section; its number. What comes is aligned to 16 bytes. The row can
 * be changed before elf_finish(): f->sections[number]. */
uint32_t elf_add(struct elf *f, const char *name, uint32_t type, uint64_t vaddr,
		 struct op_view bytes);

/* Adds a segment that holds a section. */
void elf_segment(struct elf *f, uint32_t type, uint32_t flags, uint64_t vaddr,
		 uint32_t section);

/* Adds a symbol. how: l, g or w for local, global, weak; then f, o, n, i, s, F
 * for function, object, no type, ifunc, section, file; then u if it is not
 * defined, d if it belongs to .dynsym. */
void elf_symbol(struct elf *f, const char *name, uint64_t value, uint64_t size,
		const char *how);

/* A note; the bytes are put at out, whose size is given back. */
size_t elf_note(uint8_t *out, const char *owner, uint32_t type,
		struct op_view content);

/* A GNU build id as section and segment. */
void elf_build_id(struct elf *f, struct op_view id);

void elf_finish(struct elf *f);
struct op_view elf_view(const struct elf *f);

#endif
