// SPDX-License-Identifier: Apache-2.0
#include "rpc/batch.h"

#include <stdlib.h>

#include "fmt/otlp/dialect.h"
#include "fmt/otlp/fields.h"
#include "fmt/otlp/otlp.h"
#include "model/content.h"
#include "model/merge.h"
#include "rpc/split.h"

static bool id_is_set(const uint8_t *id)
{
	uint64_t w[2];

	memcpy(w, id, sizeof(w));
	return w[0] | w[1];
}

/* --- models --- */

/* Copies of resources, scopes and profiles, which can be given ids; all below
 * is shared. An id of zeros is none. */
static bool heads_copy(struct op_model *out, const struct op_model *m,
		       struct op_arena *mem)
{
	*out = *m;
	out->resources = op_new_raw(mem, struct op_resource, m->nr_resources);
	for (uint32_t r = 0; out->resources && r < m->nr_resources; r++) {
		struct op_resource *res = &out->resources[r];

		*res = m->resources[r];
		res->scopes = op_new_raw(mem, struct op_scope, res->nr_scopes);
		if (!res->scopes)
			return false;
		for (uint32_t s = 0; s < res->nr_scopes; s++) {
			struct op_scope *scope = &res->scopes[s];

			*scope = m->resources[r].scopes[s];
			scope->profiles = op_new_raw(mem, struct op_profile,
						     scope->nr_profiles);
			if (!scope->profiles)
				return false;
			for (uint32_t p = 0; p < scope->nr_profiles; p++) {
				struct op_profile *to = &scope->profiles[p];

				*to = m->resources[r].scopes[s].profiles[p];
				if (to->id_len && !id_is_set(to->id))
					to->id_len = 0;
			}
		}
	}
	return out->resources;
}

/* Profiles of the same content are several all the same: an id that was given
 * twice would make a receiver drop one. Ids of the sender's stay. */
struct given {
	struct op_profile *profile;
	uint64_t nr; /* among the profiles */
};

static int given_cmp(const void *a, const void *b)
{
	const struct given *x = a, *y = b;
	int c = memcmp(x->profile->id, y->profile->id, sizeof(x->profile->id));

	return c ? c : (x->nr > y->nr) - (x->nr < y->nr);
}

static void given_part(struct given *g, size_t n)
{
	struct op_hash128 first;
	uint64_t key[3];

	qsort(g, n, sizeof(*g), given_cmp);
	for (size_t i = 0, same; i < n; i += same) {
		memcpy(key, g[i].profile->id, sizeof(first));
		for (same = 1; i + same < n; same++) {
			uint8_t *id = g[i + same].profile->id;

			if (memcmp(id, key, sizeof(first)))
				break;
			key[2] = same;
			first = op_hash128(key, sizeof(key));
			memcpy(id, &first, sizeof(first));
		}
	}
}

/* Gives an id to each profile that has none. */
static int ids_give(struct op_model *m, struct op_err *err)
{
	struct op_arena mem = { 0 };
	OP_VEC(struct given) given = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct op_profile *p =
			&m->resources[w.r].scopes[w.s].profiles[w.p];

		if (!p->id_len &&
		    !op_vec_push(&mem, &given,
				 ((struct given){ p, given.n }))) {
			op_fail(err, OP_ENOMEM, "no memory for profile ids");
			break;
		}
	}
	if (!err->code && given.n && !op_content_ids(m, err))
		given_part(given.p, given.n);
	op_arena_free(&mem);
	return err->code;
}

/* Less than the model takes when it is encoded. */
static uint64_t size_at_least(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		n += p->payload.n;
		n += p->time_at ? 8 * (uint64_t)p->time_at[p->nr_samples] : 0;
		n += p->value_at ? p->value_at[p->nr_samples] : 0;
	}
	return n;
}

static int split(struct op_model *m, const struct op_batch_opts *opts,
		 op_message_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model normal = { 0 };

	if (m->normal)
		return op_split(m, opts, fn, ctx, err);
	if (!op_concat(&m, 1, &normal, err) && !ids_give(&normal, err))
		op_split(&normal, opts, fn, ctx, err);
	op_model_free(&normal);
	return err->code;
}

