// SPDX-License-Identifier: Apache-2.0
/* model/diff.h: the difference between two models.
 *
 * Each side is first summed: over time, according to the aggregator of the
 * type, then over all resources and scopes, so that there is one profile for
 * each sample type and unit, and for each event of these if a side has several.
 * The sides are then compared sample by sample.
 *
 * Samples are the same if their stacks have the same function names in the same
 * order, inlined or not. Addresses, lines, files, mappings, attributes and
 * links are ignored and dropped, so that two builds and two runs can be
 * compared. A frame without a name is identified by its address and the file it
 * is mapped from. With exact, everything is compared.
 *
 * The result keeps the resource attributes that all resources of both sides
 * have in common, and the scope if there is only one.
 */
#ifndef OP_MODEL_DIFF_H
#define OP_MODEL_DIFF_H

#include "model/model.h"

struct op_diff_opts {
	bool exact;
	/* Scale the values before so that the totals are equal; not if one of
	 * the totals is 0. */
	bool normalize;
};

/* A model summed over time, as each side is first: one value per sample, and of
 * gauges only the latest of each resource. out as below. */
int op_sum_up(const struct op_model *m, struct op_model *out,
	      struct op_err *err);

/* v times a factor, rounded and held at the ends of int64_t. */
int64_t op_scale_sat(int64_t v, double factor);

/* Sums both sides. The results have the same profiles in the same order, empty
 * if only the other side has the type. before and after must be empty except
 * for their quotas; on failure the caller must free them. */
int op_diff_sides(const struct op_model *a, const struct op_model *b,
		  const struct op_diff_opts *opts, struct op_model *before,
		  struct op_model *after, struct op_err *err);

/* b minus a: signed values, in profiles marked with OP_ATTR_DIFF. Unchanged
 * samples are dropped, but the profile is kept even without samples. The time
 * range is that of b; for a type that only a has, that of a. out as above. */
int op_diff(const struct op_model *a, const struct op_model *b,
	    const struct op_diff_opts *opts, struct op_model *out,
	    struct op_err *err);

#endif
