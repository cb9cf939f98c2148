// SPDX-License-Identifier: Apache-2.0
/* sym/symtab_elf.c: the symbols of code in an ELF file. */
#include <elf.h>

#include "sym/symtab_int.h"

bool op_elf_symbols(const struct op_elf *e, uint32_t section,
		    struct op_elf_symbols *out)
{
	uint64_t bytes = e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct op_elf_section s, names;

	if (!op_elf_section_at(e, section, &s) ||
	    (s.type != SHT_SYMTAB && s.type != SHT_DYNSYM) ||
	    op_elf_is_packed(&s) || !op_elf_section_at(e, s.link, &names))
		return false;
	*out = (struct op_elf_symbols){ e, s.bytes, names.bytes,
					s.bytes.n / bytes };
	return true;
}

/* A name without its version. */
static struct op_view plain(struct op_view name)
{
	const uint8_t *at = name.n ? memchr(name.p, '@', name.n) : NULL;

	return at ? op_view(name.p, (size_t)(at - name.p)) : name;
}

bool op_elf_symbol(const struct op_elf_symbols *t, uint64_t i,
		   struct op_elf_symbol *out)
{
	Elf64_Sym s;
	Elf32_Sym small;

	if (i >= t->nr)
		return false;
	if (t->e->is_64) {
		memcpy(&s, t->rows.p + i * sizeof(s), sizeof(s));
	} else {
		memcpy(&small, t->rows.p + i * sizeof(small), sizeof(small));
		s = (Elf64_Sym){ .st_name = small.st_name,
				 .st_info = small.st_info,
				 .st_shndx = small.st_shndx,
				 .st_value = small.st_value,
				 .st_size = small.st_size };
	}
	*out = (struct op_elf_symbol){
		.name = plain(op_elf_text(t->names, s.st_name)),
		.value = s.st_value,
		.size = s.st_size,
		.type = ELF64_ST_TYPE(s.st_info),
		.bind = ELF64_ST_BIND(s.st_info),
		.section = s.st_shndx,
	};
	return true;
}

static uint32_t rank(const struct op_elf_symbol *s)
{
	uint32_t r = s->type == STT_NOTYPE ? OP_SYM_LABEL : 0;

	if (s->bind == STB_LOCAL)
		return r | OP_SYM_LOCAL;
	return s->bind == STB_WEAK ? r | OP_SYM_WEAK : r;
}

/* Marks of the assembler are not names: .L1, and $x and $d, which separate code
 * and data on some machines. */
static bool is_mark(struct op_view name)
{
	return !name.n || name.p[0] == '$' ||
	       (name.n > 1 && name.p[0] == '.' && name.p[1] == 'L');
}

/* Functions, and labels in sections of code. The end of the section is given, 0
 * if unknown. */
static bool is_code(const struct op_elf *e, const struct op_elf_symbol *s,
		    uint64_t *section_end)
{
	bool is_function = s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
	struct op_elf_section in;

	*section_end = 0;
	if (s->section == SHN_UNDEF || is_mark(s->name) ||
	    (!is_function && s->type != STT_NOTYPE))
		return false;
	if (s->section >= SHN_LORESERVE ||
	    !op_elf_section_at(e, s->section, &in))
		return is_function;
	if (__builtin_add_overflow(in.vaddr, in.size, section_end))
		*section_end = 0;
	return is_function || in.flags & SHF_EXECINSTR;
}

/* rows: how many the tables may still have. */
static bool add_table(struct op_symtab *t, const struct op_elf_symbols *from,
		      uint64_t *rows)
{
	struct op_elf_symbol s;
	uint64_t end;

	for (uint64_t i = 1; *rows && op_elf_symbol(from, i, &s); i++, --*rows)
		if (is_code(from->e, &s, &end) &&
		    !op_symtab_add(t, s.name, s.value, s.size, end, rank(&s)))
			return false;
	return true;
}

int op_symtab_add_elf(struct op_symtab *t, const struct op_elf *e,
		      struct op_err *err)
{
	/* Overlapping tables have more rows than the file has room for. */
	uint64_t rows = e->file.n / sizeof(Elf32_Sym);
	struct op_elf_symbols from;
	bool ok = true;

	for (uint32_t i = 1; i < e->sections.nr && ok; i++)
		if (op_elf_symbols(e, i, &from))
			ok = add_table(t, &from, &rows);
	if (!e->sections.nr && op_elf_dynamic_symbols(e, &from))
		ok = add_table(t, &from, &rows);
	if (!ok)
		return err->code;
	return op_plt_add(t, e, err);
}
