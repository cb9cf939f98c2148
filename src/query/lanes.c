// SPDX-License-Identifier: Apache-2.0
/* query/lanes.c: finds what each thread did when. */
#include "query/lanes.h"

#include <stdlib.h>

#include "base/hash.h"
#include "model/select.h"
#include "query/default_profile.h"

enum { PROCESS, THREAD, STATE };

struct finding {
	struct op_lanes *l;
	const struct op_model *m;
	const struct op_lanes_opts *opts;
	struct op_intern lanes, states, parts;
	uint32_t no_state; /* the text of samples without one */
	struct op_err *err;
};

/* --- states --- */

/* Types that last and are not waited in. */
static bool is_work(struct op_view type)
{
	static const char *const names[] = { "on_cpu", "gc",   "gc_pause",
					     "method", "span", "vm_operation" };

	for (size_t i = 0; i < op_countof(names); i++)
		if (op_view_is(type, names[i]))
			return true;
	return false;
}

bool op_lane_state_waits(struct op_view state)
{
	static const char *const whole[] = { "io", "disk" };
	static const char *const parts[] = { "wait",	"sleep",  "park",
					     "block",	"mutex",  "off_cpu",
					     "offcpu",	"idle",	  "suspend",
					     "unsched", "uninter" };
	char small[64];
	size_t n = state.n < sizeof(small) ? state.n : sizeof(small);

	for (size_t i = 0; i < n; i++)
		small[i] = (char)(state.p[i] >= 'A' && state.p[i] <= 'Z' ?
					  state.p[i] | 0x20 :
					  state.p[i]);
	for (size_t i = 0; i < op_countof(whole); i++)
		if (op_view_is(op_view(small, n), whole[i]))
			return true;
	for (size_t i = 0; i < op_countof(parts); i++)
		if (op_view_holds(op_view(small, n), parts[i]))
			return true;
	return false;
}

bool op_lane_type_waits(struct op_view type, bool lasts)
{
	return lasts ? !is_work(type) : op_lane_state_waits(type);
}

static bool state_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_lane_state *list = table;

	return list[id].text == *(const uint32_t *)key;
}

static uint32_t state_of(struct finding *f, uint32_t text, bool waits)
{
	uint64_t word = text;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&f->states, hash, state_eq, f->l->states.p,
				     &text);
	struct op_lane_state fresh = { text, waits };

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)f->l->states.n;
	if (!op_vec_push(&f->l->mem, &f->l->states, fresh) ||
	    !op_intern_add(&f->states, &f->l->mem, hash, id))
		return 0;
	return id;
}

/* The state of samples that have none of their own is their type. */
static uint32_t sample_state(struct finding *f, uint32_t group,
			     const struct op_profile *p, bool lasts)
{
	uint32_t text = f->l->groups.members.p[(size_t)group * 3 + STATE];
	struct op_view type = op_string(f->m, p->sample_type.type);

	if (text != f->no_state)
		return state_of(f, text,
				op_lane_state_waits(op_lane_text(f->l, text)));
	text = op_text_put(&f->l->groups.texts, type, f->err);
	if (f->err->code)
		return 0;
	return state_of(f, text, op_lane_type_waits(type, lasts));
}

/* --- lanes and their parts --- */

static bool lane_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_lane *list = table, *k = key;

	return list[id].process == k->process && list[id].thread == k->thread;
}

static uint32_t lane_of(struct finding *f, uint32_t group)
{
	const uint32_t *texts = f->l->groups.members.p + (size_t)group * 3;
	struct op_lane fresh = { .process = texts[PROCESS],
				 .thread = texts[THREAD] };
	uint64_t word = (uint64_t)fresh.process << 32 | fresh.thread;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&f->lanes, hash, lane_eq, f->l->lanes.p,
				     &fresh);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)f->l->lanes.n;
	if (!op_vec_push(&f->l->mem, &f->l->lanes, fresh) ||
	    !op_intern_add(&f->lanes, &f->l->mem, hash, id))
		return 0;
	return id;
}

static bool part_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_lane_part *list = table, *k = key;

	return list[id].lane == k->lane && list[id].state == k->state;
}

/* NULL without memory. */
static struct op_lane_part *part_of(struct finding *f, uint32_t lane,
				    uint32_t state)
{
	struct op_lane_part fresh = { .lane = lane, .state = state };
	uint64_t word = (uint64_t)lane << 32 | state;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&f->parts, hash, part_eq, f->l->parts.p,
				     &fresh);

	if (id != OP_NO_ID)
		return &f->l->parts.p[id];
	id = (uint32_t)f->l->parts.n;
	if (!op_vec_push(&f->l->mem, &f->l->parts, fresh) ||
	    !op_intern_add(&f->parts, &f->l->mem, hash, id))
		return NULL;
	return &f->l->parts.p[id];
}

