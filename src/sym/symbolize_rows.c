// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize_rows.c: adds functions, lines and attributes to a model. */
#include "base/hash.h"
#include "base/utf8.h"
#include "sym/demangle.h"
#include "sym/symbolize_int.h"

enum { ROOM = 64 };

/* A copy of n elements with room for more; NULL without memory. */
static void *grown(struct op_rows *r, const void *from, size_t n, size_t size)
{
	void *p = op_arena_array(&r->m->mem, n + ROOM, size);

	if (p && n)
		memcpy(p, from, n * size);
	return p;
}

int op_rows_init(struct op_rows *r, struct op_model *m, struct op_err *err)
{
	const struct op_dict *d = &m->dict;

	*r = (struct op_rows){ .m = m, .err = err };
	r->text.err = err;
	r->strings.n = d->nr[OP_STRINGS];
	r->functions.n = d->nr[OP_FUNCTIONS];
	r->lines.n = d->nr_lines;
	r->attrs.n = d->nr[OP_ATTRS];
	r->set_at.n = d->sets.nr + (size_t)1;
	r->members.n = d->sets.at[d->sets.nr];
	r->strings.p = grown(r, d->strings, r->strings.n, sizeof(*d->strings));
	r->functions.p = grown(r, d->functions, r->functions.n,
			       sizeof(*d->functions));
	r->lines.p = grown(r, d->lines, r->lines.n, sizeof(*d->lines));
	r->attrs.p = grown(r, d->attrs, r->attrs.n, sizeof(*d->attrs));
	r->set_at.p = grown(r, d->sets.at, r->set_at.n, sizeof(uint32_t));
	r->members.p = grown(r, d->sets.items, r->members.n, sizeof(uint32_t));
	r->strings.cap = r->strings.n + ROOM;
	r->functions.cap = r->functions.n + ROOM;
	r->lines.cap = r->lines.n + ROOM;
	r->attrs.cap = r->attrs.n + ROOM;
	r->set_at.cap = r->set_at.n + ROOM;
	r->members.cap = r->members.n + ROOM;
	r->is_whole = !err->code;
	return err->code;
}

void op_rows_finish(struct op_rows *r)
{
	struct op_dict *d = &r->m->dict;

	op_buf_free(&r->text);
	if (!r->is_whole)
		return;
	d->strings = r->strings.p;
	d->nr[OP_STRINGS] = (uint32_t)r->strings.n;
	d->functions = r->functions.p;
	d->nr[OP_FUNCTIONS] = (uint32_t)r->functions.n;
	d->lines = r->lines.p;
	d->nr_lines = (uint32_t)r->lines.n;
	d->attrs = r->attrs.p;
	d->nr[OP_ATTRS] = (uint32_t)r->attrs.n;
	d->sets = op_lists(r->set_at.p, r->members.p,
			   (uint32_t)r->set_at.n - 1);
	r->m->normal = false;
}

/* --- strings and functions --- */

static bool string_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_rows *r = table;

	return op_view_eq(r->strings.p[id], *(const struct op_view *)key);
}

/* A copy in valid UTF-8, whatever the binary contains. */
static struct op_view text_copy(struct op_rows *r, struct op_view v)
{
	size_t n = op_utf8_fixed_size(v);
	uint8_t *p = op_arena_alloc(&r->m->mem, n);

	if (!p)
		return (struct op_view){ 0 };
	op_utf8_fix(v, p);
	return op_view(p, n);
}

uint32_t op_rows_string(struct op_rows *r, struct op_view v)
{
	uint32_t hash, id;

	if (!v.n || r->err->code)
		return 0;
	hash = op_hash32(v.p, v.n);
	id = op_intern_find(&r->string_index, hash, string_eq, r, &v);
	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)r->strings.n;
	v = text_copy(r, v);
	if (!v.p || !op_vec_push(&r->m->mem, &r->strings, v) ||
	    !op_intern_add(&r->string_index, &r->m->mem, hash, id))
		return 0;
	return id;
}

static bool function_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_function *a =
		&((const struct op_rows *)table)->functions.p[id];
	const struct op_function *b = key;

	return a->name == b->name && a->system_name == b->system_name &&
	       a->filename == b->filename && a->start_line == b->start_line;
}

