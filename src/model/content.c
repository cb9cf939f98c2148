// SPDX-License-Identifier: Apache-2.0
/* model/content.c: hashes of rows: of strings first, then of the rows that
 * refer to them. Where order has no meaning hashes are added, otherwise
 * chained. */
#include "model/content.h"

#include "base/hash.h"
#include "model/obs.h"

struct hashes {
	struct op_arena mem;
	struct op_hash128 *strings, *mappings, *functions, *locations, *stacks,
		*links, *attrs, *sets;
};

/* A hash of several parts. */
struct mix {
	struct op_hash128 h;
};

static void mix_u64(struct mix *m, uint64_t v)
{
	uint64_t w[3] = { m->h.lo, m->h.hi, v };

	m->h = op_hash128(w, sizeof(w));
}

static void mix_hash(struct mix *m, struct op_hash128 v)
{
	uint64_t w[4] = { m->h.lo, m->h.hi, v.lo, v.hi };

	m->h = op_hash128(w, sizeof(w));
}

static void mix_view(struct mix *m, struct op_view v)
{
	mix_hash(m, op_hash128(v.p, v.n));
}

static struct op_hash128 add(struct op_hash128 a, struct op_hash128 b)
{
	return (struct op_hash128){ a.lo + b.lo, a.hi + b.hi };
}

static struct op_hash128 any_hash(const struct op_model *m,
				  const struct op_any *v);

static struct op_hash128 kv_hash(const struct op_model *m,
				 const struct op_kv *kv)
{
	struct mix x = { 0 };

	mix_view(&x, op_kv_key(m, kv));
	mix_hash(&x, any_hash(m, &kv->value));
	return x.h;
}

/* The depth that readers and builders allow limits the recursion. */
static struct op_hash128 any_hash(const struct op_model *m,
				  const struct op_any *v)
{
	struct mix x = { 0 };

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		mix_u64(&x, OP_ANY_STRING);
		mix_view(&x, op_any_text(m, v));
		return x.h;
	case OP_ANY_BYTES:
		mix_u64(&x, v->kind);
		mix_view(&x, v->bytes);
		return x.h;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		mix_u64(&x, v->kind);
		for (uint32_t i = 0; i < v->n; i++)
			mix_hash(&x, v->kind == OP_ANY_ARRAY ?
					     any_hash(m, &v->array[i]) :
					     kv_hash(m, &v->kvlist[i]));
		return x.h;
	case OP_ANY_NONE:
		return x.h;
	default:
		mix_u64(&x, v->kind);
		mix_u64(&x,
			v->kind == OP_ANY_BOOL ? v->flag : (uint64_t)v->num);
		return x.h;
	}
}

struct op_hash128 op_kvs_hash(const struct op_model *m, struct op_kvs kvs)
{
	struct op_hash128 sum = { 0 };

	for (uint32_t i = 0; i < kvs.n; i++)
		sum = add(sum, kv_hash(m, &kvs.p[i]));
	return sum;
}

static bool tables_new(struct hashes *h, const struct op_dict *d)
{
	struct {
		struct op_hash128 **table;
		uint32_t nr;
	} all[] = {
		{ &h->strings, d->nr[OP_STRINGS] },
		{ &h->mappings, d->nr[OP_MAPPINGS] },
		{ &h->functions, d->nr[OP_FUNCTIONS] },
		{ &h->locations, d->nr[OP_LOCATIONS] },
		{ &h->stacks, d->nr[OP_STACKS] },
		{ &h->links, d->nr[OP_LINKS] },
		{ &h->attrs, d->nr[OP_ATTRS] },
		{ &h->sets, d->sets.nr },
	};

	for (size_t i = 0; i < op_countof(all); i++) {
		*all[i].table = op_new(&h->mem, struct op_hash128, all[i].nr);
		if (!*all[i].table)
			return false;
	}
	return true;
}

