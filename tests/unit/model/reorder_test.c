// SPDX-License-Identifier: Apache-2.0
#include "model/merge.h"

#include "random.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* What a model is as a message; the caller frees w. */
static struct op_view message(const struct op_model *m, struct op_pbw *w,
			      struct op_err *err)
{
	*w = (struct op_pbw){ .err = err };
	op_otlp_encode(m, w);
	return op_pbw_result(w);
}

/* Puts a in order and normalises b, which is the same: they are then equal. */
static bool is_ordered(struct op_model *a, struct op_model *b)
{
	struct op_err err = { 0 };
	struct op_pbw wa, wb;
	bool equal;

	CHECK_EQ(op_reorder(a, &err), OP_OK);
	CHECK_EQ(op_normalise(b, &err), OP_OK);
	CHECK(a->normal);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(a->dict.nr[t], b->dict.nr[t]);
	CHECK_EQ(a->dict.nr_lines, b->dict.nr_lines);
	equal = op_view_eq(message(a, &wa, &err), message(b, &wb, &err));
	CHECK_EQ(err.code, OP_OK);
	op_pbw_free(&wa);
	op_pbw_free(&wb);
	return equal;
}

/* --- by hand --- */

static const struct sketch unordered[] = {
	{ .samples = "main;work 3 b=1 a=2 #2\nidle 4\nmain 1 #1",
	  .attrs = "z=1 y=2",
	  .scope = "s" },
	{ .samples = "idle;main 3@5 4@6", .type = "wall", .scope = "s" },
	{ .samples = "other 1 a=2", .resource = "k=v" },
};

/* The same bytes as by normalising, without touching the observations. */
TEST(few_rows)
{
	struct op_model a = { 0 }, b = { 0 };
	struct op_err err = { 0 };

	sketch_model(&a, unordered, op_countof(unordered), &err);
	sketch_model(&b, unordered, op_countof(unordered), &err);
	CHECK(is_ordered(&a, &b));
	op_model_free(&a);
	op_model_free(&b);
}

/* Profiles that share their samples are renumbered once. */
TEST(shared_samples)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_profile head = { 0 };
	struct op_resource res = { 0 };
	struct op_scope scope = { 0 };
	struct op_builder b;
	uint32_t p, like, sample;

	op_builder_init(&b, &m, &err);
	/* Met last, so that ids change. */
	op_build_attr(&b, op_view_z("k"), &(struct op_any){ 0 },
		      (struct op_view){ 0 }, NULL);
	op_build_resource(&b, &res, NULL);
	op_build_scope(&b, 0, &scope, NULL);
	p = op_build_profile(&b, 0, &head);
	like = op_build_profile_like(&b, p, &head);
	for (uint32_t i = 2; i--;) {
		struct op_location row = { .address = i + 1 };
		uint32_t id = op_build_location(&b, &row, NULL, 0);

		sample = op_build_sample(
			&b, p,
			(struct op_identity){ op_build_stack(&b, &id, 1), 0,
					      0 });
		op_build_add(&b, p, sample, i);
		op_build_add(&b, like, sample, 10 * i);
	}
	op_builder_finish(&b);
	CHECK_EQ(op_reorder(&m, &err), OP_OK);
	for (uint32_t i = 0; i < 2; i++) {
		const struct op_profile *x =
			&m.resources[0].scopes[0].profiles[i];
		struct op_ids frames = op_list(&m.dict.stacks, x->stack[0]);

		CHECK_EQ(frames.n, 1);
		CHECK_EQ(m.dict.locations[frames.p[0]].address, 2);
		CHECK_EQ(op_sample_total(x, 0), i ? 10 : 1);
	}
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };

		sketch_model(&m, unordered, op_countof(unordered), &err);
		if (!err.code)
			op_reorder(&m, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_model_free(&m);
	}
}

/* --- random rows --- */

enum { ROWS = 12 };

/* Rows to choose from; some are never chosen. */
struct random_model {
	struct op_builder b;
	uint64_t seed;
	uint32_t strings[ROWS], mappings[ROWS], functions[ROWS];
	uint32_t locations[ROWS], links[ROWS], attrs[ROWS], stacks[ROWS];
};

static uint32_t below(struct random_model *r, uint32_t n)
{
	return random_below(&r->seed, n);
}

static uint32_t one_of(struct random_model *r, const uint32_t *ids)
{
	return ids[below(r, ROWS)];
}

static struct op_view random_text(struct random_model *r)
{
	static const char all[] = "abcdefghijklmnop";

	return op_view(all + below(r, 8), below(r, 3));
}

static struct op_any random_value(struct random_model *r, struct op_kv *kvs)
{
	switch (below(r, 4)) {
	case 0:
		return (struct op_any){ .kind = OP_ANY_INT, .num = 7 };
	case 1:
		return (struct op_any){ .kind = OP_ANY_STRING,
					.bytes = random_text(r) };
	case 2:
		for (int i = 0; i < 2; i++)
			kvs[i] = (struct op_kv){
				.key = random_text(r),
				.value = { .kind = OP_ANY_STRING,
					   .bytes = random_text(r) },
			};
		return (struct op_any){ OP_ANY_KVLIST, 2, { .kvlist = kvs } };
	default:
		kvs->value = (struct op_any){ .kind = OP_ANY_STRING,
					      .bytes = random_text(r) };
		return (struct op_any){ OP_ANY_ARRAY,
					1,
					{ .array = &kvs->value } };
	}
}

