// SPDX-License-Identifier: Apache-2.0
/* model/model.c: walks, totals and memory of a model. */
#include "model/model.h"

#include "model/semconv.h"

struct op_owned {
	struct op_owned *next;
	void (*free_fn)(void *p, size_t n);
	void *p;
	size_t n;
};

int op_model_own(struct op_model *m, void (*free_fn)(void *p, size_t n),
		 void *p, size_t n, struct op_err *err)
{
	struct op_owned *o;

	op_arena_tells(&m->mem, err);
	o = op_new(&m->mem, struct op_owned, 1);
	if (!o)
		return err->code;
	*o = (struct op_owned){ m->owned, free_fn, p, n };
	m->owned = o;
	return OP_OK;
}

void op_model_free(struct op_model *m)
{
	for (struct op_owned *o = m->owned; o; o = o->next)
		o->free_fn(o->p, o->n);
	op_arena_free(&m->mem);
	*m = (struct op_model){ 0 };
}

static bool times_align(struct op_profile *p, struct op_arena *mem)
{
	uint64_t *to = op_new_raw(mem, uint64_t, p->time_at[p->nr_samples]);

	if (!to)
		return false;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times from = op_sample_times(p, i);

		if (from.n)
			memcpy(to + p->time_at[i], from.p,
			       from.n * sizeof(*to));
	}
	p->times = to;
	p->time_views = NULL;
	return true;
}

int op_model_align_times(struct op_model *m, struct op_err *err)
{
	struct op_walk w = { 0 };

	op_arena_tells(&m->mem, err);
	while (op_walk_next(m, &w)) {
		struct op_profile *p =
			&m->resources[w.r].scopes[w.s].profiles[w.p];

		if (p->time_views && !times_align(p, &m->mem))
			return err->code;
	}
	return OP_OK;
}

/* A table with room for one row but without rows gets its zero row. */
static void complete(struct op_dict *d, enum op_table t, void **rows,
		     struct op_arena *mem, size_t size)
{
	if (d->nr[t])
		return;
	*rows = op_arena_calloc(mem, 1, size);
	if (!*rows)
		return;
	d->nr[t] = 1;
	d->missing |= 1u << t;
}

static bool complete_lists(struct op_lists *l, struct op_arena *mem)
{
	uint32_t *at;

	if (l->nr)
		return true;
	at = op_new(mem, uint32_t, 2);
	if (!at)
		return false;
	*l = op_lists(at, NULL, 1);
	return true;
}

int op_dict_complete(struct op_dict *d, struct op_arena *mem)
{
	complete(d, OP_MAPPINGS, (void **)&d->mappings, mem,
		 sizeof(*d->mappings));
	complete(d, OP_LOCATIONS, (void **)&d->locations, mem,
		 sizeof(*d->locations));
	complete(d, OP_FUNCTIONS, (void **)&d->functions, mem,
		 sizeof(*d->functions));
	complete(d, OP_LINKS, (void **)&d->links, mem, sizeof(*d->links));
	complete(d, OP_STRINGS, (void **)&d->strings, mem, sizeof(*d->strings));
	complete(d, OP_ATTRS, (void **)&d->attrs, mem, sizeof(*d->attrs));
	if (!d->stacks.nr && complete_lists(&d->stacks, mem))
		d->missing |= 1u << OP_STACKS;
	complete_lists(&d->sets, mem);
	d->nr[OP_STACKS] = d->stacks.nr;
	return mem->err->code;
}

/* Wide enough for any sum, so that only the result is clamped. */
typedef __int128 wide;

static wide sample_sum(const struct op_profile *p, uint32_t i)
{
	struct op_values v = op_sample_values(p, i);
	wide sum = 0;

	if (!v.n)
		return op_sample_times(p, i).n;
	for (uint32_t k = 0; k < v.n; k++)
		sum += v.p[k];
	return sum;
}

static int64_t hold(wide v)
{
	if (v > INT64_MAX)
		return INT64_MAX;
	return v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

int64_t op_sample_total(const struct op_profile *p, uint32_t i)
{
	return hold(sample_sum(p, i));
}

uint64_t op_profile_observations(const struct op_profile *p)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t nv = op_sample_values(p, i).n;
		uint32_t nt = op_sample_observed(p, i);

		n += nt ? nt : nv;
	}
	return n;
}

int64_t op_profile_total(const struct op_profile *p)
{
	wide sum = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		sum += sample_sum(p, i);
	return hold(sum);
}

bool op_profile_has_date(const struct op_model *m, const struct op_profile *p)
{
	/* Earlier times are of a clock that counts from its start. */
	const uint64_t early = (uint64_t)365 * 24 * 3600 * 1000000000;

	return p->time_ns > early && !op_set_find(m, p->attrs, OP_ATTR_CLOCK);
}