static void hash_strings_and_attrs(struct hashes *h, const struct op_model *m)
{
	const struct op_dict *d = &m->dict;

	for (uint32_t i = 0; i < d->nr[OP_STRINGS]; i++)
		h->strings[i] = op_hash128(d->strings[i].p, d->strings[i].n);
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		const struct op_attr *a = &d->attrs[i];
		struct mix x = { 0 };

		mix_hash(&x, h->strings[a->key]);
		mix_hash(&x, h->strings[a->unit]);
		mix_hash(&x, any_hash(m, &a->value));
		h->attrs[i] = x.h;
	}
	for (uint32_t i = 0; i < d->sets.nr; i++) {
		struct op_ids ids = op_list(&d->sets, i);

		for (uint32_t k = 0; k < ids.n; k++)
			h->sets[i] = add(h->sets[i], h->attrs[ids.p[k]]);
	}
}

static void hash_code(struct hashes *h, const struct op_dict *d)
{
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		const struct op_function *f = &d->functions[i];
		struct mix x = { 0 };

		mix_hash(&x, h->strings[f->name]);
		mix_hash(&x, h->strings[f->system_name]);
		mix_hash(&x, h->strings[f->filename]);
		mix_u64(&x, (uint64_t)f->start_line);
		h->functions[i] = x.h;
	}
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		const struct op_mapping *r = &d->mappings[i];
		struct mix x = { 0 };

		mix_u64(&x, r->start);
		mix_u64(&x, r->limit);
		mix_u64(&x, r->offset);
		mix_hash(&x, h->strings[r->filename]);
		mix_hash(&x, h->sets[r->attrs]);
		h->mappings[i] = x.h;
	}
}

/* Frames are many, and their hashes are good already: one multiplication each
 * is enough. */
static struct op_hash128 stack_hash(const struct hashes *h, struct op_ids ids)
{
	struct op_hash128 sum = { ids.n, ids.n };

	for (uint32_t k = 0; k < ids.n; k++) {
		struct op_hash128 frame = h->locations[ids.p[k]];

		sum.lo = (sum.lo ^ frame.lo) * 0x9e3779b97f4a7c15u;
		sum.hi = (sum.hi + frame.hi) * 0xd6e8feb86659fd93u;
	}
	return ids.n ? op_hash128(&sum, sizeof(sum)) : sum;
}

static void hash_stacks(struct hashes *h, const struct op_dict *d)
{
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];
		struct mix x = { 0 };

		mix_hash(&x, h->mappings[l->mapping]);
		mix_u64(&x, l->address);
		mix_hash(&x, h->sets[l->attrs]);
		for (uint32_t k = 0; k < l->nr_lines; k++) {
			const struct op_line *n = &d->lines[l->first_line + k];

			mix_hash(&x, h->functions[n->function]);
			mix_u64(&x, (uint64_t)n->line);
			mix_u64(&x, (uint64_t)n->column);
		}
		h->locations[i] = x.h;
	}
	for (uint32_t i = 0; i < d->nr[OP_STACKS]; i++)
		h->stacks[i] = stack_hash(h, op_list(&d->stacks, i));
	for (uint32_t i = 1; i < d->nr[OP_LINKS]; i++)
		h->links[i] = op_hash128(&d->links[i], 24);
}

static struct op_hash128 product(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;

	return (struct op_hash128){ (uint64_t)p, (uint64_t)(p >> 64) };
}

/* Observations are even more: two multiplications each. */
static struct op_hash128 observation_hash(uint64_t value, uint64_t time)
{
	struct op_hash128 h = product(time ^ 0x9e3779b97f4a7c15u,
				      (value ^ 0xd6e8feb86659fd93u) +
					      (time << 32 | time >> 32));

	return product(h.lo ^ 0xbf58476d1ce4e5b9u, h.hi ^ 0x94d049bb133111ebu);
}

static struct op_hash128 packed_hash(const struct op_profile *p, uint32_t i)
{
	uint64_t times[OP_OBS_MAX];
	struct op_hash128 sum = { 0 };
	struct op_obs_values values;
	struct op_obs_walk w;
	uint32_t n;

