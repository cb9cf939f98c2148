// SPDX-License-Identifier: Apache-2.0
/* model/builder_profile.c: resources, scopes, profiles and their samples. */
#include "model/builder_int.h"

#include "base/hash.h"
#include "model/aggregate.h"

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

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = op_build_text(b, v[i]);
	return out;
}

static struct op_entity *build_entities(struct op_builder *b,
					const struct op_resource *head)
{
	struct op_entity *out = op_new(&b->m->mem, struct op_entity,
				       head->nr_entities);

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

	if (b->err->code || !op_vec_push(&b->m->mem, &b->resources, r))
		return 0;
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

	if (b->err->code || !op_vec_push(&b->m->mem, &b->scopes, s))
		return 0;
	b->resources.p[resource].nr_scopes++;
	return (uint32_t)b->scopes.n - 1;
}

static bool is_gauge(const struct op_builder *b,
		     const struct op_build_profile *bp)
{
	return op_type_is_gauge(b->strings.p[bp->head.sample_type.type]);
}

uint32_t op_build_profile(struct op_builder *b, uint32_t scope,
			  const struct op_profile *head)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return 0;
	bp = op_new(&b->m->mem, struct op_build_profile, 1);
	if (!bp || !op_vec_push(&b->m->mem, &b->profiles, bp))
		return 0;
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
	bp->is_summed = (b->timed == OP_TIMED_SUMS ||
			 b->timed == OP_TIMED_COUNTED) &&
			!is_gauge(b, bp);
	b->scopes.p[scope].scope.nr_profiles++;
	return (uint32_t)b->profiles.n - 1;
}

uint32_t op_build_profile_like(struct op_builder *b, uint32_t profile,
			       const struct op_profile *head)
{
	struct op_build_profile *bp, *like;
	uint32_t id;

	if (b->err->code)
		return 0;
	like = b->profiles.p[profile];
	id = op_build_profile(b, like->scope, head);
	if (b->err->code)
		return id;
	bp = b->profiles.p[id];
	bp->like = like;
	like->nr_like++;
	/* A profile without timestamps cannot share them. */
	b->sums_differ |= like->is_summed && !bp->is_summed;
	bp->is_summed = like->is_summed;
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
	if (op_vec_push(mem, &bp->samples, id) &&
	    op_vec_push(mem, &bp->sums, 0))
		op_intern_add(&bp->index, mem, hash, found);
	return found;
}

void op_build_reserve_samples(struct op_builder *b, uint32_t profile,
			      uint32_t nr)
{
	struct op_arena *mem = &b->m->mem;
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	if (bp->samples.n)
		return;
	op_arena_tells(mem, OP_IGNORED);
	(void)op_vec_reserve(mem, &bp->samples, nr);
	(void)op_vec_reserve(mem, &bp->sums, nr);
	(void)op_intern_reserve(&bp->index, mem, nr);
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
		"values with and without timestamps in one profile");
	return false;
}

/* Adds a sum for every sample that the other profile added meanwhile. */
static bool sums_extend(struct op_builder *b, struct op_build_profile *bp)
{
	size_t n = bp->like ? bp->like->samples.n : bp->sums.n;

	if (!op_vec_reserve(&b->m->mem, &bp->sums, n - bp->sums.n))
		return false;
	for (; bp->sums.n < n; bp->sums.n++)
		bp->sums.p[bp->sums.n] = 0;
	return true;
}

op_inline void sum_add(struct op_builder *b, int64_t *sum, int64_t value)
{
	int64_t saturated = op_add_sat(*sum, value);

	if (op_unlikely(__builtin_add_overflow(*sum, value, sum))) {
		*sum = saturated;
		b->sums_differ = true;
	}
}

void op_build_add(struct op_builder *b, uint32_t profile, uint32_t sample,
		  int64_t value)
{
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (op_unlikely(sample >= bp->sums.n) && !sums_extend(b, bp))
		return;
	if (op_build_shape_is(b, bp, OP_SHAPE_SUMS))
		sum_add(b, &bp->sums.p[sample], value);
}

static bool counts_extend(struct op_builder *b, struct op_build_profile *bp,
			  size_t n)
{
	while (bp->counts.n < n)
		if (!op_vec_push(&b->m->mem, &bp->counts, 0))
			return false;
	return true;
}

