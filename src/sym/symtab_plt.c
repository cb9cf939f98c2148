// SPDX-License-Identifier: Apache-2.0
/* sym/symtab_plt.c: names for the entries of a procedure linkage table.
 *
 * An entry jumps to the address that stands in a slot of the GOT, and a
 * relocation says whose address the dynamic linker puts there. Entries are
 * found by their code, not by counting them, because linkers lay them out in
 * several ways. x86-64:
 *
 *	[f3 0f 1e fa]  endbr64
 *	[f2] ff 25 XX XX XX XX	jmp *slot(%rip)
 */
#include <elf.h>
#include <stdlib.h>

#include "sym/symtab_int.h"

struct slot {
	uint64_t at;
	struct op_view name;
};

struct slots {
	struct op_arena mem;
	OP_VEC(struct slot) list;
};

static int compare(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

/* The name of an indirect function, for a slot that has only its address. */
static struct op_view ifunc_name(const struct op_elf_symbols *s, uint64_t at)
{
	struct op_elf_symbol y;

	for (uint64_t i = 1; op_elf_symbol(s, i, &y); i++)
		if (y.type == STT_GNU_IFUNC && y.value == at)
			return y.name;
	return (struct op_view){ 0 };
}

static bool slots_add(struct slots *s, const struct op_elf *e,
		      const struct op_elf_section *from)
{
	/* IRELATIVE slots are few; the search for their names is linear. */
	enum { MAX_IFUNCS = 64 };
	struct op_elf_symbols symbols;
	int ifuncs = 0;
	Elf64_Rela r;

	if (!op_elf_symbols(e, from->link, &symbols))
		return true;
	for (size_t at = 0; from->bytes.n - at >= sizeof(r); at += sizeof(r)) {
		struct op_elf_symbol y = { 0 };
		uint64_t type;

		memcpy(&r, from->bytes.p + at, sizeof(r));
		type = ELF64_R_TYPE(r.r_info);
		if (type == R_X86_64_IRELATIVE && ifuncs++ < MAX_IFUNCS)
			y.name = ifunc_name(&symbols, (uint64_t)r.r_addend);
		else if (type == R_X86_64_JUMP_SLOT ||
			 type == R_X86_64_GLOB_DAT)
			op_elf_symbol(&symbols, ELF64_R_SYM(r.r_info), &y);
		if (y.name.n &&
		    !op_vec_push(&s->mem, &s->list,
				 ((struct slot){ r.r_offset, y.name })))
			return false;
	}
	return true;
}

static struct op_view slot_name(const struct slots *s, uint64_t at)
{
	struct slot key = { .at = at };
	const struct slot *found = NULL;

	if (s->list.n)
		found = bsearch(&key, s->list.p, s->list.n, sizeof(key),
				compare);
	return found ? found->name : (struct op_view){ 0 };
}

/* The slot through which the entry jumps. */
static bool entry_slot(struct op_view code, uint64_t vaddr, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t far;

	if (code.n >= 4 && !memcmp(code.p, endbr64, 4))
		at = 4;
	if (at < code.n && code.p[at] == 0xf2)
		at++;
	if (code.n - at < 6 || code.p[at] != 0xff || code.p[at + 1] != 0x25)
		return false;
	memcpy(&far, code.p + at + 2, sizeof(far));
	*slot = vaddr + at + 6 + (uint64_t)(int64_t)far;
	return true;
}

static bool entry_add(struct op_symtab *t, struct op_view name, uint64_t vaddr,
		      uint64_t bytes)
{
	static const char end[] = "@plt";
	uint8_t *text = op_arena_alloc(t->mem, name.n + sizeof(end));

	if (!text)
		return false;
	memcpy(text, name.p, name.n);
	memcpy(text + name.n, end, sizeof(end));
	return op_symtab_add(t, op_view(text, name.n + sizeof(end) - 1), vaddr,
			     bytes, 0, OP_SYM_MADE);
}

static bool section_add(struct op_symtab *t, const struct slots *slots,
			const struct op_elf_section *s)
{
	/* Entries of 8 bytes: .plt.got without endbr64. */
	uint64_t step = s->entry_size == 8 ? 8 : 16;

	for (size_t at = 0; at < s->bytes.n; at += step) {
		size_t left = s->bytes.n - at;
		struct op_view code = op_view(s->bytes.p + at,
					      left < step ? left : step);
		struct op_view name;
		uint64_t slot;

		if (!entry_slot(code, s->vaddr + at, &slot))
			continue;
		name = slot_name(slots, slot);
		if (name.n && !entry_add(t, name, s->vaddr + at, code.n))
			return false;
	}
	return true;
}

static bool is_plt(const struct op_elf_section *s)
{
	return s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR &&
	       s->name.n >= 4 && !memcmp(s->name.p, ".plt", 4);
}

int op_plt_add(struct op_symtab *t, const struct op_elf *e, struct op_err *err)
{
	struct slots slots = { .mem.err = err };
	struct op_elf_section s;
	bool ok = true;

	if (e->machine != EM_X86_64 || !e->is_64)
		return OP_OK;
	for (uint32_t i = 1; ok && op_elf_section_at(e, i, &s); i++)
		if (s.type == SHT_RELA)
			ok = slots_add(&slots, e, &s);
	if (slots.list.n)
		qsort(slots.list.p, slots.list.n, sizeof(*slots.list.p),
		      compare);
	for (uint32_t i = 1; ok && op_elf_section_at(e, i, &s); i++)
		if (is_plt(&s))
			ok = section_add(t, &slots, &s);
	op_arena_free(&slots.mem);
	return err->code;
}
