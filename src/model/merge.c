// SPDX-License-Identifier: Apache-2.0
/* model/merge.c: normalizes, concatenates and merges models. */
#include "model/merge.h"

#include "base/hash.h"
#include "model/aggregate.h"
#include "model/content.h"

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
	struct op_arena mem = { .err = err };
	struct op_import *im = op_new(&mem, struct op_import, n);
	struct op_builder b;

	op_builder_init(&b, out, err);
	/* The mappings of all models come before the rest of the first, because
	 * another import visits them in that order. */
	for (size_t i = 0; im && i < n && !err->code; i++) {
		if (op_model_unpack(models[i], err))
			break;
		out->dialect = models[i]->dialect;
		out->dialect_note = out->dialect_note ? out->dialect_note :
							models[i]->dialect_note;
		if (!i)
			op_build_reserve(&b, &models[i]->dict);
		if (op_import_init(&im[i], &b, models[i]))
			op_import_mappings(&im[i], NULL);
	}
	for (size_t i = 0; im && i < n; i++) {
		if (!err->code)
			normalise_all(&im[i]);
		op_import_fini(&im[i]);
	}
	op_arena_free(&mem);
	if (!op_builder_finish(&b))
		out->normal = true;
	return err->code;
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

/* What is known about a profile of the result, in addition to the builder. */
struct target {
	uint32_t profile;
	uint32_t scope;
	bool timed;
	bool empty; /* no samples yet: timed is not decided */
	enum op_aggregator aggregator;
	uint64_t end_ns; /* of the latest part */
};

struct merge {
	struct op_builder b;
	OP_VEC(struct target) targets;
	struct op_intern resources, scopes, target_index;
	struct op_arena scratch;
	bool has_orphans; /* rows of samples that were dropped */
};

/* Whether two lists have the same attributes, in any order. Keys are unique, so
 * that each matches at most one. */
static bool kvs_eq(const struct op_builder *b, struct op_kvs have,
		   struct op_kvs kvs, const struct op_model *from)
{
	struct op_model self = { .dict.strings = b->strings.p };

	if (have.n != kvs.n)
		return false;
	for (uint32_t i = 0; i < kvs.n; i++) {
		struct op_view key = op_kv_key(from, &kvs.p[i]);
		uint32_t k = 0;

		/* Usually at the same position. */
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

/* --- finding what is there already --- */

struct resource_key {
	const struct op_resource *row;
	const struct op_model *from;
};

static bool resource_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_builder *b = table;
	const struct op_resource *have = &b->resources.p[id];
	const struct resource_key *k = key;

	return op_view_eq(have->schema_url, k->row->schema_url) &&
	       entities_eq(have, k->row) &&
	       kvs_eq(b, have->attrs, k->row->attrs, k->from);
}

static void index_add(struct merge *g, struct op_intern *index, uint32_t hash,
		      uint32_t id)
{
	if (!g->b.err->code)
		op_intern_add(index, &g->scratch, hash, id);
}

static uint32_t resource_find(struct merge *g, const struct op_resource *r,
			      const struct op_model *from)
{
	struct resource_key key = { r, from };
	uint32_t hash = (uint32_t)op_kvs_hash(from, r->attrs).lo;
	uint32_t id = op_intern_find(&g->resources, hash, resource_eq, &g->b,
				     &key);

	if (id != OP_NO_ID)
		return id;
	id = op_build_resource(&g->b, r, from);
	index_add(g, &g->resources, hash, id);
	return id;
}

struct scope_key {
	uint32_t resource;
	const struct op_scope *row;
	const struct op_model *from;
};

static bool scope_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_builder *b = table;
	const struct op_scope *have = &b->scopes.p[id].scope;
	const struct scope_key *k = key;

	return b->scopes.p[id].resource == k->resource &&
	       op_view_eq(have->name, k->row->name) &&
	       op_view_eq(have->version, k->row->version) &&
	       op_view_eq(have->schema_url, k->row->schema_url) &&
	       kvs_eq(b, have->attrs, k->row->attrs, k->from);
}

static uint32_t scope_find(struct merge *g, uint32_t resource,
			   const struct op_scope *s,
			   const struct op_model *from)
{
	struct scope_key key = { resource, s, from };
	uint64_t words[] = { resource, op_hash32(s->name.p, s->name.n),
			     op_kvs_hash(from, s->attrs).lo };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&g->scopes, hash, scope_eq, &g->b, &key);

	if (id != OP_NO_ID)
		return id;
	id = op_build_scope(&g->b, resource, s, from);
	index_add(g, &g->scopes, hash, id);
	return id;
}

