// SPDX-License-Identifier: Apache-2.0
/* host/thread_context.c: where the variable of a thread context is. */
#include "host/thread_context.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include "host/context.h"
#include "host/image.h"

static const char variable[] = "otel_thread_ctx_v1";

/* More is no offset or module, but something that was taken for one. Thousands
 * of libraries can be looked at, but no process can keep us for long. */
enum { MAX_STATIC = 1 << 30, MAX_MODULE = 4096, MAX_READS = 1 << 16 };
static const uint64_t max_block = 1ull << 40;

struct search {
	const struct op_proc *p;
	uint32_t pid;
	uint64_t program; /* an address in the program */
	uint32_t reads_left;
	/* Those who refer to the variable, not the one who has it. */
	bool by_reference;

	/* The program or library whose mappings are being listed. */
	struct op_image im;
	uint32_t maj, min;
	uint64_t inode; /* 0: none */
	bool has_code;
	Elf64_Sym symbol; /* in im; all zero: not there */

	bool has_glibc;
	bool is_defined;
	struct op_thread_context best;
};

/* --- what is found --- */

static void found_static(struct search *s, int64_t offset)
{
	if (offset < 0 && offset > -MAX_STATIC)
		s->best = (struct op_thread_context){
			.kind = OP_THREAD_CONTEXT_STATIC, .offset = offset
		};
}

static void found_dtv(struct search *s, uint64_t module, uint64_t offset)
{
	if (s->best.kind == OP_THREAD_CONTEXT_NONE && module &&
	    module <= MAX_MODULE && offset < max_block)
		s->best = (struct op_thread_context){
			.kind = OP_THREAD_CONTEXT_DTV,
			.module = (uint32_t)module,
			.offset = (int64_t)offset
		};
}

/* The variables of the program end at the thread pointer, aligned as in the
 * file. */
static void found_program(struct search *s)
{
	const Elf64_Phdr *t = &s->im.tls;
	uint64_t align = t->p_align ? t->p_align : 1;
	uint64_t n = t->p_memsz + ((0 - t->p_vaddr - t->p_memsz) & (align - 1));

	if (t->p_memsz < MAX_STATIC && align < MAX_STATIC &&
	    s->symbol.st_value < t->p_memsz)
		found_static(s, (int64_t)s->symbol.st_value - (int64_t)n);
}

/* --- what the dynamic linker has written --- */

static bool words_at(const struct search *s, uint64_t at, uint64_t *out,
		     size_t nr)
{
	return op_image_memory(&s->im, at, out, nr * sizeof(*out));
}

/* A reference without a symbol is one of a library to its own variables. */
static bool is_ours(const struct search *s, const Elf64_Rela *r)
{
	uint32_t i = (uint32_t)ELF64_R_SYM(r->r_info);

	if (i)
		return !r->r_addend && op_image_is_symbol(&s->im, i, variable);
	return s->symbol.st_name &&
	       (ELF64_R_TYPE(r->r_info) == R_X86_64_DTPMOD64 ||
		(uint64_t)r->r_addend == s->symbol.st_value);
}

static void descriptor(struct search *s, uint64_t at)
{
	uint64_t slot[2], index[2];

	if (!words_at(s, at, slot, 2))
		return;
	if ((int64_t)slot[1] < 0)
		found_static(s, (int64_t)slot[1]);
	else if (words_at(s, slot[1], index, 2))
		found_dtv(s, index[0], index[1]);
}

static bool reloc(void *arg, const Elf64_Rela *r)
{
	struct search *s = arg;
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	uint64_t at = s->im.bias + r->r_offset, slot[2];

	if ((type != R_X86_64_TPOFF64 && type != R_X86_64_TLSDESC &&
	     type != R_X86_64_DTPMOD64) ||
	    !is_ours(s, r))
		return true;
	if (type == R_X86_64_TLSDESC)
		descriptor(s, at);
	else if (type == R_X86_64_TPOFF64 && words_at(s, at, slot, 1))
		found_static(s, (int64_t)slot[0]);
	else if (type == R_X86_64_DTPMOD64 && words_at(s, at, slot, 2))
		found_dtv(s, slot[0],
			  ELF64_R_SYM(r->r_info) ? slot[1] :
						   s->symbol.st_value);
	return s->best.kind != OP_THREAD_CONTEXT_STATIC;
}

