// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/legacy.c: OTLP Profiles v1.4 to v1.7 into the model.
 *
 * These releases have no null element at index 0 (an absent mapping or link is
 * an absent field), stacks are slices of a list of locations, several sample
 * types share a profile, and units belong to attribute keys. So the rows are
 * not taken as they come: the raw rows of each table are noted, and what a
 * sample refers to goes through the builder.
 *
 *	                     v1.4, v1.5      v1.6             v1.7
 *	tables               in Profile      in ProfilesData  in dictionary
 *	                     (fields below)  2 to 8           1 to 7
 *	Sample               1 first location, 2 number of locations, 3 values,
 *	                     4 attributes, 5 link, 6 times (varints)
 *	Location             as today, but 4 is_folded, 5 attributes
 *	Mapping              as today, and 6 to 9 has_functions ...
 *	attribute            KeyValue; AttributeUnit is 1 key, 2 unit (strings)
 */
#include "fmt/otlp/legacy.h"

#include "base/budget.h"
#include "fmt/format.h"
#include "fmt/otlp/fields.h"
#include "fmt/otlp/legacy_int.h"
#include "model/semconv.h"

static const struct op_legacy_layout in_profile = {
	.table = { 3, 4, 6, 9, 10, 7, 8 },
	.locations = 5,
	.time = 11,
	.duration = 12,
	.period_type = 13,
	.period = 14,
	.comments = 15,
	.default_string = 16,
	.id = 17,
	.attributes = 18,
	.dropped = 19,
	.format = 20,
	.payload = 21,
	.attribute_ids = 22,
};

#define PROFILE_OF_V1_6                                             \
	.locations = 3, .time = 4, .duration = 5, .period_type = 6, \
	.period = 7, .comments = 8, .default_index = 9, .id = 10,   \
	.dropped = 11, .format = 12, .payload = 13, .attribute_ids = 14

static const struct op_legacy_layout in_data = {
	.table = { 2, 3, 4, 5, 6, 7, 8 },
	PROFILE_OF_V1_6,
};

static const struct op_legacy_layout in_dictionary = {
	.table = { 1, 2, 3, 4, 5, 6, 7 },
	PROFILE_OF_V1_6,
};

static struct op_arena *mem_of(struct op_legacy *l)
{
	return l->d.mem;
}

/* --- profiles --- */

enum { MOST_TYPES = 64 };

struct type {
	struct op_value_type value_type;
	uint32_t temporality; /* attribute, if it is not delta */
	struct op_profile head;
	struct op_build_pair pair;
};

struct op_legacy_profile {
	struct op_profile head;
	struct op_id_vec locations; /* indexes into the raw table */
	struct op_id_vec attrs;
	struct op_id_vec comments;
	OP_VEC(struct type) types; /* none moves once samples are read */
	uint32_t default_type;
	bool counts_one_more; /* every slice, see slice_cut() */
};

static void ids_read(struct op_legacy *l, struct op_cur run,
		     struct op_id_vec *out)
{
	if (!op_vec_reserve(mem_of(l), out, op_cur_left(&run))) {
		op_dec_nomem(&l->d);
		return;
	}
	while (run.p < run.end) {
		uint64_t v = op_cur_varint(&run);

		out->p[out->n++] = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
	}
}

static struct op_value_type type_read(struct op_legacy *l, struct op_cur c,
				      uint64_t *temporality)
{
	struct op_value_type t = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == VALUE_TYPE_TYPE)
			t.type = op_legacy_string(l, &c, &f);
		if (f.num == VALUE_TYPE_UNIT)
			t.unit = op_legacy_string(l, &c, &f);
		if (f.num == VALUE_TYPE_TEMPORALITY)
			*temporality = f.v;
	}
	return t;
}

static struct type *type_new(struct op_legacy *l, struct op_legacy_profile *p)
{
	if (!op_vec_push(mem_of(l), &p->types, (struct type){ 0 })) {
		op_dec_nomem(&l->d);
		return NULL;
	}
	return &p->types.p[p->types.n - 1];
}

