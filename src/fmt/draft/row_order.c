// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/row_order.c: which row comes where in the tables of a profile. */
#include "fmt/draft/write.h"

#include "base/hash.h"
#include "base/hex.h"
#include "model/semconv.h"

static bool places_ready(struct op_draft_writer *w, struct op_draft_places *p,
			 uint32_t nr)
{
	if (p->of) {
		for (size_t i = 0; i < p->ids.n; i++)
			p->of[p->ids.p[i]] = OP_NO_ID;
		p->ids.n = 0;
		return true;
	}
	p->of = op_new_raw(&w->mem, uint32_t, nr);
	if (p->of)
		memset(p->of, 0xff, nr * sizeof(*p->of));
	return p->of;
}

/* An index that was large once is not cleared for each small profile. */
static void index_clear(struct op_draft_writer *w, struct op_intern *t)
{
	size_t bytes = t->nr_slots * sizeof(*t->slots);

	t->nr = 0;
	if (bytes >= OP_ARENA_BIG) {
		op_arena_drop(&w->mem, t->slots, bytes);
		*t = (struct op_intern){ 0 };
	} else if (bytes) {
		memset(t->slots, 0, bytes);
	}
}

void op_draft_begin(struct op_draft_writer *w)
{
	const struct op_dict *d = &w->m->dict;

	for (int t = 0; t < OP_NR_TABLES; t++)
		places_ready(w, &w->rows[t], d->nr[t]);
	places_ready(w, &w->units, d->nr[OP_STRINGS]);
	w->texts.n = w->lists.n = w->members.n = 0;
	index_clear(w, &w->text_index);
	index_clear(w, &w->list_index);
	op_arena_reset(&w->message);
	if (w->err->code)
		return;
	/* What every table of its kind begins with. */
	op_draft_place_text(w, (struct op_view){ 0 });
	if (w->layout->attrs == OP_DRAFT_SETS)
		op_draft_place_list(w, (struct op_ids){ 0 });
}

/* True if the row has no place yet; it is then given the next one. */
static bool is_new(struct op_draft_writer *w, enum op_table t, uint32_t id)
{
	struct op_draft_places *p = &w->rows[t];

	if (w->err->code || p->of[id] != OP_NO_ID ||
	    !op_vec_push(&w->mem, &p->ids, id))
		return false;
	p->of[id] = (uint32_t)p->ids.n - 1;
	return true;
}

/* --- strings --- */

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_view *)table)[id],
			  *(const struct op_view *)key);
}

uint32_t op_draft_place_text(struct op_draft_writer *w, struct op_view v)
{
	uint32_t hash = op_hash32(v.p, v.n);
	uint32_t id = op_intern_find(&w->text_index, hash, text_eq, w->texts.p,
				     &v);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)w->texts.n;
	if (op_vec_push(&w->mem, &w->texts, v))
		op_intern_add(&w->text_index, &w->mem, hash, id);
	return id;
}

uint32_t op_draft_place_string(struct op_draft_writer *w, uint32_t id)
{
	struct op_draft_places *p = &w->rows[OP_STRINGS];

	if (w->err->code)
		return 0;
	if (p->of[id] == OP_NO_ID && op_vec_push(&w->mem, &p->ids, id))
		p->of[id] = op_draft_place_text(w, op_string(w->m, id));
	return p->of[id];
}

/* --- attributes --- */

/* The texts of a value. Recursion is bounded by what readers allow. */
static void any_place(struct op_draft_writer *w, const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_draft_place_text(w, op_any_text(w->m, v));
		break;
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; i < v->n; i++)
			any_place(w, &v->array[i]);
		break;
	case OP_ANY_KVLIST:
		for (uint32_t i = 0; i < v->n; i++) {
			op_draft_place_text(w, op_kv_key(w->m, &v->kvlist[i]));
			any_place(w, &v->kvlist[i].value);
		}
		break;
	}
}

/* Units belong to keys: the first one that a key is met with counts. */
static void unit_place(struct op_draft_writer *w, const struct op_attr *a)
{
	struct op_draft_places *p = &w->units;

	if (!w->layout->units) {
		w->lost |= a->unit ? OP_DRAFT_LOST_UNITS : 0;
		return;
	}
	if (p->of[a->key] == OP_NO_ID) {
		if (!op_vec_push(&w->mem, &p->ids, a->key))
			return;
		p->of[a->key] = a->unit;
		if (a->unit) {
			op_draft_place_string(w, a->key);
			op_draft_place_string(w, a->unit);
		}
	}
	if (p->of[a->key] != a->unit)
		w->lost |= OP_DRAFT_LOST_UNITS;
}