/* --- programs and libraries --- */

static void look(struct search *s)
{
	Elf64_Sym none = { 0 };

	s->symbol = none;
	if (!op_image_symbol(&s->im, variable, &s->symbol) ||
	    ELF64_ST_TYPE(s->symbol.st_info) != STT_TLS)
		s->symbol = none;
	s->is_defined |= s->symbol.st_name != 0;
	if (s->symbol.st_name && s->im.is_program)
		found_program(s);
	else if (s->symbol.st_name || s->by_reference)
		op_image_relocs(&s->im, reloc, s);
}

static void image_end(struct search *s)
{
	bool has_program = s->program >= s->im.start && s->program < s->im.end;

	if (s->inode && s->has_code && op_image_read(&s->im)) {
		s->im.is_program |= has_program;
		s->has_glibc |= s->im.is_program && s->im.has_glibc;
		look(s);
	}
	s->inode = 0;
}

static void image_begin(struct search *s, const struct op_host_mmap *m)
{
	s->im = (struct op_image){ .p = s->p,
				   .pid = s->pid,
				   .start = m->start,
				   .reads_left = &s->reads_left };
	s->inode = m->inode;
	s->maj = m->maj;
	s->min = m->min;
	s->has_code = false;
}

/* Mappings of a file that follow each other are those of an image. */
static bool mapping(void *arg, struct op_host_mmap *m)
{
	struct search *s = arg;

	if (!m->inode)
		return true;
	if (!m->offset || m->inode != s->inode || m->maj != s->maj ||
	    m->min != s->min) {
		image_end(s);
		if (!m->offset)
			image_begin(s, m);
	}
	s->im.end = m->start + m->len;
	s->has_code |= (m->prot & PROT_EXEC) != 0;
	return s->best.kind != OP_THREAD_CONTEXT_STATIC;
}

static bool search(struct search *s)
{
	bool is_read;

	s->inode = 0;
	is_read = op_proc_map_lines(s->p, s->pid, mapping, s);
	if (is_read && s->best.kind != OP_THREAD_CONTEXT_STATIC)
		image_end(s);
	return is_read;
}

/* --- the process --- */

static bool is_context(void *arg, struct op_host_mmap *m)
{
	bool *has_context = arg;

	*has_context = op_context_is_name(m->name);
	return !*has_context;
}

static uint64_t program_address(const struct op_proc *p, uint32_t pid)
{
	uint64_t v[2 * 64] = { 0 };
	int64_t n = op_proc_file(p, pid, "auxv", v, sizeof(v));

	for (size_t i = 0; n > 0 && i < (size_t)n / 16; i++)
		if (v[2 * i] == AT_PHDR)
			return v[2 * i + 1];
	return 0;
}

bool op_thread_context_find(const struct op_proc *p, uint32_t pid,
			    struct op_thread_context *out)
{
	struct search s = { .p = p, .pid = pid, .reads_left = MAX_READS };
	bool has_context = false;

	*out = (struct op_thread_context){ 0 };
	if (!op_proc_map_lines(p, pid, is_context, &has_context) ||
	    !has_context)
		return false;
	s.program = program_address(p, pid);
	if (!search(&s))
		return false;
	if (s.is_defined && s.best.kind == OP_THREAD_CONTEXT_NONE) {
		s.by_reference = true;
		if (!search(&s))
			return false;
	}
	if (s.best.kind == OP_THREAD_CONTEXT_DTV && !s.has_glibc)
		return false;
	*out = s.best;
	return out->kind != OP_THREAD_CONTEXT_NONE;
}

bool op_thread_context_is_schema(struct op_view version)
{
	return op_view_is(version, "tls_v1") ||
	       op_view_is(version, "tlsdesc_v1_dev");
}
