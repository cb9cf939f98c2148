// SPDX-License-Identifier: Apache-2.0
/* sym/lines.c: lines and inlined calls by libdw.
 *
 * The ranges of all compilation units are read at the first lookup; the
 * functions and lines of a unit at the first lookup in that unit. libdw checks
 * that it stays inside the file, but not that it makes progress: every walk
 * here must move forward in the file, so that it ends. */
#include "sym/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sym/find.h"
#include "sym/lines_scope.h"

enum { MAX_DEPTH = 64 };

struct range {
	uint64_t low, high;
	uint64_t what; /* a unit's index, or a function's offset */
};

struct ranges {
	struct range *p;
	size_t n;
	size_t cap;
};

struct unit {
	Dwarf_Die lines; /* has the table of lines */
	Dwarf_Die info;	 /* has the functions; if split, in another file */
	struct ranges functions;
	struct op_scopes scopes;
	bool is_read;
};

struct op_lines {
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	struct op_arena mem;
	OP_VEC(struct unit) units;
	struct ranges ranges;
	char dir[PATH_MAX]; /* directory of the file; empty: unknown */
	bool is_read;
	bool names_alt; /* it has a .gnu_debugaltlink */
};

/* --- ranges --- */

static int compare(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	/* Larger ranges first, so that the last match is the innermost. */
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

static void ranges_sort(struct ranges *r)
{
	if (r->n)
		qsort(r->p, r->n, sizeof(*r->p), compare);
}

/* The ranges of a DIE. Linkers leave 0 or the highest address where code was
 * dropped. */
static bool ranges_add(struct op_lines *l, struct ranges *to, Dwarf_Die *die,
		       uint64_t what)
{
	enum { MAX_RANGES = 1 << 20 };
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (int i = 0; i < MAX_RANGES; i++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		if (at <= 0)
			break;
		if (low >= high || low < 2)
			continue;
		if (!op_vec_push(&l->mem, to,
				 ((struct range){ low, high, what })))
			return false;
	}
	return true;
}

/* The range that contains the address and begins last; NULL if there is none.
 */
static const struct range *ranges_find(const struct ranges *r, uint64_t at)
{
	enum { MAX_STEPS = 64 };
	size_t from = 0, to = r->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (r->p[mid].low <= at)
			from = mid + 1;
		else
			to = mid;
	}
	for (size_t step = 0; from-- && step < MAX_STEPS; step++)
		if (at < r->p[from].high)
			return &r->p[from];
	return NULL;
}

/* --- units --- */

static bool units_read(struct op_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	while (!dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, &sub)) {
		struct unit u = { .lines = die, .info = die };

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (type == DW_UT_skeleton && dwarf_tag(&sub) > 0)
			u.info = sub;
		if (!op_vec_push(&l->mem, &l->units, u) ||
		    !ranges_add(l, &l->ranges, &die, l->units.n - 1))
			return false;
	}
	ranges_sort(&l->ranges);
	return true;
}

static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

/* Moves to the next DIE: the first child, if down, else the next sibling of it
 * or of an ancestor. False at the end. */
static bool advance(Dwarf_Die *pile, int *depth, bool down)
{
	Dwarf_Off before = dwarf_dieoffset(&pile[*depth]);
	Dwarf_Die next;

	if (down && *depth + 1 < MAX_DEPTH &&
	    !dwarf_child(&pile[*depth], &next)) {
		pile[++*depth] = next;
		return dwarf_dieoffset(&next) > before;
	}
	for (; *depth >= 0; --*depth)
		if (!dwarf_siblingof(&pile[*depth], &next)) {
			pile[*depth] = next;
			return dwarf_dieoffset(&next) > before;
		}
	return false;
}