void op_draft_place_unit(struct op_draft_writer *w, uint32_t attr)
{
	if (!w->err->code)
		unit_place(w, &w->m->dict.attrs[attr]);
}

uint32_t op_draft_place_attr(struct op_draft_writer *w, uint32_t id)
{
	const struct op_attr *a = &w->m->dict.attrs[id];

	if (is_new(w, OP_ATTRS, id)) {
		unit_place(w, a);
		if (w->layout->attrs == OP_DRAFT_REFS) {
			op_draft_place_string(w, a->key);
			any_place(w, &a->value);
		}
	}
	return w->err->code ? 0 : w->rows[OP_ATTRS].of[id];
}

struct list_key {
	const struct op_draft_writer *w;
	struct op_ids ids;
};

static bool list_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_draft_list *l = (const struct op_draft_list *)table +
					id;
	const struct list_key *k = key;

	return l->n == k->ids.n &&
	       (!l->n || !memcmp(k->w->members.p + l->first, k->ids.p,
				 l->n * sizeof(*k->ids.p)));
}

uint32_t op_draft_place_list(struct op_draft_writer *w, struct op_ids ids)
{
	struct list_key key = { w, ids };
	struct op_draft_list l = { (uint32_t)w->members.n, ids.n };
	uint32_t hash, id;

	for (uint32_t i = 0; i < ids.n && !w->err->code; i++)
		op_draft_place_attr(w, ids.p[i]);
	if (w->layout->attrs != OP_DRAFT_SETS || w->err->code)
		return 0;
	hash = op_hash32(ids.p, ids.n * sizeof(*ids.p));
	id = op_intern_find(&w->list_index, hash, list_eq, w->lists.p, &key);
	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)w->lists.n;
	if (!op_vec_reserve(&w->mem, &w->members, ids.n) ||
	    !op_vec_push(&w->mem, &w->lists, l) ||
	    !op_intern_add(&w->list_index, &w->mem, hash, id))
		return 0;
	if (ids.n)
		memcpy(w->members.p + w->members.n, ids.p,
		       ids.n * sizeof(*ids.p));
	w->members.n += ids.n;
	return id;
}

uint32_t op_draft_place_set(struct op_draft_writer *w, uint32_t set)
{
	return op_draft_place_list(w, op_list(&w->m->dict.sets, set));
}

/* --- attributes that have fields --- */

static bool is_key(const struct op_draft_writer *w, const struct op_attr *a,
		   const char *key)
{
	return op_view_is(op_string(w->m, a->key), key);
}

static bool is_flag(const struct op_attr *a)
{
	return a->value.kind == OP_ANY_BOOL && a->value.flag && !a->unit;
}

static bool takes_build_id(const struct op_draft_writer *w,
			   const struct op_attr *a, struct op_view text,
			   struct op_draft_native *out)
{
	if (out->has_id || !text.n || !w->layout->mapping.build_id)
		return false;
	if (is_key(w, a, OP_ATTR_BUILD_ID_HTLHASH))
		out->id_kind = w->layout->mapping.id_kind ? OP_DRAFT_ID_HASH :
							    0;
	if (!out->id_kind &&
	    !(is_key(w, a, OP_ATTR_BUILD_ID_GNU) && op_is_hex(text)) &&
	    !(is_key(w, a, OP_ATTR_BUILD_ID_GO) && !op_is_hex(text)))
		return false;
	out->build_id = text;
	out->has_id = true;
	return true;
}

/* Which of the four flags of a mapping it is; 0 if none. */
static unsigned int flag_of(const struct op_draft_writer *w,
			    const struct op_attr *a)
{
	static const char *const keys[] = {
		OP_ATTR_HAS_FUNCTIONS,
		OP_ATTR_HAS_FILENAMES,
		OP_ATTR_HAS_LINE_NUMBERS,
		OP_ATTR_HAS_INLINE_FRAMES,
	};

	for (unsigned int i = 0; is_flag(a) && i < op_countof(keys); i++)
		if (is_key(w, a, keys[i]))
			return 1u << i;
	return 0;
}

static bool takes(const struct op_draft_writer *w, const struct op_attr *a,
		  bool of_mapping, struct op_draft_native *out)
{
	const struct op_draft_layout *y = w->layout;
	struct op_view text = op_any_text(w->m, &a->value);
	unsigned int flag;

	if (a->unit)
		return false;
	if (of_mapping) {
		flag = y->mapping.first_flag ? flag_of(w, a) : 0;
		out->flags |= flag;
		return flag || takes_build_id(w, a, text, out);
	}
	if (y->location.is_folded && is_flag(a) &&
	    is_key(w, a, OP_ATTR_IS_FOLDED))
		return out->is_folded = true;
	if (!y->location.type || out->type.n || !text.n ||
	    !is_key(w, a, OP_ATTR_FRAME_TYPE))
		return false;
	out->type = text;
	return true;
}

