// SPDX-License-Identifier: Apache-2.0
/* model/check_rows.c: finds rows of the dictionary that occur twice, and rows
 * that nothing refers to. */
#include "model/check_int.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"

/* --- duplicates ---
 *
 * A row is written into a buffer in a form that is equal for equal rows (sets
 * sorted, strings of values by content), and the forms are interned. */

struct forms {
	struct op_checker *c;
	struct op_buf buf;
	struct op_intern index;
	struct op_view *rows;
};

static void put(struct forms *f, const void *p, size_t n)
{
	op_buf_view(&f->buf, op_view(p, n));
}

static void put_u64(struct forms *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

static void put_view(struct forms *f, struct op_view v)
{
	put_u64(f, v.n);
	op_buf_view(&f->buf, v);
}

static void put_set(struct forms *f, uint32_t set)
{
	struct op_ids ids = op_list(&f->c->m->dict.sets, set);
	uint32_t last = 0;

	put_u64(f, ids.n);
	/* Selection sort: the smallest ID above the last. Sets are small, and
	 * their keys are unique where it matters. */
	for (uint32_t i = 0; i < ids.n && i < 64; i++) {
		uint32_t next = UINT32_MAX;

		for (uint32_t k = 0; k < ids.n; k++)
			if (ids.p[k] >= last && ids.p[k] < next)
				next = ids.p[k];
		put_u64(f, next);
		last = next == UINT32_MAX ? next : next + 1;
	}
}

static void put_any(struct forms *f, const struct op_any *v)
{
	const struct op_model *m = f->c->m;
	bool bad_id = v->kind == OP_ANY_STRING_ID &&
		      !op_check_has(f->c, v->string_id, OP_STRINGS);
	uint32_t kind = v->kind;

	if (kind == OP_ANY_STRING_ID)
		kind = OP_ANY_STRING;
	put_u64(f, kind);
	switch (v->kind) {
	case OP_ANY_NONE:
		break;
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		if (!bad_id)
			put_view(f, op_any_text(m, v));
		break;
	case OP_ANY_BYTES:
		put_view(f, v->bytes);
		break;
	case OP_ANY_ARRAY:
		put_u64(f, v->n);
		for (uint32_t i = 0; i < v->n; i++)
			put_any(f, &v->array[i]);
		break;
	case OP_ANY_KVLIST:
		put_u64(f, v->n);
		for (uint32_t i = 0; i < v->n; i++) {
			put_u64(f, v->kvlist[i].key_id);
			put_view(f, v->kvlist[i].key);
			put_any(f, &v->kvlist[i].value);
		}
		break;
	case OP_ANY_BOOL:
		put_u64(f, v->flag);
		break;
	default:
		put_u64(f, (uint64_t)v->num);
	}
}

static void put_mapping(struct forms *f, uint32_t i)
{
	const struct op_mapping *m = &f->c->m->dict.mappings[i];

	put_u64(f, m->start);
	put_u64(f, m->limit);
	put_u64(f, m->offset);
	put_u64(f, m->filename);
	put_set(f, m->attrs);
}

static void put_location(struct forms *f, uint32_t i)
{
	const struct op_dict *d = &f->c->m->dict;
	const struct op_location *l = &d->locations[i];

	put_u64(f, l->address);
	put_u64(f, l->mapping);
	put_set(f, l->attrs);
	if (l->nr_lines)
		put(f, d->lines + l->first_line,
		    l->nr_lines * sizeof(*d->lines));
}

static void put_function(struct forms *f, uint32_t i)
{
	const struct op_function *r = &f->c->m->dict.functions[i];

	put_u64(f, (uint64_t)r->start_line);
	put_u64(f, (uint64_t)r->name << 32 | r->system_name);
	put_u64(f, r->filename);
}

static void put_link(struct forms *f, uint32_t i)
{
	const struct op_link *l = &f->c->m->dict.links[i];

	put(f, l, sizeof(*l));
}

static void put_string(struct forms *f, uint32_t i)
{
	op_buf_view(&f->buf, f->c->m->dict.strings[i]);
}

static void put_attr(struct forms *f, uint32_t i)
{
	const struct op_attr *a = &f->c->m->dict.attrs[i];

	put_u64(f, (uint64_t)a->key << 32 | a->unit);
	put_any(f, &a->value);
}

static void put_stack(struct forms *f, uint32_t i)
{
	struct op_ids ids = op_list(&f->c->m->dict.stacks, i);

	put(f, ids.p, ids.n * sizeof(*ids.p));
}

static const struct {
	enum op_table table;
	const char *name;
	void (*put)(struct forms *f, uint32_t i);
} kinds[] = {
	{ OP_MAPPINGS, "mapping_table", put_mapping },
	{ OP_LOCATIONS, "location_table", put_location },
	{ OP_FUNCTIONS, "function_table", put_function },
	{ OP_LINKS, "link_table", put_link },
	{ OP_STRINGS, "string_table", put_string },
	{ OP_ATTRS, "attribute_table", put_attr },
	{ OP_STACKS, "stack_table", put_stack },
};

static bool form_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *rows = table;

	return op_view_eq(rows[id], *(const struct op_view *)key);
}

/* Stores the form in the buffer as that of row i, or reports an earlier row
 * with the same form. */
static bool form_add(struct forms *f, uint32_t i, struct op_arena *mem)
{
	struct op_view form = op_view(f->buf.p, f->buf.n);
	uint32_t hash = op_hash32(form.p, form.n);
	uint32_t same = op_intern_find(&f->index, hash, form_eq, f->rows,
				       &form);
	uint8_t *copy;

	if (same != OP_NO_ID) {
		op_check_say(f->c, OP_RULE_DUPLICATE, "", "equals row %u",
			     same);
		return true;
	}
	copy = op_arena_alloc(mem, form.n);
	if (!copy || !op_intern_add(&f->index, mem, hash, i))
		return false;
	if (form.n)
		memcpy(copy, form.p, form.n);
	f->rows[i] = op_view(copy, form.n);
	return true;
}