static void type_add(struct op_legacy *l, struct op_cur c,
		     struct op_legacy_profile *p)
{
	enum { CUMULATIVE = 2 };
	struct op_any text = { .kind = OP_ANY_STRING };
	uint64_t temporality = 0;
	struct type *t;

	if (p->types.n == MOST_TYPES) {
		op_cur_fail(&c, c.end, OP_ELIMIT, "more than %d sample types",
			    MOST_TYPES);
		return;
	}
	t = type_new(l, p);
	if (!t)
		return;
	t->value_type = type_read(l, c, &temporality);
	text.bytes = op_view_z("cumulative");
	if (temporality == CUMULATIVE)
		t->temporality = op_build_attr(&l->b,
					       op_view_z(OP_ATTR_TEMPORALITY),
					       &text, (struct op_view){ 0 },
					       NULL);
}

/* style: long: one line a field of the layout */
static void profile_field(struct op_legacy *l, const struct op_cur *c,
			  const struct op_pb_field *f,
			  struct op_legacy_profile *p)
{
	const struct op_legacy_layout *y = l->layout;
	struct op_cur sub = op_pb_sub(c, f);
	uint64_t ignored;
	uint32_t id;

	if (f->num == PROFILE_SAMPLE_TYPE && f->wire == OP_PB_LEN)
		type_add(l, sub, p);
	else if (f->num == y->locations)
		ids_read(l, sub, &p->locations);
	else if (f->num == y->comments)
		ids_read(l, sub, &p->comments);
	else if (f->num == y->attribute_ids)
		op_legacy_attrs_add(l, sub, &p->attrs);
	else if (f->num == y->time && f->wire == OP_PB_VARINT)
		p->head.time_ns = f->v;
	else if (f->num == y->duration && f->wire == OP_PB_VARINT)
		p->head.duration_ns = f->v;
	else if (f->num == y->period && f->wire == OP_PB_VARINT)
		p->head.period = (int64_t)f->v;
	else if (f->num == y->dropped && f->wire == OP_PB_VARINT)
		p->head.dropped_attrs = (uint32_t)f->v;
	else if (f->num == y->default_index && f->wire == OP_PB_VARINT)
		p->default_type = (uint32_t)f->v;
	else if (f->wire != OP_PB_LEN)
		return;
	else if (f->num == y->period_type)
		p->head.period_type = type_read(l, sub, &ignored);
	else if (f->num == y->id)
		p->head.id_len = op_dec_id_bytes(&l->d, c->base, f->bytes,
						 p->head.id,
						 sizeof(p->head.id));
	else if (f->num == y->format)
		p->head.payload_format = f->bytes;
	else if (f->num == y->payload)
		p->head.payload = f->bytes;
	else if (y->attributes && f->num == y->attributes) {
		id = op_legacy_attr(l, sub);
		if (!op_vec_push(mem_of(l), &p->attrs, id))
			op_dec_nomem(&l->d);
	}
}

/* The default type is named by a string in v1.4 and v1.5. */
static void default_by_name(struct op_legacy *l, struct op_cur c,
			    struct op_legacy_profile *p)
{
	struct op_pb_field f;
	uint32_t name = 0;

	while (op_pb_next(&c, &f))
		if (f.num == l->layout->default_string &&
		    f.wire == OP_PB_VARINT)
			name = op_legacy_string(l, &c, &f);
	for (uint32_t i = 0; name && i < p->types.n; i++)
		if (p->types.p[i].value_type.type == name)
			p->default_type = i;
}

static void comments_add(struct op_legacy *l, struct op_legacy_profile *p)
{
	struct op_any list = { .kind = OP_ANY_ARRAY,
			       .n = (uint32_t)p->comments.n };
	uint32_t id;

	if (!list.n)
		return;
	list.array = op_new(mem_of(l), struct op_any, list.n);
	if (!list.array) {
		op_dec_nomem(&l->d);
		return;
	}
	for (uint32_t i = 0; i < list.n; i++) {
		list.array[i].kind = OP_ANY_STRING;
		list.array[i].bytes = op_legacy_string_at(l, p->comments.p[i]);
	}
	id = op_build_attr(&l->b, op_view_z(OP_ATTR_COMMENT), &list,
			   (struct op_view){ 0 }, NULL);
	if (!op_vec_push(mem_of(l), &p->attrs, id))
		op_dec_nomem(&l->d);
}

