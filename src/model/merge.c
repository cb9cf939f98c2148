// SPDX-License-Identifier: Apache-2.0
#include "model/merge.h"

#include "base/hash.h"
#include "model/aggregate.h"

/* --- normalise --- */

static void normalise_all(struct op_import *im)
{
	const struct op_model *m = im->from;

	for (uint32_t r = 0; r < m->nr_resources; r++) {
		const struct op_resource *res = &m->resources[r];
		uint32_t to_r = op_build_resource(im->to, res, m);

		for (uint32_t s = 0; s < res->nr_scopes; s++) {
			const struct op_scope *scope = &res->scopes[s];
			uint32_t to_s = op_build_scope(im->to, to_r, scope, m);

			for (uint32_t p = 0; p < scope->nr_profiles; p++) {
				struct op_profile head = op_import_head(
					im, &scope->profiles[p]);
				struct op_build_pair pair = { .scope = to_s,
							      .head = &head };

				op_import_samples(im, &scope->profiles[p],
						  &pair);
			}
		}
	}
}

int op_concat(struct op_model *const *models, size_t n, struct op_model *out,
	      struct op_err *err)
{
	struct op_import im;
	struct op_builder b;

	op_builder_init(&b, out, err);
	for (size_t i = 0; i < n && !err->code; i++) {
		out->dialect = models[i]->dialect;
		out->doubt = out->doubt ? out->doubt : models[i]->doubt;
		if (op_import_init(&im, &b, models[i]))
			normalise_all(&im);
		op_import_fini(&im);
	}
	return op_builder_finish(&b);
}

int op_normalise(struct op_model *m, struct op_err *err)
{
	struct op_model out = { .mem.quota = m->mem.quota };

	if (op_concat(&m, 1, &out, err)) {
		op_model_free(&out);
		return err->code;
	}
	op_model_free(m);
	*m = out;
	return OP_OK;
}

/* --- merge --- */

/* What is known of a profile of the result beyond what the builder knows. */
struct target {
	uint32_t profile;
	uint32_t scope;
	bool timed;
	enum op_aggregator aggregator;
	uint64_t end_ns; /* of the part that was latest */
};

struct merge {
	struct op_builder b;
	OP_VEC(struct target) targets;
	struct op_arena scratch;
};

/* Whether two lists hold the same attributes; their order has no meaning. Keys
 * are unique, so that each finds at most one. */
static bool kvs_eq(const struct op_builder *b, struct op_kvs have,
		   struct op_kvs kvs, const struct op_model *from)
{
	struct op_model self = { .dict.strings = b->strings.p };

	if (have.n != kvs.n)
		return false;
	for (uint32_t i = 0; i < kvs.n; i++) {
		struct op_view key = op_kv_key(from, &kvs.p[i]);
		uint32_t k = 0;

		/* Mostly they stand at the same place. */
		if (op_view_eq(op_kv_key(&self, &have.p[i]), key))
			k = i;
		while (k < have.n &&
		       !op_view_eq(op_kv_key(&self, &have.p[k]), key))
			k++;
		if (k == have.n ||
		    !op_any_eq(&self, &have.p[k].value, from, &kvs.p[i].value))
			return false;
	}
	return true;
}

static bool views_eq(const struct op_view *a, uint32_t na,
		     const struct op_view *b, uint32_t nb)
{
	if (na != nb)
		return false;
	for (uint32_t i = 0; i < na; i++)
		if (!op_view_eq(a[i], b[i]))
			return false;
	return true;
}

static bool entity_eq(const struct op_entity *a, const struct op_entity *b)
{
	return op_view_eq(a->type, b->type) &&
	       op_view_eq(a->schema_url, b->schema_url) &&
	       views_eq(a->id_keys, a->nr_id_keys, b->id_keys, b->nr_id_keys) &&
	       views_eq(a->description_keys, a->nr_description_keys,
			b->description_keys, b->nr_description_keys);
}

static bool entities_eq(const struct op_resource *a,
			const struct op_resource *b)
{
	if (a->nr_entities != b->nr_entities)
		return false;
	for (uint32_t i = 0; i < a->nr_entities; i++)
		if (!entity_eq(&a->entities[i], &b->entities[i]))
			return false;
	return true;
}

static uint32_t resource_find(struct op_builder *b, const struct op_resource *r,
			      const struct op_model *from)
{
	for (uint32_t i = 0; i < b->resources.n; i++) {
		const struct op_resource *have = &b->resources.p[i];

		if (op_view_eq(have->schema_url, r->schema_url) &&
		    entities_eq(have, r) &&
		    kvs_eq(b, have->attrs, r->attrs, from))
			return i;
	}
	return op_build_resource(b, r, from);
}

static uint32_t scope_find(struct op_builder *b, uint32_t resource,
			   const struct op_scope *s,
			   const struct op_model *from)
{
	for (uint32_t i = 0; i < b->scopes.n; i++) {
		const struct op_scope *have = &b->scopes.p[i].scope;

		if (b->scopes.p[i].resource == resource &&
		    op_view_eq(have->name, s->name) &&
		    op_view_eq(have->version, s->version) &&
		    op_view_eq(have->schema_url, s->schema_url) &&
		    kvs_eq(b, have->attrs, s->attrs, from))
			return i;
	}
	return op_build_scope(b, resource, s, from);
}

