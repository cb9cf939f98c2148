// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/otlp_events_int.h: the proposal of profiles that are events,
 * as protobuf and as text, to and from the model. */
#ifndef OP_FMT_OTLP_EVENTS_OTLP_EVENTS_INT_H
#define OP_FMT_OTLP_EVENTS_OTLP_EVENTS_INT_H

#include "fmt/draft/layout.h"
#include "fmt/format.h"
#include "pb/write.h"

/* Profile, but for its tables, and the messages that only this draft has. */
enum {
	EVENTS_EVENT = 1,
	EVENTS_TYPE = 3,
	EVENTS_CLOCK = 12,
	EVENTS_TIME = 16, /* where the profile ends */
	EVENTS_DURATION = 17,
	EVENTS_COMMENT = 18,

	EVENT_TYPE = 1,
	EVENT_STACK = 2,
	EVENT_LINK = 3,
	EVENT_ATTRIBUTES = 4,
	EVENT_TIME = 5,
	EVENT_DURATION = 6,
	EVENT_VALUE = 7,
	EVENT_COUNT = 8,
	EVENT_SUM = 9,

	CLOCK_FREQUENCY = 1,
	CLOCK_TIME = 2,
	CLOCK_ATTRIBUTES = 3,

	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	TYPE_CLOCK = 3,
	TYPE_DEFAULT = 4,
	TYPE_ATTRIBUTES = 7,
};

enum { EVENTS_SECOND = 1000000000 };

#define EVENTS_UNIT_COUNT "count"
#define EVENTS_UNIT_NS "ns"

extern const struct op_draft_layout op_events_layout;

struct op_events_opts {
	bool bare; /* the message is one profile, nothing around it */
	/* Without a table of stacks, each number is a stack of its own. */
	bool placeholders;
};

/* Reads a message into an empty model, whose quota may be set. opts may be
 * NULL. On failure the model is to be freed. */
int op_events_decode_as(struct op_model *m, struct op_view msg,
			const struct op_events_opts *opts, struct op_err *err);
int op_events_decode(struct op_model *m, struct op_view msg,
		     struct op_err *err);

/* Writes a model as one message to w; the caller ends w. opts may be NULL. */
int op_events_encode(const struct op_model *m, const struct op_write_opts *opts,
		     struct op_pbw *w);

/* The same in protobuf's text format. */
int op_events_text_read(struct op_model *m, struct op_view text,
			struct op_err *err);
int op_events_text_write(const struct op_model *m,
			 const struct op_write_opts *opts, struct op_buf *out);

/* Whether a text begins with a field of this draft. */
bool op_events_text_begins(struct op_view text);

#endif
