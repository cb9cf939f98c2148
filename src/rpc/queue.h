// SPDX-License-Identifier: Apache-2.0
/* rpc/queue.h: messages that wait in memory, limited in bytes.
 *
 * Messages are in order of arrival, separately for each signal. If there is no
 * room, the oldest is dropped, whatever its signal. A message taken for sending
 * is not in the queue and does not count. Not thread-safe. */
#ifndef OP_RPC_QUEUE_H
#define OP_RPC_QUEUE_H

#include "rpc/config.h"

struct op_queued {
	struct op_queued *next;
	enum op_signal signal;
	uint64_t nr;	       /* order of arrival */
	uint64_t first_try_ns; /* of the monotonic clock; 0: none yet */
	struct op_view bytes;
	void (*release)(void *ctx);
	void *ctx;
};

/* All zero except for max is an empty queue. */
struct op_queue {
	struct op_queued *first[OP_NR_SIGNALS], *last[OP_NR_SIGNALS];
	uint64_t after[OP_NR_SIGNALS]; /* the last one tried */
	uint64_t nr, next_nr;
	size_t bytes, max;
};

/* A message that is not in a queue; NULL if out of memory. Without release it
 * is copied. op_queued_free() calls release. */
struct op_queued *op_queued_new(enum op_signal signal, struct op_view bytes,
				void (*release)(void *ctx), void *ctx,
				struct op_err *err);
void op_queued_free(struct op_queued *m);
void op_queued_list_free(struct op_queued *list);
uint64_t op_queued_list_length(const struct op_queued *list);

/* Adds a message of at most max bytes. Returns a list of dropped messages,
 * which the caller frees; usually NULL. */
struct op_queued *op_queue_push(struct op_queue *q, struct op_queued *m);

/* Takes the next message of a signal after the one taken last, wrapping around,
 * so that a message that no server accepts does not block the others. NULL:
 * there is none. */
struct op_queued *op_queue_take(struct op_queue *q, enum op_signal signal);

/* Puts it back in its position; like op_queue_push(). */
struct op_queued *op_queue_return(struct op_queue *q, struct op_queued *m);

/* The oldest message of all; NULL if there is none. */
struct op_queued *op_queue_pop(struct op_queue *q);

#endif