static void table_duplicates(struct op_checker *c, size_t kind)
{
	uint32_t nr = c->m->dict.nr[kinds[kind].table];
	struct op_arena mem = { .err = c->err };
	struct forms f = { .c = c, .buf = { .err = c->err } };
	bool ok;

	f.rows = op_new(&mem, struct op_view, nr);
	ok = f.rows;
	for (uint32_t i = 0; ok && i < nr; i++) {
		f.buf.n = 0;
		kinds[kind].put(&f, i);
		op_check_at(c, "dictionary.%s[%u]", kinds[kind].name, i);
		ok = !c->err->code && form_add(&f, i, &mem);
	}
	op_buf_free(&f.buf);
	op_arena_free(&mem);
}

void op_check_duplicates(struct op_checker *c)
{
	for (size_t k = 0; k < op_countof(kinds) && !c->err->code; k++)
		table_duplicates(c, k);
}

/* --- orphans --- */

struct marks {
	struct op_checker *c;
	uint8_t *used[OP_NR_TABLES];
};

static void mark(struct marks *k, enum op_table t, uint32_t id)
{
	if (op_check_has(k->c, id, t))
		k->used[t][id] = 1;
}

static void mark_set(struct marks *k, uint32_t set)
{
	struct op_ids ids = op_list(&k->c->m->dict.sets, set);

	for (uint32_t i = 0; i < ids.n; i++)
		mark(k, OP_ATTRS, ids.p[i]);
}

static void mark_any(struct marks *k, const struct op_any *v)
{
	if (v->kind == OP_ANY_STRING_ID)
		mark(k, OP_STRINGS, v->string_id);
	for (uint32_t i = 0; v->kind == OP_ANY_ARRAY && i < v->n; i++)
		mark_any(k, &v->array[i]);
	for (uint32_t i = 0; v->kind == OP_ANY_KVLIST && i < v->n; i++) {
		mark(k, OP_STRINGS, v->kvlist[i].key_id);
		mark_any(k, &v->kvlist[i].value);
	}
}

static void mark_kvs(struct marks *k, struct op_kvs kvs)
{
	for (uint32_t i = 0; i < kvs.n; i++) {
		mark(k, OP_STRINGS, kvs.p[i].key_id);
		mark_any(k, &kvs.p[i].value);
	}
}

static void mark_profile(struct marks *k, const struct op_profile *p)
{
	mark(k, OP_STRINGS, p->sample_type.type);
	mark(k, OP_STRINGS, p->sample_type.unit);
	mark(k, OP_STRINGS, p->period_type.type);
	mark(k, OP_STRINGS, p->period_type.unit);
	mark_set(k, p->attrs);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		mark(k, OP_STACKS, p->stack[i]);
		mark(k, OP_LINKS, p->link[i]);
		mark_set(k, p->set[i]);
	}
}

/* Marks what rows refer to, from the outermost table inwards. */
static void mark_rows(struct marks *k)
{
	const struct op_dict *d = &k->c->m->dict;

	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		struct op_ids ids = op_list(&d->stacks, i);

		for (uint32_t n = 0; n < ids.n; n++)
			mark(k, OP_LOCATIONS, ids.p[n]);
	}
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		mark(k, OP_MAPPINGS, l->mapping);
		mark_set(k, l->attrs);
		for (uint32_t n = 0; n < l->nr_lines; n++)
			mark(k, OP_FUNCTIONS,
			     d->lines[l->first_line + n].function);
	}
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		mark(k, OP_STRINGS, d->mappings[i].filename);
		mark_set(k, d->mappings[i].attrs);
	}
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		mark(k, OP_STRINGS, d->functions[i].name);
		mark(k, OP_STRINGS, d->functions[i].system_name);
		mark(k, OP_STRINGS, d->functions[i].filename);
	}
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		mark(k, OP_STRINGS, d->attrs[i].key);
		mark(k, OP_STRINGS, d->attrs[i].unit);
		mark_any(k, &d->attrs[i].value);
	}
}

static void report(struct marks *k)
{
	for (size_t t = 0; t < op_countof(kinds); t++) {
		uint32_t nr = k->c->m->dict.nr[kinds[t].table];

		for (uint32_t i = 1; i < nr; i++) {
			if (k->used[kinds[t].table][i])
				continue;
			op_check_at(k->c, "dictionary.%s[%u]", kinds[t].name,
				    i);
			op_check_say(k->c, OP_RULE_ORPHAN, "",
				     "nothing refers to it");
		}
	}
}

void op_check_orphans(struct op_checker *c)
{
	const struct op_model *m = c->m;
	struct marks k = { .c = c };
	struct op_walk w = { 0 };

	for (int t = 0; t < OP_NR_TABLES; t++) {
		k.used[t] = op_new(&c->mem, uint8_t, m->dict.nr[t]);
		if (!k.used[t])
			return;
	}
	for (uint32_t r = 0; r < m->nr_resources; r++) {
		mark_kvs(&k, m->resources[r].attrs);
		for (uint32_t s = 0; s < m->resources[r].nr_scopes; s++)
			mark_kvs(&k, m->resources[r].scopes[s].attrs);
	}
	while (op_walk_next(m, &w))
		mark_profile(&k, w.profile);
	mark_rows(&k);
	report(&k);
}
