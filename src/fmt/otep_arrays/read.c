// SPDX-License-Identifier: Apache-2.0
/* fmt/otep_arrays/read.c: profiles of the "arrays" draft into a model.
 *
 * A sample is what stands at one place of several lists. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "fmt/draft/profile.h"
#include "model/semconv.h"

struct profile {
	struct op_draft_profile all; /* what its types share */
	/* Of the type at hand. */
	struct op_draft_numbers stacks, links, sets, values, times;
};

/* --- types --- */

static void type_fields(struct op_draft *r, struct op_cur c,
			struct op_profile *head)
{
	struct op_builder *b = &r->b;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == ARRAYS_TYPE_TYPE)
			head->sample_type.type = op_draft_string(r, &f);
		else if (f.num == ARRAYS_TYPE_UNIT)
			head->sample_type.unit = op_draft_string(r, &f);
		else if (f.num == ARRAYS_TYPE_TEMPORALITY &&
			 f.v == OP_DRAFT_CUMULATIVE)
			head->attrs = op_build_set_with(
				b, head->attrs,
				op_draft_text_attr(r, OP_ATTR_TEMPORALITY,
						   op_view_z("cumulative")));
		else if (f.num == ARRAYS_TYPE_RATE && f.v &&
			 f.v <= ARRAYS_SECOND)
			head->period = ARRAYS_SECOND / (int64_t)f.v;
	}
	if (!head->period)
		return;
	head->period_type.type = op_build_string(b,
						 op_view_z(ARRAYS_PERIOD_TYPE));
	head->period_type.unit = op_build_string(b,
						 op_view_z(ARRAYS_PERIOD_UNIT));
}

static void lists_read(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct op_draft_numbers *lists[] = { &p->stacks, &p->links, &p->sets,
					     &p->values, &p->times };
	struct op_pb_field f;

	for (size_t i = 0; i < op_countof(lists); i++)
		lists[i]->n = 0;
	while (op_pb_next(&c, &f))
		if (f.num - ARRAYS_TYPE_STACKS < op_countof(lists))
			op_draft_numbers(r, op_pb_sub(&c, &f),
					 lists[f.num - ARRAYS_TYPE_STACKS]);
}

/* Lists are of one length; all but stacks and values may be absent. */
static bool lists_fit(struct op_draft *r, const struct profile *p,
		      const uint8_t *at)
{
	const struct {
		const char *name;
		size_t n;
		bool may_miss;
	} lists[] = {
		{ "values", p->values.n, false },
		{ "links", p->links.n, true },
		{ "attribute sets", p->sets.n, true },
		{ "timestamps", p->times.n, true },
	};

	for (size_t i = 0; i < op_countof(lists); i++) {
		if (lists[i].n == p->stacks.n ||
		    (lists[i].may_miss && !lists[i].n))
			continue;
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - r->file.base),
			   "%zu %s, but %zu stacks", lists[i].n, lists[i].name,
			   p->stacks.n);
	}
	return !r->err->code;
}

static void sample_build(struct op_draft *r, const struct profile *p, size_t i,
			 struct op_build_pair *pair, const uint8_t *at)
{
	uint64_t time = p->times.n ? p->times.p[i] : 0;
	int64_t value = (int64_t)p->values.p[i];
	struct op_identity id = { 0 };
	uint32_t profile, sample;

	id.stack = op_draft_stack(r, p->stacks.p[i], at);
	if (p->sets.n)
		id.set = op_draft_set_row(r, p->sets.p[i], at);
	if (p->links.n)
		id.link = op_draft_link(r, p->links.p[i], at);
	if (r->err->code)
		return;
	profile = op_build_pair_id(&r->b, pair, time != 0);
	sample = op_build_sample(&r->b, profile, id);
	if (!time)
		op_build_add(&r->b, profile, sample, value);
	else
		op_build_observe(&r->b, profile, sample, value,
				 op_draft_time(&p->all, time));
}

/* The id and the payload go with the first type. */
static void type_build(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct op_profile head = p->all.head;
	struct op_build_pair pair = { .scope = p->all.scope, .head = &head };

	op_draft_take_id(r, &p->all, &head);
	type_fields(r, c, &head);
	lists_read(r, c, p);
	if (r->err->code || !lists_fit(r, p, c.p))
		return;
	for (size_t i = 0; i < p->stacks.n && !r->err->code; i++)
		sample_build(r, p, i, &pair, c.p);
	if (!r->err->code && !pair.made[0] && !pair.made[1])
		op_build_pair_id(&r->b, &pair, false);
}

/* --- profiles --- */

static void profile_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	struct profile *p = r->ctx;
	struct op_draft_profile *all = &p->all;
	bool has_type = false;
	struct op_pb_field f;

	op_draft_profile_begin(r, all, scope);
	op_draft_tables(r, c);
	op_draft_head(r, c, &r->layout->head, all);
	if (r->err->code)
		return;
	all->head.attrs = op_draft_set(r, &all->attrs);
	op_draft_range(&all->head, all->start, all->end);
	op_draft_mappings(r);
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(ARRAYS_TYPES, OP_PB_LEN))
			continue;
		has_type = true;
		type_build(r, op_pb_sub(&c, &f), p);
	}
	/* A profile without a type still has a head. */
	if (!has_type && !r->err->code)
		type_build(r, c, p);
}

int op_otep_arrays_decode(struct op_model *m, struct op_view msg,
			  struct op_err *err)
{
	struct op_draft r = { .layout = &op_otep_arrays_layout };
	struct profile p = { 0 };

	r.ctx = &p;
	return op_draft_read(&r, m, op_cur(msg, err), profile_read);
}