/* Every profile of m has an id. */
static int send_or_split(struct op_model *m, const struct op_batch_opts *opts,
			 op_message_fn *fn, void *ctx, struct op_err *err)
{
	struct op_err mine = { 0 };
	struct op_pbw w = { .err = &mine, .limit = opts->max };

	if (size_at_least(m) > opts->max)
		return split(m, opts, fn, ctx, err);
	op_otlp_encode(m, &w);
	if (!mine.code)
		fn(ctx, op_pbw_result(&w), err);
	op_pbw_free(&w);
	if (mine.code == OP_ELIMIT)
		split(m, opts, fn, ctx, err);
	else if (mine.code && !err->code)
		*err = mine;
	return err->code;
}

int op_batch_model(const struct op_model *m, const struct op_batch_opts *opts,
		   op_message_fn *fn, void *ctx, struct op_err *err)
{
	struct op_arena mem = { 0 };
	struct op_walk w = { 0 };
	struct op_model copy;

	if (!op_walk_next(m, &w))
		return OP_OK; /* no empty envelopes */
	if (!heads_copy(&copy, m, &mem))
		op_fail(err, OP_ENOMEM, "no memory for profile ids");
	else if (!ids_give(&copy, err))
		send_or_split(&copy, opts, fn, ctx, err);
	op_arena_free(&mem);
	return err->code;
}

/* --- messages as they are --- */

/* What can be said of a message without decoding it. */
struct glance {
	uint64_t nr_profiles;
	uint64_t nr_ids;
	uint32_t nr_samples; /* looked at, until the dialect is sure */
	bool is_current;
	struct op_shape shape;
};

/* So many samples may look like more than one dialect; then it is quicker to
 * decode. */
enum { MOST_SAMPLES = 256 };

static op_cold void glance_sample(struct glance *g, struct op_cur c)
{
	size_t nr_two = 0, nr_five = 0;
	struct op_pb_field f;
	uint32_t keys = 0;

	while (op_pb_next(&c, &f)) {
		keys |= op_shape_bit(f.num, f.wire);
		if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			nr_two += op_pb_count(f.bytes);
		if (op_pb_key(&f) == OP_PB(5, OP_PB_LEN))
			nr_five += f.bytes.n / 8;
	}
	op_shape_note(&g->shape, keys, nr_two, nr_five);
	g->is_current = op_shape_is_current(&g->shape);
	g->nr_samples++;
}

static void glance_profile(struct glance *g, struct op_cur c)
{
	struct op_pb_field f;
	bool has_id = false;

	g->nr_profiles++;
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(PROFILE_SAMPLES, OP_PB_LEN)) {
			if (op_unlikely(!g->is_current) &&
			    g->nr_samples < MOST_SAMPLES)
				glance_sample(g, op_pb_sub(&c, &f));
		} else if (op_pb_key(&f) == OP_PB(PROFILE_ID, OP_PB_LEN)) {
			has_id = f.bytes.n == 16 && id_is_set(f.bytes.p);
		}
	}
	g->nr_ids += has_id;
}

/* Resource and scope profiles hold what is looked for as field 2. */
static void glance_inside(struct glance *g, struct op_cur c, bool is_scope)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN))
			continue;
		if (is_scope)
			glance_profile(g, op_pb_sub(&c, &f));
		else
			glance_inside(g, op_pb_sub(&c, &f), true);
	}
}

/* Whether each profile has an id and the layout is surely today's. What is
 * broken is left for the decoder to say. */
static bool is_ready(struct op_view message)
{
	struct op_err ignored = { 0 };
	struct op_cur c = op_cur(message, &ignored);
	struct glance g = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			glance_inside(&g, op_pb_sub(&c, &f), false);
	return !ignored.code && g.is_current && g.nr_profiles &&
	       g.nr_ids == g.nr_profiles;
}

static bool has_ids(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w)) {
		if (!w.profile->id_len || !id_is_set(w.profile->id))
			return false;
		n++;
	}
	return n;
}

int op_batch_message(struct op_view message, const struct op_batch_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err)
{
	bool is_small = message.n <= opts->max;
	struct op_model m = { 0 };

	if (is_small && is_ready(message))
		return fn(ctx, message, err);
	if (op_otlp_decode(&m, message, NULL, err))
		; /* it says what is wrong */
	else if (is_small && has_ids(&m) && m.dialect == op_dialect_v1_10.name)
		fn(ctx, message, err);
	else
		op_batch_model(&m, opts, fn, ctx, err);
	op_model_free(&m);
	return err->code;
}
