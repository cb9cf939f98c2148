// SPDX-License-Identifier: Apache-2.0
/* sym/elf.h: an ELF file, read where it lies.
 *
 * Little-endian files of both classes: programs, shared libraries, objects,
 * core files, and files that hold only what was stripped. Nothing is copied:
 * everything here is a view of the file, which must outlive it. Every offset
 * is checked against the file. What lies (a section past the end of the file,
 * a table with entries of a wrong size) is as if it were not there; the rest
 * stays readable.
 *
 * Three kinds of address are about, and this is where one becomes the other:
 *
 *	offset	a place in the file
 *	vaddr	a place as the file's own tables name it; what locations hold
 *	memory	a place in a process: a mapping puts offsets pgoff.. at start..
 */
#ifndef OP_SYM_ELF_H
#define OP_SYM_ELF_H

#include "base/buf.h"

struct op_elf_table {
	uint64_t at;	/* offset of its first row */
	uint32_t nr;	/* rows that lie in the file */
	uint32_t bytes; /* of a row */
};

struct op_elf {
	struct op_view file;
	bool is_64;
	uint16_t type;	  /* ET_ */
	uint16_t machine; /* EM_ */
	uint64_t entry;	  /* vaddr */
	struct op_elf_table segments;
	struct op_elf_table sections; /* with the one at 0, which is none */
	struct op_view names;	      /* of sections */
};

struct op_elf_segment {
	uint32_t type;	/* PT_ */
	uint32_t flags; /* PF_ */
	uint64_t offset, vaddr, align;
	uint64_t file_bytes, mem_bytes;
};

struct op_elf_section {
	struct op_view name;
	/* What the file has of it, packed as it is (op_elf_unpack); empty for
	 * SHT_NOBITS and where the file ends before it does. */
	struct op_view bytes;
	uint32_t index;
	uint32_t type;	/* SHT_ */
	uint64_t flags; /* SHF_ */
	uint64_t vaddr, offset;
	uint64_t size;	     /* as announced */
	uint64_t entry_size; /* as announced */
	uint32_t link, info;
};

/* Fails if the file does not begin with the header of a little-endian ELF
 * file. Tables that are missing or lie are empty. */
int op_elf_open(struct op_elf *e, struct op_view file, struct op_err *err);

/* Row i of a table; false if there is none. */
bool op_elf_segment(const struct op_elf *e, uint32_t i,
		    struct op_elf_segment *out);
bool op_elf_section_at(const struct op_elf *e, uint32_t i,
		       struct op_elf_section *out);

/* The first section of this name, or of this type (SHT_). */
bool op_elf_section(const struct op_elf *e, const char *name,
		    struct op_elf_section *out);
bool op_elf_section_of(const struct op_elf *e, uint32_t type,
		       struct op_elf_section *out);

/* Whether the bytes are packed: SHF_COMPRESSED, or the older .zdebug_. */
bool op_elf_is_packed(const struct op_elf_section *s);

/* Unpacks a section with zlib or zstd behind what out holds, within out's
 * limit; one that is not packed is copied. */
int op_elf_unpack(const struct op_elf *e, const struct op_elf_section *s,
		  struct op_buf *out);

/* Whether a section is packed with zstd, which older libraries cannot read. */
bool op_elf_has_zstd(const struct op_elf *e);

/* The whole file with every packed section as it is unpacked, within out's
 * limit. Only sections of the file move, nothing that is loaded. */
int op_elf_unpack_all(const struct op_elf *e, struct op_buf *out);

/* The text at a place of a table of strings; empty if it does not end in it. */
struct op_view op_elf_text(struct op_view table, uint64_t at);

/* Where a byte of the file is loaded: in a segment that can be executed, if
 * one has it, else in any; pages that are mapped only because they hold a part
 * of a segment count last. False: nowhere. */
bool op_elf_offset_to_vaddr(const struct op_elf *e, uint64_t offset,
			    uint64_t *vaddr);

/* Which byte of the file is loaded there. False: none is. */
bool op_elf_vaddr_to_offset(const struct op_elf *e, uint64_t vaddr,
			    uint64_t *offset);

/* An address in a process as a vaddr, by the mapping that it lies in. */
bool op_elf_memory_to_vaddr(const struct op_elf *e, uint64_t start,
			    uint64_t pgoff, uint64_t address, uint64_t *vaddr);

/* The bytes of the file that are loaded at a vaddr, up to n of them; fewer
 * where the segment's bytes in the file end, none if it has none there. */
struct op_view op_elf_at(const struct op_elf *e, uint64_t vaddr, size_t n);

/* The content of the first note of an owner and type: in program headers
 * first, since strip and objcopy leave those alone, then in sections. */
bool op_elf_note(const struct op_elf *e, const char *owner, uint32_t type,
		 struct op_view *out);

/* The same in notes that are at hand, aligned to 4 or 8 bytes. */
bool op_elf_note_in(struct op_view notes, unsigned int align, const char *owner,
		    uint32_t type, struct op_view *out);

/* .gnu_debuglink: the name of the file that has what was stripped, and the
 * CRC-32 of all of its bytes. */
struct op_elf_link {
	struct op_view name;
	uint32_t crc;
};

bool op_elf_debuglink(const struct op_elf *e, struct op_elf_link *out);

#endif
