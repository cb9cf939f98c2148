// SPDX-License-Identifier: Apache-2.0
/* model/builder_profile.c: resources, scopes, profiles and their samples. */
#include "model/builder_int.h"

#include "base/hash.h"

static struct op_kvs build_kvs(struct op_builder *b, struct op_kvs kvs,
			       const struct op_model *from)
{
	struct op_any in = { .kind = OP_ANY_KVLIST, .n = kvs.n };
	struct op_any out;

	in.kvlist = kvs.p;
	out = op_build_any(b, &in, from, true);
	return (struct op_kvs){ out.kvlist, out.n };
}

static struct op_view *build_views(struct op_builder *b,
				   const struct op_view *v, uint32_t n)
{
	struct op_view *out = op_new(&b->m->mem, struct op_view, n);

	if (!out)
		op_build_nomem(b);
	for (uint32_t i = 0; out && i < n; i++)
		out[i] = op_build_text(b, v[i]);
	return out;
}

static struct op_entity *build_entities(struct op_builder *b,
					const struct op_resource *head)
{
	struct op_entity *out = op_new(&b->m->mem, struct op_entity,
				       head->nr_entities);

	if (!out)
		op_build_nomem(b);
	for (uint32_t i = 0; out && i < head->nr_entities; i++) {
		const struct op_entity *e = &head->entities[i];

		out[i].schema_url = op_build_text(b, e->schema_url);
		out[i].type = op_build_text(b, e->type);
		out[i].id_keys = build_views(b, e->id_keys, e->nr_id_keys);
		out[i].nr_id_keys = e->nr_id_keys;
		out[i].description_keys = build_views(b, e->description_keys,
						      e->nr_description_keys);
		out[i].nr_description_keys = e->nr_description_keys;
	}
	return out;
}

uint32_t op_build_resource(struct op_builder *b, const struct op_resource *head,
			   const struct op_model *from)
{
	struct op_resource r = {
		.attrs = build_kvs(b, head->attrs, from),
		.dropped_attrs = head->dropped_attrs,
		.nr_entities = head->nr_entities,
		.entities = build_entities(b, head),
		.schema_url = op_build_text(b, head->schema_url),
	};

	if (b->err->code)
		return 0;
	if (!op_vec_push(&b->m->mem, &b->resources, r)) {
		op_build_nomem(b);
		return 0;
	}
	return (uint32_t)b->resources.n - 1;
}

void op_build_resource_head(struct op_builder *b, uint32_t resource,
			    const struct op_resource *head)
{
	struct op_kvs attrs = build_kvs(b, head->attrs, NULL);

	if (!b->err->code)
		b->resources.p[resource].attrs = attrs;
}

uint32_t op_build_scope(struct op_builder *b, uint32_t resource,
			const struct op_scope *head,
			const struct op_model *from)
{
	struct op_build_scope s = {
		.resource = resource,
		.scope = {
			.name = op_build_text(b, head->name),
			.version = op_build_text(b, head->version),
			.schema_url = op_build_text(b, head->schema_url),
			.attrs = build_kvs(b, head->attrs, from),
			.dropped_attrs = head->dropped_attrs,
		},
	};

	if (b->err->code)
		return 0;
	if (!op_vec_push(&b->m->mem, &b->scopes, s)) {
		op_build_nomem(b);
		return 0;
	}
	b->resources.p[resource].nr_scopes++;
	return (uint32_t)b->scopes.n - 1;
}

uint32_t op_build_profile(struct op_builder *b, uint32_t scope,
			  const struct op_profile *head)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return 0;
	bp = op_new(&b->m->mem, struct op_build_profile, 1);
	if (!bp || !op_vec_push(&b->m->mem, &b->profiles, bp)) {
		op_build_nomem(b);
		return 0;
	}
	bp->scope = scope;
	bp->head = (struct op_profile){
		.sample_type = head->sample_type,
		.period_type = head->period_type,
		.period = head->period,
		.time_ns = head->time_ns,
		.duration_ns = head->duration_ns,
		.attrs = head->attrs,
		.dropped_attrs = head->dropped_attrs,
		.id_len = head->id_len,
		.payload = op_build_copy(b, head->payload),
		.payload_format = op_build_text(b, head->payload_format),
	};
	memcpy(bp->head.id, head->id, sizeof(head->id));
	b->scopes.p[scope].scope.nr_profiles++;
	return (uint32_t)b->profiles.n - 1;
}

