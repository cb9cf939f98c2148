// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/decode.c: ProfilesData into the model.
 *
 * Today's dialect is assumed unless the first sample says otherwise. The
 * decoder notes what the samples looked like, and only where that leaves a
 * doubt is the message looked at as a whole (dialect.c) and decoded again:
 * messages of today's release pay next to nothing for the older ones.
 */
#include "fmt/otlp/decode.h"

#include "fmt/otlp/fields.h"
#include "fmt/otlp/legacy.h"
#include "model/semconv.h"

int op_dec_nomem(struct op_dec *d)
{
	return op_fail(d->err, OP_ENOMEM, "no memory to decode the message");
}

static uint32_t field_count(struct op_cur c, uint32_t num)
{
	struct op_pb_field f;
	uint32_t n = 0;

	while (op_pb_next(&c, &f))
		n += op_pb_key(&f) == OP_PB(num, OP_PB_LEN);
	return n;
}

static void scope_profiles(struct op_dec *d, struct op_cur c,
			   struct op_scope *out)
{
	uint32_t nr = field_count(c, SCOPE_PROFILES_PROFILES);
	struct op_pb_field f;

	out->profiles = op_new(d->mem, struct op_profile, nr);
	if (!out->profiles) {
		op_dec_nomem(d);
		return;
	}
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(SCOPE_PROFILES_SCOPE, OP_PB_LEN):
			op_dec_scope(d, sub, out);
			break;
		case OP_PB(SCOPE_PROFILES_PROFILES, OP_PB_LEN):
			op_dec_profile(d, sub,
				       &out->profiles[out->nr_profiles++]);
			break;
		case OP_PB(SCOPE_PROFILES_SCHEMA_URL, OP_PB_LEN):
			out->schema_url = f.bytes;
			break;
		}
	}
}

static void resource_profiles(struct op_dec *d, struct op_cur c,
			      struct op_resource *out)
{
	uint32_t nr = field_count(c, RESOURCE_PROFILES_SCOPES);
	struct op_pb_field f;

	out->scopes = op_new(d->mem, struct op_scope, nr);
	if (!out->scopes) {
		op_dec_nomem(d);
		return;
	}
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(RESOURCE_PROFILES_RESOURCE, OP_PB_LEN):
			op_dec_resource(d, sub, out);
			break;
		case OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN):
			scope_profiles(d, sub, &out->scopes[out->nr_scopes++]);
			break;
		case OP_PB(RESOURCE_PROFILES_SCHEMA_URL, OP_PB_LEN):
			out->schema_url = f.bytes;
			break;
		}
	}
}

/* Appends a row that the input does not have. */
static uint32_t string_add(struct op_dec *d, const char *s)
{
	struct op_dict *dict = &d->m->dict;
	size_t n = dict->nr[OP_STRINGS] * sizeof(*dict->strings);
	struct op_view *p = op_arena_resize(d->mem, dict->strings, n,
					    n + sizeof(*dict->strings));

	if (!p) {
		op_dec_nomem(d);
		return 0;
	}
	dict->strings = p;
	p[dict->nr[OP_STRINGS]] = op_view_z(s);
	return dict->nr[OP_STRINGS]++;
}

static void profile_attr_add(struct op_dec *d, struct op_profile *p,
			     const char *key, struct op_any value)
{
	struct op_dict *dict = &d->m->dict;
	size_t n = dict->nr[OP_ATTRS] * sizeof(*dict->attrs);
	uint32_t at = d->set_at.p[p->attrs];
	uint32_t end = d->set_at.p[p->attrs + 1];
	struct op_attr *attrs;

	d->scratch.n = 0;
	if (!op_vec_reserve(d->mem, &d->scratch, end - at + 1)) {
		op_dec_nomem(d);
		return;
	}
	attrs = op_arena_resize(d->mem, dict->attrs, n,
				n + sizeof(*dict->attrs));
	if (!attrs) {
		op_dec_nomem(d);
		return;
	}
	dict->attrs = attrs;
	attrs[dict->nr[OP_ATTRS]] = (struct op_attr){ string_add(d, key), 0,
						      value };
	for (; at < end; at++)
		d->scratch.p[d->scratch.n++] = d->members.p[at];
	d->scratch.p[d->scratch.n++] = dict->nr[OP_ATTRS]++;
	p->attrs = op_dec_set(d);
}

/* Comments and the temporality of v1.8 become attributes. Delta is what every
 * profile is unless it says otherwise, and is not written down. */
static void leftovers_apply(struct op_dec *d)
{
	enum { CUMULATIVE = 2 };
	struct op_any any;

	for (size_t i = 0; i < d->leftovers.n && !d->err->code; i++) {
		struct op_dec_leftover *l = &d->leftovers.p[i];

		if (l->temporality == CUMULATIVE) {
			any = (struct op_any){ .kind = OP_ANY_STRING };
			any.bytes = op_view_z("cumulative");
			profile_attr_add(d, l->profile, OP_ATTR_TEMPORALITY,
					 any);
		}
		if (!l->nr_comments || d->err->code)
			continue;
		any = (struct op_any){ .kind = OP_ANY_ARRAY,
				       .n = l->nr_comments };
		any.array = op_new(d->mem, struct op_any, any.n);
		if (!any.array) {
			op_dec_nomem(d);
			return;
		}
		for (uint32_t k = 0; k < any.n; k++) {
			any.array[k].kind = OP_ANY_STRING_ID;
			any.array[k].string_id =
				d->comments.p[l->first_comment + k];
		}
		profile_attr_add(d, l->profile, OP_ATTR_COMMENT, any);
	}
}

