// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter.h: queues messages and sends them from its own thread, with
 * retries.
 *
 * A message is kept until it is accepted or rejected, or until a limit is
 * reached: then the oldest is dropped, counted and reported, once a minute.
 * With a spool directory, messages outlive the process: a message is in the
 * spool before op_exporter_put() returns, and is removed when a server has
 * answered. A message in flight when the process dies is sent again; its
 * profile ids identify the duplicate. An unusable spool is reported, and
 * messages wait in memory.
 *
 * After a failed attempt the other messages are tried first. Signals wait
 * independently, because they may go to different servers.
 *
 * The thread blocks signals and does not wake up while there is nothing to do.
 * After fork() the child has no such thread and must not use the exporter, not
 * even to free it. */
#ifndef OP_RPC_EXPORTER_H
#define OP_RPC_EXPORTER_H

#include <pthread.h>

#include "rpc/client.h"

struct op_exporter;

/* The source of time; tests have their own. */
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
	/* One attempt, called from the exporter's thread; tests replace it.
	 * signal is that of the message. */
	void (*send)(void *ctx, enum op_signal signal, struct op_view message,
		     struct op_answer *a);
	/* Called by op_exporter_free() from its thread: an attempt in flight
	 * shall end soon. NULL: it runs to its end. */
	void (*stop)(void *ctx);
	void *send_ctx;
	size_t queue_bytes;   /* 0: 64 MiB */
	const char *spool;    /* directory; NULL: none */
	uint64_t spool_bytes; /* 0: 1 GiB */
	/* How long to retry a message that is not in a spool; 0: five minutes.
	 */
	uint64_t retry_ns;
	/* Receives one diagnostic message about what went wrong and what
	 * happens to the data, from any thread, at most once a minute per kind
	 * of problem. */
	void (*log)(void *ctx, const char *text);
	void *log_ctx;
	const struct op_exporter_clock *clock; /* NULL: the system's */
};

struct op_exporter_stats {
	uint64_t put, put_bytes;
	uint64_t sent, sent_bytes;
	uint64_t refused;  /* messages rejected by the server */
	uint64_t rejected; /* profiles or records in accepted messages */
	uint64_t dropped;  /* at a limit, after retry_ns, or damaged */
	uint64_t tries;
	uint64_t waiting, waiting_bytes; /* in the queue and the spool */
	uint64_t spooled, spooled_bytes; /* of these, in the spool */
};

/* Messages left in the spool are sent too. */
int op_exporter_new(const struct op_exporter_opts *opts, struct op_exporter **e,
		    struct op_err *err);

/* Queues a message. Without release it is copied; with it, the bytes must stay
 * valid until release(ctx) is called, from any thread, possibly before this
 * returns. Never waits for a server. OP_ELIMIT: the message exceeds a limit. On
 * failure release is not called. */
int op_exporter_put(struct op_exporter *e, enum op_signal signal,
		    struct op_view message, void (*release)(void *ctx),
		    void *ctx, struct op_err *err);

/* Waits until n more bytes would not displace anything, or until deadline_ns of
 * the monotonic clock (0: no limit). False: the deadline passed. */
bool op_exporter_wait_room(struct op_exporter *e, size_t n,
			   uint64_t deadline_ns);

/* Waits until nothing is left to send, or until the deadline. */
bool op_exporter_flush(struct op_exporter *e, uint64_t deadline_ns);

void op_exporter_stats(struct op_exporter *e, struct op_exporter_stats *out);

/* Ends the thread. The attempt in flight ends as failed, and waiting messages
 * stay where they are: op_exporter_stats() then says what happens to them. Only
 * op_exporter_stats() and op_exporter_free() may follow. */
void op_exporter_stop(struct op_exporter *e);

/* Stops the exporter if necessary and frees it. What is left stays in the
 * spool; what was only in memory is lost, which is reported. NULL is allowed.
 */
void op_exporter_free(struct op_exporter *e);

#endif
