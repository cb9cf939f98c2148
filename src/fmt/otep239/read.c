// SPDX-License-Identifier: Apache-2.0
/* fmt/otep239/read.c: profiles of OTEP 239 into a model.
 *
 * The draft says that its reader can read pprof, whose rows have ids that
 * others refer to, where here they refer to places, counted from 0. Which it
 * is shows in the ids and in who refers to 0. */
#include "fmt/otep239/otep239.h"

#include "fmt/draft/read.h"
#include "fmt/otlp/fields.h"
#include "fmt/pprof/fields.h"
#include "fmt/pprof/pprof.h"
#include "model/semconv.h"

enum { MOST_TYPES = 1024 };

struct type {
	struct op_value_type value_type;
	uint32_t temporality; /* attribute, if it is not delta */
};

/* A profile being read; used again for the next. */
struct profile {
	struct op_profile head; /* of all types */
	struct op_view id, payload, payload_format;
	uint64_t start, end, time, duration;
	bool times_in_ns;
	struct op_id_vec attrs;
	OP_VEC(struct type) types;
	uint32_t default_type;
	struct op_draft_numbers locations; /* location_indices */
	struct op_draft_numbers comments;
	uint32_t *ids[2]; /* without and with times; NULL: not made yet */
	uint32_t scope;

	/* Of the sample at hand. */
	struct op_draft_numbers stack, values, times;
	struct op_id_vec frames, set;
	uint64_t first, nr; /* in locations */
	uint32_t link;
};

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

static void type_add(struct op_draft *r, struct op_cur c, struct profile *p)
{
	uint64_t temporality = 0;
	struct type t = { 0 };

	if (p->types.n == MOST_TYPES) {
		op_cur_fail(&c, c.p, OP_ELIMIT, "more than %d sample types",
			    MOST_TYPES);
		return;
	}
	t.value_type = type_read(r, c, &temporality);
	if (temporality == OP_DRAFT_CUMULATIVE)
		t.temporality = op_draft_text_attr(r, OP_ATTR_TEMPORALITY,
						   op_view_z("cumulative"));
	if (!op_vec_push(&r->scratch, &p->types, t))
		op_draft_nomem(r);
}

static void text_add(struct op_draft *r, struct profile *p, const char *key,
		     const struct op_pb_field *f)
{
	struct op_view text = op_draft_text(r, f->v, f->bytes.p);

	if (text.n)
		op_draft_attr_push(r, &p->attrs,
				   op_draft_text_attr(r, key, text));
}

static void number_read(struct op_draft *r, const struct op_pb_field *f,
			struct profile *p)
{
	switch (f->num) {
	case EXT_DROP_FRAMES:
		text_add(r, p, OP_ATTR_DROP_FRAMES, f);
		break;
	case EXT_KEEP_FRAMES:
		text_add(r, p, OP_ATTR_KEEP_FRAMES, f);
		break;
	case EXT_TIME:
		p->time = (int64_t)f->v > 0 ? f->v : 0;
		break;
	case EXT_DURATION:
		p->duration = (int64_t)f->v > 0 ? f->v : 0;
		break;
	case EXT_PERIOD:
		p->head.period = (int64_t)f->v;
		break;
	}
}

/* All but samples and tables. */
static void head_read(struct op_draft *r, struct op_cur c, struct profile *p)
{
	const uint8_t *at = c.p;
	struct op_pb_field f;
	uint64_t ignored;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (op_pb_key(&f) == OP_PB(EXT_SAMPLE_TYPE, OP_PB_LEN))
			type_add(r, sub, p);
		else if (op_pb_key(&f) == OP_PB(EXT_PERIOD_TYPE, OP_PB_LEN))
			p->head.period_type = type_read(r, sub, &ignored);
		else if (f.num == EXT_LOCATION_INDICES)
			op_draft_numbers(r, sub, &p->locations);
		else if (f.num == EXT_COMMENT)
			op_draft_numbers(r, sub, &p->comments);
		else if (f.wire == OP_PB_VARINT)
			number_read(r, &f, p);
	}
	op_draft_comments(r, &p->comments, at, &p->attrs);
}

