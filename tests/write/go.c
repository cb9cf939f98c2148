// SPDX-License-Identifier: Apache-2.0
#include "write/go.h"

#include <assert.h>

enum { MODULE = 0xa000, RELOCATIONS = 0xb000, DYNAMIC = 0xc000 };

struct part {
	uint8_t p[1024];
	size_t n;
};

static uint32_t put(struct part *t, const void *p, size_t n)
{
	size_t at = t->n;

	assert(n <= sizeof(t->p) - at);
	memcpy(t->p + at, p, n);
	t->n += n;
	return (uint32_t)at;
}

static uint32_t number(struct part *t, uint64_t v, size_t n)
{
	return put(t, &v, n);
}

static uint32_t text(struct part *t, const char *s)
{
	return put(t, s, strlen(s) + 1);
}

/* A value table: pairs of a value and where its code ends, up to 0, 0. */
static uint32_t values(struct part *t, const int32_t (*rows)[2])
{
	int32_t value = -1, end = 0;
	uint32_t at = (uint32_t)t->n;

	for (; (*rows)[1]; rows++) {
		int32_t d = (*rows)[0] - value;

		assert(d > -64 && d < 64 && (*rows)[1] - end < 128);
		number(t, d < 0 ? (uint64_t)(-d * 2 - 1) : (uint64_t)d * 2, 1);
		number(t, (uint64_t)((*rows)[1] - end), 1);
		value = (*rows)[0];
		end = (*rows)[1];
	}
	number(t, 0, 1);
	return at;
}

struct tables {
	struct part names, units, files, values, funcs, trees;
	uint32_t unit;
	uint32_t name_twice, name_once;
};

struct record {
	uint32_t entry;
	const char *name;
	uint32_t files, lines, inlined, line, frames;
	bool is_top;
};

static size_t entry_bytes(const struct go_program *g)
{
	if (g->version >= OP_GO_1_18)
		return 4;
	return g->is_32 ? 4 : 8;
}

static uint32_t record_put(struct tables *t, const struct go_program *g,
			   const struct record *r)
{
	bool has_calls = r->inlined;
	uint32_t name = text(&t->names, r->name);
	uint32_t at;

	while (t->funcs.n % 8)
		number(&t->funcs, 0, 1);
	at = number(&t->funcs,
		    r->entry + (g->version < OP_GO_1_18 ? GO_TEXT : 0),
		    entry_bytes(g));
	number(&t->funcs, name, 4);
	put(&t->funcs, (uint32_t[2]){ 0 }, 8);
	number(&t->funcs, r->frames, 4);
	number(&t->funcs, r->files, 4);
	number(&t->funcs, r->lines, 4);
	number(&t->funcs, has_calls ? 3 : 0, 4);
	if (g->version >= OP_GO_1_16)
		number(&t->funcs, t->unit, 4);
	if (g->version >= OP_GO_1_20)
		number(&t->funcs, r->line, 4);
	number(&t->funcs,
	       (has_calls ? (uint64_t)4 << 24 : 0) | (uint64_t)r->is_top << 8,
	       4);
	if (has_calls) {
		put(&t->funcs, (uint32_t[2]){ 0 }, 8);
		number(&t->funcs, r->inlined, 4);
		put(&t->funcs, (uint32_t[3]){ UINT32_MAX, UINT32_MAX, ~0u },
		    12);
		number(&t->funcs, 0, 4);
	}
	return at;
}

static void call_put(struct tables *t, const struct go_program *g,
		     uint32_t name, uint32_t site, uint32_t line)
{
	if (g->version >= OP_GO_1_20) {
		put(&t->trees, (uint32_t[4]){ 0, name, site, line }, 16);
		return;
	}
	put(&t->trees, (uint32_t[5]){ 0, 0, 0, name, site }, 20);
}

/* Before 1.16 names, values and records lie in the table itself, and offsets
 * are from its start: base. */
