// SPDX-License-Identifier: Apache-2.0
/* sym/go_table.c: looks up addresses in the function table of a Go program. */
#include "sym/go_table.h"

#include <elf.h>

enum {
	HEADER_BYTES = 8,
	FIELD_NAME = 1,
	FIELD_FILES = 5,
	FIELD_LINES = 6,
	FIELD_NR_VALUES = 7,
	FIELD_UNIT = 8,
	FIELD_START_LINE = 9,
	VALUES_INLINED = 2,  /* number of the value table of inlined calls */
	DATA_TREE = 3,	     /* number of the tree of inlined calls */
	MAX_STEPS = 1 << 18, /* through value tables, for one address */
};

/* --- opening --- */

static bool version_of(uint32_t magic, enum op_go_version *out)
{
	switch (magic) {
	case 0xfffffffb:
		*out = OP_GO_1_2;
		return true;
	case 0xfffffffa:
		*out = OP_GO_1_16;
		return true;
	case 0xfffffff0:
		*out = OP_GO_1_18;
		return true;
	case 0xfffffff1:
		*out = OP_GO_1_20;
		return true;
	}
	return false;
}

static uint64_t word(const struct op_go_table *t, uint32_t i)
{
	return op_go_number(t->bytes, HEADER_BYTES + (uint64_t)i * t->pointer,
			    t->pointer);
}

/* The table from an offset on. */
static struct op_view part(const struct op_go_table *t, uint64_t at)
{
	if (at >= t->bytes.n)
		return (struct op_view){ 0 };
	return op_view(t->bytes.p + at, t->bytes.n - (size_t)at);
}

/* Before 1.16 all offsets are from the start of the table. */
static void parts_1_2(struct op_go_table *t)
{
	uint64_t n = (2 * (uint64_t)t->nr_funcs + 1) * t->pointer;

	t->names = t->values = t->bytes;
	t->funcs = part(t, HEADER_BYTES + t->pointer);
	t->files = part(t, op_go_number(t->funcs, n, 4));
}

static void parts(struct op_go_table *t)
{
	uint32_t first = t->version >= OP_GO_1_18 ? 3 : 2;

	if (t->version == OP_GO_1_2) {
		parts_1_2(t);
		return;
	}
	t->names = part(t, word(t, first));
	t->units = part(t, word(t, first + 1));
	t->files = part(t, word(t, first + 2));
	t->values = part(t, word(t, first + 3));
	t->funcs = part(t, word(t, first + 4));
}

/* What is at the start of a table. */
static bool header(struct op_go_table *t, struct op_view v)
{
	uint64_t nr, room;

	if (v.n < HEADER_BYTES || v.p[4] || v.p[5] ||
	    !version_of((uint32_t)op_go_number(v, 0, 4), &t->version))
		return false;
	t->bytes = v;
	t->quantum = v.p[6];
	t->pointer = v.p[7];
	if ((t->quantum != 1 && t->quantum != 2 && t->quantum != 4) ||
	    t->pointer != (t->elf.is_64 ? 8 : 4))
		return false;
	nr = word(t, 0);
	if (!nr || nr > v.n)
		return false;
	t->nr_funcs = (uint32_t)nr;
	parts(t);
	room = t->funcs.n / (t->version >= OP_GO_1_18 ? 4 : t->pointer);
	return t->names.n && t->values.n && 2 * nr < room;
}

static bool by_section(struct op_go_table *t)
{
	static const char *const names[] = { ".gopclntab",
					     ".data.rel.ro.gopclntab" };
	struct op_elf_section s;

	for (size_t i = 0; i < op_countof(names); i++)
		if (op_elf_section(&t->elf, names[i], &s) &&
		    header(t, s.bytes)) {
			t->vaddr = s.vaddr;
			return true;
		}
	return false;
}

/* In a file without section headers. */
static bool in_segment(struct op_go_table *t, const struct op_elf_segment *s)
{
	struct op_view v = op_elf_at(&t->elf, s->vaddr, s->file_bytes);
	enum op_go_version any;

	for (size_t at = 0; at + HEADER_BYTES <= v.n; at += 8)
		if (version_of((uint32_t)op_go_number(v, at, 4), &any) &&
		    header(t, op_view(v.p + at, v.n - at))) {
			t->vaddr = s->vaddr + at;
			return true;
		}
	return false;
}