/* The type that comes first in the model: the named one, else the last. */
static void default_find(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct op_pb_field f;
	uint32_t name = 0;

	p->default_type = p->types.n ? (uint32_t)p->types.n - 1 : 0;
	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(EXT_DEFAULT_TYPE, OP_PB_VARINT))
			name = op_draft_string(r, &f);
	for (uint32_t i = (uint32_t)p->types.n; name && i--;)
		if (p->types.p[i].value_type.type == name)
			p->default_type = i;
}

/* The type that comes k-th: the default first, the others in their order. */
static uint32_t type_at(const struct profile *p, uint32_t k)
{
	if (!k)
		return p->default_type;
	return k <= p->default_type ? k - 1 : k;
}

/* --- ids or places --- */

/* Whether all rows of a table have an id, and there are some. */
static bool has_ids(struct op_draft *r, enum op_table t)
{
	const struct op_draft_table *table = &r->tables[t];

	for (size_t i = 0; i < table->rows.n; i++) {
		struct op_cur c = op_cur_sub(&r->file, table->rows.p[i]);
		struct op_pb_field f;
		uint64_t id = 0;

		while (op_pb_next(&c, &f))
			if (op_pb_key(&f) ==
			    OP_PB(OP_DRAFT_ROW_ID, OP_PB_VARINT))
				id = f.v;
		if (!id)
			return false;
	}
	return table->rows.n;
}

static bool has_zero(struct op_cur run)
{
	while (op_cur_more(&run))
		if (!op_cur_varint(&run))
			return true;
	return false;
}

/* Whether a sample refers to location 0, which no id can be. */
static bool refers_to_first(struct op_draft *r, struct op_cur c,
			    const struct profile *p)
{
	struct op_pb_field f, g;

	for (size_t i = 0; i < p->locations.n; i++)
		if (!p->locations.p[i])
			return true;
	while (op_pb_next(&c, &f)) {
		struct op_cur sample = op_pb_sub(&c, &f);

		if (op_pb_key(&f) != OP_PB(EXT_SAMPLE, OP_PB_LEN))
			continue;
		while (op_pb_next(&sample, &g))
			if (g.num == EXT_SAMPLE_LOCATION &&
			    has_zero(op_pb_sub(&sample, &g)))
				return true;
	}
	return r->err->code;
}

/* --- profiles --- */

/* The profiles of samples with times, or without: one a type, of the same
 * samples. The id and the payload go with the first of all. */
static const uint32_t *profiles_of(struct op_draft *r, struct profile *p,
				   bool timed)
{
	uint32_t n = p->types.n ? (uint32_t)p->types.n : 1;
	struct op_profile head = p->head;
	uint32_t *ids = p->ids[timed];

	if (ids)
		return ids;
	ids = op_new(&r->scratch, uint32_t, n);
	if (!ids) {
		op_draft_nomem(r);
		return NULL;
	}
	if (!p->ids[!timed]) {
		head.id_len = op_dec_id_bytes(&r->d, r->file.base, p->id,
					      head.id, sizeof(head.id));
		head.payload = p->payload;
		head.payload_format = p->payload_format;
	}
	for (uint32_t k = 0; k < n && !r->err->code; k++) {
		struct type t = { 0 };

		if (p->types.n)
			t = p->types.p[type_at(p, k)];
		head.sample_type = t.value_type;
		head.attrs = p->head.attrs;
		if (t.temporality)
			head.attrs = op_build_set_with(&r->b, head.attrs,
						       t.temporality);
		ids[k] = k ? op_build_profile_like(&r->b, ids[0], &head) :
			     op_build_profile(&r->b, p->scope, &head);
		head.id_len = 0;
		head.payload = head.payload_format = (struct op_view){ 0 };
	}
	return p->ids[timed] = ids;
}

/* --- samples --- */

/* A label is an attribute of its own. */
static void label_add(struct op_draft *r, struct op_cur c, struct profile *p)
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
		op_draft_attr_push(r, &p->set,
				   op_build_attr(&r->b, key, &v, unit, NULL));
}

