// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/write_rows.c: many profiles into the rows and columns of one.
 *
 * Profiles of one kind (type, unit and event) in different resources or scopes
 * are one column; two of one kind in one scope are two, unless one has times
 * and the other has not. Samples of the same stack, attributes, link, resource
 * and time are one row, with 0 in the columns that do not have it. */
#include "fmt/pprof/write_int.h"

#include "base/hash.h"
#include "model/semconv.h"
#include "query/stack_sums.h"

/* So that a sample of many columns cannot fill the memory. */
enum { MAX_COLUMNS = 1024 };

/* --- sources and columns --- */

static bool is_timed(const struct op_profile *p)
{
	return p->nr_samples && op_sample_times(p, 0).n;
}

static bool same_kind(const struct op_pprof_column *a,
		      const struct op_pprof_column *b)
{
	return op_view_eq(a->type, b->type) && op_view_eq(a->unit, b->unit) &&
	       op_view_eq(a->event, b->event);
}

/* The type of event that a profile is of; empty: it does not say. */
static struct op_view event_of(const struct op_model *m,
			       const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_ends(op_string(m, a->key), "event.type"))
			return op_any_text(m, &a->value);
	}
	return (struct op_view){ 0 };
}

/* How many profiles before p in the scope have its kind and shape. */
static uint32_t nth_of(const struct op_pprof_writer *w,
		       const struct op_pprof_source *s,
		       const struct op_pprof_column *c)
{
	uint32_t nth = 0;

	for (size_t i = w->sources.n; i--;) {
		const struct op_pprof_source *o = &w->sources.p[i];
		const struct op_pprof_column *oc = &w->columns.p[o->column];

		if (o->scope != s->scope)
			break;
		if (o->timed == s->timed && same_kind(oc, c))
			nth++;
	}
	return nth;
}

static uint32_t column_of(struct op_pprof_writer *w,
			  const struct op_pprof_source *s)
{
	struct op_pprof_column c = {
		.type = op_string(w->m, s->profile->sample_type.type),
		.unit = op_string(w->m, s->profile->sample_type.unit),
		.event = event_of(w->m, s->profile),
		.period = op_string(w->m, s->profile->period_type.type),
	};

	c.nth = nth_of(w, s, &c);
	for (uint32_t i = 0; i < w->columns.n; i++) {
		const struct op_pprof_column *o = &w->columns.p[i];

		if (o->nth == c.nth && same_kind(o, &c))
			return i;
	}
	if (w->columns.n == MAX_COLUMNS)
		op_fail(w->err, OP_ELIMIT,
			"more than %d kinds of profiles: choose with --type",
			MAX_COLUMNS);
	else
		(void)op_vec_push(&w->mem, &w->columns, c);
	return (uint32_t)w->columns.n - 1;
}

static void source_add(struct op_pprof_writer *w, struct op_pprof_source s)
{
	s.column = column_of(w, &s);
	w->by_resource |= w->sources.n &&
			  w->sources.p[0].resource != s.resource;
	(void)op_vec_push(&w->mem, &w->sources, s);
}

static void sources_make(struct op_pprof_writer *w)
{
	struct op_walk walk = { 0 };

	if (w->part) {
		source_add(w, (struct op_pprof_source){
				      .profile = w->part->profile,
				      .scope = w->part->scope,
				      .timed = is_timed(w->part->profile) });
		return;
	}

	while (op_walk_next(w->m, &walk) && !w->err->code) {
		source_add(w, (struct op_pprof_source){
				      .profile = walk.profile,
				      .scope = walk.scope,
				      .resource = walk.r,
				      .timed = is_timed(walk.profile) });
	}
}

static bool labels_eq(const void *table, uint32_t r, const void *key)
{
	return op_view_eq(((const struct op_view *)table)[r],
			  *(const struct op_view *)key);
}

