// SPDX-License-Identifier: Apache-2.0
/* model/builder_int.h: between the files of the builder. */
#ifndef OP_MODEL_BUILDER_INT_H
#define OP_MODEL_BUILDER_INT_H

#include "model/builder.h"
#include "model/obs.h"

enum op_build_shape { OP_SHAPE_NONE, OP_SHAPE_SUMS, OP_SHAPE_TIMED };

/* A profile being built. */
struct op_build_profile {
	struct op_profile head;
	uint32_t scope;
	struct op_build_profile *like; /* whose samples these are; or NULL */
	const struct op_profile *done; /* what it became */
	uint32_t nr_like;	       /* that are like it and not finished */
	bool is_summed;		       /* its observations are */
	enum op_build_shape shape;
	struct op_intern index;
	OP_VEC(struct op_identity) samples;
	OP_VEC(int64_t) sums; /* per sample */
	struct op_obs times;  /* of one that is like another: empty */
	struct op_obs values; /* empty: all are 1 */
	bool has_values;
	/* Observations, and how many of them surely have their value: those
	 * that op_build_pad() need not look for. */
	size_t nr_times, nr_values;
	uint32_t last_sample;	/* of the observation added last */
	const uint32_t *joined; /* where its samples went: join.c */
};

int op_build_nomem(struct op_builder *b);

/* A copy of bytes in the model's arena. */
struct op_view op_build_copy(struct op_builder *b, struct op_view v);

/* The same for text: what is not UTF-8 is made so, and b->has_fixed set. */
struct op_view op_build_text(struct op_builder *b, struct op_view v);

/* A deep copy of a value. With refs strings become OP_ANY_STRING_ID. */
struct op_any op_build_any(struct op_builder *b, const struct op_any *v,
			   const struct op_model *from, bool refs);

/* Puts the members of a set in order and drops repeats. How many are left. */
uint32_t op_set_sort(uint32_t *attrs, uint32_t n);

/* Makes the model's dictionary of the rows so far. */
void op_build_dict(struct op_builder *b);

/* Whether a profile takes values of this shape, which the first decides; else
 * the error is set. */
bool op_build_shape_is(struct op_builder *b, struct op_build_profile *bp,
		       enum op_build_shape shape);

/* Gives each observation a value, new ones v. */
bool op_build_pad(struct op_builder *b, struct op_build_profile *bp, int64_t v);

/* From now on values are kept: all so far were 1. */
bool op_build_values_begin(struct op_builder *b, struct op_build_profile *bp);

/* Of the samples of a profile. */
uint32_t op_identity_hash(const struct op_identity *id);

/* Makes the profile of the model. */
bool op_build_profile_finish(struct op_builder *b, struct op_build_profile *bp,
			     struct op_profile *out);

#endif
