// SPDX-License-Identifier: Apache-2.0
/* fmt/otep_arrays/otep_arrays_int.h: the "arrays" draft of OTLP Profiles to and
 * from the model. */
#ifndef OP_FMT_OTEP_ARRAYS_OTEP_ARRAYS_INT_H
#define OP_FMT_OTEP_ARRAYS_OTEP_ARRAYS_INT_H

#include "fmt/draft/layout.h"
#include "fmt/format.h"
#include "pb/write.h"

/* Profile, but for its tables, and ProfileType. */
enum {
	ARRAYS_ID = 1,
	ARRAYS_START = 2,
	ARRAYS_END = 3,
	ARRAYS_ATTRIBUTES = 4,
	ARRAYS_DROPPED = 5,
	ARRAYS_PAYLOAD = 6,
	ARRAYS_TYPES = 14,

	ARRAYS_TYPE_TEMPORALITY = 1,
	ARRAYS_TYPE_RATE = 2,
	ARRAYS_TYPE_TYPE = 3,
	ARRAYS_TYPE_UNIT = 4,
	ARRAYS_TYPE_STACKS = 10,
	ARRAYS_TYPE_LINKS = 11,
	ARRAYS_TYPE_SETS = 12,
	ARRAYS_TYPE_VALUES = 13,
	ARRAYS_TYPE_TIMES = 14,
};

/* A sample rate is a period of this type. */
#define ARRAYS_PERIOD_TYPE "cpu"
#define ARRAYS_PERIOD_UNIT "nanoseconds"
enum { ARRAYS_SECOND = 1000000000 };

extern const struct op_draft_layout op_otep_arrays_layout;

/* Reads a message into an empty model, whose quota may be set. On failure the
 * model is to be freed. */
int op_otep_arrays_decode(struct op_model *m, struct op_view msg,
			  struct op_err *err);

/* Writes a model as one message to w; the caller ends w. opts may be NULL. */
int op_otep_arrays_encode(const struct op_model *m,
			  const struct op_write_opts *opts, struct op_pbw *w);

#endif
