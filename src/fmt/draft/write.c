// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/write.c: the messages around the profiles, and what the writers
 * ask of profiles. */
#include "fmt/draft/write.h"

#include "fmt/otlp/fields.h"
#include "model/content.h"
#include "model/semconv.h"

/* --- around the profiles --- */

static void text(struct op_pbw *p, uint32_t num, struct op_view v)
{
	if (v.n)
		op_pbw_string(p, num, v);
}

static void kvs_write(struct op_draft_writer *w, uint32_t num,
		      struct op_kvs kvs)
{
	for (uint32_t i = kvs.n; i--;)
		op_draft_pair_write(w, num, op_kv_key(w->m, &kvs.p[i]),
				    &kvs.p[i].value);
}

/* The profiles with the ids that come from their content. */
static void twin_make(struct op_draft_writer *w)
{
	struct op_model twin;
	struct op_walk at = { 0 };

	if (op_model_twin(w->m, &w->mem, &twin))
		return;
	while (op_walk_next(&twin, &at))
		twin.resources[at.r].scopes[at.s].profiles[at.p].id_len = 0;
	if (!op_content_ids(&twin, w->err))
		w->twin = twin;
}

/* Whether a profile can do without its id. */
static bool id_can_go(struct op_draft_writer *w, const struct op_walk *at,
		      const struct op_profile *p)
{
	const struct op_profile *twin;

	if (!p->id_len || w->drops_ids)
		return true;
	if (!w->twin.resources)
		twin_make(w);
	if (w->err->code)
		return false;
	twin = &w->twin.resources[at->r].scopes[at->s].profiles[at->p];
	return !memcmp(twin->id, p->id, sizeof(p->id));
}

/* The profiles of a scope in groups, the last one first. */
static void groups_write(struct op_draft_writer *w, struct op_walk at,
			 op_draft_same_fn *same, op_draft_group_fn *fn)
{
	const struct op_scope *s = at.scope;
	uint32_t *first = op_new_raw(&w->mem, uint32_t,
				     (size_t)s->nr_profiles + 1);
	uint32_t nr = 0;

	if (!first)
		return;
	for (at.p = 0; at.p < s->nr_profiles; at.p++) {
		const struct op_profile *p = &s->profiles[at.p];

		if (!at.p || !same(w, &s->profiles[first[nr - 1]], p) ||
		    !id_can_go(w, &at, p))
			first[nr++] = at.p;
	}
	first[nr] = s->nr_profiles;
	while (nr-- && !w->err->code) {
		size_t end = op_pbw_mark(w->w);

		op_draft_begin(w);
		if (w->err->code)
			return;
		fn(w, &s->profiles[first[nr]], first[nr + 1] - first[nr]);
		op_pbw_len(w->w, SCOPE_PROFILES_PROFILES, end);
	}
}

static void scope_write(struct op_draft_writer *w, struct op_walk at,
			op_draft_same_fn *same, op_draft_group_fn *fn)
{
	const struct op_scope *s = at.scope;
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p), scope;

	text(p, SCOPE_PROFILES_SCHEMA_URL, s->schema_url);
	groups_write(w, at, same, fn);
	scope = op_pbw_mark(p);
	op_pbw_uint(p, SCOPE_DROPPED, s->dropped_attrs);
	kvs_write(w, SCOPE_ATTRIBUTES, s->attrs);
	text(p, SCOPE_VERSION, s->version);
	text(p, SCOPE_NAME, s->name);
	op_pbw_len_nonempty(p, SCOPE_PROFILES_SCOPE, scope);
	op_pbw_len(p, RESOURCE_PROFILES_SCOPES, end);
}

static void resource_write(struct op_draft_writer *w, struct op_walk at,
			   op_draft_same_fn *same, op_draft_group_fn *fn)
{
	const struct op_resource *r = at.resource;
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p), resource;

	text(p, RESOURCE_PROFILES_SCHEMA_URL, r->schema_url);
	for (at.s = r->nr_scopes; at.s--;) {
		at.scope = &r->scopes[at.s];
		scope_write(w, at, same, fn);
	}
	resource = op_pbw_mark(p);
	op_pbw_uint(p, RESOURCE_DROPPED, r->dropped_attrs);
	kvs_write(w, RESOURCE_ATTRIBUTES, r->attrs);
	op_pbw_len_nonempty(p, RESOURCE_PROFILES_RESOURCE, resource);
	op_pbw_len(p, DATA_RESOURCE_PROFILES, end);
}

int op_draft_write(struct op_draft_writer *w, op_draft_same_fn *same,
		   op_draft_group_fn *fn)
{
	struct op_walk at = { 0 };

	w->mem.err = w->err;
	w->message.err = w->err;
	for (at.r = w->m->nr_resources; at.r-- && !w->err->code;) {
		at.resource = &w->m->resources[at.r];
		resource_write(w, at, same, fn);
	}
	op_pbw_result(w->w); /* which knows of the limit */
	op_arena_free(&w->mem);
	op_arena_free(&w->message);
	return w->err->code;
}

int op_draft_file_end(struct op_pbw *w, struct op_sink *out)
{
	if (!w->err->code)
		out->write(out, op_pbw_result(w), w->err);
	op_pbw_free(w);
	return w->err->code;
}

