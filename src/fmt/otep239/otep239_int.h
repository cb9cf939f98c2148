// SPDX-License-Identifier: Apache-2.0
/* fmt/otep239/otep239_int.h: the profiles of OTEP 239 ("pprofextended",
 * released as v1experimental in v1.3) to and from the model. */
#ifndef OP_FMT_OTEP239_OTEP239_INT_H
#define OP_FMT_OTEP239_OTEP239_INT_H

#include "fmt/draft/layout.h"
#include "fmt/format.h"
#include "pb/write.h"

/* ProfileContainer, and the fields of Profile that are no tables. */
enum {
	CONTAINER_ID = 1,
	CONTAINER_START = 2,
	CONTAINER_END = 3,
	CONTAINER_ATTRIBUTES = 4,
	CONTAINER_DROPPED = 5,
	CONTAINER_PAYLOAD_FORMAT = 6,
	CONTAINER_PAYLOAD = 7,
	CONTAINER_PROFILE = 8,

	EXT_SAMPLE_TYPE = 1,
	EXT_SAMPLE = 2,
	EXT_DROP_FRAMES = 7,
	EXT_KEEP_FRAMES = 8,
	EXT_TIME = 9,
	EXT_DURATION = 10,
	EXT_PERIOD_TYPE = 11,
	EXT_PERIOD = 12,
	EXT_COMMENT = 13,
	EXT_DEFAULT_TYPE = 14,
	EXT_LOCATION_INDICES = 15,

	EXT_SAMPLE_LOCATION = 1, /* pprof's, as are 2 and 3 */
	EXT_SAMPLE_VALUE = 2,
	EXT_SAMPLE_LABEL = 3,
	EXT_SAMPLE_START = 7,
	EXT_SAMPLE_LENGTH = 8,
	EXT_SAMPLE_STACK_ID = 9,
	EXT_SAMPLE_ATTRIBUTES = 10,
	EXT_SAMPLE_LINK = 12,
	EXT_SAMPLE_TIMES = 13,
};

extern const struct op_draft_layout op_otep239_layout;

/* Reads a message into an empty model, whose quota may be set. It may also be
 * a profile that stands alone, or pprof's. On failure the model is to be
 * freed. */
int op_otep239_decode(struct op_model *m, struct op_view msg,
		      struct op_err *err);

/* Writes a model as one message to w; the caller ends w. opts may be NULL. */
int op_otep239_encode(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_pbw *w);

#endif