static void fill(struct tables *t, const struct go_program *g, uint32_t base)
{
	static const int32_t files[][2] = {
		{ 1, 0x10 }, { 2, 0x20 }, { 1, 0x40 }, { 0, 0 }
	};
	static const int32_t lines[][2] = { { 10, 0xc },  { 11, 0x10 },
					    { 20, 0x12 }, { 21, 0x14 },
					    { 30, 0x18 }, { 20, 0x20 },
					    { 12, 0x40 }, { 0, 0 } };
	static const int32_t calls[][2] = { { -1, 0x10 }, { 0, 0x14 },
					    { 1, 0x18 },  { 0, 0x20 },
					    { -1, 0x40 }, { 0, 0 } };
	static const int32_t other_files[][2] = { { 1, 0x20 }, { 0, 0 } };
	static const int32_t other_lines[][2] = { { 50, 0x20 }, { 0, 0 } };
	struct record main_one = { .name = "main.main", .line = 9 };
	static const int32_t frames[][2] = { { 0, 4 },	   { 8, 0xc },
					     { 40, 0x30 }, { 8, 0x34 },
					     { 0, 0x40 },  { 0, 0 } };
	static const int32_t other_frames[][2] = { { 0, 0x20 }, { 0, 0 } };
	struct record other = {
		.entry = 0x40, .name = "main.other", .line = 49, .is_top = true
	};
	uint32_t at[2];
	size_t n = entry_bytes(g);

	number(&t->names, 0, 1);
	number(&t->values, 0, 1);
	main_one.frames = base + values(&t->values, frames);
	other.frames = base + values(&t->values, other_frames);
	main_one.files = base + values(&t->values, files);
	main_one.lines = base + values(&t->values, lines);
	main_one.inlined = base + values(&t->values, calls);
	other.files = base + values(&t->values, other_files);
	other.lines = base + values(&t->values, other_lines);
	/* Of the first unit there are other files. */
	t->unit = 2;
	put(&t->units, (uint32_t[2]){ UINT32_MAX, UINT32_MAX }, 8);
	number(&t->units, UINT32_MAX, 4);
	number(&t->units, text(&t->files, "/src/main.go"), 4);
	number(&t->units, text(&t->files, "/src/twice.go"), 4);
	t->name_twice = text(&t->names, "main.twice");
	t->name_once = text(&t->names, "main.once");
	t->funcs.n = 5 * n;
	at[0] = record_put(t, g, &main_one);
	at[1] = record_put(t, g, &other);
	call_put(t, g, t->name_twice, 0xc, 19);
	call_put(t, g, t->name_once, 0x12, 29);
	for (int i = 0; i < 3; i++) {
		static const uint64_t entries[] = { 0, 0x40, 0x60 };
		uint64_t e = entries[i] +
			     (g->version < OP_GO_1_18 ? GO_TEXT : 0);

		memcpy(t->funcs.p + (size_t)(2 * i) * n, &e, n);
		if (i < 2)
			memcpy(t->funcs.p + (size_t)(2 * i + 1) * n, &at[i],
			       sizeof(at[i]));
	}
}

/* --- the table --- */

struct table {
	uint8_t p[8192];
	size_t n;
	uint64_t names, funcs; /* offsets */
};

static uint64_t append(struct table *out, const struct part *t)
{
	size_t at = out->n;

	assert(t->n + 8 <= sizeof(out->p) - at);
	memcpy(out->p + at, t->p, t->n);
	out->n = (at + t->n + 7) & ~(size_t)7;
	return at;
}

static void word(struct table *out, const struct go_program *g, uint32_t i,
		 uint64_t v)
{
	size_t n = g->is_32 ? 4 : 8;

	memcpy(out->p + 8 + i * n, &v, n);
}

static void head(struct table *out, const struct go_program *g)
{
	static const uint32_t magics[] = { [OP_GO_1_2] = 0xfffffffb,
					   [OP_GO_1_16] = 0xfffffffa,
					   [OP_GO_1_18] = 0xfffffff0,
					   [OP_GO_1_20] = 0xfffffff1 };

	memcpy(out->p, &magics[g->version], 4);
	out->p[6] = 1;
	out->p[7] = g->is_32 ? 4 : 8;
	word(out, g, 0, 2);
}

static void table_1_16(struct table *out, const struct go_program *g,
		       struct tables *t)
{
	uint32_t first = g->version >= OP_GO_1_18 ? 3 : 2;

	fill(t, g, 0);
	out->n = 8 + 8 * (g->is_32 ? 4 : 8);
	word(out, g, 1, 2);
	if (first == 3 && !g->no_text)
		word(out, g, 2, GO_TEXT);
	out->names = append(out, &t->names);
	word(out, g, first, out->names);
	word(out, g, first + 1, append(out, &t->units));
	word(out, g, first + 2, append(out, &t->files));
	word(out, g, first + 3, append(out, &t->values));
	out->funcs = append(out, &t->funcs);
	word(out, g, first + 4, out->funcs);
}

static void shift(uint8_t *p, uint32_t by)
{
	uint32_t v;

	memcpy(&v, p, 4);
	v += by;
	memcpy(p, &v, 4);
}

/* One function table behind the header, and all else behind it. */
static void table_1_2(struct table *out, const struct go_program *g,
		      struct tables *t)
{
	enum { VALUES_AT = 2048, NAMES_AT = 4096, FILES_AT = 4608 };
	size_t n = g->is_32 ? 4 : 8, funcs = 8 + n;
	uint32_t at = FILES_AT, nr = 3;
	uint32_t texts[2];

