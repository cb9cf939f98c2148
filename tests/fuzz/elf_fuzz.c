// SPDX-License-Identifier: Apache-2.0
/* Any bytes as an ELF file: whatever is found in it lies in it, and symbols are
 * found where a search of all of them finds one.
 *
 * The corpus was written with tests/write/elf.h. */
#include <elf.h>

#include "fuzz/prop.h"
#include "sym/build_id.h"
#include "sym/symtab.h"

static void prop_inside(const struct op_elf *e, struct op_view v)
{
	PROP(!v.n || (v.p >= e->file.p && v.n <= e->file.n &&
		      (size_t)(v.p - e->file.p) <= e->file.n - v.n));
}

static void sections(const struct op_elf *e)
{
	struct op_err err = { 0 };
	struct op_elf_section s;

	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++) {
		struct op_buf out = { .err = &err, .limit = 1 << 20 };

		prop_inside(e, s.bytes);
		prop_inside(e, s.name);
		PROP(!s.bytes.n || s.bytes.n == s.size);
		if (i < 16 && op_elf_is_packed(&s) &&
		    !op_elf_unpack(e, &s, &out))
			PROP(out.n <= out.limit);
		if (err.code)
			prop_error(&err, SIZE_MAX);
		err = (struct op_err){ 0 };
		op_buf_free(&out);
	}
}

static void addresses(const struct op_elf *e)
{
	struct op_elf_segment s;
	uint64_t vaddr;

	for (uint32_t i = 0; i < 64 && op_elf_segment(e, i, &s); i++) {
		prop_inside(e, op_elf_at(e, s.vaddr, 100));
		op_elf_offset_to_vaddr(e, s.offset, &vaddr);
		op_elf_offset_to_vaddr(e, s.offset - 1, &vaddr);
		if (s.type == PT_LOAD && s.file_bytes)
			PROP(op_elf_offset_to_vaddr(e, s.offset, &vaddr) ||
			     s.offset + s.file_bytes - 1 < s.offset);
	}
}

static void notes(const struct op_elf *e)
{
	uint8_t hash[OP_HTLHASH_BYTES];
	struct op_elf_link l;
	struct op_view v;

	op_htlhash(e->file, hash);
	if (op_build_id_gnu(e, &v))
		prop_inside(e, v);
	if (op_build_id_go(e, &v))
		prop_inside(e, v);
	if (op_elf_debuglink(e, &l))
		prop_inside(e, l.name);
}

/* The symbol that begins last of those that have the address. */
static const struct op_symbol *slow_find(const struct op_symtab *t,
					 uint64_t vaddr)
{
	const struct op_symbol *best = NULL;

	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.p[i].start <= vaddr && vaddr < t->rows.p[i].end)
			best = &t->rows.p[i];
	return best;
}

static void symbols(const struct op_elf *e)
{
	/* Deeper in one another symbols need not be found. */
	enum { MAX_DEEP = 64 };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err, .quota = PROP_QUOTA };
	struct op_symtab t = { .mem = &mem };

	if (!op_symtab_add_elf(&t, e, &err)) {
		op_symtab_finish(&t);
		for (size_t i = 0; i < t.rows.n && i < 50; i++) {
			const struct op_symbol *s = &t.rows.p[i];

			PROP(s->name_bytes && s->start <= s->end);
			PROP(!i || s[-1].start < s->start);
			if (t.rows.n > MAX_DEEP)
				continue;
			PROP(op_symtab_find(&t, s->start) ==
			     slow_find(&t, s->start));
			PROP(op_symtab_find(&t, s->end) ==
			     slow_find(&t, s->end));
		}
	}
	op_arena_free(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 };
	struct op_elf e;

	if (op_elf_open(&e, op_view(p, n), &err)) {
		prop_error(&err, n);
		return 0;
	}
	sections(&e);
	addresses(&e);
	notes(&e);
	symbols(&e);
	return 0;
}