/* Each type becomes a profile. The id and the payload go with the default. */
static void types_begin(struct op_legacy *l, struct op_legacy_profile *p,
			uint32_t scope)
{
	static const struct op_view none;
	uint32_t set = op_legacy_set(l, &p->attrs);

	/* A profile without a type still has values. */
	if (!p->types.n && !type_new(l, p))
		return;
	if (p->default_type >= p->types.n)
		p->default_type = 0;
	for (uint32_t i = 0; i < p->types.n; i++) {
		struct type *t = &p->types.p[i];

		t->head = p->head;
		t->head.sample_type = t->value_type;
		t->head.attrs = set;
		if (t->temporality)
			t->head.attrs = op_build_set_with(&l->b, set,
							  t->temporality);
		if (i != p->default_type) {
			t->head.id_len = 0;
			t->head.payload = t->head.payload_format = none;
		}
		t->pair = (struct op_build_pair){ .scope = scope,
						  .head = &t->head };
	}
}

/* The type that comes k-th: the default first, the others in their order. */
static uint32_t type_at(const struct op_legacy_profile *p, uint32_t k)
{
	if (!k)
		return p->default_type;
	return k <= p->default_type ? k - 1 : k;
}

/* --- samples --- */

struct sample {
	uint64_t first, nr; /* in the profile's list of locations */
	OP_VEC(int64_t) values;
	OP_VEC(uint64_t) times;
	struct op_id_vec attrs;
	struct op_id_vec stack;
	uint32_t link;
	const uint8_t *at;
};

enum {
	SAMPLE_FIRST = 1,
	SAMPLE_NUMBER = 2,
	SAMPLE_VALUE = 3,
	SAMPLE_ATTRS = 4,
	SAMPLE_OPTIONAL_LINK = 5,
	SAMPLE_VARINT_TIMES = 6,
};

static void sample_read(struct op_legacy *l, struct op_cur c, struct sample *s)
{
	struct op_pb_field f;

	s->first = s->nr = s->link = 0;
	s->values.n = s->times.n = s->attrs.n = s->stack.n = 0;
	s->at = c.p;
	while (op_pb_next(&c, &f)) {
		struct op_cur run = op_pb_sub(&c, &f);
		bool ok = true;

		if (f.num == SAMPLE_FIRST)
			s->first = f.v;
		else if (f.num == SAMPLE_NUMBER)
			s->nr = f.v;
		else if (f.num == SAMPLE_ATTRS)
			op_legacy_attrs_add(l, run, &s->attrs);
		else if (f.num == SAMPLE_OPTIONAL_LINK &&
			 f.wire == OP_PB_VARINT)
			s->link = op_legacy_link(l, &c, f.bytes.p, f.v);
		while (f.num == SAMPLE_VALUE && ok && run.p < run.end)
			ok = op_vec_push(mem_of(l), &s->values,
					 (int64_t)op_cur_varint(&run));
		while (f.num == SAMPLE_VARINT_TIMES && ok && run.p < run.end)
			ok = op_vec_push(mem_of(l), &s->times,
					 op_cur_varint(&run));
		if (!ok)
			op_dec_nomem(&l->d);
	}
}

/* The agent of async-profiler 4.2 counts one location too many in every slice
 * if it tells threads apart, so that slices overlap by one and the last one
 * ends behind the list. */
static void slice_cut(struct op_legacy *l, const struct op_legacy_profile *p,
		      struct sample *s)
{
	uint64_t end = s->first + s->nr;

	if (!s->nr || (!p->counts_one_more && end != p->locations.n + 1))
		return;
	s->nr--;
	l->nr_cut++;
}

/* Whether the slices of a profile follow each other with an overlap of one, up
 * to one behind the end of the list. */