uint32_t op_build_profile_like(struct op_builder *b, uint32_t profile,
			       const struct op_profile *head)
{
	uint32_t id;

	if (b->err->code)
		return 0;
	id = op_build_profile(b, b->profiles.p[profile]->scope, head);
	if (!b->err->code) {
		b->profiles.p[id]->like = b->profiles.p[profile];
		b->profiles.p[profile]->has_like = true;
	}
	return id;
}

struct op_profile *op_build_profile_head(struct op_builder *b, uint32_t profile)
{
	return b->err->code ? &b->nowhere : &b->profiles.p[profile]->head;
}

uint32_t op_build_pair_id(struct op_builder *b, struct op_build_pair *pair,
			  bool timed)
{
	static const struct op_view none;
	struct op_profile head = *pair->head;

	if (pair->made[timed])
		return pair->id[timed];
	if (pair->made[!timed]) {
		head.id_len = 0;
		head.payload = head.payload_format = none;
	}
	pair->made[timed] = true;
	pair->id[timed] = op_build_profile(b, pair->scope, &head);
	return pair->id[timed];
}

static bool identity_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_identity *a = (const struct op_identity *)table + id;

	return !memcmp(a, key, sizeof(*a)); /* no padding */
}

static uint32_t identity_hash(struct op_identity id)
{
	uint64_t words[] = { (uint64_t)id.stack << 32 | id.set, id.link };

	return op_hash_words(words, op_countof(words));
}

static uint32_t sample_put(struct op_builder *b, struct op_build_profile *bp,
			   struct op_identity id, uint32_t hash)
{
	struct op_arena *mem = &b->m->mem;
	uint32_t found = op_intern_find(&bp->index, hash, identity_eq,
					bp->samples.p, &id);

	if (op_likely(found != OP_NO_ID))
		return found;
	found = (uint32_t)bp->samples.n;
	if (!op_vec_push(mem, &bp->samples, id) ||
	    !op_vec_push(mem, &bp->sums, 0) ||
	    !op_intern_add(&bp->index, mem, hash, found))
		op_build_nomem(b);
	return found;
}

uint32_t op_build_sample(struct op_builder *b, uint32_t profile,
			 struct op_identity id)
{
	if (op_unlikely(b->err->code))
		return 0;
	return sample_put(b, b->profiles.p[profile], id, identity_hash(id));
}

void op_build_samples(struct op_builder *b, uint32_t profile,
		      const struct op_identity *ids, uint32_t n, uint32_t *out)
{
	enum { GROUP = 32 };
	uint32_t hashes[GROUP], row;
	struct op_build_profile *bp;

	for (uint32_t from = 0, k; from < n && !b->err->code; from += k) {
		bp = b->profiles.p[profile];
		k = n - from < GROUP ? n - from : GROUP;
		for (uint32_t i = 0; i < k; i++) {
			hashes[i] = identity_hash(ids[from + i]);
			op_intern_hint(&bp->index, hashes[i]);
		}
		for (uint32_t i = 0; i < k; i++) {
			row = op_intern_guess(&bp->index, hashes[i]);
			if (row != OP_NO_ID)
				__builtin_prefetch(bp->samples.p + row);
		}
		for (uint32_t i = 0; i < k && !b->err->code; i++)
			out[from + i] = sample_put(b, bp, ids[from + i],
						   hashes[i]);
	}
}

