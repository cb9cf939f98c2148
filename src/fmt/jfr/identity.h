// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/identity.h: what the words of an event mean. */
#ifndef OP_FMT_JFR_IDENTITY_H
#define OP_FMT_JFR_IDENTITY_H

#include "model/builder.h"

struct op_jfr_chunk;
struct op_jfr_plan;

/* The identity of a sample whose words are new. */
struct op_jfr_identity {
	struct op_identity id;
	bool unwanted;
};

/* first: the number of the profile, of those of the plan, that it is of. */
void op_jfr_identity_make(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			  uint32_t first, const uint64_t *words,
			  struct op_jfr_identity *m);

#endif
