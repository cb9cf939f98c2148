// SPDX-License-Identifier: Apache-2.0
/* model/builder_int.h: shared by the files of the builder. */
#ifndef OP_MODEL_BUILDER_INT_H
#define OP_MODEL_BUILDER_INT_H

#include "model/builder.h"
#include "model/obs.h"

enum op_build_shape { OP_SHAPE_NONE, OP_SHAPE_SUMS, OP_SHAPE_TIMED };

/* A profile being built. */
struct op_build_profile {
	struct op_profile head;
	uint32_t scope;
	struct op_build_profile *like; /* owner of the samples, or NULL */
	const struct op_profile *done; /* the finished profile */
	uint32_t nr_like;	       /* unfinished ones like it */
	bool is_summed;		       /* observations are summed */
	enum op_build_shape shape;
	struct op_intern index;
	OP_VEC(struct op_identity) samples;
	OP_VEC(int64_t) sums;	 /* per sample */
	struct op_id_vec counts; /* of observations in them; none if like */
	struct op_obs times;	 /* empty if it is like another */
	struct op_obs values;	 /* empty: all are 1 */
	bool has_values;
	/* Number of observations, and how many of them are known to have a
	 * value, so that op_build_pad() can skip them. */
	size_t nr_times, nr_values;
	uint32_t last_sample;	/* of the observation added last */
	const uint32_t *joined; /* new ids of its samples: join.c */
};

/* A copy of bytes in the model's arena. */
struct op_view op_build_copy(struct op_builder *b, struct op_view v);

/* The same for text: invalid UTF-8 is replaced, and b->has_fixed is set. */
struct op_view op_build_text(struct op_builder *b, struct op_view v);

/* A deep copy of a value. With refs, strings become OP_ANY_STRING_ID. */
struct op_any op_build_any(struct op_builder *b, const struct op_any *v,
			   const struct op_model *from, bool refs);

/* Sorts the members of a set and removes duplicates. Returns how many are left.
 */
uint32_t op_set_sort(uint32_t *attrs, uint32_t n);

/* Builds the dictionary of the model from the rows so far. */
void op_build_dict(struct op_builder *b);

/* Whether a profile takes values of this shape, which the first value decides;
 * otherwise sets the error. */
bool op_build_shape_is(struct op_builder *b, struct op_build_profile *bp,
		       enum op_build_shape shape);

/* Notes that the sum of a sample has n observations more. */
void op_build_count(struct op_builder *b, struct op_build_profile *bp,
		    uint32_t sample, uint32_t n);

/* Gives each observation a value, missing ones v. */
bool op_build_pad(struct op_builder *b, struct op_build_profile *bp, int64_t v);

/* Starts to store values: all values so far were 1. */
bool op_build_values_begin(struct op_builder *b, struct op_build_profile *bp);

/* For the samples of a profile. */
uint32_t op_identity_hash(const struct op_identity *id);

/* Builds the profile of the model. */
bool op_build_profile_finish(struct op_builder *b, struct op_build_profile *bp,
			     struct op_profile *out);

#endif