static uint32_t function_put(struct op_rows *r, const struct op_function *f)
{
	uint64_t words[] = { f->name, f->system_name, f->filename,
			     (uint64_t)f->start_line };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&r->function_index, hash, function_eq, r,
				     f);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)r->functions.n;
	if (!op_vec_push(&r->m->mem, &r->functions, *f) ||
	    !op_intern_add(&r->function_index, &r->m->mem, hash, id))
		return 0;
	return id;
}

/* The path of a file, which may be relative to a directory. */
static uint32_t file_put(struct op_rows *r, struct op_view dir,
			 struct op_view file)
{
	if (!file.n || file.p[0] == '/' || !dir.n)
		return op_rows_string(r, file);
	r->text.n = 0;
	op_buf_view(&r->text, dir);
	if (dir.p[dir.n - 1] != '/')
		op_buf_byte(&r->text, '/');
	while (file.n > 1 && file.p[0] == '.' && file.p[1] == '/')
		file = op_view(file.p + 2, file.n - 2);
	op_buf_view(&r->text, file);
	return op_rows_string(r, op_view(r->text.p, r->text.n));
}

/* Demangles a name, in a helper or here. */
static struct op_view readable(struct op_rows *r, const struct op_sym_frame *f)
{
	if (f->readable.n || !r->demangles || !op_demangle(f->name, &r->text))
		return f->readable;
	return op_view(r->text.p, r->text.n);
}

void op_rows_frame(struct op_rows *r, const struct op_sym_frame *f)
{
	struct op_function row = { .start_line = f->function_line };
	struct op_line line = { .line = f->line, .column = f->column };
	struct op_view plain = readable(r, f);

	row.name = op_rows_string(r, plain.n ? plain : f->name);
	if (plain.n)
		row.system_name = op_rows_string(r, f->name);
	row.filename = file_put(r, f->dir, f->file);
	if (r->err->code)
		return;
	line.function = function_put(r, &row);
	if (!r->err->code)
		(void)op_vec_push(&r->m->mem, &r->lines, line);
}

/* --- attributes --- */

uint32_t op_rows_attr(struct op_rows *r, const char *key, struct op_any value)
{
	struct op_attr row = { .value = value };

	row.key = op_rows_string(r, op_view_z(key));
	if (r->err->code || !op_vec_push(&r->m->mem, &r->attrs, row))
		return 0;
	return (uint32_t)r->attrs.n - 1;
}

static bool change_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_set_change *a =
		&((const struct op_rows *)table)->changes.p[id];
	const struct op_set_change *b = key;

	return a->set == b->set && a->key == b->key && a->attr == b->attr;
}

/* Whether an attribute has the key, which the table may have twice. */
static bool has_key(const struct op_rows *r, uint32_t attr, uint32_t key)
{
	return op_view_eq(r->strings.p[r->attrs.p[attr].key],
			  r->strings.p[key]);
}

/* Appends the changed set; returns its ID, or the old one if they are equal. */
static uint32_t set_change(struct op_rows *r, const struct op_set_change *c)
{
	uint32_t from = r->set_at.p[c->set], to = r->set_at.p[c->set + 1];
	size_t begin = r->members.n;

	if (!op_vec_reserve(&r->m->mem, &r->members, to - from + 1) ||
	    !op_vec_reserve(&r->m->mem, &r->set_at, 1))
		return c->set;
	for (uint32_t i = from; i < to; i++)
		if (!has_key(r, r->members.p[i], c->key))
			r->members.p[r->members.n++] = r->members.p[i];
	if (!c->attr && r->members.n - begin == to - from) {
		r->members.n = begin;
		return c->set;
	}
	if (c->attr)
		r->members.p[r->members.n++] = c->attr;
	r->set_at.p[r->set_at.n++] = (uint32_t)r->members.n;
	return (uint32_t)r->set_at.n - 2;
}

uint32_t op_rows_set(struct op_rows *r, uint32_t set, uint32_t key,
		     uint32_t attr)
{
	struct op_set_change c = { set, key, attr, 0 };
	uint64_t words[] = { set, key, attr };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id;

	if (r->err->code || (!set && !attr))
		return set;
	id = op_intern_find(&r->set_index, hash, change_eq, r, &c);
	if (id != OP_NO_ID)
		return r->changes.p[id].result;
	c.result = set_change(r, &c);
	if (r->err->code)
		return set;
	id = (uint32_t)r->changes.n;
	if (op_vec_push(&r->m->mem, &r->changes, c))
		op_intern_add(&r->set_index, &r->m->mem, hash, id);
	return c.result;
}
