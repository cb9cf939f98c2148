// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split.c: assigns profile IDs, encodes, and splits what is too large.
 */
#include "fmt/otlp/split.h"

#include <stdlib.h>

#include "fmt/buf_sink.h"
#include "fmt/otlp/dialect.h"
#include "fmt/otlp/otlp.h"
#include "fmt/otlp/split_int.h"
#include "model/content.h"
#include "model/merge.h"

/* --- ids --- */

/* Copies of resources, scopes and profiles, so that IDs can be assigned;
 * everything below is shared. An ID of zeros counts as none. */
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
				if (to->id_len && !op_split_id_is_set(to->id))
					to->id_len = 0;
			}
		}
	}
	return out->resources;
}

/* Two profiles with the same content are still two: if both had the same ID, a
 * receiver would drop one. IDs that the sender assigned are kept. */
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

/* Assigns an ID to each profile without one. */
static int ids_give(struct op_model *m, struct op_err *err)
{
	struct op_arena mem = { .err = err };
	OP_VEC(struct given) given = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct op_profile *p =
			&m->resources[w.r].scopes[w.s].profiles[w.p];

		if (!p->id_len &&
		    !op_vec_push(&mem, &given, ((struct given){ p, given.n })))
			break;
	}
	if (!err->code && given.n && !op_content_ids(m, err))
		given_part(given.p, given.n);
	op_arena_free(&mem);
	return err->code;
}

/* --- messages --- */

/* Other formats may need more bytes than OTLP: a part that became too large is
 * halved, and halved again if needed. */
enum { MAX_HALVINGS = 16 };

struct split {
	const struct op_split_opts *opts;
	op_message_fn *fn;
	void *ctx;
	int nr_halvings;
};

static bool is_otlp(const struct op_split_opts *o)
{
	return !o->format || o->format == &op_format_otlp;
}

static int part_out(void *ctx, const struct op_model *m, struct op_view message,
		    struct op_err *err);

static int cut(struct split *s, const struct op_model *m, size_t max,
	       struct op_err *err)
{
	struct op_split_opts opts = *s->opts;
	struct op_model copy = *m, normal = { 0 };
	struct op_model *one[] = { &copy };

	opts.max = max;
	if (m->normal)
		return op_split_cut(m, &opts, part_out, s, err);
	if (!op_concat(one, 1, &normal, err) && !ids_give(&normal, err))
		op_split_cut(&normal, &opts, part_out, s, err);
	op_model_free(&normal);
	return err->code;
}

static int halve(struct split *s, const struct op_model *m, size_t bytes,
		 struct op_err *err)
{
	const struct op_split_opts *o = s->opts;

	if (s->nr_halvings == MAX_HALVINGS || bytes < 2) {
		if (o->note)
			o->note(o->note_ctx,
				"a part is too large and was dropped");
		return OP_OK;
	}
	s->nr_halvings++;
	cut(s, m, bytes / 2, err);
	s->nr_halvings--;
	return err->code;
}

/* Delivers a part, which has so many bytes as an OTLP message. */
static int part_out(void *ctx, const struct op_model *m, struct op_view message,
		    struct op_err *err)
{
	struct split *s = ctx;
	const struct op_split_opts *o = s->opts;
	struct op_buf_sink out = op_buf_sink(err);

	if (is_otlp(o))
		return s->fn(s->ctx, message, err);
	o->format->write(m, o->write, &out.sink, err);
	if (!err->code && out.buf.n > o->max)
		halve(s, m, message.n, err);
	else if (!err->code)
		s->fn(s->ctx, op_view(out.buf.p, out.buf.n), err);
	op_buf_free(&out.buf);
	return err->code;
}

/* Less than the encoded size of the model. */
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

/* Every profile of m has an id. */
static int whole_or_parts(struct split *s, const struct op_model *m,
			  struct op_err *err)
{
	size_t max = s->opts->max;
	struct op_err mine = { 0 };
	struct op_pbw w = { .err = &mine, .limit = max };

	if (size_at_least(m) > max)
		return cut(s, m, max, err);
	op_otlp_encode(m, &w);
	if (!mine.code)
		part_out(s, m, op_pbw_result(&w), err);
	op_pbw_free(&w);
	if (mine.code == OP_ELIMIT)
		cut(s, m, max, err);
	else if (mine.code && !err->code)
		*err = mine;
	return err->code;
}

int op_split_model(const struct op_model *m, const struct op_split_opts *opts,
		   op_message_fn *fn, void *ctx, struct op_err *err)
{
	struct split s = { .opts = opts, .fn = fn, .ctx = ctx };
	struct op_arena mem = { .err = err };
	struct op_walk w = { 0 };
	struct op_model copy;

	if (!op_walk_next(m, &w))
		return OP_OK; /* no empty envelopes */
	if (heads_copy(&copy, m, &mem) && !ids_give(&copy, err))
		whole_or_parts(&s, &copy, err);
	op_arena_free(&mem);
	return err->code;
}

static bool has_ids(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w)) {
		if (!w.profile->id_len || !op_split_id_is_set(w.profile->id))
			return false;
		n++;
	}
	return n;
}

int op_split_message(struct op_view message, const struct op_split_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err)
{
	bool is_small = message.n <= opts->max && is_otlp(opts);
	struct op_model m = { 0 };

	if (is_small && op_split_is_ready(message))
		return fn(ctx, message, err);
	if (op_otlp_decode(&m, message, NULL, err))
		; /* err says why */
	else if (is_small && has_ids(&m) && m.dialect == op_dialect_v1_10.name)
		fn(ctx, message, err);
	else
		op_split_model(&m, opts, fn, ctx, err);
	op_model_free(&m);
	return err->code;
}