static uint32_t random_set(struct random_model *r)
{
	uint32_t ids[3];
	uint32_t n = below(r, 4);

	for (uint32_t i = 0; i < n; i++)
		ids[i] = one_of(r, r->attrs);
	return op_build_set(&r->b, ids, n);
}

static uint32_t random_location(struct random_model *r, uint32_t i)
{
	struct op_location row = { .address = i,
				   .mapping = one_of(r, r->mappings),
				   .attrs = random_set(r) };
	struct op_line lines[2] = {
		{ .line = i, .function = one_of(r, r->functions) },
		{ .line = 1, .function = one_of(r, r->functions) },
	};

	return op_build_location(&r->b, &row, lines, below(r, 3));
}

static void random_rows(struct random_model *r)
{
	struct op_kv kvs[2];

	for (uint32_t i = 0; i < ROWS; i++)
		r->strings[i] = op_build_string(&r->b, random_text(r));
	for (uint32_t i = 0; i < ROWS; i++) {
		struct op_any v = random_value(r, kvs);

		r->attrs[i] = op_build_attr(&r->b, random_text(r), &v,
					    random_text(r), NULL);
	}
	for (uint32_t i = 0; i < ROWS; i++) {
		struct op_mapping m = { .start = i,
					.filename = one_of(r, r->strings),
					.attrs = random_set(r) };
		struct op_function f = { .start_line = i,
					 .name = one_of(r, r->strings),
					 .filename = one_of(r, r->strings) };
		struct op_link l = { .trace_id[0] = (uint8_t)below(r, 5),
				     .trace_len = 16,
				     .span_len = 8 };

		r->mappings[i] = op_build_mapping(&r->b, &m);
		r->functions[i] = op_build_function(&r->b, &f);
		r->links[i] = op_build_link(&r->b, &l);
	}
	for (uint32_t i = 0; i < ROWS; i++)
		r->locations[i] = random_location(r, i);
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t ids[9];
		uint32_t n = below(r, op_countof(ids));

		for (uint32_t k = 0; k < n; k++)
			ids[k] = one_of(r, r->locations);
		r->stacks[i] = op_build_stack(&r->b, ids, n);
	}
}

/* A stack that leads to all mappings, so that each is used. */
static uint32_t stack_of_all(struct random_model *r)
{
	uint32_t ids[ROWS];

	for (uint32_t i = 0; i < ROWS; i++) {
		struct op_location row = { .address = 1000 + i,
					   .mapping = r->mappings[i] };

		ids[i] = op_build_location(&r->b, &row, NULL, 0);
	}
	return op_build_stack(&r->b, ids, ROWS);
}

static void random_profile(struct random_model *r, uint32_t scope, bool all)
{
	struct op_profile head = {
		.sample_type = { one_of(r, r->strings), one_of(r, r->strings) },
		.period_type.type = one_of(r, r->strings),
		.attrs = random_set(r),
	};
	bool timed = below(r, 2);
	uint32_t p = op_build_profile(&r->b, scope, &head);
	uint32_t nr = 1 + below(r, ROWS);

	for (uint32_t i = 0; i < nr; i++) {
		struct op_identity id = {
			all && !i ? stack_of_all(r) : one_of(r, r->stacks),
			random_set(r),
			one_of(r, r->links),
		};
		uint32_t sample = op_build_sample(&r->b, p, id);

		if (timed)
			op_build_observe(&r->b, p, sample, i, 1 + below(r, 99));
		else
			op_build_add(&r->b, p, sample, i);
	}
}

/* The same seed gives the same model. */
static void random_model(struct op_model *m, uint64_t seed, bool all)
{
	struct random_model r = { .seed = seed };
	struct op_err err = { 0 };
	struct op_kv kv, more[2];
	uint32_t resource, scope;

	op_builder_init(&r.b, m, &err);
	random_rows(&r);
	for (uint32_t n = 1 + below(&r, 3); n--;) {
		struct op_resource res = { .attrs = { &kv, 1 } };
		struct op_scope s = { .attrs = { &kv, 1 } };

		kv = (struct op_kv){ .key = random_text(&r),
				     .value = random_value(&r, more) };
		resource = op_build_resource(&r.b, &res, NULL);
		kv.key = random_text(&r);
		scope = op_build_scope(&r.b, resource, &s, NULL);
		for (uint32_t k = below(&r, 3) + all; k--;)
			random_profile(&r, scope, all);
	}
	CHECK_EQ(op_builder_finish(&r.b), OP_OK);
	m->normal = all;
}

/* Also of a model that has been put in order, whose frames are in another
 * order than its stacks. */
TEST(random_rows_as_normalised)
{
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct op_model a = { 0 }, b = { 0 }, c = { 0 };

		random_model(&a, seed, seed & 1);
		random_model(&b, seed, seed & 1);
		random_model(&c, seed, seed & 1);
		CHECK(is_ordered(&a, &b));
		CHECK(is_ordered(&a, &c));
		CHECK(is_ordered(&c, &a));
		if (test_failed) {
			fprintf(stderr, "  seed %llu\n",
				(unsigned long long)seed);
			seed = 2000;
		}
		op_model_free(&a);
		op_model_free(&b);
		op_model_free(&c);
	}
}

TEST_MAIN(few_rows, shared_samples, each_allocation_fails,
	  random_rows_as_normalised)
