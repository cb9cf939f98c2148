// SPDX-License-Identifier: Apache-2.0
/* fmt/html/times.c: observations one by one, for the views of time.
 *
 *	times             once: origin (nanoseconds since 1970, as text),
 *	                  has_date, duration; labels; texts; groups: for each
 *	                  a text per label; waits: per text, whether it is a
 *	                  state in which a thread waits
 *	profiles[].times  columns: which of time, length and value each
 *	                  observation has; each: the value of those that have
 *	                  none (absent: their length); unit_ns, waits, adds
 *	  samples         for each: node, group, how many observations it has
 *	                  with times, how many without, what these add up to
 *	  at              the observations of all samples; a time is relative
 *	                  to the one before it of its sample, or the origin
 *
 * Nodes are counted as in query/flame_json.h. */
#include "fmt/html/times.h"

#include <stdlib.h>

#include "model/aggregate.h"
#include "model/filter.h"
#include "query/label_list.h"
#include "query/lanes.h"

struct observed {
	uint64_t from, length;
	int64_t value;
};

/* What holds for all observations of a profile. */
struct shape {
	struct op_interval_kind kind;
	bool has_values, has_each, is_timed;
	int64_t each;
};

/* --- what there is --- */

uint64_t op_html_times_count(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t nr = 0;

	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			nr += op_sample_times(w.profile, i).n;
	return nr;
}

static bool have_dates(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (!op_profile_has_date(m, w.profile))
			return false;
	return true;
}

/* Labels that lanes are made of, and are there in any case. */
static const char *const of_lanes[] = { "process", "thread", "state" };

static uint32_t lane_labels(const struct op_group_by *by, bool *missing)
{
	uint32_t nr = 0;

	for (size_t k = 0; k < op_countof(of_lanes); k++) {
		missing[k] = true;
		for (uint32_t i = 0; i < by->nr_labels; i++)
			if (op_view_is(by->labels[i].name, of_lanes[k]))
				missing[k] = false;
		nr += missing[k];
	}
	return nr;
}

static void label_add(struct op_group_by *by, struct op_view name)
{
	by->labels[by->nr_labels++] = op_label_named(name);
}

static void labels_choose(struct op_html_times *t, struct op_group_by *by)
{
	bool missing[op_countof(of_lanes)];
	struct op_label_list l = { 0 };

	op_label_list(&l, t->m, NULL, t->err);
	for (size_t i = 0; i < l.rows.n; i++)
		if (by->nr_labels + lane_labels(by, missing) < OP_MAX_LABELS)
			label_add(by, l.rows.p[i].name);
	lane_labels(by, missing);
	for (size_t k = 0; k < op_countof(of_lanes); k++)
		if (missing[k])
			label_add(by, op_view_z(of_lanes[k]));
	op_label_list_free(&l);
}

int op_html_times_init(struct op_html_times *t, const struct op_model *m,
		       struct op_err *err)
{
	struct op_group_by by = { 0 };

	*t = (struct op_html_times){ .m = m, .err = err };
	if (!op_model_span(m, &t->span))
		t->span = (struct op_range){ 0 };
	labels_choose(t, &by);
	return err->code ? err->code : op_groups_init(&t->groups, m, &by, err);
}

void op_html_times_free(struct op_html_times *t)
{
	op_groups_free(&t->groups);
	op_arena_free(&t->mem);
}

/* --- members --- */

static void key_uint(struct op_json *w, const char *key, uint64_t v)
{
	op_json_key(w, key);
	op_json_uint(w, v);
}

static void key_bool(struct op_json *w, const char *key, bool v)
{
	op_json_key(w, key);
	op_json_bool(w, v);
}

static void key_open(struct op_json *w, const char *key, char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

/* --- a profile --- */

static struct observed observed_at(const struct shape *s, struct op_times t,
				   struct op_values v, uint32_t k)
{
	int64_t value = op_observed(v, k);
	struct op_range span = op_interval_span(s->kind, value, t.p[k]);

	return (struct observed){ span.from, span.to - span.from, value };
}

static void shape_add(struct shape *s, const struct observed *o)
{
	if (s->kind.stamp != OP_STAMP_POINT) {
		s->has_values |= o->value < 0 ||
				 (uint64_t)o->value != o->length;
		return;
	}
	s->has_values |= s->has_each && o->value != s->each;
	s->has_each = true;
	s->each = o->value;
}

static struct shape shape_of(const struct op_model *m, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	struct shape s = { .kind = op_lasting_kind(m, w) };

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times t = op_sample_times(p, i);
		struct op_values v = op_sample_values(p, i);

		s.is_timed |= t.n != 0;
		for (uint32_t k = 0; k < t.n; k++) {
			struct observed o = observed_at(&s, t, v, k);

			shape_add(&s, &o);
		}
	}
	return s;
}

static void columns_put(struct op_json *w, const struct shape *s)
{
	bool lasts = s->kind.stamp != OP_STAMP_POINT;

	key_open(w, "columns", '[');
	if (s->is_timed)
		op_json_z(w, "time");
	if (s->is_timed && lasts)
		op_json_z(w, "length");
	if (s->is_timed && s->has_values)
		op_json_z(w, "value");
	op_json_close(w, ']');
	if (s->is_timed && !s->has_values && !lasts) {
		op_json_key(w, "each");
		op_json_int(w, s->each);
	}
}