/* Resources that labels do not tell apart are one. */
static void resources_join(struct op_pprof_writer *w)
{
	struct op_intern index = { 0 };

	for (size_t i = 0; i < w->sources.n && !w->err->code; i++) {
		uint32_t *r = &w->sources.p[i].resource;
		struct op_view labels = op_pprof_resource_labels(w, *r);
		uint32_t hash = op_hash32(labels.p, labels.n);
		uint32_t first = op_intern_find(&index, hash, labels_eq,
						w->resource_labels, &labels);

		if (first != OP_NO_ID)
			*r = first;
		else
			op_intern_add(&index, &w->mem, hash, *r);
	}
}

/* --- order --- */

static const struct op_any *
scope_attr(const struct op_model *m, const struct op_scope *s, const char *key)
{
	for (uint32_t i = 0; i < s->attrs.n; i++)
		if (op_view_is(op_kv_key(m, &s->attrs.p[i]), key))
			return &s->attrs.p[i].value;
	return NULL;
}

/* Puts columns where the list says they were; false if it is no order of
 * them. */
static bool order_restore(struct op_pprof_writer *w, const struct op_any *list)
{
	uint32_t n = (uint32_t)w->columns.n;

	if (!list || list->kind != OP_ANY_ARRAY || list->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		w->order[i] = OP_NO_ID;
	for (uint32_t i = 0; i < n; i++) {
		const struct op_any *v = &list->array[i];

		if (v->kind != OP_ANY_INT || v->num < 0 || v->num >= n ||
		    w->order[v->num] != OP_NO_ID)
			return false;
		w->order[v->num] = i;
	}
	return true;
}

/* Where nothing says how it was, first and last change places: the first
 * counts most in OTLP, the last in pprof. */
static void order_make(struct op_pprof_writer *w)
{
	uint32_t n = (uint32_t)w->columns.n;

	w->order = op_new(&w->mem, uint32_t, n);
	if (!w->order || !n)
		return;
	w->is_restored = order_restore(w,
				       scope_attr(w->m, w->sources.p[0].scope,
						  OP_ATTR_SAMPLE_TYPE_ORDER));
	if (w->is_restored)
		return;
	for (uint32_t i = 0; i < n; i++)
		w->order[i] = i;
	w->order[0] = n - 1;
	w->order[n - 1] = 0;
}

/* --- rows --- */

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_pprof_row *a = (const struct op_pprof_row *)table + id;

	return !memcmp(a, key, sizeof(*a)); /* no padding */
}

/* The row to add to, which is new where rows are not to be joined. */
static uint32_t row_of(struct op_pprof_writer *w, struct op_intern *index,
		       const struct op_pprof_row *row)
{
	uint32_t id = (uint32_t)w->rows.n;
	uint32_t hash = 0, found = OP_NO_ID;

	if (index) {
		hash = op_hash32(row, sizeof(*row));
		found = op_intern_find(index, hash, row_eq, w->rows.p, row);
	}
	if (found != OP_NO_ID)
		return found;
	if (op_vec_push(&w->mem, &w->rows, *row) && index)
		op_intern_add(index, &w->mem, hash, id);
	return id;
}

/* Calls for each observation of a source: its row and its value. */
typedef void row_fn(struct op_pprof_writer *w, void *ctx,
		    const struct op_pprof_row *row, int64_t value,
		    uint32_t column);

/* Whether the observation of this number is to be written. */
static bool is_asked(const struct op_pprof_writer *w, uint64_t at)
{
	return !w->part ||
	       (at >= w->part->first && at - w->part->first < w->part->nr);
}

/* In pprof everything adds up: a state that was observed several times would be
 * so many times as large. Its one value has no time. */
static bool is_state(const struct op_pprof_writer *w,
		     const struct op_pprof_source *s)
{
	return s->timed && !w->part &&
	       op_type_is_gauge(w->columns.p[s->column].type);
}

