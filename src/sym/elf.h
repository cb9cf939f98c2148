// SPDX-License-Identifier: Apache-2.0
/* sym/elf.h: reads an ELF file in place.
 *
 * Supports little-endian files of both classes: programs, shared libraries,
 * objects, core files, and debug files. Nothing is copied: everything here is a
 * view of the file, which must outlive it. Every offset is checked against the
 * file. Invalid parts (a section past the end of the file, a table with entries
 * of a wrong size) are treated as absent; the rest stays readable.
 *
 * There are three kinds of address, and this file converts between them:
 *
 *	offset	a position in the file
 *	vaddr	an address as in the file's own tables; what locations hold
 *	memory	an address in a process: a mapping puts pgoff.. at start..
 */
#ifndef OP_SYM_ELF_H
#define OP_SYM_ELF_H

#include "base/buf.h"

struct op_elf_table {
	uint64_t at;	/* offset of its first row */
	uint32_t nr;	/* rows within the file */
	uint32_t bytes; /* of a row */
};

struct op_elf {
	struct op_view file;
	bool is_64;
	uint16_t type;	  /* ET_ */
	uint16_t machine; /* EM_ */
	uint64_t entry;	  /* vaddr */
	struct op_elf_table segments;
	struct op_elf_table sections; /* including 0, which is none */
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
	/* Its bytes in the file, possibly compressed (op_elf_unpack); empty for
	 * SHT_NOBITS and if it extends past the end of the file. */
	struct op_view bytes;
	uint32_t index;
	uint32_t type;	/* SHT_ */
	uint64_t flags; /* SHF_ */
	uint64_t vaddr, offset;
	uint64_t size;	     /* as declared */
	uint64_t entry_size; /* as declared */
	uint32_t link, info;
};

/* Fails if the file does not begin with the header of a little-endian ELF file.
 * Missing or invalid tables are empty. */
int op_elf_open(struct op_elf *e, struct op_view file, struct op_err *err);

/* Row i of a table; false if there is none. */
bool op_elf_segment(const struct op_elf *e, uint32_t i,
		    struct op_elf_segment *out);
bool op_elf_section_at(const struct op_elf *e, uint32_t i,
		       struct op_elf_section *out);

/* The first section with this name, or of this type (SHT_). */
bool op_elf_section(const struct op_elf *e, const char *name,
		    struct op_elf_section *out);
bool op_elf_section_of(const struct op_elf *e, uint32_t type,
		       struct op_elf_section *out);

/* Whether the bytes are compressed: SHF_COMPRESSED, or the older .zdebug_. */
bool op_elf_is_packed(const struct op_elf_section *s);

/* Appends the decompressed section (zlib or zstd) to out, within out's limit;
 * an uncompressed section is copied. */
int op_elf_unpack(const struct op_elf *e, const struct op_elf_section *s,
		  struct op_buf *out);

/* Whether a section is compressed with zstd, which older libraries cannot read.
 */
bool op_elf_has_zstd(const struct op_elf *e);

/* The whole file with every section decompressed, within out's limit. Only
 * sections of the file move, nothing that is loaded. */
int op_elf_unpack_all(const struct op_elf *e, struct op_buf *out);

/* The string at an offset of a string table; empty if it is not terminated. */
struct op_view op_elf_text(struct op_view table, uint64_t at);

/* The vaddr of a byte of the file: in an executable segment if there is one,
 * else in any; pages that are mapped only because they contain part of a
 * segment come last. False: not loaded. */
bool op_elf_offset_to_vaddr(const struct op_elf *e, uint64_t offset,
			    uint64_t *vaddr);

/* Converts an address in a process to a vaddr, by its mapping. */
bool op_elf_memory_to_vaddr(const struct op_elf *e, uint64_t start,
			    uint64_t pgoff, uint64_t address, uint64_t *vaddr);

/* The bytes of the file that are loaded at a vaddr, up to n of them; fewer if
 * the segment has fewer in the file, none if it has none there. */
struct op_view op_elf_at(const struct op_elf *e, uint64_t vaddr, size_t n);

/* The content of the first note of an owner and type: in program headers first,
 * since strip and objcopy do not change those, then in sections. */
bool op_elf_note(const struct op_elf *e, const char *owner, uint32_t type,
		 struct op_view *out);

/* The same in the given notes, aligned to 4 or 8 bytes. */
bool op_elf_note_in(struct op_view notes, unsigned int align, const char *owner,
		    uint32_t type, struct op_view *out);

/* .gnu_debuglink: the name of the debug file, and the CRC-32 of all of its
 * bytes. */
struct op_elf_link {
	struct op_view name;
	uint32_t crc;
};

bool op_elf_debuglink(const struct op_elf *e, struct op_elf_link *out);

#endif