static bool by_magic(struct op_go_table *t)
{
	struct op_elf_segment s;

	for (uint32_t i = 0; op_elf_segment(&t->elf, i, &s); i++)
		if (s.type == PT_LOAD && !(s.vaddr & 7) && in_segment(t, &s))
			return true;
	return false;
}

bool op_go_table_open(struct op_go_table *t, const struct op_elf *e)
{
	*t = (struct op_go_table){ .elf = *e };
	if (!(e->sections.nr ? by_section(t) : by_magic(t))) {
		t->nr_funcs = 0;
		return false;
	}
	if (t->version < OP_GO_1_18)
		return true;
	t->text = word(t, 2);
	op_go_module_read(t);
	if (!t->text)
		t->nr_funcs = 0;
	return t->text;
}

/* --- looking up --- */

/* A function at an address. */
struct func {
	const struct op_go_table *t;
	struct op_view record;
	uint64_t entry;
	uint32_t steps; /* left */
};

static bool func_find(const struct op_go_table *t, uint64_t vaddr,
		      struct func *out)
{
	size_t n = t->version >= OP_GO_1_18 ? 4 : t->pointer;
	uint32_t from = 0, to = t->nr_funcs;
	uint64_t at;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (op_go_entry(t, mid) <= vaddr)
			from = mid + 1;
		else
			to = mid;
	}
	if (!from || vaddr >= op_go_entry(t, from))
		return false;
	at = op_go_number(t->funcs, (2 * (uint64_t)from - 1) * n, n);
	if (t->version == OP_GO_1_2)
		out->record = part(t, at);
	else if (at < t->funcs.n)
		out->record = op_view(t->funcs.p + at, t->funcs.n - (size_t)at);
	else
		return false;
	out->t = t;
	out->entry = op_go_entry(t, from - 1);
	out->steps = MAX_STEPS;
	return true;
}

static uint32_t entry_bytes(const struct op_go_table *t)
{
	return t->version >= OP_GO_1_18 ? 4 : t->pointer;
}

static uint32_t field(const struct func *f, uint32_t i)
{
	return (uint32_t)op_go_number(f->record,
				      entry_bytes(f->t) + 4ull * (i - 1), 4);
}

/* Bytes of a record before its value tables. */
static uint32_t fixed_bytes(const struct op_go_table *t)
{
	static const uint32_t last[] = { [OP_GO_1_2] = FIELD_NR_VALUES,
					 [OP_GO_1_16] = FIELD_UNIT,
					 [OP_GO_1_18] = FIELD_UNIT,
					 [OP_GO_1_20] = FIELD_START_LINE };

	return entry_bytes(t) + 4 * (last[t->version] + 1);
}

static bool varint(struct op_view *v, uint32_t *out)
{
	uint32_t x = 0;

	for (unsigned int shift = 0; v->n && shift < 32; shift += 7) {
		uint8_t b = *v->p;

		*v = op_view(v->p + 1, v->n - 1);
		x |= (uint32_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*out = x;
			return true;
		}
	}
	return false;
}

/* What a value table says of an address; -1: nothing. */
static int32_t value_at(struct func *f, uint32_t table, uint64_t vaddr)
{
	struct op_view v = f->t->values;
	uint32_t value = UINT32_MAX, change, length;
	uint64_t pc = f->entry;

	if (!table || table >= v.n)
		return -1;
	v = op_view(v.p + table, v.n - table);
	for (bool first = true; f->steps; f->steps--, first = false) {
		if (!varint(&v, &change) || (!change && !first) ||
		    !varint(&v, &length))
			return -1;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		pc += (uint64_t)length * f->t->quantum;
		if (vaddr < pc)
			return (int32_t)value;
	}
	return -1;
}

static const char *text_at(struct op_view v, uint64_t at)
{
	struct op_view s = op_elf_text(v, at);

	return s.n ? (const char *)s.p : NULL;
}

