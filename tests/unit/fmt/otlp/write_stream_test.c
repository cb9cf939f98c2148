// SPDX-License-Identifier: Apache-2.0
/* Messages into a sink: packed observations and arrays give the same bytes as
 * a message that is encoded in memory. */
#include "fmt/otlp/write.h"

#include "fmt/buf_sink.h"
#include "model/builder.h"
#include "random.h"
#include "test.h"

static const struct op_resource no_resource;
static const struct op_scope no_scope;
static const struct op_profile no_profile;

/* Two profiles of the same samples, with times; the first has only ones. */
static void model_make(struct op_model *m, uint32_t nr_samples, uint32_t nr,
		       uint64_t seed)
{
	struct op_err err = { 0 };
	struct op_builder b;
	uint32_t scope, ids[2];

	CHECK_EQ(op_builder_init(&b, m, &err), OP_OK);
	b.timed = OP_TIMED_PACKED;
	scope = op_build_scope(&b, op_build_resource(&b, &no_resource, NULL),
			       &no_scope, NULL);
	ids[0] = op_build_profile(&b, scope, &no_profile);
	ids[1] = op_build_profile_like(&b, ids[0], &no_profile);
	for (uint32_t i = 0; i < nr; i++) {
		struct op_any n = { .kind = OP_ANY_INT,
				    .num = random_below(&seed, nr_samples) };
		uint32_t attr = op_build_attr(&b, op_view_z("n"), &n,
					      (struct op_view){ 0 }, NULL);
		struct op_identity id = { .set = op_build_set(&b, &attr, 1) };

		op_build_observe(&b, ids[0], op_build_sample(&b, ids[0], id), 1,
				 random_next(&seed) >> random_below(&seed, 60));
		op_build_observe_like(&b, ids[1],
				      (int64_t)(random_next(&seed) >>
						random_below(&seed, 64)));
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

static struct op_buf written(const struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_buf_sink out = op_buf_sink(&err);

	CHECK_EQ(op_otlp_write(m, &out.sink, &err), OP_OK);
	out.buf.err = NULL;
	return out.buf;
}

static void check_same(struct op_buf a, struct op_buf b)
{
	CHECK_EQ(a.n, b.n);
	CHECK(op_view_eq(op_view(a.p, a.n), op_view(b.p, b.n)));
}

/* From the front, from arrays, and all at once from the back. */
TEST(three_ways)
{
	static const struct {
		uint32_t nr_samples, nr;
	} sizes[] = { { 1, 0 },	    { 1, 1 },	  { 3, 20 },
		      { 500, 600 }, { 1, 50000 }, { 20000, 60000 } };

	for (size_t i = 0; i < op_countof(sizes); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };
		struct op_buf packed, arrays, whole = { 0 };
		struct op_model m = { 0 };

		model_make(&m, sizes[i].nr_samples, sizes[i].nr, i);
		packed = written(&m);
		CHECK_EQ(op_model_unpack(&m, &err), OP_OK);
		arrays = written(&m);
		CHECK_EQ(op_otlp_encode(&m, &w), OP_OK);
		whole.p = (uint8_t *)op_pbw_result(&w).p;
		whole.n = op_pbw_result(&w).n;
		check_same(packed, arrays);
		check_same(packed, whole);
		op_buf_free(&packed);
		op_buf_free(&arrays);
		op_pbw_free(&w);
		op_model_free(&m);
	}
}

struct full_sink {
	struct op_sink sink;
	size_t left; /* bytes that it takes */
};

static int full_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct full_sink *f = (struct full_sink *)sink;

	if (v.n > f->left)
		return op_fail(err, OP_EIO, "full");
	f->left -= v.n;
	return OP_OK;
}

/* A sink that is full ends the writing wherever that happens. */
TEST(full)
{
	struct op_model m = { 0 };
	struct op_buf all;

	model_make(&m, 20000, 40000, 7);
	all = written(&m);
	for (size_t n = 0; n < all.n; n += all.n / 9) {
		struct full_sink f = { .sink.write = full_write, .left = n };
		struct op_err err = { 0 };

		CHECK_EQ(op_otlp_write(&m, &f.sink, &err), OP_EIO);
		CHECK_STR(err.text, "full");
	}
	op_buf_free(&all);
	op_model_free(&m);
}

static int drop(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	(void)sink;
	(void)v;
	return err->code;
}

TEST(each_allocation_fails)
{
	struct op_sink sink = { .write = drop };
	struct op_model m = { 0 };

	model_make(&m, 3, 100, 1);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		int code = op_otlp_write(&m, &sink, &err);

		CHECK_EQ(code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
	}
	op_model_free(&m);
}

TEST_MAIN(three_ways, full, each_allocation_fails)