static bool counts_one_more(struct op_cur c, const struct op_legacy_profile *p)
{
	uint64_t next = 0;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		uint64_t first = 0, nr = 0;
		struct op_cur sample = op_pb_sub(&c, &f);

		if (op_pb_key(&f) != OP_PB(PROFILE_SAMPLES, OP_PB_LEN))
			continue;
		while (op_pb_next(&sample, &f)) {
			first = f.num == SAMPLE_FIRST ? f.v : first;
			nr = f.num == SAMPLE_NUMBER ? f.v : nr;
		}
		if (first != next || !nr)
			return false;
		next = first + nr - 1;
	}
	return next && next == p->locations.n;
}

enum { STEPS_A_FRAME = 8 };

static uint32_t stack_build(struct op_legacy *l, struct op_cur *c,
			    const struct op_legacy_profile *p, struct sample *s)
{
	if (s->first > p->locations.n || s->nr > p->locations.n - s->first) {
		op_cur_fail(c, s->at, OP_EFORMAT,
			    "locations %llu and %llu more are past their "
			    "list of %zu",
			    (unsigned long long)s->first,
			    (unsigned long long)s->nr, p->locations.n);
		return 0;
	}
	if (s->nr > l->frames_left) {
		op_cur_fail(c, s->at, OP_ELIMIT,
			    "slices of locations overlap too much");
		return 0;
	}
	l->frames_left -= s->nr;
	if (op_work(s->nr * STEPS_A_FRAME, c->err))
		return 0;
	for (uint64_t i = s->first; i < s->first + s->nr; i++) {
		uint32_t id = op_legacy_location(l, c, s->at,
						 p->locations.p[i]);

		if (!op_vec_push(mem_of(l), &s->stack, id))
			op_dec_nomem(&l->d);
	}
	return op_build_stack(&l->b, s->stack.p, (uint32_t)s->stack.n);
}

/* Part k of n of a value that was given once for n times. */
static int64_t share(int64_t value, size_t n, size_t k)
{
	int64_t parts = (int64_t)n;

	if (value == 1 || value == parts)
		return 1; /* n times the same event */
	return value / parts + (k ? 0 : value % parts);
}

/* With one type, as many values as times are pairs. Otherwise there is a value
 * a type, which is shared among the times if there are any. */
static void values_build(struct op_legacy *l, struct op_legacy_profile *p,
			 uint32_t type, struct op_identity id,
			 const struct sample *s)
{
	bool pairs = p->types.n == 1 && s->values.n == s->times.n;
	int64_t value = type < s->values.n ? s->values.p[type] : 0;
	uint32_t profile = op_build_pair_id(&l->b, &p->types.p[type].pair,
					    s->times.n != 0);
	uint32_t ix = op_build_sample(&l->b, profile, id);

	if (!s->times.n)
		op_build_add(&l->b, profile, ix, value);
	for (size_t i = 0; i < s->times.n; i++) {
		int64_t v = 1;

		if (pairs)
			v = s->values.p[i];
		else if (s->values.n)
			v = share(value, s->times.n, i);
		op_build_observe(&l->b, profile, ix, v, s->times.p[i]);
	}
}

static void samples_build(struct op_legacy *l, struct op_cur c,
			  struct op_legacy_profile *p)
{
	struct sample s = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_identity id;

		if (op_pb_key(&f) != OP_PB(PROFILE_SAMPLES, OP_PB_LEN))
			continue;
		sample_read(l, op_pb_sub(&c, &f), &s);
		l->no_data |= !s.values.n && !s.times.n;
		slice_cut(l, p, &s);
		id.stack = stack_build(l, &c, p, &s);
		id.set = op_legacy_set(l, &s.attrs);
		id.link = s.link;
		for (uint32_t k = 0; k < p->types.n && !c.err->code; k++)
			values_build(l, p, type_at(p, k), id, &s);
	}
}