static bool heads_join(const struct op_profile *a, const struct op_profile *b)
{
	return a->sample_type.type == b->sample_type.type &&
	       a->sample_type.unit == b->sample_type.unit &&
	       a->period_type.type == b->period_type.type &&
	       a->period_type.unit == b->period_type.unit &&
	       a->period == b->period && a->attrs == b->attrs;
}

struct target_key {
	uint32_t scope;
	bool timed;
	bool empty;
	const struct op_profile *head;
};

static bool target_eq(const void *table, uint32_t id, const void *key)
{
	struct merge *g = (struct merge *)table;
	const struct target *t = &g->targets.p[id];
	const struct target_key *k = key;

	return t->scope == k->scope &&
	       (t->timed == k->timed || t->empty || k->empty) &&
	       heads_join(op_build_profile_head(&g->b, t->profile), k->head);
}

static uint32_t target_hash(const struct target_key *k)
{
	const struct op_profile *p = k->head;
	uint64_t words[] = {
		k->scope,
		(uint64_t)p->sample_type.type << 32 | p->sample_type.unit,
		(uint64_t)p->period_type.type << 32 | p->period_type.unit,
		(uint64_t)p->period,
		p->attrs,
	};

	return op_hash_words(words, op_countof(words));
}

static bool is_timed(const struct op_profile *p, uint32_t sample)
{
	return op_sample_times(p, sample).n != 0;
}

/* A new target for a key; NULL without memory. */
static struct target *target_new(struct merge *g, const struct target_key *key,
				 uint32_t hash)
{
	struct target t = {
		.scope = key->scope,
		.timed = key->timed,
		.empty = key->empty,
		.profile = op_build_profile(&g->b, key->scope, key->head),
	};

	if (!op_vec_push(&g->scratch, &g->targets, t))
		return NULL;
	index_add(g, &g->target_index, hash, (uint32_t)g->targets.n - 1);
	return &g->targets.p[g->targets.n - 1];
}

/* Prepares a target for the samples of another profile; false if they are to be
 * dropped. Of gauges and of counters that run from the start only the latest
 * aggregate is kept: it includes the earlier ones. */
static bool target_join(struct merge *g, struct target *t,
			const struct op_profile *p)
{
	struct op_profile *have = op_build_profile_head(&g->b, t->profile);
	bool later = op_profile_end(p) >= t->end_ns;

	/* A joined profile is neither of its parts. */
	have->id_len = 0;
	have->payload = have->payload_format = (struct op_view){ 0 };
	have->dropped_attrs += p->dropped_attrs;
	op_profile_widen(have, p);
	if (later)
		t->end_ns = op_profile_end(p);
	if (t->timed || t->aggregator == OP_SUM)
		return true;
	g->has_orphans = true;
	if (later)
		op_build_clear(&g->b, t->profile);
	return later;
}

/* What is of one window only would keep windows of a recording apart. */
static struct op_profile head_of(struct op_import *im,
				 const struct op_profile *p)
{
	struct op_profile bare = *p, head;

	bare.attrs = 0;
	head = op_import_head(im, &bare);
	head.attrs = op_import_lasting_set(im, p->attrs);
	return head;
}

/* Adds the samples of one shape of a profile. */
static void shape_merge(struct merge *g, struct op_import *im,
			const struct op_profile *p, uint32_t scope, bool timed)
{
	struct op_profile head = head_of(im, p);
	struct target_key key = { scope, timed, !p->nr_samples, &head };
	uint32_t hash = target_hash(&key);
	uint32_t id = op_intern_find(&g->target_index, hash, target_eq, g,
				     &key);
	struct target *t;

	if (id != OP_NO_ID) {
		t = &g->targets.p[id];
		if (t->empty)
			t->timed = timed;
		t->empty &= key.empty;
		if (!target_join(g, t, p))
			return;
	} else {
		t = target_new(g, &key, hash);
		if (!t)
			return;
		t->aggregator = op_aggregator_of(im->from, p);
		t->end_ns = op_profile_end(p);
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
		op_import_mappings(&im, NULL);
		for (uint32_t r = 0; r < from->nr_resources; r++) {
			const struct op_resource *res = &from->resources[r];
			uint32_t to_r = resource_find(g, res, from);

			for (uint32_t s = 0; s < res->nr_scopes; s++) {
				const struct op_scope *scope = &res->scopes[s];
				uint32_t to_s = scope_find(g, to_r, scope,
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
	struct merge g = { .scratch.err = err };

	op_builder_init(&g.b, out, err);
	for (size_t i = 0; i < n && !err->code; i++)
		model_merge(&g, models[i]);
	op_arena_free(&g.scratch);
	if (op_builder_finish(&g.b))
		return err->code;
	if (g.has_orphans)
		return op_normalise(out, err);
	out->normal = true;
	return OP_OK;
}
