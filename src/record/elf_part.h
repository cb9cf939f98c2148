// SPDX-License-Identifier: Apache-2.0
/* record/elf_part.h: an ELF file of which only the parts needed are read.
 *
 * Binaries can have hundreds of megabytes, more than a recorder may use, and a
 * mapped file that shrinks would end it. So memory of the size of the file is
 * reserved, and only what is needed is read into it; the rest reads as zeros
 * and takes no memory. */
#ifndef OP_RECORD_ELF_PART_H
#define OP_RECORD_ELF_PART_H

#include "sym/elf.h"

struct op_elf_part {
	struct op_elf elf;
	void *memory;
	size_t bytes;
};

/* The ELF header, the program headers and the notes; with_frames: also what
 * unwind tables are made of. False if it is no ELF file or not readable. fd
 * stays the caller's. */
bool op_elf_part_open(struct op_elf_part *p, int fd, bool with_frames);
void op_elf_part_close(struct op_elf_part *p);

/* A small file with nothing but the PT_LOAD segments of another, to convert
 * addresses with; at most OP_ELF_PART_LOADS of them. The memory it is in, for
 * op_heap_free(); NULL if there is none, which is recorded in err. */
enum { OP_ELF_PART_LOADS = 256 };

uint8_t *op_elf_part_loads(const struct op_elf *e, struct op_elf *out,
			   struct op_err *err);

#endif