static void profile_build(struct op_legacy *l, struct op_cur c, uint32_t scope)
{
	struct op_legacy_profile *p = l->profile;
	struct op_cur fields = c;
	struct op_pb_field f;

	p->head = (struct op_profile){ 0 };
	p->locations.n = p->attrs.n = p->comments.n = p->types.n = 0;
	p->default_type = 0;
	if (l->layout == &in_profile) {
		op_legacy_tables_clear(l);
		op_legacy_tables_add(l, c);
	}
	while (op_pb_next(&fields, &f))
		profile_field(l, &fields, &f, p);
	default_by_name(l, c, p);
	comments_add(l, p);
	types_begin(l, p, scope);
	p->counts_one_more = counts_one_more(c, p);
	samples_build(l, c, p);
	/* A profile without samples is one all the same. */
	for (uint32_t k = 0; k < p->types.n && !c.err->code; k++) {
		struct op_build_pair *pair = &p->types.p[type_at(p, k)].pair;

		if (!pair->made[0] && !pair->made[1])
			op_build_pair_id(&l->b, pair, false);
	}
}

/* --- the message --- */

static void scope_profiles(struct op_legacy *l, struct op_cur c,
			   uint32_t resource)
{
	struct op_scope head = { 0 };
	struct op_cur again = c;
	struct op_pb_field f;
	uint32_t scope;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(SCOPE_PROFILES_SCOPE, OP_PB_LEN))
			op_dec_scope(&l->d, op_pb_sub(&c, &f), &head);
		if (op_pb_key(&f) ==
		    OP_PB(SCOPE_PROFILES_SCHEMA_URL, OP_PB_LEN))
			head.schema_url = f.bytes;
	}
	scope = op_build_scope(&l->b, resource, &head, NULL);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(SCOPE_PROFILES_PROFILES, OP_PB_LEN))
			profile_build(l, op_pb_sub(&again, &f), scope);
}

static void resource_profiles(struct op_legacy *l, struct op_cur c)
{
	struct op_resource head = { 0 };
	struct op_cur again = c;
	struct op_pb_field f;
	uint32_t resource;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) ==
		    OP_PB(RESOURCE_PROFILES_RESOURCE, OP_PB_LEN))
			op_dec_resource(&l->d, op_pb_sub(&c, &f), &head);
		if (op_pb_key(&f) ==
		    OP_PB(RESOURCE_PROFILES_SCHEMA_URL, OP_PB_LEN))
			head.schema_url = f.bytes;
	}
	resource = op_build_resource(&l->b, &head, NULL);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN))
			scope_profiles(l, op_pb_sub(&again, &f), resource);
}

static const struct op_legacy_layout *
layout_of(const struct op_dialect *dialect)
{
	if (dialect == &op_dialect_v1_7)
		return &in_dictionary;
	return dialect == &op_dialect_v1_6 ? &in_data : &in_profile;
}

int op_legacy_decode(struct op_model *m, struct op_cur in,
		     const struct op_dialect *dialect,
		     const struct op_read_opts *read, struct op_shape *shape)
{
	struct op_legacy l = {
		.d = { .m = m, .mem = &m->mem, .err = in.err },
		.layout = layout_of(dialect),
	};
	struct op_legacy_profile profile = { 0 };
	struct op_cur c = in;
	struct op_pb_field f;

	l.profile = &profile;
	/* Slices may overlap; this is far more than samples that repeat a
	 * stack need, and bounds what a small message can make us do. */
	l.frames_left = (uint64_t)op_cur_left(&in) * 256 + 65536;
	/* References to strings came with v1.10; none are valid here. */
	for (int t = 0; t < OP_NR_TABLES; t++)
		l.d.limit[t] = 1;
	if (op_builder_init(&l.b, m, in.err))
		return in.err->code;
	if (l.layout == &in_data)
		op_legacy_tables_add(&l, in);
	while (l.layout == &in_dictionary && op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(DATA_DICTIONARY, OP_PB_LEN))
			op_legacy_tables_add(&l, op_pb_sub(&c, &f));
	while (op_pb_next(&in, &f))
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			resource_profiles(&l, op_pb_sub(&in, &f));
	if (l.nr_cut)
		op_note_skipped(read, in.err,
				"%llu stacks count one location too many: cut",
				(unsigned long long)l.nr_cut);
	shape->no_data = l.no_data;
	return op_builder_finish(&l.b);
}