struct op_identity op_build_identity(struct op_builder *b, uint32_t profile,
				     uint32_t sample)
{
	if (b->err->code)
		return (struct op_identity){ 0 };
	return b->profiles.p[profile]->samples.p[sample];
}

static bool shape_is(struct op_builder *b, struct op_build_profile *bp,
		     enum op_build_shape shape)
{
	if (bp->shape == OP_SHAPE_NONE)
		bp->shape = shape;
	if (op_likely(bp->shape == shape))
		return true;
	op_fail(b->err, OP_EUSAGE,
		"values with and without times in one profile");
	return false;
}

/* Gives every sample a sum that the other profile made meanwhile. */
static bool sums_extend(struct op_builder *b, struct op_build_profile *bp)
{
	size_t n = bp->like ? bp->like->samples.n : bp->sums.n;

	if (!op_vec_reserve(&b->m->mem, &bp->sums, n - bp->sums.n))
		return false;
	for (; bp->sums.n < n; bp->sums.n++)
		bp->sums.p[bp->sums.n] = 0;
	return true;
}

void op_build_add(struct op_builder *b, uint32_t profile, uint32_t sample,
		  int64_t value)
{
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (op_unlikely(sample >= bp->sums.n) && !sums_extend(b, bp)) {
		op_build_nomem(b);
		return;
	}
	if (shape_is(b, bp, OP_SHAPE_SUMS))
		bp->sums.p[sample] = op_add_sat(bp->sums.p[sample], value);
}

/* The first value that is not 1: those before it were. */
static bool values_begin(struct op_builder *b, struct op_build_profile *bp)
{
	if (!op_vec_reserve(&b->m->mem, &bp->obs_value, bp->obs_time.n + 1))
		return false;
	for (size_t i = 0; i < bp->obs_time.n; i++)
		bp->obs_value.p[i] = 1;
	bp->obs_value.n = bp->obs_time.n;
	bp->has_values = true;
	return true;
}

void op_build_observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		      int64_t value, uint64_t time_ns)
{
	struct op_arena *mem = &b->m->mem;
	struct op_build_profile *bp;
	bool ok = true;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (!shape_is(b, bp, OP_SHAPE_TIMED))
		return;
	if (value != 1 && !bp->has_values)
		ok = values_begin(b, bp);
	if (ok && bp->has_values)
		ok = op_vec_push(mem, &bp->obs_value, value);
	ok = ok && op_vec_push(mem, &bp->obs_sample, sample) &&
	     op_vec_push(mem, &bp->obs_time, time_ns);
	if (!ok)
		op_build_nomem(b);
}

void op_build_observe_like(struct op_builder *b, uint32_t profile,
			   int64_t value)
{
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	bp->has_values = true;
	if (shape_is(b, bp, OP_SHAPE_TIMED) &&
	    !op_vec_push(&b->m->mem, &bp->obs_value, value))
		op_build_nomem(b);
}

void op_build_clear(struct op_builder *b, uint32_t profile)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	bp->shape = OP_SHAPE_NONE;
	bp->has_values = false;
	bp->samples.n = bp->sums.n = 0;
	bp->obs_sample.n = bp->obs_time.n = bp->obs_value.n = 0;
	if (bp->index.nr_slots)
		memset(bp->index.slots, 0,
		       bp->index.nr_slots * sizeof(*bp->index.slots));
	bp->index.nr = 0;
}

/* --- finishing --- */

static bool identities_finish(struct op_builder *b, struct op_build_profile *bp,
			      struct op_profile *out)
{
	uint32_t nr = (uint32_t)bp->samples.n;

	if (bp->like) {
		out->nr_samples = bp->like->done->nr_samples;
		out->stack = bp->like->done->stack;
		out->set = bp->like->done->set;
		out->link = bp->like->done->link;
		return bp->shape == OP_SHAPE_TIMED || sums_extend(b, bp);
	}
	out->nr_samples = nr;
	out->stack = op_new_raw(&b->m->mem, uint32_t, nr);
	out->set = op_new_raw(&b->m->mem, uint32_t, nr);
	out->link = op_new_raw(&b->m->mem, uint32_t, nr);
	if (!out->stack || !out->set || !out->link)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		out->stack[i] = bp->samples.p[i].stack;
		out->set[i] = bp->samples.p[i].set;
		out->link[i] = bp->samples.p[i].link;
	}
	return true;
}

