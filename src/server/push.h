// SPDX-License-Identifier: Apache-2.0
/* server/push.h: server-sent events to the open tabs, and when the last one is
 * gone.
 *
 * Knows nothing of connections and asks no clock.
 */
#ifndef OP_SERVER_PUSH_H
#define OP_SERVER_PUSH_H

#include "base/view.h"

enum {
	/* Browsers have six connections per server, for all of their tabs. */
	OP_PUSH_MAX = 4,
	OP_PUSH_BEAT_S = 15,
	OP_PUSH_WAIT_S = 10,
};

/* A tab. The caller embeds it into its connection. */
struct op_stream {
	struct op_stream *next;
	void (*write)(struct op_stream *s, struct op_view text);
	void (*close)(struct op_stream *s); /* which removes it */
};

struct op_push {
	struct op_stream *first; /* oldest first */
	uint32_t nr;
	bool was_any;
	uint64_t gone_ns; /* when the last went */
};

/* A tab was opened. If there are too many, the oldest one's connection ends,
 * which its browser then makes anew. */
void op_push_add(struct op_push *p, struct op_stream *s);
void op_push_remove(struct op_push *p, struct op_stream *s, uint64_t now_ns);

/* Sends an event to all. json is one line. */
void op_push_send(struct op_push *p, const char *event, const char *json);

/* Sends something that means nothing, so that who is gone is noticed. */
void op_push_beat(struct op_push *p);

/* Whether there were tabs, but have been none for a while: one that is loaded
 * anew is gone for a moment. */
bool op_push_is_over(const struct op_push *p, uint64_t now_ns);

#endif
