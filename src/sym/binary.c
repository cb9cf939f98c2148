// SPDX-License-Identifier: Apache-2.0
/* sym/binary.c: a binary's files, and the functions at its addresses. */
#include "sym/binary.h"

#include <elf.h>

#include "sym/debugdata.h"
#include "sym/vdso.h"

enum { INNER_MAX = 256 << 20 };

#define PLAIN_MAX ((size_t)2 << 30)

/* --- finding --- */

static bool vdso_open(struct op_binary *b)
{
	b->is_vdso = true;
	b->status = OP_FIND_NO_FILE;
	if (op_vdso_open(&b->elfs[OP_BINARY_MAIN]))
		b->status = OP_FIND_OK;
	return b->status == OP_FIND_OK;
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

static const struct op_elf *elf_of(const struct op_binary *b, int which)
{
	return b->files[which].bytes.n || (!which && b->is_vdso) ?
		       &b->elfs[which] :
		       NULL;
}

static void keep(struct op_binary *b, int which, const struct op_found *f)
{
	b->files[which] = f->file;
	b->elfs[which] = f->elf;
}

static void find_main(struct op_binary *b, const struct op_find *f,
		      const struct op_wanted *w, struct op_found *main)
{
	*b = (struct op_binary){ 0 };
	if (!op_view_is(w->path, "[vdso]")) {
		b->status = op_find_binary(f, w, main);
		keep(b, OP_BINARY_MAIN, main);
		b->is_kept = main->is_kept;
		return;
	}
	/* It is that of the running kernel, or it is not known whose. */
	if (vdso_open(b) &&
	    op_build_ids_match(&w->ids, &b->elfs[OP_BINARY_MAIN]) != OP_ID_SAME)
		b->status = OP_FIND_OTHER_BUILD;
}

void op_binary_find(struct op_binary *b, const struct op_find *f,
		    const struct op_wanted *w)
{
	struct op_found main;

	find_main(b, f, w, &main);
}

void op_binary_find_all(struct op_binary *b, const struct op_find *f,
			const struct op_wanted *w)
{
	struct op_found main, debug, alt;
	const struct op_found *dwarf = &main;

	find_main(b, f, w, &main);
	if (!op_binary_is_open(b) || b->is_vdso)
		return;
	if ((!has_dwarf(&main.elf) || !has_symtab(&main.elf)) &&
	    op_find_debug(f, &main, &debug)) {
		keep(b, OP_BINARY_DEBUG, &debug);
		if (has_dwarf(&debug.elf))
			dwarf = &debug;
	}
	if (op_find_alt(f, dwarf, &alt))
		keep(b, OP_BINARY_ALT, &alt);
}

static bool take(struct op_binary *b, int which, int fd)
{
	struct op_err err = { 0 };

	return op_file_take(&b->files[which], fd, OP_FIND_MAX_BYTES) &&
	       !op_elf_open(&b->elfs[which], b->files[which].bytes, &err);
}

bool op_binary_take(struct op_binary *b, const int fds[OP_BINARY_FILES])
{
	bool ok = true;

	*b = (struct op_binary){ 0 };
	if (fds[OP_BINARY_MAIN] < 0)
		ok = vdso_open(b);
	for (int i = 0; i < OP_BINARY_FILES; i++)
		if (fds[i] >= 0)
			ok = take(b, i, fds[i]) && ok;
	if (!ok)
		b->status = OP_FIND_BROKEN;
	return ok;
}

void op_binary_close(struct op_binary *b)
{
	op_lines_close(b->lines);
	for (int i = 0; i < OP_BINARY_FILES; i++)
		op_file_close(&b->files[i]);
	op_buf_free(&b->inner);
	op_buf_free(&b->plain);
	op_arena_free(&b->mem);
	*b = (struct op_binary){ .status = OP_FIND_NO_FILE };
}

/* --- reading --- */

/* The small ELF file inside a stripped one. */
static int add_inner(struct op_binary *b, struct op_err *err)
{
	struct op_err ignored = { 0 };
	struct op_elf e;

	b->inner = (struct op_buf){ .limit = INNER_MAX, .err = &b->inner_err };
	if (!op_debugdata(&b->elfs[OP_BINARY_MAIN], &b->inner) ||
	    op_elf_open(&e, op_view(b->inner.p, b->inner.n), &ignored))
		return OP_OK;
	return op_symtab_add_elf(&b->symbols, &e, err);
}

int op_binary_load(struct op_binary *b, struct op_err *err)
{
	const struct op_elf *main = &b->elfs[OP_BINARY_MAIN];
	const struct op_elf *debug = elf_of(b, OP_BINARY_DEBUG);

	op_arena_tells(&b->mem, err);
	b->symbols.mem = &b->mem;
	if (op_symtab_add_elf(&b->symbols, main, err) ||
	    (debug && op_symtab_add_elf(&b->symbols, debug, err)) ||
	    (!has_symtab(main) && add_inner(b, err)))
		return err->code;
	op_symtab_finish(&b->symbols);
	op_go_table_open(&b->go, main);
	return OP_OK;
}

static struct op_lines *lines_open(struct op_binary *b, int which)
{
	const struct op_file *f = &b->files[which];
	struct op_err ignored = { 0 };
	struct op_lines_source s = { .file = f->bytes,
				     .fd = f->fd,
				     .alt = b->files[OP_BINARY_ALT].bytes };

	if (op_elf_has_zstd(&b->elfs[which])) {
		b->plain = (struct op_buf){ .limit = PLAIN_MAX,
					    .err = &b->plain_err };
		if (op_elf_unpack_all(&b->elfs[which], &b->plain)) {
			op_buf_free(&b->plain);
			return NULL;
		}
		s.file = op_view(b->plain.p, b->plain.n);
		s.fd = -1;
	}
	return op_lines_open(&s, &ignored);
}

void op_binary_no_lines(struct op_binary *b)
{
	b->lines_tried = true;
}

struct op_lines *op_binary_lines(struct op_binary *b)
{
	const struct op_elf *main = elf_of(b, OP_BINARY_MAIN);
	const struct op_elf *debug = elf_of(b, OP_BINARY_DEBUG);

	if (b->lines_tried)
		return b->lines;
	b->lines_tried = true;
	if (debug && has_dwarf(debug))
		b->lines = lines_open(b, OP_BINARY_DEBUG);
	else if (!b->is_vdso && has_dwarf(main))
		b->lines = lines_open(b, OP_BINARY_MAIN);
	return b->lines;
}

/* --- asking --- */

static struct op_sym_frame frame_of(const struct op_line_frame *at)
{
	return (struct op_sym_frame){
		.name = op_view_z(at->name),
		.file = op_view_z(at->function_file ? at->function_file :
						      at->file),
		.dir = op_view_z(at->dir),
		.line = at->line,
		.column = at->column,
		.function_line = at->function_line,
	};
}

/* By DWARF; without it, by what a Go program has for itself. */
static size_t find_lines(struct op_binary *b, uint64_t vaddr,
			 struct op_line_frame *out, size_t most)
{
	size_t nr = 0;

	if (op_binary_lines(b))
		nr = op_lines_find(b->lines, vaddr, out, most);
	return nr ? nr : op_go_table_find(&b->go, vaddr, out, most);
}

/* Frames without a name have no use. The last one gets its name from the
 * symbols: the linker knows which part of a function the code is in. */
size_t op_binary_frames(struct op_binary *b, uint64_t vaddr,
			struct op_sym_frame *out, size_t most)
{
	const struct op_symbol *s = op_symtab_find(&b->symbols, vaddr);
	struct op_line_frame at[OP_LINES_MAX];
	size_t nr, n = 0;

	if (!most)
		return 0;
	nr = find_lines(b, vaddr, at,
			most < OP_LINES_MAX ? most : OP_LINES_MAX);
	if (!nr && s)
		at[nr++] = (struct op_line_frame){ 0 };
	for (size_t i = 0; i < nr; i++) {
		out[n] = frame_of(&at[i]);
		if (i == nr - 1 && s)
			out[n].name = op_symbol_name(s);
		n += out[n].name.n != 0;
	}
	return n;
}