	fill(t, g, VALUES_AT);
	memcpy(out->p + funcs, t->funcs.p, t->funcs.n);
	for (size_t i = 0; i < 2; i++) {
		uint8_t *row = out->p + funcs + (2 * i + 1) * n;
		uint32_t record;

		memcpy(&record, row, 4);
		shift(out->p + funcs + record + n, NAMES_AT);
		shift(row, (uint32_t)funcs);
	}
	memcpy(out->p + VALUES_AT, t->values.p, t->values.n);
	memcpy(out->p + NAMES_AT, t->names.p, t->names.n);
	/* The offset of the files takes the place behind the last entry. */
	memcpy(out->p + funcs + 5 * n, &at, 4);
	texts[0] = FILES_AT + 64;
	texts[1] = FILES_AT + 64 + sizeof("/src/main.go");
	memcpy(out->p + FILES_AT, &nr, 4);
	memcpy(out->p + FILES_AT + 4, texts, sizeof(texts));
	memcpy(out->p + FILES_AT + 64, t->files.p, t->files.n);
	out->n = FILES_AT + 64 + t->files.n;
}

/* --- the file --- */

static void module_word(struct part *module, struct part *moved,
			const struct go_program *g, uint32_t i, uint64_t v)
{
	size_t n = g->is_32 ? 4 : 8;
	Elf64_Rela r = { .r_offset = MODULE + i * n,
			 .r_info = R_X86_64_RELATIVE,
			 .r_addend = (int64_t)v };

	if (g->is_moved)
		put(moved, &r, sizeof(r));
	else
		memcpy(module->p + i * n, &v, n);
}

static void module_put(struct elf *f, const struct go_program *g,
		       const struct table *t)
{
	struct part module = { .n = 48 * 8 }, moved = { 0 }, dynamic = { 0 };
	Elf64_Dyn rows[3] = { { .d_tag = DT_RELA },
			      { .d_tag = DT_RELASZ },
			      { .d_tag = DT_NULL } };

	module_word(&module, &moved, g, 0, GO_TABLE);
	module_word(&module, &moved, g, 1, GO_TABLE + t->names);
	module_word(&module, &moved, g, 13, GO_TABLE + t->funcs);
	module_word(&module, &moved, g, 20, GO_TEXT);
	module_word(&module, &moved, g, 22, GO_TEXT);
	module_word(&module, &moved, g, g->version >= OP_GO_1_20 ? 40 : 38,
		    GO_TREES);
	elf_segment(f, PT_LOAD, PF_R | PF_W, MODULE,
		    elf_add(f, ".data", SHT_PROGBITS, MODULE,
			    op_view(module.p, module.n)));
	if (!g->is_moved)
		return;
	elf_segment(f, PT_LOAD, PF_R, RELOCATIONS,
		    elf_add(f, ".rela.dyn", SHT_RELA, RELOCATIONS,
			    op_view(moved.p, moved.n)));
	rows[0].d_un.d_ptr = RELOCATIONS;
	rows[1].d_un.d_val = moved.n;
	put(&dynamic, rows, sizeof(rows));
	elf_segment(f, PT_LOAD, PF_R, DYNAMIC,
		    elf_add(f, ".dynamic", SHT_PROGBITS, DYNAMIC,
			    op_view(dynamic.p, dynamic.n)));
	elf_segment(f, PT_DYNAMIC, PF_R, DYNAMIC, f->nr_sections - 1);
}

void go_write(struct elf *f, const struct go_program *g)
{
	static const uint8_t code[0x60];
	struct tables t = { 0 };
	struct table out = { 0 };

	head(&out, g);
	if (g->version == OP_GO_1_2)
		table_1_2(&out, g, &t);
	else
		table_1_16(&out, g, &t);
	elf_start(f, !g->is_32);
	f->no_sections = g->no_sections;
	elf_segment(f, PT_LOAD, PF_R | PF_X, GO_TEXT,
		    elf_add(f, ".text", SHT_PROGBITS, GO_TEXT,
			    op_view(code, sizeof(code))));
	elf_segment(f, PT_LOAD, PF_R, GO_TABLE,
		    elf_add(f, ".gopclntab", SHT_PROGBITS, GO_TABLE,
			    op_view(out.p, out.n)));
	elf_segment(f, PT_LOAD, PF_R, GO_TREES,
		    elf_add(f, ".rodata", SHT_PROGBITS, GO_TREES,
			    op_view(t.trees.p, t.trees.n)));
	if (!g->no_module)
		module_put(f, g, &out);
	elf_finish(f);
}
