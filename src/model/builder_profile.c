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
		b->profiles.p[profile]->nr_like++;
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

uint32_t op_identity_hash(const struct op_identity *id)
{
	uint64_t words[] = { (uint64_t)id->stack << 32 | id->set, id->link };

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
	return sample_put(b, b->profiles.p[profile], id, op_identity_hash(&id));
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
			hashes[i] = op_identity_hash(&ids[from + i]);
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

bool op_build_shape_is(struct op_builder *b, struct op_build_profile *bp,
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
	if (op_build_shape_is(b, bp, OP_SHAPE_SUMS))
		bp->sums.p[sample] = op_add_sat(bp->sums.p[sample], value);
}

void op_build_observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		      int64_t value, uint64_t time_ns)
{
	struct op_arena *mem = &b->m->mem;
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (op_build_shape_is(b, bp, OP_SHAPE_TIMED) &&
	    (!op_column_push(&bp->obs_sample, mem, sample) ||
	     !op_column_push(&bp->obs_time, mem, time_ns) ||
	     !op_column_push(&bp->obs_value, mem, (uint64_t)value)))
		op_build_nomem(b);
}

bool op_build_pad(struct op_builder *b, struct op_build_profile *bp, size_t n,
		  int64_t v)
{
	while (bp->obs_value.n < n)
		if (!op_column_push(&bp->obs_value, &b->m->mem, (uint64_t)v))
			return false;
	return true;
}

static int64_t mul_sat(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static void sums_fill(struct op_builder *b, struct op_build_profile *bp,
		      int64_t value)
{
	size_t i = bp->sums.n;

	if (!op_build_shape_is(b, bp, OP_SHAPE_SUMS))
		return;
	if (!sums_extend(b, bp)) {
		op_build_nomem(b);
		return;
	}
	for (; i < bp->sums.n; i++)
		bp->sums.p[i] = mul_sat(bp->like->sums.p[i], value);
}

void op_build_fill_like(struct op_builder *b, uint32_t profile, int64_t value)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	if (bp->like->shape == OP_SHAPE_SUMS)
		sums_fill(b, bp, value);
	else if (op_build_shape_is(b, bp, OP_SHAPE_TIMED) &&
		 !op_build_pad(b, bp, bp->like->obs_time.n, value))
		op_build_nomem(b);
}

void op_build_observe_like(struct op_builder *b, uint32_t profile,
			   int64_t value)
{
	struct op_build_profile *bp;
	size_t n;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	n = bp->like->obs_time.n;
	if (op_build_shape_is(b, bp, OP_SHAPE_TIMED) &&
	    (!op_build_pad(b, bp, n ? n - 1 : 0, 0) ||
	     !op_column_push(&bp->obs_value, &b->m->mem, (uint64_t)value)))
		op_build_nomem(b);
}

void op_build_observe_run(struct op_builder *b, uint32_t profile, size_t n,
			  const uint64_t *samples, const uint64_t *times_ns,
			  const uint64_t *values)
{
	struct op_arena *mem = &b->m->mem;
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	if (op_build_shape_is(b, bp, OP_SHAPE_TIMED) &&
	    (!op_column_push_all(&bp->obs_sample, mem, samples, n) ||
	     !op_column_push_all(&bp->obs_time, mem, times_ns, n) ||
	     !op_column_push_all(&bp->obs_value, mem, values, n)))
		op_build_nomem(b);
}

void op_build_observe_run_like(struct op_builder *b, uint32_t profile, size_t n,
			       const uint64_t *values)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	if (op_build_shape_is(b, bp, OP_SHAPE_TIMED) &&
	    (!op_build_pad(b, bp, bp->like->obs_time.n - n, 0) ||
	     !op_column_push_all(&bp->obs_value, &b->m->mem, values, n)))
		op_build_nomem(b);
}

void op_build_clear(struct op_builder *b, uint32_t profile)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	bp->shape = OP_SHAPE_NONE;
	bp->samples.n = bp->sums.n = 0;
	op_column_clear(&bp->obs_sample);
	op_column_clear(&bp->obs_time);
	op_column_clear(&bp->obs_value);
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

/* Where the observations of each sample begin, and where the last ends. */
static uint32_t *starts(struct op_builder *b, const struct op_column *samples,
			uint32_t nr)
{
	uint32_t *at = op_new(&b->m->mem, uint32_t, (size_t)nr + 1);
	struct op_column_reader r;

	if (!at)
		return NULL;
	op_column_read(&r, samples);
	for (size_t i = 0; i < samples->n; i++)
		at[op_column_next(&r) + 1]++;
	for (uint32_t s = 0; s < nr; s++)
		at[s + 1] += at[s];
	return at;
}

/* A column sorted by sample; within one, as it came. */
static uint64_t *sorted(struct op_builder *b, const struct op_column *samples,
			struct op_column *numbers, const uint32_t *at,
			uint32_t nr)
{
	struct op_arena *mem = &b->m->mem;
	uint64_t *out = op_new_raw(mem, uint64_t, samples->n);
	uint32_t *next = op_new_raw(mem, uint32_t, (size_t)nr + 1);
	struct op_column_reader s, v;

	if (!out || !next)
		return NULL;
	memcpy(next, at, ((size_t)nr + 1) * sizeof(*at));
	op_column_read(&s, samples);
	op_column_read(&v, numbers);
	for (size_t i = 0; i < samples->n; i++)
		out[next[op_column_next(&s)]++] = op_column_next(&v);
	op_arena_drop(mem, next, ((size_t)nr + 1) * sizeof(*next));
	op_column_drop(numbers, mem);
	return out;
}

/* A profile that is like another has the times of that one. Values that are
 * all 1 are left out. */
static bool observations_finish(struct op_builder *b,
				struct op_build_profile *bp,
				struct op_profile *out)
{
	struct op_build_profile *base = bp->like ? bp->like : bp;
	struct op_column *samples = &base->obs_sample;
	uint32_t nr = out->nr_samples;

	if (!bp->like) {
		out->time_at = starts(b, samples, nr);
		out->times = out->time_at ? sorted(b, samples, &bp->obs_time,
						   out->time_at, nr) :
					    NULL;
	} else {
		out->time_at = bp->like->done->time_at;
		out->times = bp->like->done->times;
	}
	if (!out->times || (bp->like && !op_build_pad(b, bp, samples->n, 0)))
		return false;
	if (bp->like || !op_column_is_all(&bp->obs_value, 1)) {
		out->value_at = out->time_at;
		out->values = (int64_t *)sorted(b, samples, &bp->obs_value,
						out->time_at, nr);
	}
	if (bp->like)
		base->nr_like--;
	if (!base->nr_like)
		op_column_drop(samples, &b->m->mem);
	return !out->value_at || out->values;
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