void op_profile_widen(struct op_profile *a, const struct op_profile *b)
{
	uint64_t end = op_profile_end(a);

	if (!b->time_ns && !b->duration_ns)
		return;
	if (!a->time_ns && !a->duration_ns) {
		a->time_ns = b->time_ns;
		a->duration_ns = b->duration_ns;
		return;
	}
	if (op_profile_end(b) > end)
		end = op_profile_end(b);
	if (b->time_ns < a->time_ns)
		a->time_ns = b->time_ns;
	a->duration_ns = end - a->time_ns;
}

const struct op_attr *op_set_find(const struct op_model *m, uint32_t set,
				  const char *key)
{
	struct op_ids ids = op_list(&m->dict.sets, set);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_is(op_string(m, a->key), key))
			return a;
	}
	return NULL;
}

static uint32_t kind_of(const struct op_any *v)
{
	return v->kind == OP_ANY_STRING_ID ? OP_ANY_STRING : v->kind;
}

static bool kv_eq(const struct op_model *ma, const struct op_kv *a,
		  const struct op_model *mb, const struct op_kv *b)
{
	return op_view_eq(op_kv_key(ma, a), op_kv_key(mb, b)) &&
	       op_any_eq(ma, &a->value, mb, &b->value);
}

/* The depth that readers and builders allow limits the recursion. */
bool op_any_eq(const struct op_model *ma, const struct op_any *a,
	       const struct op_model *mb, const struct op_any *b)
{
	bool same = a->n == b->n;

	if (kind_of(a) != kind_of(b))
		return false;
	switch (kind_of(a)) {
	case OP_ANY_NONE:
		return true;
	case OP_ANY_STRING:
		return op_view_eq(op_any_text(ma, a), op_any_text(mb, b));
	case OP_ANY_BYTES:
		return op_view_eq(a->bytes, b->bytes);
	case OP_ANY_BOOL:
		return a->flag == b->flag;
	case OP_ANY_INT:
	case OP_ANY_DOUBLE: /* by bits: NaN equals itself */
		return a->num == b->num;
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; same && i < a->n; i++)
			same = op_any_eq(ma, &a->array[i], mb, &b->array[i]);
		return same;
	default:
		for (uint32_t i = 0; same && i < a->n; i++)
			same = kv_eq(ma, &a->kvlist[i], mb, &b->kvlist[i]);
		return same;
	}
}

bool op_walk_next(const struct op_model *m, struct op_walk *w)
{
	for (; w->next_r < m->nr_resources; w->next_r++, w->next_s = 0) {
		w->resource = &m->resources[w->next_r];
		for (; w->next_s < w->resource->nr_scopes;
		     w->next_s++, w->next_p = 0) {
			w->scope = &w->resource->scopes[w->next_s];
			if (w->next_p == w->scope->nr_profiles)
				continue;
			w->r = w->next_r;
			w->s = w->next_s;
			w->p = w->next_p++;
			w->profile = &w->scope->profiles[w->p];
			return true;
		}
	}
	return false;
}

bool op_model_has_samples(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (w.profile->nr_samples)
			return true;
	return false;
}

static bool scope_twin(struct op_scope *s, struct op_arena *mem)
{
	struct op_profile *p = op_new_raw(mem, struct op_profile,
					  s->nr_profiles);

	if (p && s->nr_profiles)
		memcpy(p, s->profiles, s->nr_profiles * sizeof(*p));
	s->profiles = p;
	return p;
}

static bool resource_twin(struct op_resource *r, struct op_arena *mem)
{
	struct op_scope *s = op_new_raw(mem, struct op_scope, r->nr_scopes);

	if (s && r->nr_scopes)
		memcpy(s, r->scopes, r->nr_scopes * sizeof(*s));
	r->scopes = s;
	for (uint32_t i = 0; s && i < r->nr_scopes; i++)
		if (!scope_twin(&s[i], mem))
			return false;
	return s;
}

int op_model_twin(const struct op_model *m, struct op_arena *mem,
		  struct op_model *out)
{
	struct op_resource *r = op_new_raw(mem, struct op_resource,
					   m->nr_resources);
	bool ok = r;

	if (r && m->nr_resources)
		memcpy(r, m->resources, m->nr_resources * sizeof(*r));
	for (uint32_t i = 0; ok && i < m->nr_resources; i++)
		ok = resource_twin(&r[i], mem);
	if (!ok)
		return mem->err->code;
	*out = *m;
	out->resources = r;
	return OP_OK;
}