void op_draft_say_lost(struct op_draft_writer *w,
		       const struct op_write_opts *opts, const char *name)
{
	static const char *const names[] = {
		"units of some attributes", "columns and some line numbers",
		"periods of some profiles", "payloads and ids of profiles",
		"some exact timestamps",
	};
	struct op_buf out = { .err = w->err };

	if (!opts || !opts->note || !w->lost)
		return;
	op_buf_printf(&out, "%s cannot hold", name);
	for (size_t i = 0, n = 0; i < op_countof(names); i++)
		if (w->lost & 1u << i)
			op_buf_printf(&out, "%s %s", n++ ? "," : "", names[i]);
	op_buf_byte(&out, 0);
	if (!w->err->code)
		opts->note(opts->ctx, (const char *)out.p);
	op_buf_free(&out);
}

/* --- of profiles --- */

bool op_draft_times_misread(const struct op_profile *p)
{
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times times = op_sample_times(p, i);

		for (uint32_t k = 0; k < times.n; k++)
			if (op_draft_time_misread(times.p[k]))
				return true;
	}
	return false;
}

void op_draft_time_unit_write(struct op_draft_writer *w, uint32_t num)
{
	struct op_any ns = { .kind = OP_ANY_STRING };

	ns.bytes = op_view_z("ns");
	op_draft_pair_write(w, num, op_view_z(OP_DRAFT_ATTR_TIMES), &ns);
}

bool op_draft_is_temporality(const struct op_model *m, const struct op_attr *a)
{
	return !a->unit &&
	       op_view_is(op_string(m, a->key), OP_ATTR_TEMPORALITY) &&
	       op_view_is(op_any_text(m, &a->value), "cumulative");
}

bool op_draft_is_cumulative(const struct op_model *m,
			    const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);

	for (uint32_t i = 0; i < ids.n; i++)
		if (op_draft_is_temporality(m, &m->dict.attrs[ids.p[i]]))
			return true;
	return false;
}

/* The next attribute of a set that is not the temporality; n if none. */
static uint32_t next(const struct op_model *m, struct op_ids ids, uint32_t i)
{
	while (i < ids.n &&
	       op_draft_is_temporality(m, &m->dict.attrs[ids.p[i]]))
		i++;
	return i;
}

bool op_draft_same_attrs(const struct op_model *m, const struct op_profile *a,
			 const struct op_profile *b)
{
	struct op_ids x = op_list(&m->dict.sets, a->attrs);
	struct op_ids y = op_list(&m->dict.sets, b->attrs);
	uint32_t i = 0, k = 0;

	for (;;) {
		i = next(m, x, i);
		k = next(m, y, k);
		if (i == x.n || k == y.n)
			return i == x.n && k == y.n;
		if (x.p[i++] != y.p[k++])
			return false;
	}
}

static bool same_ids(const uint32_t *a, const uint32_t *b, size_t n)
{
	return a == b || !n || (a && b && !memcmp(a, b, n * sizeof(*a)));
}

/* Of two profiles with as many for each sample. */
static bool same_times(const struct op_profile *a, const struct op_profile *b)
{
	if (a->times && a->times == b->times)
		return true;
	for (uint32_t i = 0; i < a->nr_samples; i++) {
		struct op_times ta = op_sample_times(a, i);
		struct op_times tb = op_sample_times(b, i);

		if (ta.n && memcmp(ta.p, tb.p, ta.n * sizeof(*ta.p)))
			return false;
	}
	return true;
}

bool op_draft_same_samples(const struct op_profile *a,
			   const struct op_profile *b)
{
	size_t n = a->nr_samples;

	if (n != b->nr_samples || !same_ids(a->stack, b->stack, n) ||
	    !same_ids(a->set, b->set, n) || !same_ids(a->link, b->link, n) ||
	    !a->time_at != !b->time_at)
		return false;
	if (!a->time_at)
		return true;
	return same_ids(a->time_at, b->time_at, n + 1) && same_times(a, b);
}

/* --- comments --- */

const struct op_any *op_draft_comment_list(const struct op_model *m,
					   const struct op_attr *a)
{
	const struct op_any *v = &a->value;

	if (a->unit || v->kind != OP_ANY_ARRAY || !v->n ||
	    !op_view_is(op_string(m, a->key), OP_ATTR_COMMENT))
		return NULL;
	for (uint32_t i = 0; i < v->n; i++)
		if (v->array[i].kind != OP_ANY_STRING &&
		    v->array[i].kind != OP_ANY_STRING_ID)
			return NULL;
	return v;
}

const struct op_any *op_draft_comments_of(const struct op_model *m,
					  const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);
	const struct op_any *list = NULL;

	for (uint32_t i = 0; i < ids.n && !list; i++)
		list = op_draft_comment_list(m, &m->dict.attrs[ids.p[i]]);
	return list;
}

void op_draft_comments_write(struct op_draft_writer *w, uint32_t num,
			     const struct op_any *list)
{
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	for (uint32_t i = list ? list->n : 0; i--;)
		op_pbw_varint(p,
			      op_draft_place_text(
				      w, op_any_text(w->m, &list->array[i])));
	op_pbw_len_nonempty(p, num, end);
}