static const char *scope_name(Dwarf_Die *die, int tag)
{
	const char *name = dwarf_diename(die);

	if (name)
		return name;
	return tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* Records a function, or the scope of its children. */
static bool die_read(struct op_lines *l, struct unit *u, Dwarf_Die *die,
		     uint32_t *scope)
{
	int tag = dwarf_tag(die);

	if (holds_functions(tag)) {
		scope[1] = op_scopes_add(&u->scopes, &l->mem, scope[0],
					 scope_name(die, tag));
		return scope[1] != 0;
	}
	if (tag != DW_TAG_subprogram)
		return true;
	if (scope[0] &&
	    !op_scopes_put(&u->scopes, &l->mem, dwarf_dieoffset(die), scope[0]))
		return false;
	return ranges_add(l, &u->functions, die, dwarf_dieoffset(die));
}

static bool functions_read(struct op_lines *l, struct unit *u)
{
	uint32_t scopes[MAX_DEPTH + 1] = { 0 };
	Dwarf_Die pile[MAX_DEPTH];
	int depth = 0;
	bool down;

	if (dwarf_child(&u->info, &pile[0]))
		return true;
	do {
		down = holds_functions(dwarf_tag(&pile[depth]));
		if (!die_read(l, u, &pile[depth], &scopes[depth]))
			return false;
	} while (advance(pile, &depth, down));
	ranges_sort(&u->functions);
	return true;
}

static struct unit *unit_of(struct op_lines *l, uint64_t vaddr)
{
	const struct range *r;
	Dwarf_Lines *lines;
	struct unit *u;
	size_t nr;

	if (!l->is_read) {
		l->is_read = true;
		if (!units_read(l))
			l->ranges.n = 0;
	}
	r = ranges_find(&l->ranges, vaddr);
	if (!r)
		return NULL;
	u = &l->units.p[r->what];
	if (!u->is_read) {
		u->is_read = true;
		if (!functions_read(l, u))
			u->functions.n = 0;
		/* Read now, together with the unit. */
		dwarf_getsrclines(&u->lines, &lines, &nr);
	}
	return u;
}

/* --- frames --- */

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, name, &attr))
		return NULL;
	return dwarf_formstring(&attr);
}

static int64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v) ||
	    v > INT32_MAX)
		return 0;
	return (int64_t)v;
}

/* The file of an attribute's number, which is relative to the unit of the
 * attribute. dwarf_decl_file() does the same, but aborts if the unit has no
 * file table. */
static const char *file_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word i;
	Dwarf_Die unit;
	size_t nr;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &i) ||
	    dwarf_cu_info(attr.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || i >= nr)
		return NULL;
	return dwarf_filesrc(files, i, NULL, NULL);
}

/* The name of a function without a linkage name, with the scopes it was
 * declared in. */
static const char *full_name(struct op_lines *l, struct unit *u, Dwarf_Die *die)
{
	enum { MAX_STEPS = 4 };
	const char *name = text_of(die, DW_AT_name), *full;
	Dwarf_Attribute attr;
	Dwarf_Die at = *die;

	if (!name)
		return NULL;
	for (int i = 0; i < MAX_STEPS; i++) {
		if (!dwarf_attr(&at, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&at, DW_AT_specification, &attr))
			break;
		if (!dwarf_formref_die(&attr, &at))
			return name;
	}
	if (at.cu != u->info.cu)
		return name;
	full = op_scopes_name(&u->scopes, &l->mem, dwarf_dieoffset(&at), name);
	return full ? full : name;
}

static void function_put(struct op_lines *l, struct unit *u, Dwarf_Die *die,
			 struct op_line_frame *f)
{
	int line = 0;

	f->name = text_of(die, DW_AT_linkage_name);
	if (!f->name)
		f->name = text_of(die, DW_AT_MIPS_linkage_name);
	if (!f->name)
		f->name = full_name(l, u, die);
	f->function_file = file_of(die);
	if (!dwarf_decl_line(die, &line) && line > 0)
		f->function_line = line;
}

static void line_put(struct unit *u, uint64_t vaddr, struct op_line_frame *f)
{
	Dwarf_Line *row = dwarf_getsrc_die(&u->lines, vaddr);
	int line = 0, column = 0;

	if (!row || dwarf_lineno(row, &line) || line <= 0)
		return;
	f->line = line;
	if (!dwarf_linecol(row, &column) && column > 0)
		f->column = column;
	f->file = dwarf_linesrc(row, NULL, NULL);
}

/* The location of an inlined call is the line of the enclosing frame. */
static void call_put(struct unit *u, Dwarf_Die *inlined,
		     struct op_line_frame *f)
{
	int64_t file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t nr;

	f->line = number_of(inlined, DW_AT_call_line);
	f->column = number_of(inlined, DW_AT_call_column);
	if (!dwarf_getsrcfiles(&u->info, &files, &nr) && (size_t)file < nr)
		f->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

/* The child that contains the address: a block or an inlined call. */
static bool inner(Dwarf_Die *die, uint64_t vaddr, Dwarf_Die *out)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die child;
	int more = dwarf_child(die, &child);

	while (!more) {
		int tag = dwarf_tag(&child);

		if (dwarf_dieoffset(&child) <= before)
			return false;
		before = dwarf_dieoffset(&child);
		if ((tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(&child, vaddr) > 0) {
			*out = child;
			return true;
		}
		more = dwarf_siblingof(&child, &child);
	}
	return false;
}

/* The function and the calls inlined into it at this address, outermost first.
 */
static size_t chain(struct unit *u, uint64_t vaddr, Dwarf_Die *out)
{
	const struct range *r = ranges_find(&u->functions, vaddr);
	enum { MAX_BLOCKS = 1024 };
	Dwarf_Die die;
	size_t n = 0;

	if (!r || !dwarf_offdie(dwarf_cu_getdwarf(u->info.cu), r->what, &die))
		return 0;
	out[n++] = die;
	for (int i = 0; i < MAX_BLOCKS && n < OP_LINES_MAX; i++) {
		if (!inner(&die, vaddr, &die))
			break;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			out[n++] = die;
	}
	return n;
}

size_t op_lines_find(struct op_lines *l, uint64_t vaddr,
		     struct op_line_frame *out, size_t most)
{
	struct unit *u = unit_of(l, vaddr);
	Dwarf_Die dies[OP_LINES_MAX];
	const char *dir;
	size_t n;