static void sample_read(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct op_pb_field f;

	p->stack.n = p->values.n = p->times.n = p->set.n = 0;
	p->first = p->nr = p->link = 0;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num == EXT_SAMPLE_LOCATION)
			op_draft_numbers(r, sub, &p->stack);
		else if (f.num == EXT_SAMPLE_VALUE)
			op_draft_numbers(r, sub, &p->values);
		else if (f.num == EXT_SAMPLE_TIMES)
			op_draft_numbers(r, sub, &p->times);
		else if (f.num == EXT_SAMPLE_ATTRIBUTES)
			op_draft_attrs_add(r, sub, &p->set);
		else if (op_pb_key(&f) == OP_PB(EXT_SAMPLE_LABEL, OP_PB_LEN))
			label_add(r, sub, p);
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == EXT_SAMPLE_START)
			p->first = f.v;
		else if (f.num == EXT_SAMPLE_LENGTH)
			p->nr = f.v;
		else if (f.num == EXT_SAMPLE_LINK)
			p->link = op_draft_link(r, f.v, f.bytes.p);
	}
}

/* The locations of a sample: its slice of the list, or pprof's own. */
static uint32_t stack_build(struct op_draft *r, struct profile *p,
			    const uint8_t *at)
{
	const uint64_t *ix = p->stack.p;
	uint64_t n = p->stack.n;

	if (p->nr) {
		if (p->first > p->locations.n ||
		    p->nr > p->locations.n - p->first) {
			op_fail_at(r->err, OP_EFORMAT,
				   (uint64_t)(at - r->file.base),
				   "locations %llu and %llu more are past "
				   "their list of %zu",
				   (unsigned long long)p->first,
				   (unsigned long long)p->nr, p->locations.n);
			return 0;
		}
		ix = p->locations.p + p->first;
		n = p->nr;
	}
	if (!op_draft_allow(r, n, at))
		return 0;
	p->frames.n = 0;
	for (uint64_t i = 0; i < n && !r->err->code; i++)
		op_draft_attr_push(r, &p->frames,
				   op_draft_location(r, ix[i], at));
	return op_build_stack(&r->b, p->frames.p, (uint32_t)p->frames.n);
}

/* Part k of n of a value that was given once for n times. */
static int64_t share(int64_t value, size_t n, size_t k)
{
	int64_t parts = (int64_t)n;

	if (value == 1 || value == parts)
		return 1; /* n times the same event */
	return value / parts + (k ? 0 : value % parts);
}

static void values_build(struct op_draft *r, struct profile *p,
			 struct op_identity id)
{
	bool timed = p->times.n != 0;
	const uint32_t *profiles = profiles_of(r, p, timed);
	struct op_builder *b = &r->b;
	uint32_t nr = (uint32_t)p->types.n, sample;

	if (!profiles || r->err->code)
		return;
	sample = op_build_sample(b, profiles[0], id);
	for (uint32_t k = 0; !timed && k < (nr ? nr : 1); k++)
		op_build_add(b, profiles[k], sample,
			     nr ? (int64_t)p->values.p[type_at(p, k)] : 1);
	for (size_t i = 0; i < p->times.n; i++) {
		uint64_t t = p->times_in_ns ? p->times.p[i] :
					      op_draft_time_ns(p->times.p[i]);

		for (uint32_t k = 0; k < (nr ? nr : 1); k++) {
			int64_t v = 1;

			if (nr)
				v = share((int64_t)p->values.p[type_at(p, k)],
					  p->times.n, i);
			if (k)
				op_build_observe_like(b, profiles[k], v);
			else
				op_build_observe(b, profiles[0], sample, v, t);
		}
	}
}

static void sample_build(struct op_draft *r, struct op_cur c, struct profile *p)
{
	const uint8_t *at = c.p;
	struct op_identity id;

	sample_read(r, c, p);
	if (!r->err->code && p->values.n != p->types.n)
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - r->file.base),
			   "a sample of %zu values, there are %zu types",
			   p->values.n, p->types.n);
	if (r->err->code)
		return;
	id.stack = stack_build(r, p, at);
	id.set = op_draft_set(r, &p->set);
	id.link = p->link;
	values_build(r, p, id);
}

static void profile_begin(struct profile *p, uint32_t scope)
{
	p->head = (struct op_profile){ 0 };
	p->id = p->payload = p->payload_format = (struct op_view){ 0 };
	p->start = p->end = p->time = p->duration = 0;
	p->times_in_ns = false;
	p->attrs.n = p->types.n = p->locations.n = p->comments.n = 0;
	p->ids[0] = p->ids[1] = NULL;
	p->scope = scope;
}