/* --- observations --- */

static bool is_ns(const struct op_model *m, uint32_t unit)
{
	return op_view_is(op_string(m, unit), "nanoseconds") ||
	       op_view_is(op_string(m, unit), "ns");
}

uint64_t op_lane_value_ns(const struct op_model *m, const struct op_profile *p)
{
	if (is_ns(m, p->sample_type.unit))
		return 1;
	if (op_view_is(op_string(m, p->sample_type.unit), "count") &&
	    is_ns(m, p->period_type.unit) && p->period > 0)
		return (uint64_t)p->period;
	return 0;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void points_add(struct finding *f, struct op_lane_part *part,
		       const struct op_profile *p, uint32_t i)
{
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);
	uint64_t each = op_lane_value_ns(f->m, p), ns;

	if (!part->points && t.n)
		part->points = op_new(&f->l->mem, uint64_t, f->l->buckets.nr);
	if (!part->points)
		return;
	for (uint32_t k = 0; k < t.n; k++) {
		uint32_t b = op_bucket_of(&f->l->buckets, t.p[k]);
		int64_t value = op_observed(v, k);

		if (b != OP_MAX_BUCKETS)
			part->points[b]++;
		if (value > 0 &&
		    !__builtin_mul_overflow((uint64_t)value, each, &ns))
			part->time_ns = add_ns(part->time_ns, ns);
	}
	part->nr_points += t.n;
}

static void spans_add(struct finding *f, struct op_lane_part *part,
		      struct op_interval_kind kind, const struct op_profile *p,
		      uint32_t i)
{
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);

	for (uint32_t k = 0; k < t.n; k++) {
		struct op_lane_interval x = { .lane = part->lane,
					      .state = part->state };

		x.span = op_interval_span(kind, op_observed(v, k), t.p[k]);
		part->time_ns = add_ns(part->time_ns, x.span.to - x.span.from);
		if (!op_vec_push(&f->l->mem, &f->l->intervals, x))
			return;
	}
}

static void sample_add(struct finding *f, struct op_interval_kind kind,
		       const struct op_profile *p, uint32_t i)
{
	bool lasts = kind.stamp != OP_STAMP_POINT;
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);
	uint32_t group = op_groups_sample(&f->l->groups, p, i, f->err);
	struct op_lane_part *part;
	uint32_t lane;

	if (!t.n || f->err->code) {
		f->l->nr_untimed += v.n;
		return;
	}
	lane = lane_of(f, group);
	part = part_of(f, lane, sample_state(f, group, p, lasts));
	if (f->err->code)
		return;
	op_range_widen(&f->l->lanes.p[lane].time, op_times_range(kind, t, v));
	if (lasts)
		spans_add(f, part, kind, p, i);
	else
		points_add(f, part, p, i);
}

/* Profiles with intervals, and those of the type of the points. */
static bool counts(const struct finding *f, const struct op_profile *p,
		   struct op_interval_kind kind)
{
	if (op_same_type(f->m, f->opts->like, p))
		return true;
	return kind.stamp != OP_STAMP_POINT &&
	       op_type_selected(f->m, p, f->opts->types);
}

static struct op_range profile_range(const struct op_profile *p,
				     struct op_interval_kind kind)
{
	struct op_range all = { 0 };

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times t = op_sample_times(p, i);

		if (t.n)
			op_range_widen(&all,
				       op_times_range(kind, t,
						      op_sample_values(p, i)));
	}
	return all;
}

static struct op_range whole_range(const struct finding *f)
{
	struct op_range all = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(f->m, &w)) {
		struct op_interval_kind kind = op_lasting_kind(f->m, &w);

		if (counts(f, w.profile, kind))
			op_range_widen(&all, profile_range(w.profile, kind));
	}
	return all;
}

/* --- order --- */

static int interval_cmp(const void *a, const void *b)
{
	const struct op_lane_interval *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	if (x->span.from != y->span.from)
		return x->span.from < y->span.from ? -1 : 1;
	return x->span.to < y->span.to ? -1 : x->span.to > y->span.to;
}

static int part_cmp(const void *a, const void *b)
{
	const struct op_lane_part *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? 1 : -1;
	if (x->nr_points != y->nr_points)
		return x->nr_points < y->nr_points ? 1 : -1;
	return x->state < y->state ? -1 : x->state > y->state;
}

