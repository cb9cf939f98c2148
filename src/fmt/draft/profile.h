// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/profile.h: profiles, read by the fields that a layout gives them.
 *
 * A profile of several types becomes one profile of the model for each, all of
 * the same samples. Stacks are slices of a list of locations. */
#ifndef OP_FMT_DRAFT_PROFILE_H
#define OP_FMT_DRAFT_PROFILE_H

#include "fmt/draft/read.h"

struct op_draft_type {
	struct op_value_type value_type;
	uint32_t temporality; /* attribute, if it is not delta */
};

struct op_draft_sample {
	struct op_draft_numbers stack, values, times;
	struct op_id_vec attrs;
	uint64_t first, nr; /* in the profile's list of locations */
	uint32_t link;
	const uint8_t *at;
};

/* A profile being read; used again for the next. */
struct op_draft_profile {
	struct op_profile head; /* of all types */
	struct op_view id, payload, payload_format;
	uint64_t start, end, default_index;
	bool times_in_ns;
	struct op_id_vec attrs;
	OP_VEC(struct op_draft_type) types;
	struct op_pb_field default_name; /* of number 0: none */
	uint32_t default_type;
	struct op_draft_numbers locations, comments;
	uint32_t *ids[2]; /* without and with times; NULL: not made yet */
	uint32_t scope;
	struct op_draft_sample sample; /* the one at hand */
};

void op_draft_profile_begin(struct op_draft *r, struct op_draft_profile *p,
			    uint32_t scope);

/* Reads the fields of a message that are in y; the tables are known. */
void op_draft_head(struct op_draft *r, struct op_cur c,
		   const struct op_draft_head *y, struct op_draft_profile *p);

/* Finds the type that comes first in the model: the one with the default name,
 * or else this one. */
void op_draft_default(struct op_draft *r, struct op_draft_profile *p,
		      uint64_t otherwise);

/* The head's time range, from a start and an end. */
void op_draft_range(struct op_profile *head, uint64_t start, uint64_t end);

/* The id, to be called once: it and the payload go with the first profile. */
void op_draft_take_id(struct op_draft *r, struct op_draft_profile *p,
		      struct op_profile *head);

/* A time of a sample in nanoseconds. */
uint64_t op_draft_time(const struct op_draft_profile *p, uint64_t t);

/* Reads a sample into p, then builds it. */
void op_draft_sample_read(struct op_draft *r, struct op_cur c,
			  struct op_draft_profile *p);
void op_draft_sample_build(struct op_draft *r, struct op_draft_profile *p);

/* Builds a profile that had no samples all the same. */
void op_draft_profile_end(struct op_draft *r, struct op_draft_profile *p);

#endif
