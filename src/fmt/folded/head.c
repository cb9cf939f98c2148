// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/head.c: the line "# otprof", which begins a profile, and the
 * facts on it: name=value, one space between them, escaped.
 *
 *	type unit                   of the counts
 *	period.type period.unit period
 *	time duration               nanoseconds, since 1970
 *	id                          32 hex digits
 *	profile.KEY                 an attribute of the profile
 *	scope.name scope.version
 *	resource.KEY                an attribute of the resource
 */
#include "fmt/folded/folded_int.h"

struct section {
	struct op_folded_reader *r;
	struct op_resource resource;
	struct op_scope scope;
	struct op_folded_set attrs;
	OP_VEC(struct op_kv) kvs;
};

static bool begins(struct op_view v, const char *with, struct op_view *rest)
{
	size_t n = strlen(with);

	if (v.n < n || memcmp(v.p, with, n))
		return false;
	*rest = op_view(v.p + n, v.n - n);
	return true;
}

static bool set_string(struct op_folded_reader *r, uint32_t *to,
		       struct op_view value)
{
	*to = op_build_string(&r->b, op_folded_text(r, value));
	return true;
}

static bool set_id(struct op_profile *head, struct op_view value)
{
	head->id_len = sizeof(head->id);
	return op_folded_hex(value, head->id, sizeof(head->id));
}

/* A fact of the profile itself; false if it is broken. What is not known is
 * left for later versions. */
static bool profile_fact(struct op_folded_reader *r, struct op_view key,
			 struct op_view value)
{
	struct op_profile *head = &r->head;

	if (op_view_is(key, "type"))
		return set_string(r, &head->sample_type.type, value);
	if (op_view_is(key, "unit"))
		return set_string(r, &head->sample_type.unit, value);
	if (op_view_is(key, "period.type"))
		return set_string(r, &head->period_type.type, value);
	if (op_view_is(key, "period.unit"))
		return set_string(r, &head->period_type.unit, value);
	if (op_view_is(key, "period"))
		return op_folded_i64(value, &head->period);
	if (op_view_is(key, "time"))
		return op_folded_u64(value, &head->time_ns);
	if (op_view_is(key, "duration"))
		return op_folded_u64(value, &head->duration_ns);
	if (op_view_is(key, "id"))
		return set_id(head, value);
	return true;
}

static bool fact(struct section *s, struct op_view key, struct op_view value)
{
	struct op_folded_reader *r = s->r;
	struct op_kv kv = { 0 };
	struct op_view name;

	if (begins(key, "resource.", &name)) {
		kv.key = op_folded_text(r, name);
		kv.value = op_folded_value(r, value);
		(void)op_vec_push(&r->mem, &s->kvs, kv);
	} else if (begins(key, "profile.", &name)) {
		op_folded_set_put(r, &s->attrs, name, value);
	} else if (op_view_is(key, "scope.name")) {
		s->scope.name = op_folded_text(r, value);
	} else if (op_view_is(key, "scope.version")) {
		s->scope.version = op_folded_text(r, value);
	} else {
		return profile_fact(r, key, value);
	}
	return true;
}

static void facts(struct section *s, struct op_view line)
{
	const uint8_t *p = line.p, *end = p + line.n;

	while (p && !s->r->err->code) {
		const uint8_t *stop = memchr(p, ' ', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);
		const uint8_t *eq = memchr(p, '=', n);
		size_t key_n = eq ? (size_t)(eq - p) : n;

		if (eq &&
		    !fact(s, op_view(p, key_n), op_view(eq + 1, n - key_n - 1)))
			op_folded_bad(s->r, OP_EFORMAT, p,
				      "the value of this field is not valid");
		p = stop ? stop + 1 : NULL;
	}
}

static bool same_resource(const struct op_resource *a,
			  const struct op_resource *b)
{
	if (a->attrs.n != b->attrs.n)
		return false;
	for (uint32_t i = 0; i < a->attrs.n; i++) {
		const struct op_kv *x = &a->attrs.p[i], *y = &b->attrs.p[i];

		if (!op_view_eq(x->key, y->key) ||
		    !op_any_eq(NULL, &x->value, NULL, &y->value))
			return false;
	}
	return true;
}

/* The resource and scope: those of the section before where they are equal. */
static void place(struct section *s)
{
	struct op_folded_reader *r = s->r;
	bool same = r->has_section && same_resource(&s->resource, &r->resource);

	if (!same)
		r->resource_id = op_build_resource(&r->b, &s->resource, NULL);
	if (!same || !op_view_eq(s->scope.name, r->scope.name) ||
	    !op_view_eq(s->scope.version, r->scope.version))
		r->pair.scope = op_build_scope(&r->b, r->resource_id, &s->scope,
					       NULL);
	r->resource = s->resource;
	r->scope = s->scope;
	r->has_section = true;
}

void op_folded_section(struct op_folded_reader *r, struct op_view line)
{
	struct section s = { .r = r };

	r->head = (struct op_profile){ .sample_type = r->as };
	r->pair = (struct op_build_pair){ .scope = r->pair.scope,
					  .head = &r->head };
	facts(&s, line);
	s.resource.attrs = (struct op_kvs){ s.kvs.p, (uint32_t)s.kvs.n };
	r->head.attrs = op_build_set(&r->b, s.attrs.ids, s.attrs.n);
	if (!r->err->code)
		place(&s);
}

/* --- writing --- */

static void put_string(struct op_buf *out, const char *name, struct op_view v)
{
	op_buf_byte(out, ' ');
	op_buf_z(out, name);
	op_buf_byte(out, '=');
	op_folded_encode(out, v, false, "");
}

static void put_some(struct op_buf *out, const char *name, struct op_view v)
{
	if (v.n)
		put_string(out, name, v);
}

static void put_profile(struct op_buf *out, const struct op_model *m,
			const struct op_profile *p)
{
	put_string(out, "type", op_string(m, p->sample_type.type));
	put_string(out, "unit", op_string(m, p->sample_type.unit));
	put_some(out, "period.type", op_string(m, p->period_type.type));
	put_some(out, "period.unit", op_string(m, p->period_type.unit));
	if (p->period)
		op_buf_printf(out, " period=%lld", (long long)p->period);
	if (p->time_ns)
		op_buf_printf(out, " time=%llu",
			      (unsigned long long)p->time_ns);
	if (p->duration_ns)
		op_buf_printf(out, " duration=%llu",
			      (unsigned long long)p->duration_ns);
	if (p->id_len) {
		op_buf_z(out, " id=");
		op_buf_hex(out, op_view(p->id, sizeof(p->id)));
	}
}

void op_folded_put_head(struct op_buf *out, const struct op_model *m,
			const struct op_walk *w)
{
	struct op_ids set = op_list(&m->dict.sets, w->profile->attrs);
	struct op_kvs kvs = w->resource->attrs;

	op_buf_z(out, "# otprof");
	put_profile(out, m, w->profile);
	for (uint32_t i = 0; i < set.n; i++) {
		const struct op_attr *a = &m->dict.attrs[set.p[i]];

		op_buf_z(out, " profile.");
		op_folded_put_attr(out, m, op_string(m, a->key), &a->value);
	}
	put_some(out, "scope.name", w->scope->name);
	put_some(out, "scope.version", w->scope->version);
	for (uint32_t i = 0; i < kvs.n; i++) {
		op_buf_z(out, " resource.");
		op_folded_put_attr(out, m, op_kv_key(m, &kvs.p[i]),
				   &kvs.p[i].value);
	}
	op_buf_byte(out, '\n');
}