/* With a field for all four flags, whether a set has them all. */
static bool is_full(const struct op_draft_writer *w, struct op_ids ids)
{
	unsigned int flags = 0;

	for (uint32_t i = 0; i < ids.n; i++)
		flags |= flag_of(w, &w->m->dict.attrs[ids.p[i]]);
	return flags == 15;
}

struct op_draft_native op_draft_native(struct op_draft_writer *w, uint32_t set,
				       bool of_mapping)
{
	struct op_ids ids = op_list(&w->m->dict.sets, set);
	struct op_draft_native out = { 0 };
	bool full = of_mapping && w->layout->mapping.fidelity &&
		    is_full(w, ids);

	w->rest.n = 0;
	out.flags = full ? 15 : 0;
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &w->m->dict.attrs[ids.p[i]];

		if (takes(w, a, of_mapping, &out) || (full && flag_of(w, a)))
			continue;
		(void)op_vec_push(&w->mem, &w->rest, ids.p[i]);
	}
	return out;
}

static struct op_ids rest(const struct op_draft_writer *w)
{
	return (struct op_ids){ w->rest.p, (uint32_t)w->rest.n };
}

/* --- rows --- */

static void place_function(struct op_draft_writer *w, uint32_t id)
{
	const struct op_function *f = &w->m->dict.functions[id];

	if (!is_new(w, OP_FUNCTIONS, id))
		return;
	op_draft_place_string(w, f->name);
	op_draft_place_string(w, f->system_name);
	op_draft_place_string(w, f->filename);
}

static void place_mapping(struct op_draft_writer *w, uint32_t id)
{
	const struct op_mapping *row = &w->m->dict.mappings[id];
	struct op_draft_native native;

	if (!is_new(w, OP_MAPPINGS, id))
		return;
	native = op_draft_native(w, row->attrs, true);
	op_draft_place_string(w, row->filename);
	op_draft_place_text(w, native.build_id);
	op_draft_place_list(w, rest(w));
}

static void line_place(struct op_draft_writer *w, const struct op_line *l)
{
	place_function(w, l->function);
	if (w->layout->short_lines &&
	    (l->column || l->line < 0 || l->line > UINT32_MAX))
		w->lost |= OP_DRAFT_LOST_LINES;
}

uint32_t op_draft_place_location(struct op_draft_writer *w, uint32_t id)
{
	const struct op_dict *d = &w->m->dict;
	const struct op_location *row = &d->locations[id];
	struct op_draft_native native;

	if (is_new(w, OP_LOCATIONS, id)) {
		place_mapping(w, row->mapping);
		for (uint32_t i = 0; i < row->nr_lines; i++)
			line_place(w, &d->lines[row->first_line + i]);
		native = op_draft_native(w, row->attrs, false);
		op_draft_place_text(w, native.type);
		op_draft_place_list(w, rest(w));
	}
	return w->err->code ? 0 : w->rows[OP_LOCATIONS].of[id];
}

uint32_t op_draft_place_stack(struct op_draft_writer *w, uint32_t id)
{
	if (is_new(w, OP_STACKS, id)) {
		struct op_ids frames = op_list(&w->m->dict.stacks, id);

		for (uint32_t i = 0; i < frames.n && !w->err->code; i++)
			op_draft_place_location(w, frames.p[i]);
	}
	return w->err->code ? 0 : w->rows[OP_STACKS].of[id];
}

uint32_t op_draft_place_link(struct op_draft_writer *w, uint32_t id)
{
	/* The first is none, if there is any. */
	if (id)
		is_new(w, OP_LINKS, 0);
	if (id || w->rows[OP_LINKS].ids.n)
		is_new(w, OP_LINKS, id);
	return w->err->code || w->rows[OP_LINKS].of[id] == OP_NO_ID ?
		       0 :
		       w->rows[OP_LINKS].of[id];
}

void op_draft_order_mappings(struct op_draft_writer *w)
{
	struct op_draft_places *p = &w->rows[OP_MAPPINGS];
	uint32_t nr = w->m->dict.nr[OP_MAPPINGS];
	uint32_t n = 0;

	if (w->err->code)
		return;
	for (uint32_t id = 1; id < nr; id++)
		if (p->of[id] != OP_NO_ID)
			p->ids.p[n++] = id;
	if (p->of[0] != OP_NO_ID)
		p->ids.p[n++] = 0;
	for (uint32_t i = 0; i < n; i++)
		p->of[p->ids.p[i]] = i;
}