void op_build_count(struct op_builder *b, struct op_build_profile *bp,
		    uint32_t sample, uint32_t n)
{
	if (op_unlikely(sample >= bp->counts.n) &&
	    !counts_extend(b, bp, (size_t)sample + 1))
		return;
	bp->counts.p[sample] += n;
}

bool op_build_pad(struct op_builder *b, struct op_build_profile *bp, int64_t v)
{
	const struct op_build_profile *base = bp->like ? bp->like : bp;

	if (bp->nr_values == base->nr_times)
		return true;
	for (uint32_t s = 0; s < base->times.rows.n; s++)
		if (!op_obs_pad(&bp->values, &b->m->mem, s,
				op_obs_count(&base->times, s), (uint64_t)v))
			return false;
	bp->nr_values = base->nr_times;
	return true;
}

bool op_build_values_begin(struct op_builder *b, struct op_build_profile *bp)
{
	if (bp->has_values)
		return true;
	bp->has_values = true;
	return op_build_pad(b, bp, 1);
}

static bool observe(struct op_builder *b, struct op_build_profile *bp,
		    uint32_t sample, int64_t value, uint64_t time_ns)
{
	struct op_arena *mem = &b->m->mem;

	if (op_unlikely(value != 1 && !bp->has_values) &&
	    !op_build_values_begin(b, bp))
		return false;
	bp->last_sample = sample;
	bp->nr_times++;
	bp->nr_values += bp->has_values;
	return op_obs_push_time(&bp->times, mem, sample, time_ns) &&
	       (!bp->has_values ||
		op_obs_push_value(&bp->values, mem, sample, (uint64_t)value));
}

static void observed_add(struct op_builder *b, uint32_t profile,
			 uint32_t sample, int64_t value)
{
	struct op_build_profile *bp = b->profiles.p[profile];

	b->sums_differ |= value < 0;
	op_build_add(b, profile, sample, value);
	if (b->timed == OP_TIMED_COUNTED && !bp->like)
		op_build_count(b, bp, sample, 1);
}

void op_build_observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		      int64_t value, uint64_t time_ns)
{
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (op_unlikely(bp->is_summed)) {
		bp->last_sample = sample;
		observed_add(b, profile, sample, value);
		return;
	}
	if (op_build_shape_is(b, bp, OP_SHAPE_TIMED))
		observe(b, bp, sample, value, time_ns);
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

	if (!op_build_shape_is(b, bp, OP_SHAPE_SUMS) || !sums_extend(b, bp))
		return;
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
	else if (op_build_shape_is(b, bp, OP_SHAPE_TIMED))
		op_build_pad(b, bp, value);
}

/* The value of the last observation, unless it has one. */
static bool observe_like(struct op_builder *b, struct op_build_profile *bp,
			 int64_t value)
{
	struct op_arena *mem = &b->m->mem;
	uint32_t sample = bp->like->last_sample;
	uint32_t n = op_obs_count(&bp->like->times, sample);
	uint32_t have = op_obs_count(&bp->values, sample);

	if (have >= n)
		return true;
	bp->nr_values += n - have;
	return op_obs_pad(&bp->values, mem, sample, n - 1, 0) &&
	       op_obs_push_value(&bp->values, mem, sample, (uint64_t)value);
}

void op_build_observe_like(struct op_builder *b, uint32_t profile,
			   int64_t value)
{
	struct op_build_profile *bp;

	if (op_unlikely(b->err->code))
		return;
	bp = b->profiles.p[profile];
	if (op_unlikely(bp->is_summed))
		observed_add(b, profile, bp->like->last_sample, value);
	else if (op_build_shape_is(b, bp, OP_SHAPE_TIMED))
		observe_like(b, bp, value);
}

static void run_count(struct op_builder *b, struct op_build_profile *bp,
		      const struct op_build_run *run)
{
	if (!counts_extend(b, bp, bp->samples.n))
		return;
	for (size_t i = 0; i < run->n; i++)
		bp->counts.p[run->samples[i]]++;
}

static void run_add(struct op_builder *b, const uint32_t *profiles, uint32_t nr,
		    const struct op_build_run *run)
{
	for (uint32_t k = 0; k < nr; k++) {
		struct op_build_profile *bp = b->profiles.p[profiles[k]];

		if (!op_build_shape_is(b, bp, OP_SHAPE_SUMS) ||
		    !sums_extend(b, bp))
			return;
		for (size_t i = 0; i < run->n; i++) {
			int64_t value = (int64_t)run->values[k][i];

			b->sums_differ |= value < 0;
			sum_add(b, &bp->sums.p[run->samples[i]], value);
		}
		if (b->timed == OP_TIMED_COUNTED && !bp->like)
			run_count(b, bp, run);
	}
}