/* The number of a node, or of the one that it was cut below. */
static uint32_t number_of(const uint32_t *numbers, const struct op_flame *f,
			  uint32_t node)
{
	if (node == OP_NO_ID)
		return 0;
	while (node && !numbers[node])
		node = f->nodes.p[node].parent;
	return numbers[node];
}

static void samples_put(struct op_html_times *t, struct op_json *w,
			const struct op_profile *p, const struct op_flame *f,
			const uint32_t *numbers)
{
	enum op_aggregator how = op_aggregator_of(t->m, p);

	key_open(w, "samples", '[');
	for (uint32_t i = 0; i < p->nr_samples && !t->err->code; i++) {
		uint32_t leaf = f->leaf[f->threads ? i : p->stack[i]];
		uint32_t nr = op_sample_times(p, i).n;

		op_json_uint(w, number_of(numbers, f, leaf));
		op_json_uint(w, op_groups_sample(&t->groups, p, i, t->err));
		op_json_uint(w, nr);
		op_json_uint(w, nr ? 0 : op_sample_values(p, i).n);
		op_json_int(w, nr ? 0 : op_sample_amount(how, p, i));
	}
	op_json_close(w, ']');
}

static int observed_cmp(const void *a, const void *b)
{
	const struct observed *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

/* The observations of a sample, sorted. */
static struct observed *sample_sort(struct op_html_times *t,
				    const struct shape *s,
				    const struct op_profile *p, uint32_t i)
{
	struct op_times times = op_sample_times(p, i);
	struct op_values values = op_sample_values(p, i);
	struct observed *list;

	op_arena_tells(&t->mem, t->err);
	op_arena_reset(&t->mem);
	list = op_new_raw(&t->mem, struct observed, times.n);
	for (uint32_t k = 0; list && k < times.n; k++)
		list[k] = observed_at(s, times, values, k);
	if (list && times.n)
		qsort(list, times.n, sizeof(*list), observed_cmp);
	return list;
}

static void at_put(struct op_html_times *t, struct op_json *w,
		   const struct shape *s, const struct op_profile *p)
{
	key_open(w, "at", '[');
	for (uint32_t i = 0; i < p->nr_samples && !t->err->code; i++) {
		const struct observed *list = sample_sort(t, s, p, i);
		uint64_t before = t->span.from;

		for (uint32_t k = 0; list && k < op_sample_times(p, i).n; k++) {
			op_json_int(w, (int64_t)(list[k].from - before));
			before = list[k].from;
			if (s->kind.stamp != OP_STAMP_POINT)
				op_json_uint(w, list[k].length);
			if (s->has_values)
				op_json_int(w, list[k].value);
		}
	}
	op_json_close(w, ']');
}

void op_html_times_profile(struct op_html_times *t, struct op_json *w,
			   const struct op_walk *at, const struct op_flame *f,
			   const uint32_t *numbers)
{
	const struct op_profile *p = at->profile;
	struct op_view type = op_string(t->m, p->sample_type.type);
	struct shape s = shape_of(t->m, at);

	op_groups_profile(&t->groups, at, t->err);
	key_open(w, "times", '{');
	columns_put(w, &s);
	key_uint(w, "unit_ns", op_lane_value_ns(t->m, p));
	key_bool(w, "waits",
		 op_lane_type_waits(type, s.kind.stamp != OP_STAMP_POINT));
	op_json_key(w, "adds");
	op_json_z(w, op_aggregator_name(op_aggregator_of(t->m, p)));
	samples_put(t, w, p, f, numbers);
	at_put(t, w, &s, p);
	op_json_close(w, '}');
}

/* --- what all share --- */

static void groups_put(struct op_html_times *t, struct op_json *w)
{
	const struct op_groups *g = &t->groups;

	key_open(w, "labels", '[');
	for (uint32_t k = 0; k < g->by.nr_labels; k++)
		op_json_string(w, g->by.labels[k].name);
	op_json_close(w, ']');
	key_open(w, "groups", '[');
	for (size_t i = 0; i < g->members.n; i++)
		op_json_uint(w, g->members.p[i]);
	op_json_close(w, ']');
	key_open(w, "texts", '[');
	for (size_t i = 0; i < g->texts.list.n && !t->err->code; i++)
		op_json_string(w, g->texts.list.p[i]);
	op_json_close(w, ']');
	key_open(w, "waits", '[');
	for (size_t i = 0; i < g->texts.list.n; i++)
		op_json_uint(w, op_lane_state_waits(g->texts.list.p[i]));
	op_json_close(w, ']');
}

void op_html_times_put(struct op_html_times *t, struct op_json *w)
{
	key_open(w, "times", '{');
	op_json_key(w, "origin");
	op_json_uint_text(w, t->span.from);
	key_bool(w, "has_date", have_dates(t->m));
	key_uint(w, "duration", t->span.to - t->span.from);
	groups_put(t, w);
	op_json_close(w, '}');
}
