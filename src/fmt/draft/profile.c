// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/profile.c: profiles and their samples, by a layout. */
#include "fmt/draft/profile.h"

#include "fmt/otlp/fields.h"
#include "fmt/pprof/fields.h"
#include "model/semconv.h"

void op_draft_profile_begin(struct op_draft *r, struct op_draft_profile *p,
			    uint32_t scope)
{
	p->head = (struct op_profile){ 0 };
	p->id = p->payload = p->payload_format = (struct op_view){ 0 };
	p->start = p->end = p->default_index = 0;
	p->times_in_ns = r->layout->times_in_ns;
	p->attrs.n = p->types.n = p->locations.n = p->comments.n = 0;
	p->default_name.num = 0;
	p->ids[0] = p->ids[1] = NULL;
	p->scope = scope;
}

/* --- the head --- */

static struct op_value_type type_read(struct op_draft *r, struct op_cur c,
				      uint64_t *temporality)
{
	struct op_value_type t = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == VALUE_TYPE_TYPE)
			t.type = op_draft_string(r, &f);
		else if (f.num == VALUE_TYPE_UNIT)
			t.unit = op_draft_string(r, &f);
		else if (f.num == VALUE_TYPE_TEMPORALITY)
			*temporality = f.v;
	}
	return t;
}

static void type_add(struct op_draft *r, struct op_cur c,
		     struct op_draft_profile *p)
{
	struct op_draft_type t = { 0 };
	uint64_t temporality = 0;

	if (p->types.n == r->layout->max_types) {
		op_cur_fail(&c, c.p, OP_ELIMIT, "more than %u sample types",
			    r->layout->max_types);
		return;
	}
	t.value_type = type_read(r, c, &temporality);
	if (temporality == OP_DRAFT_CUMULATIVE)
		t.temporality = op_draft_text_attr(r, OP_ATTR_TEMPORALITY,
						   op_view_z("cumulative"));
	(void)op_vec_push(&r->scratch, &p->types, t);
}

static void text_add(struct op_draft *r, struct op_draft_profile *p,
		     const char *key, const struct op_pb_field *f)
{
	struct op_view text = op_draft_text(r, f->v, f->bytes.p);

	if (text.n)
		op_draft_attr_push(r, &p->attrs,
				   op_draft_text_attr(r, key, text));
}

static void number_read(struct op_draft *r, const struct op_pb_field *f,
			const struct op_draft_head *y,
			struct op_draft_profile *p)
{
	if (f->num == y->time)
		p->head.time_ns = f->v;
	else if (f->num == y->duration)
		p->head.duration_ns = f->v;
	else if (f->num == y->period)
		p->head.period = (int64_t)f->v;
	else if (f->num == y->dropped)
		p->head.dropped_attrs = (uint32_t)f->v;
	else if (f->num == y->default_name)
		p->default_name = *f;
	else if (f->num == y->default_index)
		p->default_index = f->v;
	else if (f->num == y->drop_frames)
		text_add(r, p, OP_ATTR_DROP_FRAMES, f);
	else if (f->num == y->keep_frames)
		text_add(r, p, OP_ATTR_KEEP_FRAMES, f);
}

static void attr_read(struct op_draft *r, struct op_cur kv,
		      struct op_draft_profile *p)
{
	if (!r->layout->times_in_ns && op_draft_is_time_unit(kv))
		p->times_in_ns = true;
	else
		op_draft_attr_push(r, &p->attrs, op_draft_pair(r, kv));
}

static void message_read(struct op_draft *r, struct op_cur sub,
			 const struct op_pb_field *f,
			 const struct op_draft_head *y,
			 struct op_draft_profile *p)
{
	uint64_t ignored;

	if (f->num == y->type)
		type_add(r, sub, p);
	else if (f->num == y->period_type)
		p->head.period_type = type_read(r, sub, &ignored);
	else if (f->num == y->attrs)
		attr_read(r, sub, p);
	else if (f->num == y->id)
		p->id = f->bytes;
	else if (f->num == y->payload_format)
		p->payload_format = f->bytes;
	else if (f->num == y->payload)
		p->payload = f->bytes;
}

void op_draft_head(struct op_draft *r, struct op_cur c,
		   const struct op_draft_head *y, struct op_draft_profile *p)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num == y->locations)
			op_draft_numbers(r, sub, &p->locations);
		else if (f.num == y->comments)
			op_draft_numbers(r, sub, &p->comments);
		else if (f.num == y->attr_ids)
			op_draft_attrs_add(r, sub, &p->attrs);
		else if (f.wire == OP_PB_VARINT)
			number_read(r, &f, y, p);
		else if (f.wire == OP_PB_LEN)
			message_read(r, sub, &f, y, p);
		else if (op_pb_key(&f) == OP_PB(y->start, OP_PB_I64))
			p->start = f.v;
		else if (op_pb_key(&f) == OP_PB(y->end, OP_PB_I64))
			p->end = f.v;
	}
}

