// SPDX-License-Identifier: Apache-2.0
/* A made-up program and a library, as small as they can be, with the variable
 * of thread contexts in one of them. */
#ifndef OP_TESTS_UNIT_HOST_IMAGE_FIXTURE_H
#define OP_TESTS_UNIT_HOST_IMAGE_FIXTURE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { LIBRARY_AT = 0x1000, PROGRAM_AT = 0x3000, IMAGE_END = 0x4000 };

static const char image_maps[] =
	"00001000-00002000 r-xp 00000000 00:01 9 /lib/x\n"
	"00003000-00004000 r-xp 00000000 00:01 7 /bin/x\n"
	"00005000-00006000 rw-p 00000000 00:01 8 /memfd:OTEL_CTX (deleted)\n";

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segments[4];
	Elf64_Dyn dynamic[8];
	uint32_t hash[6]; /* 1 bucket, 2 symbols */
	Elf64_Sym symbols[2];
	Elf64_Rela reloc;
	uint64_t slot[2];  /* as the dynamic linker wrote it */
	uint64_t index[2]; /* what a descriptor may refer to */
	char names[32];
	char interpreter[32];
};

#define IMAGE_OFFSET(member) offsetof(struct image, member)

/* Of a program if the type of its relocation is 0. */
static inline void image_make(struct image *im, uint32_t type)
{
	*im = (struct image){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				       ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_phoff = IMAGE_OFFSET(segments),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 4 },
		.segments = {
			{ .p_type = PT_LOAD },
			{ .p_type = PT_DYNAMIC,
			  .p_vaddr = IMAGE_OFFSET(dynamic),
			  .p_memsz = sizeof(im->dynamic) },
			{ .p_type = PT_INTERP,
			  .p_vaddr = IMAGE_OFFSET(interpreter),
			  .p_memsz = sizeof(im->interpreter) },
			{ .p_type = PT_TLS,
			  .p_memsz = 0x70,
			  .p_align = 0x40 },
		},
		.dynamic = {
			{ DT_HASH, { IMAGE_OFFSET(hash) } },
			{ DT_SYMTAB, { IMAGE_OFFSET(symbols) } },
			{ DT_STRTAB, { IMAGE_OFFSET(names) } },
			{ DT_RELA, { IMAGE_OFFSET(reloc) } },
			{ DT_RELASZ, { sizeof(Elf64_Rela) } },
			{ DT_FLAGS_1, { DF_1_PIE } },
		},
		.hash = { 1, 2, 1, 0, 0 },
		.symbols[1] = { .st_name = 1,
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS),
				.st_shndx = 1,
				.st_value = 0x68,
				.st_size = 8 },
		.reloc = { .r_offset = IMAGE_OFFSET(slot),
			   .r_info = ELF64_R_INFO(1, (uint64_t)type) },
		.names = "\0otel_thread_ctx_v1",
		.interpreter = "/lib64/ld-linux-x86-64.so.2",
	};
	if (type)
		im->dynamic[5].d_un.d_val = 0;
}

#endif
