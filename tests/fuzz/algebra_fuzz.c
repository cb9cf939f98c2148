// SPDX-License-Identifier: Apache-2.0
/* The laws of filter and diff on any model: a byte of wishes, eight bytes of
 * time, and a message.
 *
 * All of it is what normalising gives; cut in two at a time, the observations
 * add up; with itself there is no difference; and whatever is asked for, the
 * result keeps the invariants and has no row too many. */
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "model/diff.h"
#include "model/filter.h"
#include "model/merge.h"

static bool went(int code, const struct op_err *err)
{
	PROP(!code || code == OP_ENOMEM);
	PROP(code == err->code);
	return !code;
}

static bool same_sizes(const struct op_model *a, const struct op_model *b)
{
	for (int t = 0; t < OP_NR_TABLES; t++)
		if (a->dict.nr[t] != b->dict.nr[t])
			return false;
	return a->nr_resources == b->nr_resources;
}

/* The sum of all observations with times; times_end: one is the last. */
static __int128 observed(const struct op_model *m, bool *times_end)
{
	struct op_walk w = { 0 };
	__int128 sum = 0;

	while (op_walk_next(m, &w)) {
		for (uint32_t i = 0; i < w.profile->nr_samples; i++) {
			struct op_values v = op_sample_values(w.profile, i);
			struct op_times t = op_sample_times(w.profile, i);

			for (uint32_t k = 0; k < t.n; k++) {
				sum += v.n ? v.p[k] : 1;
				*times_end |= t.p[k] == UINT64_MAX;
			}
		}
	}
	return sum;
}

static void all_is_normalise(const struct op_model *m)
{
	struct op_filter_opts all = { 0 };
	struct op_model a = { .mem.quota = PROP_QUOTA };
	struct op_model b = { .mem.quota = PROP_QUOTA };
	struct op_model *one[] = { (struct op_model *)m };
	struct op_err err = { 0 };

	if (went(op_filter(m, &all, &a, &err), &err) &&
	    went(op_concat(one, 1, &b, &err), &err))
		PROP(same_sizes(&a, &b));
	op_model_free(&a);
	op_model_free(&b);
}

static void halves_add_up(const struct op_model *m, uint64_t t)
{
	struct op_filter_opts o[] = { { .range = { 0, t } },
				      { .range = { t, UINT64_MAX } } };
	struct op_model part[2] = { { .mem.quota = PROP_QUOTA },
				    { .mem.quota = PROP_QUOTA } };
	struct op_err err = { 0 };
	bool times_end = false;
	__int128 whole = observed(m, &times_end);

	if (!times_end && went(op_filter(m, &o[0], &part[0], &err), &err) &&
	    went(op_filter(m, &o[1], &part[1], &err), &err))
		PROP(observed(&part[0], &times_end) +
			     observed(&part[1], &times_end) ==
		     whole);
	op_model_free(&part[0]);
	op_model_free(&part[1]);
}

static void no_difference(const struct op_model *m, unsigned int wishes)
{
	struct op_diff_opts o = { .exact = wishes & 1,
				  .normalize = wishes & 2 };
	struct op_model out = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	if (went(op_diff(m, m, &o, &out, &err), &err)) {
		prop_model(&out);
		while (op_walk_next(&out, &w))
			PROP(!w.profile->nr_samples);
	}
	op_model_free(&out);
}

static void no_row_too_many(const struct op_model *m, unsigned int wishes,
			    uint64_t t)
{
	struct op_filter_opts o = {
		.focus = wishes & 4 ? "a" : NULL,
		.ignore = wishes & 8 ? "e" : NULL,
		.range = { t, wishes & 16 ? UINT64_MAX : 0 },
		.aggregate = wishes & 32,
		.drop_zeros = wishes & 64,
	};
	struct op_model out = { .mem.quota = PROP_QUOTA };
	struct op_model again = { .mem.quota = PROP_QUOTA };
	struct op_model *one[] = { &out };
	struct op_err err = { 0 };

	if (went(op_filter(m, &o, &out, &err), &err)) {
		prop_model(&out);
		if (went(op_concat(one, 1, &again, &err), &err))
			PROP(same_sizes(&out, &again));
	}
	op_model_free(&out);
	op_model_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };
	uint64_t t;

	if (n < 9)
		return 0;
	memcpy(&t, data + 1, sizeof(t));
	t += !t;
	if (!op_otlp_decode(&m, op_view(data + 9, n - 9), NULL, &err)) {
		all_is_normalise(&m);
		halves_add_up(&m, t);
		no_difference(&m, data[0]);
		no_row_too_many(&m, data[0], t);
	}
	op_model_free(&m);
	return 0;
}
