// SPDX-License-Identifier: Apache-2.0
/* sym/go_module.c: finds the module data of a Go program, which says where the
 * code begins and where the trees of inlined calls are.
 *
 * It is an array of pointers, most of them in slices of three words. Those used
 * here have had their places since 1.18, except for one:
 *
 *	0	the table	1	names	13	functions
 *	20	first address of code	22	code
 *	38	trees (1.18), 40 trees (1.20 and later)
 */
#include <elf.h>

#include "sym/go_table.h"

enum {
	WORD_NAMES = 1,
	WORD_FUNCS = 13,
	WORD_FIRST_PC = 20,
	WORD_TEXT = 22,
	WORD_TREES_1_18 = 38,
	WORD_TREES = 40,
};

/* --- pointers --- */

/* Relocations of 64-bit programs have the pointers; in those of 32-bit programs
 * they are in place. */
static bool relocation_at(const struct op_elf *e, struct op_view rows, size_t i,
			  Elf64_Rela *out)
{
	if (!e->is_64 || (i + 1) * sizeof(*out) > rows.n)
		return false;
	memcpy(out, rows.p + i * sizeof(*out), sizeof(*out));
	return true;
}

/* The table of the dynamic segment. */
static struct op_view relocations(const struct op_elf *e)
{
	struct op_elf_segment s;
	uint64_t at = 0, bytes = 0;
	struct op_view v = { 0 };
	Elf64_Dyn d;

	for (uint32_t i = 0; op_elf_segment(e, i, &s); i++)
		if (s.type == PT_DYNAMIC)
			v = op_elf_at(e, s.vaddr, s.file_bytes);
	for (size_t i = 0; e->is_64 && (i + 1) * sizeof(d) <= v.n; i++) {
		memcpy(&d, v.p + i * sizeof(d), sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_RELA)
			at = d.d_un.d_ptr;
		if (d.d_tag == DT_RELASZ)
			bytes = d.d_un.d_val;
	}
	return bytes && bytes <= e->file.n ? op_elf_at(e, at, bytes) :
					     (struct op_view){ 0 };
}

struct module {
	const struct op_go_table *t;
	struct op_view relocations;
	uint64_t vaddr;
};

static uint64_t word(const struct module *m, uint32_t i)
{
	const struct op_go_table *t = m->t;
	uint64_t vaddr = m->vaddr + (uint64_t)i * t->pointer;
	uint64_t v = op_go_number(op_elf_at(&t->elf, vaddr, t->pointer), 0,
				  t->pointer);
	Elf64_Rela r;

	for (size_t k = 0; !v && relocation_at(&t->elf, m->relocations, k, &r);
	     k++)
		if (r.r_offset == vaddr)
			v = (uint64_t)r.r_addend;
	return v;
}

/* --- the module data --- */

/* Whether it refers to the parts of the table. */
static bool is_module(const struct module *m)
{
	const struct op_go_table *t = m->t;
	uint64_t text = word(m, WORD_TEXT);

	return word(m, 0) == t->vaddr &&
	       word(m, WORD_NAMES) ==
		       t->vaddr + (uint64_t)(t->names.p - t->bytes.p) &&
	       word(m, WORD_FUNCS) ==
		       t->vaddr + (uint64_t)(t->funcs.p - t->bytes.p) &&
	       text &&
	       word(m, WORD_FIRST_PC) == text + op_go_number(t->funcs, 0, 4);
}

/* A hostile file may have any number of candidates. */
static bool try_at(struct module *m, uint64_t vaddr, uint32_t *tries)
{
	m->vaddr = vaddr;
	return *tries && (*tries)-- && is_module(m);
}

static bool in_segment(struct module *m, const struct op_elf_segment *s,
		       uint32_t *tries)
{
	const struct op_go_table *t = m->t;
	struct op_view v = op_elf_at(&t->elf, s->vaddr, s->file_bytes);

	for (size_t at = 0; at + t->pointer <= v.n && *tries; at += t->pointer)
		if (op_go_number(v, at, t->pointer) == t->vaddr &&
		    try_at(m, s->vaddr + at, tries))
			return true;
	return false;
}

static bool module_find(struct module *m)
{
	const struct op_go_table *t = m->t;
	uint32_t tries = 16;
	struct op_elf_segment s;
	struct op_elf_section in;
	Elf64_Rela r;

	if (op_elf_section(&t->elf, ".go.module", &in) &&
	    try_at(m, in.vaddr, &tries))
		return true;
	for (size_t i = 0; relocation_at(&t->elf, m->relocations, i, &r); i++)
		if ((uint64_t)r.r_addend == t->vaddr &&
		    try_at(m, r.r_offset, &tries))
			return true;
	for (uint32_t i = 0; op_elf_segment(&t->elf, i, &s); i++)
		if (s.type == PT_LOAD && s.flags & PF_W &&
		    in_segment(m, &s, &tries))
			return true;
	return false;
}

void op_go_module_read(struct op_go_table *t)
{
	struct module m = { .t = t, .relocations = relocations(&t->elf) };

	if (!module_find(&m))
		return;
	t->text = word(&m, WORD_TEXT);
	t->trees = word(&m, t->version >= OP_GO_1_20 ? WORD_TREES :
						       WORD_TREES_1_18);
}
