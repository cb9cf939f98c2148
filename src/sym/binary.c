// SPDX-License-Identifier: Apache-2.0
#include "sym/binary.h"

#include <elf.h>
#include <sys/auxv.h>

#include "sym/debugdata.h"

enum { INNER_MOST = 256 << 20 };

#define PLAIN_MOST ((size_t)2 << 30)

/* --- opening --- */

/* The page of code that the kernel gives to each process is a whole ELF file
 * in our own memory, whose last part is its section table. */
static enum op_find_status vdso(struct op_binary *b, const struct op_wanted *w)
{
	enum { MOST_BYTES = 64 * 1024 };
	const uint8_t *p = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct op_err err = { 0 };
	Elf64_Ehdr h;
	uint64_t n;

	if (!p)
		return OP_FIND_NO_FILE;
	memcpy(&h, p, sizeof(h));
	n = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || n > MOST_BYTES ||
	    op_elf_open(&b->elf, op_view(p, (size_t)n), &err))
		return OP_FIND_BROKEN;
	/* It is that of the running kernel, or it is not known whose. */
	if (op_build_ids_match(&w->ids, &b->elf) != OP_ID_SAME)
		return OP_FIND_OTHER_BUILD;
	return OP_FIND_OK;
}

static bool has(const struct op_elf *e, const char *name)
{
	struct op_elf_section s;

	return op_elf_section(e, name, &s) && s.bytes.n;
}

static bool has_dwarf(const struct op_elf *e)
{
	return has(e, ".debug_info") || has(e, ".zdebug_info");
}

static bool has_symtab(const struct op_elf *e)
{
	struct op_elf_section s;

	return op_elf_section_of(e, SHT_SYMTAB, &s) && s.bytes.n;
}

/* The small file inside a stripped one. */
static int add_inner(struct op_binary *b, struct op_err *err)
{
	struct op_err ignored = { 0 };
	struct op_elf e;

	b->inner = (struct op_buf){ .limit = INNER_MOST, .err = &b->inner_err };
	if (!op_debugdata(&b->elf, &b->inner) ||
	    op_elf_open(&e, op_view(b->inner.p, b->inner.n), &ignored))
		return OP_OK;
	return op_symtab_add_elf(&b->symbols, &e, err);
}

static int add_symbols(struct op_binary *b, struct op_err *err)
{
	b->symbols.mem = &b->mem;
	if (op_symtab_add_elf(&b->symbols, &b->elf, err) ||
	    (b->has_debug &&
	     op_symtab_add_elf(&b->symbols, &b->debug.elf, err)) ||
	    (!has_symtab(&b->elf) && add_inner(b, err)))
		return err->code;
	op_symtab_finish(&b->symbols);
	return OP_OK;
}

int op_binary_open(struct op_binary *b, const struct op_find *f,
		   const struct op_wanted *w, struct op_err *err)
{
	*b = (struct op_binary){ 0 };
	if (op_view_is(w->path, "[vdso]")) {
		b->status = vdso(b, w);
	} else {
		b->status = op_find_binary(f, w, &b->main);
		b->elf = b->main.elf;
	}
	if (!op_binary_is_open(b))
		return OP_OK;
	if (b->main.file.bytes.n &&
	    (!has_dwarf(&b->elf) || !has_symtab(&b->elf)))
		b->has_debug = op_find_debug(f, &b->main, &b->debug);
	return add_symbols(b, err);
}

void op_binary_close(struct op_binary *b)
{
	op_lines_close(b->lines);
	op_found_close(&b->main);
	op_found_close(&b->debug);
	op_buf_free(&b->inner);
	op_buf_free(&b->plain);
	op_arena_free(&b->mem);
	*b = (struct op_binary){ .status = OP_FIND_NO_FILE };
}

/* --- asking --- */

static struct op_lines *lines_open(struct op_binary *b,
				   const struct op_found *f)
{
	struct op_err ignored = { 0 };

	if (!op_elf_has_zstd(&f->elf))
		return op_lines_open(f->file.bytes, f->file.fd, &ignored);
	b->plain = (struct op_buf){ .limit = PLAIN_MOST, .err = &b->plain_err };
	if (op_elf_unpack_all(&f->elf, &b->plain)) {
		op_buf_free(&b->plain);
		return NULL;
	}
	return op_lines_open(op_view(b->plain.p, b->plain.n), -1, &ignored);
}

static struct op_lines *lines(struct op_binary *b)
{
	const struct op_found *f = &b->main;

	if (b->lines_tried)
		return b->lines;
	b->lines_tried = true;
	if (b->has_debug && has_dwarf(&b->debug.elf))
		f = &b->debug;
	if (f->file.bytes.n && has_dwarf(&f->elf))
		b->lines = lines_open(b, f);
	return b->lines;
}

/* Frames without a name tell nothing; the last one has its name from the
 * symbols, as the linker knows which part of a function the code is in. */
size_t op_binary_frames(struct op_binary *b, uint64_t vaddr,
			struct op_sym_frame *out, size_t most)
{
	const struct op_symbol *s = op_symtab_find(&b->symbols, vaddr);
	struct op_line_frame at[OP_LINES_MOST];
	size_t nr = 0, n = 0;

	if (!most)
		return 0;
	if (lines(b))
		nr = op_lines_find(b->lines, vaddr, at,
				   most < OP_LINES_MOST ? most : OP_LINES_MOST);
	if (!nr && s)
		at[nr++] = (struct op_line_frame){ 0 };
	for (size_t i = 0; i < nr; i++) {
		struct op_view name = op_view_z(at[i].name);

		if (i == nr - 1 && s)
			name = op_symbol_name(s);
		if (name.n)
			out[n++] = (struct op_sym_frame){ name, at[i] };
	}
	return n;
}

size_t op_binary_bytes(const struct op_binary *b)
{
	return sizeof(*b) + b->mem.used + b->inner.cap + b->plain.cap +
	       op_lines_bytes(b->lines);
}
