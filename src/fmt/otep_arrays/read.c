// SPDX-License-Identifier: Apache-2.0
/* fmt/otep_arrays/read.c: profiles of the "arrays" draft into a model.
 *
 * A sample is what stands at one place of several lists. */
#include "fmt/otep_arrays/otep_arrays.h"

#include "fmt/draft/read.h"
#include "model/semconv.h"

struct profile {
	struct op_profile head; /* of all types */
	struct op_view id, payload;
	uint64_t start, end;
	bool times_in_ns;
	struct op_id_vec attrs;
	uint32_t scope;

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
		{ "times", p->times.n, true },
	};

	for (size_t i = 0; i < op_countof(lists); i++) {
		if (lists[i].n == p->stacks.n ||
		    (lists[i].may_miss && !lists[i].n))
			continue;
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - r->file.base),
			   "a list of %zu %s, there are %zu stacks", lists[i].n,
			   lists[i].name, p->stacks.n);
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
				 p->times_in_ns ? time :
						  op_draft_time_ns(time));
}

/* The id and the payload go with the first type. */
static void type_build(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct op_profile head = p->head;
	struct op_build_pair pair = { .scope = p->scope, .head = &head };

	head.id_len = op_dec_id_bytes(&r->d, r->file.base, p->id, head.id,
				      sizeof(head.id));
	head.payload = p->payload;
	p->id = p->payload = (struct op_view){ 0 };
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

static void head_field(struct op_draft *r, const struct op_cur *c,
		       const struct op_pb_field *f, struct profile *p)
{
	switch (op_pb_key(f)) {
	case OP_PB(ARRAYS_ID, OP_PB_LEN):
		p->id = f->bytes;
		break;
	case OP_PB(ARRAYS_START, OP_PB_I64):
		p->start = f->v;
		break;
	case OP_PB(ARRAYS_END, OP_PB_I64):
		p->end = f->v;
		break;
	case OP_PB(ARRAYS_ATTRIBUTES, OP_PB_LEN):
		if (op_draft_is_time_unit(op_pb_sub(c, f)))
			p->times_in_ns = true;
		else
			op_draft_attr_push(r, &p->attrs,
					   op_draft_pair(r, op_pb_sub(c, f)));
		break;
	case OP_PB(ARRAYS_DROPPED, OP_PB_VARINT):
		p->head.dropped_attrs = (uint32_t)f->v;
		break;
	case OP_PB(ARRAYS_PAYLOAD, OP_PB_LEN):
		p->payload = f->bytes;
		break;
	}
}

static void profile_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	struct profile *p = r->ctx;
	struct op_cur again = c;
	bool has_type = false;
	struct op_pb_field f;

	p->head = (struct op_profile){ 0 };
	p->id = p->payload = (struct op_view){ 0 };
	p->start = p->end = p->attrs.n = 0;
	p->times_in_ns = false;
	p->scope = scope;
	op_draft_tables(r, c);
	while (op_pb_next(&c, &f))
		head_field(r, &c, &f, p);
	if (r->err->code)
		return;
	p->head.attrs = op_draft_set(r, &p->attrs);
	op_draft_range(&p->head, p->start, p->end);
	op_draft_mappings(r);
	while (op_pb_next(&again, &f)) {
		if (op_pb_key(&f) != OP_PB(ARRAYS_TYPES, OP_PB_LEN))
			continue;
		has_type = true;
		type_build(r, op_pb_sub(&again, &f), p);
	}
	/* A profile without a type still has a head. */
	again.p = again.end;
	if (!has_type && !r->err->code)
		type_build(r, again, p);
}

int op_otep_arrays_decode(struct op_model *m, struct op_view msg,
			  struct op_err *err)
{
	struct op_draft r = { .layout = &op_otep_arrays_layout };
	struct profile p = { 0 };

	r.ctx = &p;
	return op_draft_read(&r, m, msg, profile_read, err);
}
