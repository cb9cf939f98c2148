// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter.h: takes messages and sends them from a thread of its own, with
 * patience.
 *
 * A message is kept until it was taken or refused, or until a bound is hit:
 * then the oldest goes, is counted and told of, once a minute. With a spool
 * directory messages outlive the process: a message is in the spool before
 * op_exporter_put() returns, and is removed when a server has answered. What is
 * being sent when the process dies is sent again; its profile ids tell. A spool
 * that cannot be used is told of, and messages wait in memory.
 *
 * After a try that failed the other messages have their turn first. Signals
 * wait apart, as they may go to different places.
 *
 * The thread takes no signals and does not wake up while there is nothing to
 * do. After fork() the child has no such thread and must not use the exporter,
 * not even to free it. */
#ifndef OP_RPC_EXPORTER_H
#define OP_RPC_EXPORTER_H

#include <pthread.h>

#include "rpc/client.h"

struct op_exporter;

/* Where time comes from; a test has its own. */
struct op_exporter_clock {
	uint64_t (*mono_ns)(void *ctx);
	uint64_t (*wall_ns)(void *ctx); /* since 1970 */
	/* Waits for cond, or until this time of the monotonic clock. */
	void (*wait)(void *ctx, pthread_cond_t *cond, pthread_mutex_t *mu,
		     uint64_t until_ns);
	uint64_t seed; /* of the jitter */
	void *ctx;
};

struct op_exporter_opts {
	/* One try, called from the exporter's thread; a test puts its own
	 * here. signal says what the message is. */
	void (*send)(void *ctx, enum op_signal signal, struct op_view message,
		     struct op_answer *a);
	/* Called by op_exporter_free() from its thread: a try that is under way
	 * shall end soon. NULL: it ends when it ends. */
	void (*stop)(void *ctx);
	void *send_ctx;
	size_t queue_bytes;   /* 0: 64 MiB */
	const char *spool;    /* directory; NULL: none */
	uint64_t spool_bytes; /* 0: 1 GiB */
	/* How long a message is tried that is in no spool; 0: five minutes. */
	uint64_t retry_ns;
	/* Told in a sentence what went wrong and what becomes of the data, from
	 * any thread, of one kind of trouble at most once a minute. */
	void (*log)(void *ctx, const char *text);
	void *log_ctx;
	const struct op_exporter_clock *clock; /* NULL: the system's */
};

struct op_exporter_stats {
	uint64_t put, put_bytes;
	uint64_t sent, sent_bytes;
	uint64_t refused;  /* messages the server will never take */
	uint64_t rejected; /* profiles or records in messages it took */
	uint64_t dropped;  /* at a bound, after retry_ns, or damaged */
	uint64_t tries;
	uint64_t waiting, waiting_bytes; /* in the queue and the spool */
	uint64_t spooled, spooled_bytes; /* of these, in the spool */
};

/* What the spool still has from before is sent too. */
int op_exporter_new(const struct op_exporter_opts *opts, struct op_exporter **e,
		    struct op_err *err);

/* Takes a message. Without release it is copied; with it the bytes stay the
 * caller's until release(ctx) is called, from any thread, perhaps before this
 * returns. Never waits for a server. OP_ELIMIT: it is larger than a bound. On
 * failure release is not called. */
int op_exporter_put(struct op_exporter *e, enum op_signal signal,
		    struct op_view message, void (*release)(void *ctx),
		    void *ctx, struct op_err *err);

/* Waits until n more bytes would not push anything out, or until deadline_ns
 * of the monotonic clock (0: as long as it takes). False: it passed. */
bool op_exporter_wait_room(struct op_exporter *e, size_t n,
			   uint64_t deadline_ns);

/* Waits until nothing is left to send, or until the deadline. */
bool op_exporter_flush(struct op_exporter *e, uint64_t deadline_ns);

void op_exporter_stats(struct op_exporter *e, struct op_exporter_stats *out);

/* Ends the thread. The try under way ends as if it had failed, and what waits
 * stays where it is: the numbers of op_exporter_stats() are then what becomes
 * of it. Only op_exporter_stats() and op_exporter_free() may follow. */
void op_exporter_stop(struct op_exporter *e);

/* Stops it, if that was not done. What is left stays in the spool; what was in
 * memory only is lost, which is reported. NULL is allowed. */
void op_exporter_free(struct op_exporter *e);

#endif
