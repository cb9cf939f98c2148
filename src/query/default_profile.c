// SPDX-License-Identifier: Apache-2.0
/* query/default_profile.c: chooses the profile that people mean. */
#include "query/default_profile.h"

#include "model/label.h"

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

static int rank(const struct op_model *m, const struct op_profile *p)
{
	struct op_view type = op_string(m, p->sample_type.type);
	struct op_view by = op_string(m, p->period_type.type);
	bool is_samples = op_view_is(type, "samples");
	int rank = p->nr_samples ? 10 : 0;

	if (op_view_is(type, "cpu"))
		return rank + 4;
	if ((is_samples && op_view_is(by, "cpu")) ||
	    op_view_is(type, "cpu_samples"))
		return rank + 3;
	if (is_samples && is_cpu_event(op_profile_event(m, p)))
		return rank + 2;
	return rank + op_view_is(type, "wall");
}

const struct op_profile *op_default_profile(const struct op_model *m)
{
	const struct op_profile *best = NULL;
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (!best || rank(m, w.profile) > rank(m, best))
			best = w.profile;
	return best;
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