static bool heads_join(const struct op_profile *a, const struct op_profile *b)
{
	return a->sample_type.type == b->sample_type.type &&
	       a->sample_type.unit == b->sample_type.unit &&
	       a->period_type.type == b->period_type.type &&
	       a->period_type.unit == b->period_type.unit &&
	       a->period == b->period && a->attrs == b->attrs;
}

static uint64_t end_of(const struct op_profile *p)
{
	uint64_t end;

	return __builtin_add_overflow(p->time_ns, p->duration_ns, &end) ?
		       UINT64_MAX :
		       end;
}

/* Widens a to take in b. A profile without a time does not count. */
static void span_join(struct op_profile *a, const struct op_profile *b)
{
	uint64_t end = end_of(a);

	if (!b->time_ns && !b->duration_ns)
		return;
	if (!a->time_ns && !a->duration_ns) {
		a->time_ns = b->time_ns;
		a->duration_ns = b->duration_ns;
		return;
	}
	if (end_of(b) > end)
		end = end_of(b);
	if (b->time_ns < a->time_ns)
		a->time_ns = b->time_ns;
	a->duration_ns = end - a->time_ns;
}

/* The profile of the result that head goes into; NULL if there is none. */
static struct target *target_find(struct merge *g, uint32_t scope,
				  const struct op_profile *head, bool timed)
{
	for (size_t i = 0; i < g->targets.n; i++) {
		struct target *t = &g->targets.p[i];

		if (t->scope == scope && t->timed == timed &&
		    heads_join(op_build_profile_head(&g->b, t->profile), head))
			return t;
	}
	return NULL;
}

static bool is_timed(const struct op_profile *p, uint32_t sample)
{
	return op_sample_times(p, sample).n != 0;
}

/* Adds the samples of one shape of a profile. Of gauges and of counters that
 * count from the start only the latest aggregate is kept: it holds what the
 * earlier ones held. */
static void shape_merge(struct merge *g, struct op_import *im,
			const struct op_profile *p, uint32_t scope, bool timed)
{
	struct op_profile head = op_import_head(im, p);
	struct target *t = target_find(g, scope, &head, timed);
	struct target fresh = { .scope = scope, .timed = timed };

	if (!t) {
		fresh.aggregator = op_aggregator_of(im->from, p);
		fresh.end_ns = end_of(p);
		fresh.profile = op_build_profile(&g->b, scope, &head);
		if (!op_vec_push(&g->scratch, &g->targets, fresh)) {
			op_fail(g->b.err, OP_ENOMEM, "no memory to merge");
			return;
		}
		t = &g->targets.p[g->targets.n - 1];
	} else {
		struct op_profile *have = op_build_profile_head(&g->b,
								t->profile);
		bool later = end_of(p) >= t->end_ns;

		/* A joined profile is neither of its parts. */
		have->id_len = 0;
		have->payload = have->payload_format = (struct op_view){ 0 };
		span_join(have, p);
		if (later)
			t->end_ns = end_of(p);
		if (!timed && t->aggregator != OP_SUM) {
			if (!later)
				return;
			op_build_clear(&g->b, t->profile);
		}
		have->dropped_attrs += p->dropped_attrs;
	}
	op_import_samples_of(im, p, timed, t->profile);
}

static void profile_merge(struct merge *g, struct op_import *im,
			  const struct op_profile *p, uint32_t scope)
{
	bool has[2] = { false, false };

	for (uint32_t i = 0; i < p->nr_samples; i++)
		has[is_timed(p, i)] = true;
	if (has[true])
		shape_merge(g, im, p, scope, true);
	if (has[false] || !has[true])
		shape_merge(g, im, p, scope, false);
}

static void model_merge(struct merge *g, const struct op_model *from)
{
	struct op_import im;

	if (op_import_init(&im, &g->b, from)) {
		for (uint32_t r = 0; r < from->nr_resources; r++) {
			const struct op_resource *res = &from->resources[r];
			uint32_t to_r = resource_find(&g->b, res, from);

			for (uint32_t s = 0; s < res->nr_scopes; s++) {
				const struct op_scope *scope = &res->scopes[s];
				uint32_t to_s = scope_find(&g->b, to_r, scope,
							   from);

				for (uint32_t p = 0; p < scope->nr_profiles;
				     p++)
					profile_merge(g, &im,
						      &scope->profiles[p],
						      to_s);
			}
		}
	}
	op_import_fini(&im);
}

int op_merge(struct op_model *const *models, size_t n, struct op_model *out,
	     struct op_err *err)
{
	struct merge g = { 0 };

	op_builder_init(&g.b, out, err);
	for (size_t i = 0; i < n && !err->code; i++)
		model_merge(&g, models[i]);
	op_arena_free(&g.scratch);
	return op_builder_finish(&g.b);
}