static const char *file_at(struct func *f, uint64_t vaddr)
{
	const struct op_go_table *t = f->t;
	int32_t nr = value_at(f, field(f, FIELD_FILES), vaddr);
	uint32_t unit = field(f, FIELD_UNIT);
	uint64_t at;

	if (nr < 0 || (t->version == OP_GO_1_2 && !nr))
		return NULL;
	if (t->version == OP_GO_1_2)
		return text_at(t->bytes,
			       op_go_number(t->files, 4 * (uint64_t)nr, 4));
	at = op_go_number(t->units, 4 * ((uint64_t)unit + (uint32_t)nr), 4);
	return unit == UINT32_MAX || at == UINT32_MAX ? NULL :
							text_at(t->files, at);
}

static int64_t line_at(struct func *f, uint64_t vaddr)
{
	int32_t line = value_at(f, field(f, FIELD_LINES), vaddr);

	return line > 0 ? line : 0;
}

/* --- inlined calls --- */

static int32_t inlined_at(struct func *f, uint64_t vaddr)
{
	uint32_t at = fixed_bytes(f->t) + 4 * VALUES_INLINED;

	if (field(f, FIELD_NR_VALUES) <= VALUES_INLINED)
		return -1;
	return value_at(f, (uint32_t)op_go_number(f->record, at, 4), vaddr);
}

struct call {
	const char *name;
	int64_t start_line;
	uint64_t site; /* an address that has the position of the call */
};

/* A row of the tree: in 1.18, parent, file, line, name, site; since 1.20,
 * kind, name, site, line. */
static bool call_read(const struct func *f, int32_t i, struct call *out)
{
	const struct op_go_table *t = f->t;
	bool is_new = t->version >= OP_GO_1_20;
	uint64_t bytes = is_new ? 16 : 20;
	uint64_t nr_values = field(f, FIELD_NR_VALUES);
	uint64_t at = fixed_bytes(t) + 4 * (nr_values + DATA_TREE);
	uint64_t nr_data = op_go_number(f->record, fixed_bytes(t) - 1, 1);
	uint64_t tree = op_go_number(f->record, at, 4);
	struct op_view row;

	if (!t->trees || nr_data <= DATA_TREE || tree == UINT32_MAX)
		return false;
	row = op_elf_at(&t->elf, t->trees + tree + bytes * (uint32_t)i,
			(size_t)bytes);
	if (row.n < bytes)
		return false;
	out->name = text_at(t->names, op_go_number(row, is_new ? 4 : 12, 4));
	out->start_line = is_new ? (int32_t)op_go_number(row, 12, 4) : 0;
	out->site = f->entry + op_go_number(row, is_new ? 8 : 16, 4);
	return out->name;
}

static struct op_line_frame frame_at(struct func *f, uint64_t vaddr)
{
	return (struct op_line_frame){ .file = file_at(f, vaddr),
				       .line = line_at(f, vaddr) };
}

/* The function that contains the code. If inlined calls at the address are not
 * known, the position there is not one of this function. */
static struct op_line_frame outermost(struct func *f, uint64_t vaddr,
				      bool is_known)
{
	struct op_line_frame at = frame_at(f, is_known ? vaddr : f->entry);

	if (!is_known)
		at.line = 0;
	at.name = text_at(f->t->names, field(f, FIELD_NAME));
	if (f->t->version >= OP_GO_1_20)
		at.function_line = (int32_t)field(f, FIELD_START_LINE);
	if (at.function_line < 0)
		at.function_line = 0;
	return at;
}

size_t op_go_table_find(const struct op_go_table *t, uint64_t vaddr,
			struct op_line_frame *out, size_t most)
{
	uint64_t at = vaddr;
	bool is_known = true;
	struct call call;
	struct func f;
	size_t n = 0;
	int32_t i;

	if (!most || !t->nr_funcs || !func_find(t, vaddr, &f))
		return 0;
	for (i = inlined_at(&f, at); i >= 0; i = inlined_at(&f, at)) {
		is_known = n + 1 < most && call_read(&f, i, &call);
		if (!is_known)
			break;
		out[n] = frame_at(&f, at);
		out[n].name = call.name;
		out[n].function_line = call.start_line > 0 ? call.start_line :
							     0;
		n++;
		at = call.site;
	}
	out[n] = outermost(&f, at, is_known);
	return out[n].name ? n + 1 : 0;
}