void op_draft_default(struct op_draft *r, struct op_draft_profile *p,
		      uint64_t otherwise)
{
	uint32_t n = (uint32_t)p->types.n, name = 0;

	if (p->default_name.num)
		name = op_draft_string(r, &p->default_name);
	p->default_type = otherwise < n ? (uint32_t)otherwise : 0;
	for (uint32_t k = 0; name && k < n; k++) {
		uint32_t i = r->layout->last_default ? k : n - 1 - k;

		if (p->types.p[i].value_type.type == name)
			p->default_type = i;
	}
}

void op_draft_range(struct op_profile *head, uint64_t start, uint64_t end)
{
	uint64_t most = UINT64_MAX - start;

	head->time_ns = start;
	if (end > start)
		head->duration_ns = end - start;
	else if (head->duration_ns > most)
		head->duration_ns = most;
}

/* --- profiles of the model --- */

void op_draft_take_id(struct op_draft *r, struct op_draft_profile *p,
		      struct op_profile *head)
{
	head->id_len = op_wire_id(&r->wire, r->file.base, p->id, head->id,
				  sizeof(head->id));
	head->payload = p->payload;
	head->payload_format = p->payload_format;
	p->id = p->payload = p->payload_format = (struct op_view){ 0 };
}

/* The type that comes k-th: the default first, the others in their order. */
static uint32_t type_at(const struct op_draft_profile *p, uint32_t k)
{
	if (!k)
		return p->default_type;
	return k <= p->default_type ? k - 1 : k;
}

/* A profile without a type still has samples. */
static uint32_t nr_types(const struct op_draft_profile *p)
{
	return p->types.n ? (uint32_t)p->types.n : 1;
}

/* Whether the samples of the k-th profile are those of the first. */
static bool is_like(const struct op_draft *r, uint32_t k)
{
	return k && !r->layout->own_samples;
}

/* The profiles of samples with times, or without: one a type. */
static const uint32_t *profiles_of(struct op_draft *r,
				   struct op_draft_profile *p, bool timed)
{
	uint32_t *ids = p->ids[timed];

	if (ids)
		return ids;
	ids = op_new(&r->scratch, uint32_t, nr_types(p));
	if (!ids)
		return NULL;
	for (uint32_t k = 0; k < nr_types(p) && !r->err->code; k++) {
		struct op_profile head = p->head;
		struct op_draft_type t = { 0 };

		if (p->types.n)
			t = p->types.p[type_at(p, k)];
		op_draft_take_id(r, p, &head);
		head.sample_type = t.value_type;
		if (t.temporality)
			head.attrs = op_build_set_with(&r->b, head.attrs,
						       t.temporality);
		ids[k] = is_like(r, k) ?
				 op_build_profile_like(&r->b, ids[0], &head) :
				 op_build_profile(&r->b, p->scope, &head);
	}
	return p->ids[timed] = ids;
}

void op_draft_profile_end(struct op_draft *r, struct op_draft_profile *p)
{
	if (!r->err->code && !p->ids[0] && !p->ids[1])
		profiles_of(r, p, false);
}

/* --- samples --- */

/* A label of pprof is an attribute of its own. */
static void label_add(struct op_draft *r, struct op_cur c,
		      struct op_id_vec *out)
{
	struct op_any v = { .kind = OP_ANY_INT };
	struct op_view key = { 0 }, text = { 0 }, unit = { 0 };
	struct op_pb_field f;
	uint64_t str = 0;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == PPROF_LABEL_KEY)
			key = op_draft_text(r, f.v, f.bytes.p);
		if (f.num == PPROF_LABEL_NUM)
			v.num = (int64_t)f.v;
		if (f.num == PPROF_LABEL_UNIT)
			unit = op_draft_text(r, f.v, f.bytes.p);
		if (f.num == PPROF_LABEL_STR) {
			str = f.v;
			text = op_draft_text(r, f.v, f.bytes.p);
		}
	}
	if (str) {
		v = (struct op_any){ .kind = OP_ANY_STRING };
		v.bytes = text;
		unit = (struct op_view){ 0 };
	}
	if (!r->err->code)
		op_draft_attr_push(r, out,
				   op_build_attr(&r->b, key, &v, unit, NULL));
}

void op_draft_sample_read(struct op_draft *r, struct op_cur c,
			  struct op_draft_profile *p)
{
	const struct op_draft_layout *y = r->layout;
	struct op_draft_sample *s = &p->sample;
	struct op_pb_field f;

