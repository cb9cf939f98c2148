// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a file: packed or not, bare or with length prefixes.
 *
 * What can be read keeps the invariants of the model, also normalised and with
 * ids; the ids of its profiles do not change by writing and reading it; merged
 * with itself it holds twice as much of everything that is a sum. */
#include "fmt/input.h"
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "model/aggregate.h"
#include "model/content.h"
#include "model/merge.h"

enum { MAX_BYTES = 16 << 20 };

static bool read_all(struct op_model *m, struct op_view v)
{
	struct op_input_opts opts = { .max_bytes = MAX_BYTES };
	struct op_read_opts read = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };
	struct op_input in;

	*m = (struct op_model){ 0 };
	if (!op_input_memory(&in, v, &opts, &err) &&
	    !op_input_read(&in, &read, m, &err))
		return true;
	/* Offsets count from the start of what was unpacked. */
	prop_error(&err, MAX_BYTES);
	return false;
}

static bool enough_memory(const struct op_err *err)
{
	PROP(!err->code || err->code == OP_ENOMEM || err->code == OP_ELIMIT);
	return !err->code;
}

/* --- sums --- */

struct sums {
	int64_t total;
	uint64_t nr_times;
	bool large; /* adding it twice might reach the end of int64_t */
};

static void sums_add(struct sums *s, const struct op_profile *p)
{
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_values values = op_sample_values(p, i);

		s->nr_times += op_sample_times(p, i).n;
		for (uint32_t k = 0; k < values.n; k++)
			s->large |= values.p[k] > INT64_MAX >> 32 ||
				    values.p[k] < INT64_MIN >> 32;
	}
	s->total = op_add_sat(s->total, op_profile_total(p));
}

static struct sums sums_of(const struct op_model *m)
{
	struct sums s = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (op_aggregator_of(m, w.profile) == OP_SUM)
			sums_add(&s, w.profile);
	return s;
}

static void check_merge(struct op_model *m)
{
	struct op_model *twice[] = { m, m };
	struct op_model out = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };

	op_merge(twice, op_countof(twice), &out, &err);
	if (enough_memory(&err)) {
		struct sums one = sums_of(m), two = sums_of(&out);

		prop_model(&out);
		if (!one.large)
			PROP(two.total == 2 * one.total);
		PROP(two.nr_times == 2 * one.nr_times);
	}
	op_model_free(&out);
}

/* --- ids --- */

static void check_ids(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		PROP(w.profile->id_len == sizeof(w.profile->id));
}

static void ids_forget(struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
}

static bool ids_eq(const struct op_model *a, const struct op_model *b)
{
	struct op_walk v = { 0 }, w = { 0 };

	while (op_walk_next(a, &v)) {
		if (!op_walk_next(b, &w))
			return false;
		if (memcmp(v.profile->id, w.profile->id, sizeof(v.profile->id)))
			return false;
	}
	return !op_walk_next(b, &w);
}

/* The model written, read and given ids anew; false if that cannot be: no
 * memory, or the bytes look like another dialect. */
static bool copy(const struct op_model *m, struct op_pbw *w,
		 struct op_model *out)
{
	struct op_err err = { 0 };

	*out = (struct op_model){ .mem.quota = PROP_QUOTA };
	*w = (struct op_pbw){ .err = &err };
	PROP(!op_otlp_encode(m, w));
	if (op_otlp_decode(out, op_pbw_result(w), NULL, &err)) {
		prop_error(&err, op_pbw_result(w).n);
		return false;
	}
	if (!op_view_is(op_view_z(out->dialect), "v1.10"))
		return false;
	prop_model(out);
	ids_forget(out);
	op_content_ids(out, &err);
	return enough_memory(&err);
}

/* A copy by way of the wire gets the same ids. What is compared is two copies:
 * the first has its strings made UTF-8. */
static void check_ids_again(const struct op_model *m)
{
	struct op_model one = { 0 }, two = { 0 };
	struct op_pbw w1 = { 0 }, w2 = { 0 };

	if (copy(m, &w1, &one) && copy(&one, &w2, &two)) {
		check_ids(&two);
		PROP(ids_eq(&one, &two));
	}
	op_model_free(&two);
	op_model_free(&one);
	op_pbw_free(&w2);
	op_pbw_free(&w1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_err err = { 0 };
	struct op_model m;

	if (!read_all(&m, op_view(data, n)))
		return 0;
	prop_model(&m);
	op_normalise(&m, &err);
	if (enough_memory(&err)) {
		prop_model(&m);
		op_content_ids(&m, &err);
		if (enough_memory(&err)) {
			check_ids(&m);
			check_merge(&m);
			check_ids_again(&m);
		}
	}
	op_model_free(&m);
	return 0;
}
