// SPDX-License-Identifier: Apache-2.0
/* query/difference.c: joins two models and turns the sign of one. */
#include "query/difference.h"

#include "model/diff.h"
#include "model/merge.h"
#include "query/default_profile.h"
#include "query/type_list.h"

static int64_t negated(int64_t v)
{
	return v == INT64_MIN ? INT64_MAX : -v;
}

static void totals(const struct op_difference *d, const struct op_profile *like,
		   int64_t total[2])
{
	struct op_walk w = { 0 };

	total[0] = total[1] = 0;
	while (op_walk_next(&d->m, &w)) {
		int64_t *t = &total[w.r < d->first_before];

		if (op_same_type(&d->m, w.profile, like))
			*t = op_add_sat(*t, op_profile_total(w.profile));
	}
}

void op_difference_totals(const struct op_difference *d,
			  const struct op_profile *like, int64_t total[2])
{
	totals(d, like, total);
	total[0] = negated(total[0]);
}

/* What each type is scaled by; types past the list are left as they are. */
struct factors {
	struct op_type_list types;
	double of[OP_MAX_TYPES];
};

static void factors_find(struct factors *f, const struct op_difference *d)
{
	op_type_list(&f->types, &d->m);
	for (uint32_t i = 0; i < f->types.nr; i++) {
		int64_t t[2];

		totals(d, f->types.rows[i].like, t);
		f->of[i] = t[0] && t[1] ? (double)t[1] / (double)t[0] : 1;
	}
}

static double factor_of(const struct factors *f, const struct op_model *m,
			const struct op_profile *p)
{
	const struct op_type_row *row = op_type_row(&f->types, m, p);

	return row ? f->of[row - f->types.rows] : 1;
}

/* Turns the sign of what was before. f NULL: without scaling. */
static void negate(struct op_difference *d, const struct factors *f)
{
	struct op_walk w = { 0 };

	while (op_walk_next(&d->m, &w)) {
		const struct op_profile *p = w.profile;
		double factor = f ? factor_of(f, &d->m, p) : 1;

		for (uint32_t i = 0; w.r >= d->first_before && p->value_at &&
				     i < p->value_at[p->nr_samples];
		     i++)
			p->values[i] = negated(
				op_scale_sat(p->values[i], factor));
	}
}

int op_difference_build(struct op_difference *d, const struct op_model *before,
			const struct op_model *after, bool normalize,
			struct op_err *err)
{
	struct op_model sums[2] = { 0 };
	struct op_model *both[] = { &sums[0], &sums[1] };
	struct factors f;

	if (!op_sum_up(after, &sums[0], err) &&
	    !op_sum_up(before, &sums[1], err) &&
	    !op_concat(both, 2, &d->m, err)) {
		d->first_before = sums[0].nr_resources;
		if (normalize)
			factors_find(&f, d);
		negate(d, normalize ? &f : NULL);
	}
	op_model_free(&sums[0]);
	op_model_free(&sums[1]);
	return err->code;
}

void op_difference_free(struct op_difference *d)
{
	op_model_free(&d->m);
	*d = (struct op_difference){ 0 };
}
