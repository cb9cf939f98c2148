// SPDX-License-Identifier: Apache-2.0
/* Values of samples, however they are laid out. */
#include "fmt/otlp/otlp.h"

#include "fmt/otlp/dialect.h"
#include "fmt/otlp/fields.h"
#include "pb/write.h"
#include "test.h"

enum { MOST = 1000 };

static uint64_t state;

/* splitmix64 */
static uint64_t any(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
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

TEST_MAIN(values)
