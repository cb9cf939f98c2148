// SPDX-License-Identifier: Apache-2.0
/* Values and times of samples, however they are laid out. */
#include "fmt/otlp/otlp.h"

#include "fmt/otlp/dialect.h"
#include "fmt/otlp/fields.h"
#include "pb/write.h"
#include "random.h"
#include "test.h"

enum { MOST = 1000, FIRST_TIME = 1000000 };

static uint64_t state;

static uint64_t any(void)
{
	return random_next(&state);
}

/* One profile around the samples that were written. */
static struct op_view message(struct op_pbw *w)
{
	size_t end = 0;

	op_pbw_len(w, SCOPE_PROFILES_PROFILES, end);
	op_pbw_len(w, RESOURCE_PROFILES_SCOPES, end);
	op_pbw_len(w, DATA_RESOURCE_PROFILES, end);
	return op_pbw_result(w);
}

static const struct op_profile *profile(const struct op_model *m)
{
	return &m->resources[0].scopes[0].profiles[0];
}

static const struct op_otlp_opts today = { .dialect = &op_dialect_v1_10 };

/* Runs of every length; one value in some is long or negative. */
TEST(values)
{
	static int64_t v[MOST];

	state = 1;
	for (size_t n = 0; n < MOST; n += 1 + n / 8) {
		for (uint32_t odd = 1; odd < 400; odd = odd * 3 + 1) {
			struct op_err err = { 0 };
			struct op_pbw w = { .err = &err };
			struct op_model m = { 0 };
			struct op_values got;

			for (size_t i = 0; i < n; i++)
				v[i] = (int64_t)(any() >> (any() % odd ?
								   40 :
								   any() % 64));
			op_pbw_packed_i64(&w, SAMPLE_VALUES, v, n);
			op_pbw_len(&w, PROFILE_SAMPLES, 0);
			op_otlp_decode(&m, message(&w), &today, &err);
			CHECK_EQ(err.code, OP_OK);
			got = op_sample_values(profile(&m), 0);
			CHECK_EQ(got.n, n);
			CHECK(!n || !memcmp(got.p, v, n * sizeof(*v)));
			op_model_free(&m);
			op_pbw_free(&w);
		}
	}
}

/* Writes times from first on, in parts of any size. */
static void times_write(struct op_pbw *w, uint32_t first, uint32_t n)
{
	while (n) {
		uint32_t part = 1 + (uint32_t)(any() % n);
		uint64_t times[64];

		part = part > op_countof(times) ? op_countof(times) : part;
		n -= part;
		for (uint32_t i = 0; i < part; i++)
			times[i] = FIRST_TIME + first + n + i;
		if (part == 1)
			op_pbw_fixed64(w, SAMPLE_TIMES, times[0]);
		else
			op_pbw_packed_fixed64(w, SAMPLE_TIMES, times, part);
		if (any() % 4 == 0) /* an empty part says nothing */
			op_pbw_bytes(w, SAMPLE_TIMES, (struct op_view){ 0 });
	}
}

static void times_check(const struct op_profile *p)
{
	uint64_t next = FIRST_TIME;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times times = op_sample_times(p, i);

		CHECK_EQ(times.n, i % 90);
		for (uint32_t k = 0; k < times.n; k++)
			CHECK(times.p[k] == next++);
	}
}

static struct op_view times_message(struct op_pbw *w, uint32_t nr)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < nr; i++)
		first += i % 90;
	for (uint32_t i = nr; i--;) {
		size_t end = op_pbw_mark(w);

		first -= i % 90;
		times_write(w, first, i % 90);
		op_pbw_len(w, PROFILE_SAMPLES, end);
	}
	return message(w);
}

/* They stay where they are in the input, but for those in several parts. */
TEST(times)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m = { 0 };

	state = 2;
	op_otlp_decode(&m, times_message(&w, 200), &today, &err);
	CHECK_EQ(err.code, OP_OK);
	CHECK(profile(&m)->time_views && !profile(&m)->times);
	times_check(profile(&m));
	CHECK_EQ(op_model_align_times(&m, &err), OP_OK);
	CHECK(!profile(&m)->time_views && profile(&m)->times);
	times_check(profile(&m));
	op_model_free(&m);
	op_pbw_free(&w);
}

/* Each time a field of its own: as much work as in one run. */
TEST(times_one_by_one)
{
	enum { NR = 200000 };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m = { 0 };
	struct op_times times;

	for (uint32_t i = NR; i--;)
		op_pbw_fixed64(&w, SAMPLE_TIMES, FIRST_TIME + i);
	op_pbw_len(&w, PROFILE_SAMPLES, 0);
	op_otlp_decode(&m, message(&w), &today, &err);
	CHECK_EQ(err.code, OP_OK);
	times = op_sample_times(profile(&m), 0);
	CHECK_EQ(times.n, NR);
	for (uint32_t i = 0; i < times.n; i++)
		CHECK(times.p[i] == FIRST_TIME + i);
	op_model_free(&m);
	op_pbw_free(&w);
}

TEST(oom)
{
	struct op_err made = { 0 };
	struct op_pbw w = { .err = &made };
	struct op_view in = times_message(&w, 100);

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };

		if (!op_otlp_decode(&m, in, &today, &err) &&
		    !op_model_align_times(&m, &err))
			times_check(profile(&m));
		CHECK(err.code == OP_OK || err.code == OP_ENOMEM);
		op_model_free(&m);
	}
	op_pbw_free(&w);
}

TEST_MAIN(values, times, times_one_by_one, oom)