static int decode(struct op_dec *d, struct op_cur in)
{
	struct op_dec_counts counts = { 0 };
	struct op_model *m = d->m;
	struct op_cur c = in;
	uint32_t nr_resources = 0;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(DATA_DICTIONARY, OP_PB_LEN))
			op_dec_dictionary_count(op_pb_sub(&c, &f), &counts);
		nr_resources += op_pb_key(&f) ==
				OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN);
	}
	if (d->err->code)
		return d->err->code;
	m->resources = op_new(d->mem, struct op_resource, nr_resources);
	if (!m->resources || !op_dec_tables_new(d, &counts))
		return op_dec_nomem(d);
	c = in;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (op_pb_key(&f) == OP_PB(DATA_DICTIONARY, OP_PB_LEN))
			op_dec_dictionary(d, sub);
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			resource_profiles(d, sub,
					  &m->resources[m->nr_resources++]);
	}
	if (d->leftovers.n && !d->err->code)
		leftovers_apply(d);
	return d->err->code ? d->err->code : op_dec_tables_finish(d);
}

static int decode_as(struct op_model *m, struct op_cur in,
		     const struct op_dialect *dialect,
		     const struct op_otlp_opts *opts, struct op_shape *shape)
{
	struct op_dec d = {
		.m = m,
		.mem = &m->mem,
		.err = in.err,
		.dialect = dialect,
		.unchecked = opts && opts->unchecked,
	};

	m->dialect = dialect->name;
	if (dialect->family == OP_FAMILY_SLICES)
		return op_legacy_decode(m, in, dialect);
	decode(&d, in);
	*shape = d.shape;
	return in.err->code;
}

/* Whether what field 2 of the samples holds can be attributes: ids of rows, no
 * key twice in a set. */
static bool sets_are_sound(const struct op_model *m)
{
	enum { ENOUGH = 64 }; /* compared with each, so as to end in time */
	const struct op_dict *d = &m->dict;

	for (uint32_t i = 0; i < d->sets.nr; i++) {
		struct op_ids ids = op_list(&d->sets, i);

		for (uint32_t a = 0; a < ids.n; a++) {
			if (ids.p[a] >= d->nr[OP_ATTRS])
				return false;
			for (uint32_t b = 0; b < a && b < ENOUGH; b++)
				if (d->attrs[ids.p[a]].key ==
				    d->attrs[ids.p[b]].key)
					return false;
		}
	}
	return true;
}

static bool attributes_fit(struct op_cur in, size_t quota)
{
	struct op_otlp_opts opts = { .unchecked = true };
	struct op_model m = { .mem.quota = quota };
	struct op_err ignored = { 0 };
	struct op_shape shape;
	bool fit;

	in.err = &ignored;
	fit = !decode_as(&m, in, &op_dialect_v1_10, &opts, &shape) &&
	      sets_are_sound(&m);
	op_model_free(&m);
	return fit;
}

/* The dialect that the whole message speaks for. */
static struct op_dialect_verdict verdict_of(struct op_cur in, size_t quota)
{
	struct op_dialect_verdict v = op_dialect_find(op_cur_rest(&in));

	if (v.ask_attributes && !attributes_fit(in, quota))
		v = (struct op_dialect_verdict){ .dialect = &op_dialect_v1_9 };
	return v;
}

int op_otlp_decode(struct op_model *m, struct op_view msg,
		   const struct op_otlp_opts *opts, struct op_err *err)
{
	struct op_dialect_verdict v = { .dialect = &op_dialect_v1_10 };
	struct op_err mine = { 0 };
	struct op_cur in = op_cur(msg, &mine);
	struct op_shape shape = { 0 };
	size_t quota = m->mem.quota;

	if (opts)
		in.base -= opts->at;
	if (opts && opts->dialect)
		v.dialect = opts->dialect;
	else if (op_dialect_looks_older(msg))
		v = verdict_of(in, quota);
	decode_as(m, in, v.dialect, opts, &shape);
	/* Today's, but it did not fit, or not surely? */
	if (v.dialect == &op_dialect_v1_10 && !v.doubt &&
	    !(opts && opts->dialect) &&
	    (mine.code ? mine.code == OP_EFORMAT :
			 !op_shape_is_current(&shape)))
		v = verdict_of(in, quota);
	if (v.dialect != &op_dialect_v1_10 && m->dialect != v.dialect->name) {
		op_model_free(m);
		*m = (struct op_model){ .mem.quota = quota };
		mine = (struct op_err){ 0 };
		decode_as(m, in, v.dialect, opts, &shape);
	}
	m->doubt = v.doubt;
	if (mine.code && !err->code)
		*err = mine;
	return err->code;
}