static bool run_times(struct op_builder *b, struct op_build_profile *bp,
		      const struct op_build_run *run)
{
	bp->nr_times += run->n;
	bp->last_sample = run->samples[run->n - 1];
	for (size_t i = 0; i < run->n; i++)
		if (!op_obs_push_time(&bp->times, &b->m->mem, run->samples[i],
				      run->times_ns[i]))
			return false;
	return true;
}

static bool run_values(struct op_builder *b, struct op_build_profile *bp,
		       const struct op_build_run *run, const uint64_t *values)
{
	bp->nr_values += run->n;
	for (size_t i = 0; i < run->n; i++)
		if (!op_obs_push_value(&bp->values, &b->m->mem, run->samples[i],
				       values[i]))
			return false;
	return true;
}

static bool are_ones(const uint64_t *values, size_t n)
{
	uint64_t other = 0;

	for (size_t i = 0; i < n; i++)
		other |= values[i] ^ 1;
	return !other;
}

/* Adds the values of earlier observations that a profile lacks. */
static bool run_observe(struct op_builder *b, struct op_build_profile *bp,
			const struct op_build_run *run, const uint64_t *values)
{
	if (!op_build_shape_is(b, bp, OP_SHAPE_TIMED))
		return true; /* an error was reported before */
	if (bp->like)
		return op_build_pad(b, bp, 0);
	return are_ones(values, run->n) || op_build_values_begin(b, bp);
}

void op_build_observe_run(struct op_builder *b, const uint32_t *profiles,
			  uint32_t nr, const struct op_build_run *run)
{
	struct op_build_profile *bp;
	bool ok = true;

	if (b->err->code || !run->n)
		return;
	bp = b->profiles.p[profiles[0]];
	if (bp->is_summed) {
		run_add(b, profiles, nr, run);
		return;
	}
	for (uint32_t k = 0; ok && k < nr; k++)
		ok = run_observe(b, b->profiles.p[profiles[k]], run,
				 run->values[k]);
	if (ok && !b->err->code)
		ok = run_times(b, bp, run) &&
		     (!bp->has_values ||
		      run_values(b, bp, run, run->values[0]));
	for (uint32_t k = 1; ok && k < nr && !b->err->code; k++)
		ok = run_values(b, b->profiles.p[profiles[k]], run,
				run->values[k]);
}

void op_build_clear(struct op_builder *b, uint32_t profile)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return;
	bp = b->profiles.p[profile];
	bp->shape = OP_SHAPE_NONE;
	bp->samples.n = bp->sums.n = bp->counts.n = 0;
	op_obs_drop(&bp->times, &b->m->mem);
	op_obs_drop(&bp->values, &b->m->mem);
	bp->has_values = false;
	bp->nr_times = bp->nr_values = 0;
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

/* A profile that is like another has the counts of that one. */
static bool counts_finish(struct op_builder *b, struct op_build_profile *bp,
			  struct op_profile *out)
{
	struct op_build_profile *base = bp->like ? bp->like : bp;

	if (!base->counts.n)
		return true;
	if (!counts_extend(b, base, base->samples.n))
		return false;
	out->observed = base->counts.p;
	return true;
}

/* One value per sample. */
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
	return counts_finish(b, bp, out);
}

/* A profile that is like another shares its timestamps. Values that are all 1
 * are omitted. Packed data is freed when no other profile needs it. */
static bool observations_finish(struct op_builder *b,
				struct op_build_profile *bp,
				struct op_profile *out)
{
	struct op_build_profile *base = bp->like ? bp->like : bp;
	struct op_arena *mem = &b->m->mem;

	if (bp->like && !op_build_pad(b, bp, 0))
		return false;
	out->packed_times = &base->times;
	out->packed_values = bp->like || bp->has_values ? &bp->values : NULL;
	if (b->timed == OP_TIMED_PACKED)
		return true;
	if (!op_profile_unpack(mem, out, bp->like ? base->done : NULL))
		return false;
	op_obs_drop(&bp->values, mem);
	if (bp->like)
		base->nr_like--;
	if (!base->nr_like)
		op_obs_drop(&base->times, mem);
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