static int lane_cmp(const void *a, const void *b, void *lanes)
{
	const struct op_lane *x = a, *y = b;
	const struct op_lanes *l = lanes;
	int c;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns < y->busy_ns ? 1 : -1;
	if (x->nr_points != y->nr_points)
		return x->nr_points < y->nr_points ? 1 : -1;
	if (x->waiting_ns != y->waiting_ns)
		return x->waiting_ns < y->waiting_ns ? 1 : -1;
	c = op_view_cmp(op_lane_text(l, x->process),
			op_lane_text(l, y->process));
	return c ? c :
		   op_view_cmp(op_lane_text(l, x->thread),
			       op_lane_text(l, y->thread));
}

/* Gives each part its intervals, which are sorted by lane and state. */
static void parts_link(struct finding *f)
{
	struct op_lanes *l = f->l;
	struct op_lane_part *part = NULL;

	for (size_t i = 0; i < l->intervals.n && !f->err->code; i++) {
		const struct op_lane_interval *x = &l->intervals.p[i];

		if (!part || part->lane != x->lane || part->state != x->state) {
			part = part_of(f, x->lane, x->state);
			part->interval = (uint32_t)i;
		}
		part->nr_intervals++;
	}
}

/* Gives each lane its parts, which are sorted by lane. */
static void lanes_link(struct op_lanes *l)
{
	for (size_t i = 0; i < l->parts.n; i++) {
		const struct op_lane_part *p = &l->parts.p[i];
		struct op_lane *lane = &l->lanes.p[p->lane];
		uint64_t *ns = l->states.p[p->state].waits ? &lane->waiting_ns :
							     &lane->busy_ns;

		if (!lane->nr_parts++)
			lane->part = (uint32_t)i;
		*ns = add_ns(*ns, p->time_ns);
		lane->nr_points += p->nr_points;
		lane->nr_intervals += p->nr_intervals;
	}
}

static void lanes_finish(struct finding *f)
{
	struct op_lanes *l = f->l;
	uint64_t most = 0;

	if (l->intervals.n)
		qsort(l->intervals.p, l->intervals.n, sizeof(*l->intervals.p),
		      interval_cmp);
	parts_link(f);
	if (l->parts.n)
		qsort(l->parts.p, l->parts.n, sizeof(*l->parts.p), part_cmp);
	lanes_link(l);
	if (l->lanes.n)
		qsort_r(l->lanes.p, l->lanes.n, sizeof(*l->lanes.p), lane_cmp,
			l);
	for (size_t i = 0; i < l->lanes.n; i++)
		if (l->lanes.p[i].nr_points > most)
			most = l->lanes.p[i].nr_points;
	if (most)
		l->point_ns = (double)(l->buckets.range.to -
				       l->buckets.range.from) /
			      (double)most;
}

/* --- all of them --- */

static int groups_init(struct finding *f)
{
	struct op_group_by by = { 0 };

	if (op_group_by_parse(&by, "process,thread,state", f->err) ||
	    op_groups_init(&f->l->groups, f->m, &by, f->err))
		return f->err->code;
	f->no_state = op_text_put(&f->l->groups.texts, op_view_z("(no state)"),
				  f->err);
	return f->err->code;
}

static void profile_add(struct finding *f, const struct op_walk *w,
			struct op_interval_kind kind)
{
	op_groups_profile(&f->l->groups, w, f->err);
	for (uint32_t i = 0; i < w->profile->nr_samples && !f->err->code; i++)
		sample_add(f, kind, w->profile, i);
}

int op_lanes_build(struct op_lanes *l, const struct op_model *m,
		   const struct op_lanes_opts *opts, struct op_err *err)
{
	struct finding f = { .l = l, .m = m, .opts = opts, .err = err };
	struct op_range range = whole_range(&f);
	struct op_walk w = { 0 };

	op_arena_tells(&l->mem, err);
	if (range.from < range.to &&
	    op_buckets_init(&l->buckets, range, 0, opts->nr_columns, 1, err))
		return err->code;
	if (groups_init(&f))
		return err->code;
	while (!err->code && op_walk_next(m, &w)) {
		struct op_interval_kind kind = op_lasting_kind(m, &w);

		if (counts(&f, w.profile, kind))
			profile_add(&f, &w, kind);
	}
	if (!err->code)
		lanes_finish(&f);
	return err->code;
}

void op_lanes_free(struct op_lanes *l)
{
	op_groups_free(&l->groups);
	op_arena_free(&l->mem);
	*l = (struct op_lanes){ 0 };
}
