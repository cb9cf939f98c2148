// SPDX-License-Identifier: Apache-2.0
/* query/default_profile.c: chooses the profile that people mean. */
#include "query/default_profile.h"

#include "model/label.h"
#include "model/obs.h"
#include "model/select.h"
#include "model/semconv.h"

/* Events that sample the CPU, as perf and Java's recorders name them; perf's
 * may have modifiers behind a colon. */
static bool is_cpu_event(struct op_view event)
{
	static const char *const names[] = {
		"cpu-clock",	      "task-clock", "cycles",
		"cpu-cycles",	      "cpu",	    "jdk.CPUTimeSample",
		"jdk.ExecutionSample"
	};
	const uint8_t *colon = event.n ? memchr(event.p, ':', event.n) : NULL;

	if (colon)
		event.n = (size_t)(colon - event.p);
	for (size_t i = 0; i < op_countof(names); i++)
		if (op_view_is(event, names[i]))
			return true;
	return false;
}

/* What the source of a scope says that its reader should see first. */
static bool is_declared(const struct op_model *m, const struct op_walk *w)
{
	const struct op_kvs *kvs = &w->scope->attrs;
	struct op_view type = op_string(m, w->profile->sample_type.type);

	for (uint32_t i = 0; i < kvs->n; i++)
		if (op_view_is(op_kv_key(m, &kvs->p[i]),
			       OP_ATTR_DEFAULT_SAMPLE_TYPE))
			return op_view_eq(op_any_text(m, &kvs->p[i].value),
					  type);
	return false;
}

enum rank { ANY, WALL, DECLARED, CPU_EVENT, CPU_SAMPLES, CPU };

static enum rank rank(const struct op_model *m, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	struct op_view type = op_string(m, p->sample_type.type);
	struct op_view by = op_string(m, p->period_type.type);
	bool is_samples = op_view_is(type, "samples");

	if (op_view_is(type, "cpu"))
		return CPU;
	if ((is_samples && op_view_is(by, "cpu")) ||
	    op_view_is(type, "cpu_samples"))
		return CPU_SAMPLES;
	if (is_samples && is_cpu_event(op_profile_event(m, p)))
		return CPU_EVENT;
	if (is_declared(m, w))
		return DECLARED;
	return op_view_is(type, "wall") ? WALL : ANY;
}

/* How many observations have a stack. */
static uint64_t stacks_of(const struct op_model *m, const struct op_profile *p)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t times = p->packed_times ?
					 op_obs_count(p->packed_times, i) :
					 op_sample_observed(p, i);

		if (op_list(&m->dict.stacks, p->stack[i]).n)
			n += times ? times : 1;
	}
	return n;
}

struct candidate {
	const struct op_profile *p;
	bool has_samples;
	enum rank rank;
	uint64_t nr_stacks; /* where the rank does not tell */
};

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (!b->p || a->has_samples != b->has_samples)
		return !b->p || a->has_samples;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	return a->nr_stacks > b->nr_stacks;
}

const struct op_profile *op_choose_profile(const struct op_model *m,
					   const char *types)
{
	struct candidate best = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct candidate c = { .p = w.profile,
				       .has_samples = w.profile->nr_samples,
				       .rank = rank(m, &w) };

		if (!op_type_selected(m, w.profile, types))
			continue;
		if (c.rank == ANY)
			c.nr_stacks = stacks_of(m, w.profile);
		if (is_better(&c, &best))
			best = c;
	}
	return best.p;
}

const struct op_profile *op_default_profile(const struct op_model *m)
{
	return op_choose_profile(m, NULL);
}

static bool same_text(const struct op_model *m, uint32_t a, uint32_t b)
{
	return op_view_eq(op_string(m, a), op_string(m, b));
}

bool op_same_type(const struct op_model *m, const struct op_profile *a,
		  const struct op_profile *b)
{
	bool is_samples = op_view_is(op_string(m, a->sample_type.type),
				     "samples");

	return same_text(m, a->sample_type.type, b->sample_type.type) &&
	       same_text(m, a->sample_type.unit, b->sample_type.unit) &&
	       (!is_samples ||
		same_text(m, a->period_type.type, b->period_type.type)) &&
	       op_view_eq(op_profile_event(m, a), op_profile_event(m, b));
}

/* Types that are to be named. */
struct others {
	const struct op_profile *types[8];
	uint32_t nr;
	bool more; /* than are named */
};

static void others_add(struct others *o, const struct op_model *m,
		       const struct op_profile *p)
{
	for (uint32_t i = 0; i < o->nr; i++)
		if (op_same_type(m, o->types[i], p))
			return;
	if (o->nr < op_countof(o->types))
		o->types[o->nr++] = p;
	else
		o->more = true;
}

/* It goes to a terminal, so that of a name only its beginning is good, and
 * nothing but what can be printed. */
static void put_word(struct op_buf *out, struct op_view v)
{
	enum { MOST = 40 };

	for (size_t i = 0; i < v.n && i < MOST; i++)
		op_buf_byte(out, v.p[i] > ' ' && v.p[i] < 0x7f ? v.p[i] : '?');
}

uint32_t op_other_types(const struct op_model *m,
			const struct op_profile *chosen, struct op_buf *out)
{
	struct op_walk walk = { 0 };
	struct others o = { .nr = 0 };

	while (op_walk_next(m, &walk))
		if (!op_same_type(m, walk.profile, chosen))
			others_add(&o, m, walk.profile);
	for (uint32_t i = 0; i < o.nr; i++) {
		op_buf_z(out, i ? ", " : "");
		put_word(out, op_string(m, o.types[i]->sample_type.type));
		op_buf_byte(out, '/');
		put_word(out, op_string(m, o.types[i]->sample_type.unit));
		if (op_profile_event(m, o.types[i]).n) {
			op_buf_z(out, " (");
			put_word(out, op_profile_event(m, o.types[i]));
			op_buf_byte(out, ')');
		}
	}
	op_buf_z(out, o.more ? " and more" : "");
	return o.nr + o.more;
}
