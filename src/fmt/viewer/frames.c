// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/frames.c: numbers the frames of a model as viewers list them. */
#include "fmt/viewer/frames.h"

#include "base/budget.h"
#include "base/buf.h"
#include "base/hash.h"

enum { STEPS_A_FRAME = 8 };

int op_frames_init(struct op_frames *f, const struct op_model *m,
		   struct op_err *err)
{
	*f = (struct op_frames){ .m = m, .err = err, .mem.err = err };
	f->by_line = op_new_ids(&f->mem, m->dict.nr_lines);
	f->by_location = op_new_ids(&f->mem, m->dict.nr[OP_LOCATIONS]);
	return err->code;
}

void op_frames_fini(struct op_frames *f)
{
	op_arena_free(&f->mem);
}

/* --- rows --- */

static bool frame_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_frame *row = (const struct op_frame *)table + id;
	const struct op_frame *k = key;

	return row->function == k->function && row->other == k->other;
}

/* other is the attribute where there is a function, else the location. */
static uint32_t put(struct op_frames *f, const struct op_frame *row)
{
	uint64_t word = (uint64_t)row->function << 32 | row->other;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&f->index, hash, frame_eq, f->rows.p, row);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)f->rows.n;
	if (op_vec_push(&f->mem, &f->rows, *row))
		op_intern_add(&f->index, &f->mem, hash, id);
	return id;
}

static struct op_view base_name(struct op_view path)
{
	const uint8_t *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
	size_t n = slash ? (size_t)(slash + 1 - path.p) : 0;

	return op_view(path.p + n, path.n - n);
}

/* A place without a name. */
static struct op_view place(struct op_frames *f, const struct op_location *l)
{
	const struct op_mapping *map = &f->m->dict.mappings[l->mapping];
	struct op_view file = op_string(f->m, map->filename);
	struct op_buf text = { .err = f->err };
	uint8_t *copy = NULL;
	size_t n;

	if (!file.n && !l->address)
		return op_view_z(OP_FRAME_UNKNOWN);
	op_buf_view(&text, base_name(file));
	op_buf_printf(&text, "%s0x%llx", file.n ? "+" : "",
		      (unsigned long long)l->address);
	n = text.n;
	if (!f->err->code)
		copy = op_arena_alloc(&f->mem, n);
	if (copy)
		memcpy(copy, text.p, n);
	op_buf_free(&text);
	return op_view(copy, copy ? n : 0);
}

static uint32_t attr_of(const struct op_frames *f, uint32_t set)
{
	const struct op_attr *a = f->attr && set ?
					  op_set_find(f->m, set, f->attr) :
					  NULL;

	return a ? (uint32_t)(a - f->m->dict.attrs) : 0;
}

static uint32_t make(struct op_frames *f, uint32_t location,
		     const struct op_line *line)
{
	const struct op_dict *d = &f->m->dict;
	const struct op_location *l = &d->locations[location];
	const struct op_function *fn = &d->functions[line ? line->function : 0];
	struct op_frame row = { .function = line ? line->function : 0 };

	if (fn->name || fn->system_name) {
		row.name = op_string(f->m,
				     fn->name ? fn->name : fn->system_name);
		row.file = op_string(f->m, fn->filename);
		row.line = fn->start_line;
		row.other = attr_of(f, l->attrs);
		if (line->line == row.line)
			row.column = line->column;
	} else {
		row.function = 0;
		row.other = location;
		row.name = place(f, l);
	}
	if (!row.file.n)
		row.file = op_string(f->m, d->mappings[l->mapping].filename);
	return put(f, &row);
}

/* --- stacks --- */

static uint32_t frame_of(struct op_frames *f, uint32_t location, uint32_t k)
{
	const struct op_location *l = &f->m->dict.locations[location];
	uint32_t line = l->first_line + k;
	uint32_t *id = l->nr_lines ? &f->by_line[line] :
				     &f->by_location[location];

	/* Lines of two locations are never the same. */
	if (op_unlikely(*id == OP_NO_ID))
		*id = make(f, location,
			   l->nr_lines ? &f->m->dict.lines[line] : NULL);
	return *id;
}

static void push(struct op_frames *f, struct op_arena *mem,
		 struct op_id_vec *out, uint32_t id)
{
	if (!f->err->code)
		(void)op_vec_push(mem, out, id);
}

void op_frames_stack(struct op_frames *f, uint32_t stack, struct op_arena *mem,
		     struct op_id_vec *out)
{
	struct op_ids ids = op_list(&f->m->dict.stacks, stack);
	struct op_frame unknown = { .name = op_view_z(OP_FRAME_UNKNOWN),
				    .other = OP_NO_ID };

	out->n = 0;
	for (uint32_t i = ids.n; i-- && !f->err->code;) {
		uint32_t k = f->m->dict.locations[ids.p[i]].nr_lines;

		k += !k;
		if (!op_steps(&f->steps, (uint64_t)k * STEPS_A_FRAME, f->err))
			return;
		while (k-- && !f->err->code)
			push(f, mem, out, frame_of(f, ids.p[i], k));
	}
	if (!ids.n)
		push(f, mem, out, put(f, &unknown));
}

struct op_view op_frame_attr(const struct op_frames *f, uint32_t frame)
{
	const struct op_frame *row = &f->rows.p[frame];

	if (!f->attr || !row->function || !row->other)
		return (struct op_view){ 0 };
	return op_any_text(f->m, &f->m->dict.attrs[row->other].value);
}
