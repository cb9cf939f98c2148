// SPDX-License-Identifier: Apache-2.0
#include "write/parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "fmt/otlp/otlp.h"
#include "model/check.h"
#include "model/content.h"
#include "model/merge.h"

struct id {
	uint8_t p[16];
};

struct checking {
	struct parts *out;
	size_t max, last;
	const char *why;
	struct op_check_result whole, parts;
	struct op_arena mem;
	OP_VEC(struct op_model *) models;
	OP_VEC(struct id) ids;
};

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void wrong(struct checking *k, const char *why)
{
	if (!k->why)
		k->why = why;
}

/* --- rules --- */

static void rules(struct op_view message, struct op_check_result *out)
{
	struct op_otlp_opts opts = { .unchecked = true };
	struct op_check_opts strict = { .strict = true };
	struct op_model m = { 0 };
	struct op_err err = { 0 };

	if (op_otlp_decode(&m, message, &opts, &err) ||
	    op_check(&m, &strict, NULL, NULL, out, &err))
		abort();
	op_model_free(&m);
}

/* A part may leave open which dialect it is where the whole did not. */
static void rules_check(struct checking *k)
{
	for (int i = 0; i < OP_NR_RULES; i++)
		if (k->parts.nr[i] && !k->whole.nr[i] && i != OP_RULE_DIALECT)
			wrong(k, op_rules[i].name);
}

/* --- parts --- */

static void ids_add(struct checking *k, const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct id id;

		if (w.profile->id_len != sizeof(id.p))
			wrong(k, "a profile without an id");
		memcpy(id.p, w.profile->id, sizeof(id.p));
		if (!op_vec_push(&k->mem, &k->ids, id))
			abort();
	}
}

static int part(void *ctx, struct op_view message, struct op_err *err)
{
	struct checking *k = ctx;
	struct op_model *m = must(op_new(&k->mem, struct op_model, 1));
	uint8_t *copy = must(op_arena_alloc(&k->mem, message.n));

	memcpy(copy, message.p, message.n);
	message.p = copy;
	if (message.n > k->max)
		wrong(k, "a part that is too large");
	if (k->out->nr && (!k->out->smallest || k->last < k->out->smallest))
		k->out->smallest = k->last;
	k->last = message.n;
	k->out->nr++;
	k->out->sum += message.n;
	if (op_otlp_decode(m, message, NULL, err))
		wrong(k, "a part that cannot be read");
	else
		rules(message, &k->parts);
	ids_add(k, m);
	if (!op_vec_push(&k->mem, &k->models, m))
		abort();
	return err->code;
}

static void note(void *ctx, const char *text)
{
	struct checking *k = ctx;
	size_t n = strlen(k->out->notes);

	snprintf(k->out->notes + n, sizeof(k->out->notes) - n, "%s\n", text);
}

/* --- together --- */

static int id_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct id));
}

static void ids_check(struct checking *k)
{
	if (k->ids.n)
		qsort(k->ids.p, k->ids.n, sizeof(struct id), id_cmp);
	for (size_t i = 1; i < k->ids.n; i++)
		if (!id_cmp(&k->ids.p[i - 1], &k->ids.p[i]))
			wrong(k, "an id twice");
}

/* The sorted hashes of what the models are when they are merged. */
static struct id *hashes(struct checking *k, struct op_model *const *models,
			 size_t n, size_t *nr)
{
	OP_VEC(struct id) ids = { 0 };
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	if (op_merge(models, n, &m, &err))
		abort();
	while (op_walk_next(&m, &w)) {
		struct op_profile *p =
			&m.resources[w.r].scopes[w.s].profiles[w.p];

		p->id_len = 0;
		p->payload = p->payload_format = (struct op_view){ 0 };
	}
	if (op_content_ids(&m, &err))
		abort();
	w = (struct op_walk){ 0 };
	while (op_walk_next(&m, &w)) {
		struct id id;

		memcpy(id.p, w.profile->id, sizeof(id.p));
		if (!op_vec_push(&k->mem, &ids, id))
			abort();
	}
	if (ids.n)
		qsort(ids.p, ids.n, sizeof(struct id), id_cmp);
	op_model_free(&m);
	*nr = ids.n;
	return ids.p;
}

static void content_check(struct checking *k, struct op_model *whole)
{
	size_t na, nb;
	struct id *a = hashes(k, &whole, 1, &na);
	struct id *b = hashes(k, k->models.p, k->models.n, &nb);

	if (na != nb || (na && memcmp(a, b, na * sizeof(*a))))
		wrong(k, "the parts are not the whole");
}

/* Of a message that is not cut nothing is normalised. */
static void whole_rules(struct checking *k, struct op_view message,
			struct op_model *whole)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };

	if (op_normalise(whole, &err) || op_otlp_encode(whole, &w))
		abort();
	rules(op_pbw_result(&w), &k->whole);
	op_pbw_free(&w);
	if (k->out->nr == 1)
		rules(message, &k->whole);
}

/* Whether the sender gave two profiles one id. */
static bool has_id_twice(const struct op_model *m)
{
	struct op_walk a = { 0 };

	while (op_walk_next(m, &a)) {
		struct op_walk b = a;

		while (a.profile->id_len && op_walk_next(m, &b))
			if (b.profile->id_len &&
			    !memcmp(a.profile->id, b.profile->id, 16))
				return true;
	}
	return false;
}

static bool has_payload(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (w.profile->payload.n)
			return true;
	return false;
}

static void all_check(struct checking *k, struct op_model *whole,
		      struct op_err *err)
{
	bool lost = strstr(k->out->notes, "dropped");

	if (err->code)
		wrong(k, "it failed");
	if (!has_id_twice(whole))
		ids_check(k);
	rules_check(k);
	if (!lost)
		content_check(k, whole);
	if (strstr(k->out->notes, "payload") && !has_payload(whole))
		wrong(k, "a payload that was none");
}

const char *parts_check(struct op_view message, size_t max, struct parts *out)
{
	struct op_split_opts opts = { .max = max, .note = note };
	struct checking k = { .out = out, .max = max };
	struct op_err err = { 0 };
	struct op_model whole = { 0 };

	*out = (struct parts){ .whole = message.n };
	opts.note_ctx = &k;
	if (op_otlp_decode(&whole, message, NULL, &err))
		abort();
	out->code = op_split_message(message, &opts, part, &k, &err);
	whole_rules(&k, message, &whole);
	all_check(&k, &whole, &err);
	for (size_t i = 0; i < k.models.n; i++)
		op_model_free(k.models.p[i]);
	op_model_free(&whole);
	op_arena_free(&k.mem);
	return k.why;
}