	op_obs_walk(&w, p->packed_times, i);
	if (p->packed_values)
		op_obs_values(&values, p->packed_values, i);
	while ((n = op_obs_next_times(&w, (uint8_t *)times)))
		for (uint32_t k = 0; k < n; k++) {
			uint64_t v = 1;

			if (p->packed_values)
				v = op_obs_next_value(&values);
			sum = add(sum, observation_hash(v, times[k]));
		}
	return sum;
}

/* The order of a sample's observations has no meaning. */
static struct op_hash128 observations_hash(const struct op_profile *p,
					   uint32_t i)
{
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	struct op_hash128 sum = { 0 };
	uint32_t n = times.n ? times.n : values.n;

	if (p->packed_times)
		return packed_hash(p, i);
	for (uint32_t k = 0; k < n; k++)
		sum = add(sum,
			  observation_hash(values.n ? (uint64_t)values.p[k] : 1,
					   times.n ? times.p[k] : 0));
	return sum;
}

static struct op_hash128 sample_hash(const struct hashes *h,
				     const struct op_profile *p, uint32_t i)
{
	const struct op_hash128 parts[] = {
		h->stacks[p->stack[i]],
		h->sets[p->set[i]],
		h->links[p->link[i]],
		observations_hash(p, i),
	};

	return op_hash128(parts, sizeof(parts));
}

static struct op_hash128 resource_hash(const struct op_model *m,
				       const struct op_resource *r)
{
	struct mix x = { 0 };

	mix_view(&x, r->schema_url);
	mix_hash(&x, op_kvs_hash(m, r->attrs));
	for (uint32_t i = 0; i < r->nr_entities; i++) {
		const struct op_entity *e = &r->entities[i];

		mix_view(&x, e->schema_url);
		mix_view(&x, e->type);
		for (uint32_t k = 0; k < e->nr_id_keys; k++)
			mix_view(&x, e->id_keys[k]);
		mix_u64(&x, e->nr_id_keys);
		for (uint32_t k = 0; k < e->nr_description_keys; k++)
			mix_view(&x, e->description_keys[k]);
	}
	return x.h;
}

static struct op_hash128 profile_hash(const struct hashes *h,
				      const struct op_model *m,
				      const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	struct op_hash128 sum = { 0 };
	struct mix x = { 0 };

	mix_hash(&x, resource_hash(m, w->resource));
	mix_view(&x, w->scope->schema_url);
	mix_view(&x, w->scope->name);
	mix_view(&x, w->scope->version);
	mix_hash(&x, op_kvs_hash(m, w->scope->attrs));
	mix_hash(&x, h->strings[p->sample_type.type]);
	mix_hash(&x, h->strings[p->sample_type.unit]);
	mix_hash(&x, h->strings[p->period_type.type]);
	mix_hash(&x, h->strings[p->period_type.unit]);
	mix_u64(&x, (uint64_t)p->period);
	mix_u64(&x, p->time_ns);
	mix_u64(&x, p->duration_ns);
	mix_hash(&x, h->sets[p->attrs]);
	mix_view(&x, p->payload_format);
	mix_view(&x, p->payload);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		op_packed_hint(p, i);
		sum = add(sum, sample_hash(h, p, i));
	}
	mix_hash(&x, sum);
	return x.h;
}

int op_content_ids(struct op_model *m, struct op_err *err)
{
	struct op_walk w = { 0 };
	struct hashes h = { .mem.err = err };
	bool hashed = false;

	while (op_walk_next(m, &w)) {
		struct op_profile *p =
			&m->resources[w.r].scopes[w.s].profiles[w.p];
		struct op_hash128 id;

		if (p->id_len)
			continue;
		if (!hashed && !tables_new(&h, &m->dict))
			break;
		if (!hashed) {
			hash_strings_and_attrs(&h, m);
			hash_code(&h, &m->dict);
			hash_stacks(&h, &m->dict);
			hashed = true;
		}
		id = profile_hash(&h, m, &w);
		memcpy(p->id, &id, sizeof(id));
		p->id_len = sizeof(p->id);
	}
	op_arena_free(&h.mem);
	return err->code;
}