static void profile_build(struct op_draft *r, struct op_cur c,
			  struct profile *p)
{
	struct op_cur again = c;
	struct op_pb_field f;

	head_read(r, c, p);
	default_find(r, c, p);
	p->head.attrs = op_draft_set(r, &p->attrs);
	p->head.duration_ns = p->duration;
	op_draft_range(&p->head, p->start ? p->start : p->time, p->end);
	if (has_ids(r, OP_LOCATIONS) && !refers_to_first(r, c, p))
		op_draft_use_ids(r);
	op_draft_mappings(r);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(EXT_SAMPLE, OP_PB_LEN))
			sample_build(r, op_pb_sub(&again, &f), p);
	if (!r->err->code && !p->ids[0] && !p->ids[1])
		profiles_of(r, p, false);
}

/* --- around a profile --- */

static void container_field(struct op_draft *r, const struct op_cur *c,
			    const struct op_pb_field *f, struct profile *p)
{
	switch (op_pb_key(f)) {
	case OP_PB(CONTAINER_ID, OP_PB_LEN):
		p->id = f->bytes;
		break;
	case OP_PB(CONTAINER_START, OP_PB_I64):
		p->start = f->v;
		break;
	case OP_PB(CONTAINER_END, OP_PB_I64):
		p->end = f->v;
		break;
	case OP_PB(CONTAINER_ATTRIBUTES, OP_PB_LEN):
		if (op_draft_is_time_unit(op_pb_sub(c, f)))
			p->times_in_ns = true;
		else
			op_draft_attr_push(r, &p->attrs,
					   op_draft_pair(r, op_pb_sub(c, f)));
		break;
	case OP_PB(CONTAINER_DROPPED, OP_PB_VARINT):
		p->head.dropped_attrs = (uint32_t)f->v;
		break;
	case OP_PB(CONTAINER_PAYLOAD_FORMAT, OP_PB_LEN):
		p->payload_format = f->bytes;
		break;
	case OP_PB(CONTAINER_PAYLOAD, OP_PB_LEN):
		p->payload = f->bytes;
		break;
	}
}

static void container_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	struct profile *p = r->ctx;
	struct op_cur body = c, again = c;
	struct op_pb_field f;

	body.end = body.p;
	profile_begin(p, scope);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(CONTAINER_PROFILE, OP_PB_LEN))
			body = op_pb_sub(&again, &f);
	/* Units of attributes are in the tables. */
	op_draft_tables(r, body);
	while (op_pb_next(&c, &f))
		container_field(r, &c, &f, p);
	if (!r->err->code)
		profile_build(r, body, p);
}

static void bare_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	profile_begin(r->ctx, scope);
	op_draft_tables(r, c);
	if (!r->err->code)
		profile_build(r, c, r->ctx);
}

/* --- the whole --- */

/* Whether a message is a profile without a container: the first field 1 is a
 * type, which has only numbers, or there are fields that ProfilesData has
 * not. */
static bool is_bare(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f, g;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num > 1)
			return true;
		if (op_pb_next(&sub, &g) && g.wire == OP_PB_VARINT)
			return true;
	}
	return false;
}

/* Whether a bare profile is pprof's: nothing in it is of the draft. */
static bool is_pprof(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f, g;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num > EXT_LOCATION_INDICES)
			return false;
		if (f.num == EXT_LOCATION_INDICES && f.wire == OP_PB_LEN)
			return false;
		if (op_pb_key(&f) != OP_PB(EXT_SAMPLE, OP_PB_LEN))
			continue;
		while (op_pb_next(&sub, &g))
			if (g.num > EXT_SAMPLE_LABEL)
				return false;
	}
	return true;
}

int op_otep239_decode(struct op_model *m, struct op_view msg,
		      struct op_err *err)
{
	struct op_draft r = { .layout = &op_otep239_layout };
	struct profile p = { 0 };

	r.ctx = &p;
	if (!is_bare(msg))
		return op_draft_read(&r, m, msg, container_read, err);
	if (is_pprof(msg))
		return op_pprof_decode(m, msg, err);
	return op_draft_read_bare(&r, m, msg, bare_read, err);
}
