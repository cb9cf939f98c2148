// SPDX-License-Identifier: Apache-2.0
/* rpc/queue.h: messages that wait in memory, bounded in bytes.
 *
 * They stand in the order in which they came, each signal by itself. When there
 * is no room the oldest goes, whatever its signal. One that was taken to be
 * sent is out of the queue and does not count. Not thread-safe. */
#ifndef OP_RPC_QUEUE_H
#define OP_RPC_QUEUE_H

#include "rpc/config.h"

struct op_queued {
	struct op_queued *next;
	enum op_signal signal;
	uint64_t nr;	       /* in the order in which they came */
	uint64_t first_try_ns; /* of the monotonic clock; 0: none yet */
	struct op_view bytes;
	void (*release)(void *ctx);
	void *ctx;
};

/* Zero but for max is an empty queue. */
struct op_queue {
	struct op_queued *first[OP_NR_SIGNALS], *last[OP_NR_SIGNALS];
	uint64_t after[OP_NR_SIGNALS]; /* the one tried last */
	uint64_t nr, next_nr;
	size_t bytes, max;
};

/* A message outside of any queue; NULL without memory. Without release it is
 * copied. op_queued_free() calls release. */
struct op_queued *op_queued_new(enum op_signal signal, struct op_view bytes,
				void (*release)(void *ctx), void *ctx);
void op_queued_free(struct op_queued *m);
void op_queued_list_free(struct op_queued *list);
uint64_t op_queued_list_length(const struct op_queued *list);

/* Adds a message, which is at most max bytes. Gives a list of those that had to
 * go, for the caller to free; mostly NULL. */
struct op_queued *op_queue_push(struct op_queue *q, struct op_queued *m);

/* Takes the message of a signal that comes after the one taken last, so that
 * one that is never taken by a server does not keep back the others; behind the
 * last comes the first. NULL: there is none. */
struct op_queued *op_queue_take(struct op_queue *q, enum op_signal signal);

/* Puts it back to where it was; as op_queue_push(). */
struct op_queued *op_queue_return(struct op_queue *q, struct op_queued *m);

/* The oldest of all; NULL if there is none. */
struct op_queued *op_queue_pop(struct op_queue *q);

#endif