	s->stack.n = s->values.n = s->times.n = s->attrs.n = 0;
	s->first = s->nr = s->link = 0;
	s->at = c.p;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num == y->sample.locations)
			op_draft_numbers(r, sub, &s->stack);
		else if (f.num == y->sample.values)
			op_draft_numbers(r, sub, &s->values);
		else if (f.num == y->sample.times)
			op_draft_numbers(r, sub, &s->times);
		else if (f.num == y->sample.attrs)
			op_draft_attrs_add(r, sub, &s->attrs);
		else if (op_pb_key(&f) == OP_PB(y->sample.label, OP_PB_LEN))
			label_add(r, sub, &s->attrs);
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == y->sample.first)
			s->first = f.v;
		else if (f.num == y->sample.nr)
			s->nr = f.v;
		else if (f.num == y->sample.link)
			s->link = op_draft_link(r, f.v, f.bytes.p);
	}
}

/* A sample's slice of the list, or pprof's list of its own. */
static uint32_t stack_build(struct op_draft *r,
			    const struct op_draft_profile *p)
{
	const struct op_draft_sample *s = &p->sample;
	const struct op_draft_numbers *list = &p->locations;
	uint64_t first = s->first, nr = s->nr;

	if (r->layout->sample.locations && !nr) {
		list = &s->stack;
		first = 0;
		nr = list->n;
	}
	if (first > list->n || nr > list->n - first) {
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(s->at - r->file.base),
			   "a slice of locations (first %llu, length %llu) is "
			   "out of range for a list of %zu",
			   (unsigned long long)first, (unsigned long long)nr,
			   list->n);
		return 0;
	}
	if (!op_draft_allow(r, nr, s->at))
		return 0;
	r->frames.n = 0;
	for (uint64_t i = first; i < first + nr && !r->err->code; i++)
		op_draft_attr_push(r, &r->frames,
				   op_draft_location(r, list->p[i], s->at));
	return op_build_stack(&r->b, r->frames.p, (uint32_t)r->frames.n);
}

uint64_t op_draft_time(const struct op_draft_profile *p, uint64_t t)
{
	return p->times_in_ns ? t : op_draft_time_ns(t);
}

/* Part k of n of a value that was given once for n times. */
static int64_t share(int64_t value, size_t n, size_t k)
{
	int64_t parts = (int64_t)n;

	if (value == 1 || value == parts)
		return 1; /* n times the same event */
	return value / parts + (k ? 0 : value % parts);
}

/* The value that a sample has of a type, at its i-th time if it has any. With
 * one type, as many values as times are pairs. Otherwise there is a value a
 * type, which is shared among the times. */
static int64_t value_of(const struct op_draft *r,
			const struct op_draft_profile *p, uint32_t type,
			size_t i)
{
	const struct op_draft_numbers *values = &p->sample.values;
	size_t nr_times = p->sample.times.n;
	int64_t value = 0;

	if (type < values->n)
		value = (int64_t)values->p[type];
	if (!nr_times)
		return values->n || r->layout->lenient ? value : 1;
	if (nr_types(p) == 1 && values->n == nr_times)
		return (int64_t)values->p[i];
	return values->n ? share(value, nr_times, i) : 1;
}

static void values_build(struct op_draft *r, struct op_draft_profile *p,
			 struct op_identity id)
{
	const struct op_draft_numbers *times = &p->sample.times;
	const uint32_t *profiles = profiles_of(r, p, times->n != 0);
	struct op_builder *b = &r->b;
	uint32_t sample = 0;

	if (!profiles || r->err->code)
		return;
	/* Profiles with samples of their own have the same ones as well. */
	for (uint32_t k = 0; k < nr_types(p); k++)
		if (!is_like(r, k))
			sample = op_build_sample(b, profiles[k], id);
	for (uint32_t k = 0; !times->n && k < nr_types(p); k++)
		op_build_add(b, profiles[k], sample,
			     value_of(r, p, type_at(p, k), 0));
	for (size_t i = 0; i < times->n; i++) {
		uint64_t time = op_draft_time(p, times->p[i]);

		for (uint32_t k = 0; k < nr_types(p); k++) {
			int64_t v = value_of(r, p, type_at(p, k), i);

			if (is_like(r, k))
				op_build_observe_like(b, profiles[k], v);
			else
				op_build_observe(b, profiles[k], sample, v,
						 time);
		}
	}
}

void op_draft_sample_build(struct op_draft *r, struct op_draft_profile *p)
{
	struct op_draft_sample *s = &p->sample;
	struct op_identity id;

	if (!r->layout->lenient && !r->err->code && s->values.n != p->types.n)
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(s->at - r->file.base),
			   "a sample has %zu values, but there are %zu types",
			   s->values.n, p->types.n);
	if (r->err->code)
		return;
	id.stack = stack_build(r, p);
	id.set = op_draft_set(r, &s->attrs);
	id.link = s->link;
	values_build(r, p, id);
}