	if (!u || !most)
		return 0;
	n = chain(u, vaddr, dies);
	memset(out, 0, sizeof(*out));
	line_put(u, vaddr, out);
	dir = text_of(&u->lines, DW_AT_comp_dir);
	out->dir = dir;
	if (!n)
		return out->line ? 1 : 0;
	for (size_t i = 0; i < n && i < most; i++) {
		Dwarf_Die *die = &dies[n - 1 - i];

		if (i) {
			out[i] = (struct op_line_frame){ .dir = dir };
			call_put(u, die + 1, &out[i]);
		}
		function_put(l, u, die, &out[i]);
	}
	return n < most ? n : most;
}

/* --- the file --- */

/* Whether libdw would open another file because this one names it. */
static bool names_alt(struct op_view file)
{
	struct op_err err = { 0 };
	struct op_elf_section s;
	struct op_elf e;

	return file.n && !op_elf_open(&e, file, &err) &&
	       op_elf_section(&e, ".gnu_debugaltlink", &s);
}

/* Unless one is set, libdw would look for it by its name. */
static void alt_open(struct op_lines *l, struct op_view alt)
{
	if (!alt.n)
		return;
	l->alt_elf = elf_memory((char *)alt.p, alt.n);
	if (l->alt_elf)
		l->alt = dwarf_begin_elf(l->alt_elf, DWARF_C_READ, NULL);
	if (l->alt)
		dwarf_setalt(l->dwarf, l->alt);
}

/* The directory of an open file, where libdw also looks for split units. */
static void dir_find(struct op_lines *l, int fd)
{
	char self[40];
	ssize_t n;
	char *slash;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(self, l->dir, sizeof(l->dir) - 1);
	l->dir[n > 0 ? n : 0] = 0;
	slash = strrchr(l->dir, '/');
	if (slash)
		*slash = 0;
}

struct op_lines *op_lines_open(const struct op_lines_source *s,
			       struct op_err *err)
{
	struct op_lines *l = op_heap_resize(NULL, sizeof(*l), err);

	if (!l)
		return NULL;
	*l = (struct op_lines){ .mem.err = OP_IGNORED };
	elf_version(EV_CURRENT);
	if (s->fd >= 0)
		l->elf = elf_begin(s->fd, ELF_C_READ_MMAP, NULL);
	else
		l->elf = elf_memory((char *)s->file.p, s->file.n);
	if (l->elf)
		l->dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
	if (!l->dwarf) {
		op_lines_close(l);
		return NULL;
	}
	l->names_alt = names_alt(s->file) || names_alt(s->alt);
	alt_open(l, s->alt);
	dir_find(l, s->fd);
	return l;
}

void op_lines_close(struct op_lines *l)
{
	if (!l)
		return;
	dwarf_end(l->dwarf);
	elf_end(l->elf);
	dwarf_end(l->alt);
	elf_end(l->alt_elf);
	op_arena_free(&l->mem);
	op_heap_free(l);
}

/* --- split units --- */

/* Nothing, or an ordinary file that names no other. */
static bool is_harmless(const char *dir, const char *name)
{
	bool is_whole = name[0] == '/';
	struct op_file f = { 0 };
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s%s", is_whole ? "" : dir,
			 is_whole ? "" : "/", name);
	bool ok;

	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	if (!op_file_open(&f, NULL, path, OP_FIND_MAX_BYTES))
		return errno == ENOENT || errno == ENOTDIR;
	ok = !names_alt(f.bytes);
	op_file_close(&f);
	return ok;
}

static bool split_is_harmless(const struct op_lines *l, Dwarf_Die *die)
{
	const char *dir = text_of(die, DW_AT_comp_dir);
	const char *name = text_of(die, DW_AT_dwo_name);

	if (!name)
		name = text_of(die, DW_AT_GNU_dwo_name);
	return !name ||
	       (is_harmless(l->dir, name) && (!dir || is_harmless(dir, name)));
}

bool op_lines_may_split(struct op_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	bool any = false;

	if (l->names_alt)
		return false;
	while (!dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_skeleton)
			continue;
		any = true;
		if (!split_is_harmless(l, &die))
			return false;
	}
	return any;
}