static void states_walk(struct op_pprof_writer *w,
			const struct op_pprof_source *s, row_fn *fn, void *ctx)
{
	const struct op_profile *p = s->profile;
	enum op_aggregator how = op_aggregator_of(w->m, p);

	w->lost |= OP_PPROF_LOSS_TIME;
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		struct op_pprof_row row = { p->stack[i], p->set[i], p->link[i],
					    w->by_resource ? s->resource : 0,
					    0 };

		fn(w, ctx, &row, op_sample_amount(how, p, i), s->column);
	}
}

static void source_walk(struct op_pprof_writer *w,
			const struct op_pprof_source *s, row_fn *fn, void *ctx)
{
	const struct op_profile *p = s->profile;
	uint64_t at = 0; /* observations before */

	if (is_state(w, s)) {
		states_walk(w, s, fn, ctx);
		return;
	}
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		struct op_values v = op_sample_values(p, i);
		struct op_times t = op_sample_times(p, i);
		struct op_pprof_row row = { p->stack[i], p->set[i], p->link[i],
					    w->by_resource ? s->resource : 0,
					    0 };

		if (!t.n && is_asked(w, at++))
			fn(w, ctx, &row, op_sample_total(p, i), s->column);
		for (uint32_t k = 0; k < t.n; k++) {
			if (!is_asked(w, at++))
				continue;
			row.time_ns = t.p[k];
			fn(w, ctx, &row, k < v.n ? v.p[k] : 1, s->column);
		}
	}
}

/* First the rows are counted, then their values added. */
static void row_count(struct op_pprof_writer *w, void *ctx,
		      const struct op_pprof_row *row, int64_t value,
		      uint32_t column)
{
	(void)value;
	(void)column;
	row_of(w, ctx, row);
}

struct adding {
	struct op_intern *index;
	size_t next; /* row, where they are not joined */
};

static void row_add(struct op_pprof_writer *w, void *ctx,
		    const struct op_pprof_row *row, int64_t value,
		    uint32_t column)
{
	struct adding *a = ctx;
	size_t id = a->index ? row_of(w, a->index, row) : a->next++;
	int64_t *cell = &w->values[id * w->columns.n + column];

	*cell = op_add_sat(*cell, value);
}

/* Whether all sources have the same samples, as those of one pprof file do:
 * then nothing needs to be searched. */
static bool same_samples(const struct op_pprof_writer *w)
{
	const struct op_profile *a = w->sources.p[0].profile;
	size_t n = a->nr_samples * sizeof(uint32_t);

	if (w->sources.n != w->columns.n || w->by_resource || w->part)
		return false;
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct op_profile *b = w->sources.p[i].profile;

		if (b->nr_samples != a->nr_samples || b->time_at)
			return false;
		if (n &&
		    (memcmp(a->stack, b->stack, n) ||
		     memcmp(a->set, b->set, n) || memcmp(a->link, b->link, n)))
			return false;
	}
	return true;
}

static void rows_zip(struct op_pprof_writer *w, bool same)
{
	struct op_intern joined = { 0 };
	struct op_intern *index = w->columns.n > 1 && !same ? &joined : NULL;
	size_t nr = same ? 1 : w->sources.n;

	for (size_t i = 0; i < nr; i++)
		source_walk(w, &w->sources.p[i], row_count, index);
	w->values = op_arena_calloc(&w->mem, w->rows.n,
				    w->columns.n * sizeof(*w->values));
	if (!w->values)
		return;
	for (size_t i = 0, next = 0; i < w->sources.n; i++) {
		struct adding a = { index, same ? 0 : next };

		source_walk(w, &w->sources.p[i], row_add, &a);
		next = a.next;
	}
}

void op_pprof_rows_make(struct op_pprof_writer *w)
{
	sources_make(w);
	if (w->by_resource)
		resources_join(w);
	if (!w->err->code)
		order_make(w);
	if (!w->err->code)
		op_pprof_names_make(w);
	if (!w->err->code && w->sources.n)
		rows_zip(w, same_samples(w));
}
