// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/tracks.c: sorts what threads did into tracks. */
#include "fmt/viewer/tracks.h"

#include <stdlib.h>

#include "pb/json_extract.h"
#include "model/interval.h"
#include "model/semconv.h"
#include "model/time_value.h"

/* Of one thread; further ones are pushed behind what is there. */
enum { LANES = 64 };

struct maker {
	struct op_tracks *t;
	const struct op_model *m;
	const struct op_profile *p;
	struct op_err *err;
	struct op_interval_kind kind;
	uint32_t *by_attr; /* the track; OP_NO_ID: not known */
	uint32_t order;
};

void op_tracks_fini(struct op_tracks *t)
{
	op_arena_free(&t->mem);
}

/* --- threads --- */

/* By id where there is one, else by name. Equal attributes are one row in a
 * model that was normalised. */
static struct op_track *track_of(struct maker *k, uint32_t set)
{
	struct op_track row = {
		.id = op_set_find(k->m, set, OP_ATTR_THREAD_ID),
		.name = op_set_find(k->m, set, OP_ATTR_THREAD_NAME),
	};
	const struct op_attr *key = row.id ? row.id : row.name;
	uint32_t *at = &k->by_attr[key ? key - k->m->dict.attrs : 0];

	if (*at == OP_NO_ID) {
		*at = (uint32_t)k->t->rows.n;
		if (!op_vec_push(&k->t->mem, &k->t->rows, row))
			return NULL;
	}
	return &k->t->rows.p[*at];
}

/* --- spans --- */

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void span_add(struct maker *k, struct op_track *track, uint32_t stack,
		     uint64_t time, int64_t value)
{
	struct op_span s = { .stack = stack, .order = k->order++ };
	uint64_t length = k->t->value_ns ? k->t->value_ns : 1;

	if (value < 0) {
		k->t->nr_lost++;
		return;
	}
	if (__builtin_mul_overflow((uint64_t)value, length, &length))
		length = UINT64_MAX;
	if (k->kind.stamp == OP_STAMP_END)
		time = time < length ? 0 : time - length;
	s.from = time;
	s.to = add_sat(time, length);
	if (time < k->t->first)
		k->t->first = time;
	(void)op_vec_push(&k->t->mem, &track->spans, s);
}

static void sample_add(struct maker *k, uint32_t i)
{
	struct op_values values = op_sample_values(k->p, i);
	struct op_times times = op_sample_times(k->p, i);
	struct op_track *track = track_of(k, k->p->set[i]);

	if (!track)
		return;
	for (uint32_t n = 0; n < times.n && !k->err->code; n++)
		span_add(k, track, k->p->stack[i], times.p[n],
			 values.n ? values.p[n] : 1);
	if (times.n)
		k->t->is_timed = true;
	else if (values.n)
		span_add(k, track, k->p->stack[i], 0, op_sample_total(k->p, i));
}

static int span_cmp(const void *a, const void *b)
{
	const struct op_span *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Each begins where the one before ends, or later. */
static void push_apart(struct op_track *t)
{
	uint64_t end = 0;

	for (size_t i = 0; i < t->spans.n; i++) {
		struct op_span *s = &t->spans.p[i];
		uint64_t length = s->to - s->from;

		if (s->from < end)
			s->from = end;
		s->to = add_sat(s->from, length);
		end = s->to;
	}
}

/* Takes what overlaps out of a track: into one more, which is behind it. */
static bool split(struct maker *k, size_t at)
{
	struct op_track *t = &k->t->rows.p[at];
	struct op_track more = { .id = t->id,
				 .name = t->name,
				 .lane = t->lane + 1 };
	uint64_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < t->spans.n; i++) {
		struct op_span s = t->spans.p[i];

		if (s.from >= end) {
			end = s.to;
			t->spans.p[kept++] = s;
		} else if (!op_vec_push(&k->t->mem, &more.spans, s)) {
			return false;
		}
	}
	t->spans.n = kept;
	if (!more.spans.n)
		return false;
	(void)op_vec_push(&k->t->mem, &k->t->rows, more);
	return !k->err->code;
}

static void arrange(struct maker *k)
{
	size_t nr = k->t->rows.n;

	for (size_t i = 0; i < nr && !k->err->code; i++) {
		struct op_track *t = &k->t->rows.p[i];
		size_t at = i;

		if (t->spans.n && k->t->is_timed)
			qsort(t->spans.p, t->spans.n, sizeof(*t->spans.p),
			      span_cmp);
		if (k->kind.stamp != OP_STAMP_POINT)
			while (k->t->rows.p[at].lane < LANES - 1 &&
			       split(k, at))
				at = k->t->rows.n - 1;
		if (!k->err->code)
			push_apart(&k->t->rows.p[at]);
	}
}

int op_tracks_init(struct op_tracks *t, const struct op_model *m,
		   const struct op_walk *w, struct op_err *err)
{
	struct maker k = { .t = t, .m = m, .p = w->profile, .err = err };

	*t = (struct op_tracks){ .mem.err = err,
				 .first = UINT64_MAX,
				 .value_ns = op_value_ns(m, w->profile) };
	k.kind = op_interval_kind(m, w->scope, w->profile);
	k.by_attr = op_new_ids(&t->mem, m->dict.nr[OP_ATTRS]);
	if (!k.by_attr)
		return err->code;
	for (uint32_t i = 0; i < w->profile->nr_samples && !err->code; i++)
		sample_add(&k, i);
	if (!t->is_timed) {
		k.kind.stamp = OP_STAMP_POINT;
		t->first = UINT64_MAX;
	}
	if (!err->code)
		arrange(&k);
	return err->code;
}

/* --- for all --- */

struct ends {
	uint64_t first, last;
};

static void widen(struct ends *e, const struct op_model *m,
		  const struct op_walk *w)
{
	bool is_end = op_interval_kind(m, w->scope, w->profile).stamp ==
		      OP_STAMP_END;

	for (uint32_t i = 0; i < w->profile->nr_samples; i++) {
		struct op_values values = op_sample_values(w->profile, i);
		struct op_times times = op_sample_times(w->profile, i);

		for (uint32_t k = 0; k < times.n; k++) {
			uint64_t t = times.p[k], d = 0;

			if (is_end && values.n && values.p[k] > 0)
				d = (uint64_t)values.p[k];
			t = t < d ? 0 : t - d;
			e->first = t < e->first ? t : e->first;
			e->last = t > e->last ? t : e->last;
		}
	}
}

uint64_t op_tracks_base(const struct op_model *m)
{
	const uint64_t late = (uint64_t)1 << 50; /* 13 days */
	struct ends e = { UINT64_MAX, 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		widen(&e, m, &w);
	return e.last >= late ? e.first : 0;
}

bool op_track_id(const struct op_model *m, const struct op_track *t,
		 int64_t *out)
{
	struct op_view text;

	if (t->id && t->id->value.kind == OP_ANY_INT) {
		*out = t->id->value.num;
		return true;
	}
	if (!t->id)
		return false;
	text = op_any_text(m, &t->id->value);
	return op_text_number(text, out);
}

struct op_view op_track_name(const struct op_model *m, const struct op_track *t)
{
	return t->name ? op_any_text(m, &t->name->value) :
			 (struct op_view){ 0 };
}