/* One value a sample. */
static bool sums_finish(struct op_builder *b, struct op_build_profile *bp,
			struct op_profile *out)
{
	out->value_at = op_new_raw(&b->m->mem, uint32_t, bp->sums.n + 1);
	if (!out->value_at)
		return false;
	for (uint32_t i = 0; i <= bp->sums.n; i++)
		out->value_at[i] = i;
	op_vec_trim(&b->m->mem, &bp->sums);
	out->values = bp->sums.p;
	return true;
}

/* Counting sort of the observations by sample; within one, as they came. A
 * profile that is like another has the times of that one. */
static bool times_finish(struct op_builder *b, struct op_build_profile *bp,
			 struct op_profile *out)
{
	struct op_arena *mem = &b->m->mem;
	size_t n = bp->obs_time.n;
	uint32_t nr = out->nr_samples;
	uint32_t *at = op_new(mem, uint32_t, (size_t)nr + 2);
	uint64_t *times = op_new_raw(mem, uint64_t, n);

	if (!at || !times)
		return false;
	/* at[s + 2] counts s, so that after the sums at[s + 1] is where s
	 * begins, and after the moves where it ends. */
	for (size_t i = 0; i < n; i++)
		at[bp->obs_sample.p[i] + 2]++;
	for (uint32_t s = 0; s < nr; s++)
		at[s + 2] += at[s + 1];
	for (size_t i = 0; i < n; i++) {
		uint32_t to = at[bp->obs_sample.p[i] + 1]++;

		times[to] = bp->obs_time.p[i];
		/* From here on it is where the observation went. */
		bp->obs_sample.p[i] = to;
	}
	op_arena_drop(mem, bp->obs_time.p, bp->obs_time.cap * sizeof(uint64_t));
	out->time_at = at;
	out->times = times;
	return true;
}

static bool values_finish(struct op_builder *b, struct op_build_profile *bp,
			  struct op_profile *out)
{
	const uint32_t *to = bp->obs_sample.n ? bp->obs_sample.p :
						bp->like->obs_sample.p;
	size_t n = bp->obs_value.n;
	int64_t *values;

	if (!bp->has_values || !n)
		return true;
	values = op_new_raw(&b->m->mem, int64_t, n);
	if (!values)
		return false;
	for (size_t i = 0; i < n; i++)
		values[to[i]] = bp->obs_value.p[i];
	op_arena_drop(&b->m->mem, bp->obs_value.p,
		      bp->obs_value.cap * sizeof(int64_t));
	out->value_at = out->time_at;
	out->values = values;
	return true;
}

static bool observations_finish(struct op_builder *b,
				struct op_build_profile *bp,
				struct op_profile *out)
{
	if (bp->like && !bp->obs_time.n) {
		out->time_at = bp->like->done->time_at;
		out->times = bp->like->done->times;
	} else if (!times_finish(b, bp, out)) {
		return false;
	}
	if (!values_finish(b, bp, out))
		return false;
	if (!bp->has_like)
		op_arena_drop(&b->m->mem, bp->obs_sample.p,
			      bp->obs_sample.cap * sizeof(uint32_t));
	return true;
}

bool op_build_profile_finish(struct op_builder *b, struct op_build_profile *bp,
			     struct op_profile *out)
{
	*out = bp->head;
	bp->done = out;
	if (!identities_finish(b, bp, out))
		return false;
	op_arena_drop(&b->m->mem, bp->index.slots,
		      bp->index.nr_slots * sizeof(struct op_slot));
	if (bp->shape == OP_SHAPE_TIMED)
		return observations_finish(b, bp, out);
	return sums_finish(b, bp, out);
}
