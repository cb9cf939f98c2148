// SPDX-License-Identifier: Apache-2.0
/* host/image.h: a program or library in the memory of a process: the tables of
 * its dynamic linker. Only for x86-64.
 *
 * Every read is one of the process and fails if there is nothing, or if the
 * caller has had enough. So tables may be garbage, endless, or change
 * meanwhile. */
#ifndef OP_HOST_IMAGE_H
#define OP_HOST_IMAGE_H

#include <elf.h>

#include "host/proc_memory.h"

struct op_image {
	/* Set by the caller: its mappings, the first has its first byte. */
	const struct op_proc *p;
	uint32_t pid;
	uint64_t start, end;
	uint32_t *reads_left; /* pages that may still be read */

	/* By op_image_read(). Tables are addresses in memory; 0: none. */
	uint64_t bias; /* of memory to what the file says */
	uint64_t symbols, names, hash, gnu_hash;
	struct {
		uint64_t at, bytes;
	} relocs[2];
	Elf64_Phdr tls; /* all zero: it has no thread-local variables */
	bool is_program;
	bool has_glibc; /* it asks for the dynamic linker of glibc */
};

/* Memory of the process, within the limit. */
bool op_image_memory(const struct op_image *im, uint64_t at, void *out,
		     size_t n);

/* False if it is not an ELF file for x86-64 with tables to be linked by. */
bool op_image_read(struct op_image *im);

/* A symbol that it defines, by its name. */
bool op_image_symbol(const struct op_image *im, const char *name,
		     Elf64_Sym *out);

/* Whether symbol number i, defined or not, has this name. */
bool op_image_is_symbol(const struct op_image *im, uint32_t i,
			const char *name);

/* Calls fn with each relocation, until it returns false. */
typedef bool op_image_reloc_fn(void *arg, const Elf64_Rela *r);
void op_image_relocs(const struct op_image *im, op_image_reloc_fn *fn,
		     void *arg);

#endif
