// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read.c: ProfilesData into the model.
 *
 * The current wire version is assumed unless the first sample contradicts it.
 * The decoder records what the samples looked like. Only if that is ambiguous,
 * the whole message is inspected (dialect.c) and decoded again: messages of the
 * current version pay next to nothing for the older ones. If the wire types
 * allow several versions, each is tried, and the one in which the message makes
 * sense is used. */
#include "fmt/otlp/read_int.h"

#include <stdio.h>

#include "fmt/otlp/fields.h"
#include "fmt/otlp/read_legacy.h"
#include "model/invariants.h"
#include "model/semconv.h"

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
	if (!out->profiles)
		return;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(SCOPE_PROFILES_SCOPE, OP_PB_LEN):
			op_wire_scope(&d->wire, sub, out);
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
	if (!out->scopes)
		return;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(RESOURCE_PROFILES_RESOURCE, OP_PB_LEN):
			op_wire_resource(&d->wire, sub, out);
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

	if (!p)
		return 0;
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
	if (!op_vec_reserve(d->mem, &d->scratch, end - at + 1))
		return;
	attrs = op_arena_resize(d->mem, dict->attrs, n,
				n + sizeof(*dict->attrs));
	if (!attrs)
		return;
	dict->attrs = attrs;
	attrs[dict->nr[OP_ATTRS]] = (struct op_attr){ string_add(d, key), 0,
						      value };
	for (; at < end; at++)
		d->scratch.p[d->scratch.n++] = d->members.p[at];
	d->scratch.p[d->scratch.n++] = dict->nr[OP_ATTRS]++;
	p->attrs = op_dec_set(d);
}

/* Comments and the temporality of v1.8 become attributes. Delta is the default
 * and is not recorded. */
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
		if (!any.array)
			return;
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
		return d->err->code;
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
		.wire = { .mem = &m->mem,
			  .err = in.err,
			  .unchecked = opts && opts->unchecked },
	};

	op_arena_tells(&m->mem, in.err);
	m->dialect = dialect->name;
	if (dialect->family == OP_FAMILY_SLICES)
		return op_legacy_decode(m, in, dialect,
					opts ? opts->read : NULL, shape);
	decode(&d, in);
	*shape = d.shape;
	return in.err->code;
}

/* Whether the sets can be attributes: no key occurs twice, and none is row 0,
 * which means "none". */
static bool sets_are_sound(const struct op_model *m)
{
	enum { ENOUGH = 64 }; /* limits the work: each is compared with each */
	const struct op_dict *d = &m->dict;

	for (uint32_t i = 0; i < d->sets.nr; i++) {
		struct op_ids ids = op_list(&d->sets, i);

		for (uint32_t a = 0; a < ids.n; a++) {
			if (!ids.p[a])
				return false;
			for (uint32_t b = 0; b < a && b < ENOUGH; b++)
				if (d->attrs[ids.p[a]].key ==
				    d->attrs[ids.p[b]].key)
					return false;
		}
	}
	return true;
}

/* Whether no sample uses the table of links. */
static bool links_are_unused(const struct op_model *m)
{
	struct op_walk w = { 0 };

	if (m->dict.nr[OP_LINKS] < 2)
		return false;
	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			if (w.profile->link[i])
				return false;
	return true;
}

/* How well a wire version fits a message. */
enum fit {
	BROKEN, /* it cannot be decoded: err says why */
	ODD,	/* it can, but a sample has no data, or tables make no sense */
	FITS,
};

static enum fit try_as(struct op_cur in, const struct op_dialect *dialect,
		       size_t quota, struct op_err *err)
{
	struct op_model m = { .mem.quota = quota };
	struct op_shape shape = { 0 };
	enum fit fit = FITS;

	*err = (struct op_err){ 0 };
	in.err = err;
	if (decode_as(&m, in, dialect, NULL, &shape))
		fit = BROKEN;
	else if (shape.no_data || !sets_are_sound(&m) || links_are_unused(&m))
		fit = ODD;
	op_model_free(&m);
	return fit;
}

/* Reports the error in each wire version. The position is that of the most
 * likely one. */
static void none_fits(const struct op_dialect_verdict *v,
		      const struct op_err *why, struct op_err *err)
{
	char text[sizeof(err->text)];
	size_t n = 0;

	for (uint32_t i = 0; i < v->nr && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%sas %s: %s",
				      i ? "; " : "", v->list[i]->name,
				      why[i].text);
	*err = why[0];
	memcpy(err->text, text, sizeof(text));
}

/* The wire version that fits the whole message, with m->dialect_note set if
 * another one fits too. If none fits, the most likely one, and err says why. */
static const struct op_dialect *choose(struct op_model *m, struct op_cur in,
				       struct op_err *err)
{
	struct op_dialect_verdict v = op_dialect_find(op_cur_rest(&in));
	const struct op_dialect *best = v.list[0];
	struct op_err why[op_countof(v.list)];
	enum fit best_fit = BROKEN;
	bool several = false;

	for (uint32_t i = 0; v.nr > 1 && i < v.nr; i++) {
		enum fit fit = try_as(in, v.list[i], m->mem.quota, &why[i]);

		several = fit == FITS && best_fit == FITS ? true : several;
		if (fit > best_fit) {
			best = v.list[i];
			best_fit = fit;
		}
	}
	m->dialect_note = several || v.is_mixed ? v.dialect_note : NULL;
	if (v.nr > 1 && best_fit == BROKEN)
		none_fits(&v, why, err);
	return best;
}

/* Whether the message, decoded as the current version, certainly is of it. */
static bool is_settled(const struct op_err *err, const struct op_shape *shape)
{
	if (err->code)
		return err->code != OP_EFORMAT;
	return op_shape_is_current(shape);
}

static int decode_any(struct op_model *m, struct op_cur in,
		      const struct op_otlp_opts *opts)
{
	const struct op_dialect *tried = NULL, *dialect;
	struct op_err none = { 0 };
	size_t quota = m->mem.quota;
	struct op_shape shape = { 0 };
	const char *note;

	if (!op_dialect_looks_older(op_cur_rest(&in))) {
		tried = &op_dialect_v1_10;
		decode_as(m, in, tried, opts, &shape);
		if (is_settled(in.err, &shape))
			return in.err->code;
	}
	dialect = choose(m, in, &none);
	note = m->dialect_note;
	if (none.code && !(opts && opts->unchecked)) {
		*in.err = none;
		return in.err->code;
	}
	if (dialect != tried) {
		op_model_free(m);
		*m = (struct op_model){ .mem.quota = quota };
		*in.err = (struct op_err){ 0 };
		decode_as(m, in, dialect, opts, &shape);
	}
	m->dialect_note = note;
	return in.err->code;
}

int op_otlp_decode(struct op_model *m, struct op_view msg,
		   const struct op_otlp_opts *opts, struct op_err *err)
{
	struct op_err mine = { 0 };
	struct op_cur in = op_cur(msg, &mine);
	struct op_shape shape;

	if (opts)
		in.base -= opts->at;
	if (opts && opts->dialect)
		decode_as(m, in, opts->dialect, opts, &shape);
	else
		decode_any(m, in, opts);
	if (!mine.code)
		op_model_assert_tables(m);
	else if (!err->code)
		*err = mine;
	return err->code;
}
