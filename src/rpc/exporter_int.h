// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter_int.h: shared by the caller's side of the exporter and its
 * thread.
 *
 * One mutex protects everything except the spool, which has its own. It is not
 * held while a file is written or read, a message is sent, or a callback of the
 * caller runs. */
#ifndef OP_RPC_EXPORTER_INT_H
#define OP_RPC_EXPORTER_INT_H

#include "rpc/exporter.h"
#include "rpc/queue.h"
#include "rpc/spool.h"
#include "rpc/log_throttle.h"

#define OP_SECOND 1000000000ull
#define OP_NEVER UINT64_MAX

/* Waiting messages of one signal. */
struct op_lane {
	struct op_backoff backoff;
	uint64_t not_before_ns;
	bool spool_next; /* the queue was last */
};

struct op_exporter {
	struct op_exporter_opts opts;
	const struct op_exporter_clock *clock;
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t wake;	/* for the thread */
	pthread_cond_t changed; /* for waiting callers */

	struct op_queue queue;
	struct op_lane lanes[OP_NR_SIGNALS];
	int turn;		/* the last signal served */
	struct op_spool *spool; /* NULL: none, or unusable */
	uint64_t spool_open_ns; /* when to retry */
	uint64_t spool_lock_ns; /* the same for its lock */
	bool is_in_flight;	/* a message of the queue */
	size_t in_flight_bytes;
	struct op_exporter_stats stats;
	struct op_log_throttle told;
	unsigned int nr_flushing;
	bool is_stopping;
	bool has_stopped; /* the thread has ended */
};

uint64_t op_exporter_now(const struct op_exporter *e);

/* Waits for cond, with the mutex held, or until a time; OP_NEVER: no limit. */
void op_exporter_wait(struct op_exporter *e, pthread_cond_t *cond,
		      uint64_t until_ns);

void op_exporter_lock(struct op_exporter *e);

/* Unlocks the mutex and delivers pending log messages. */
void op_exporter_unlock(struct op_exporter *e);

/* With the mutex held: records problems with the spool and what happens to the
 * data then, and messages dropped at a limit. */
enum op_spool_trouble {
	OP_SPOOL_NOT_WRITTEN, /* messages wait in memory */
	OP_SPOOL_NOT_READ,    /* messages stay there */
	OP_SPOOL_NOT_REMOVED, /* messages may be sent twice */
	OP_SPOOL_NOT_SYNCED,  /* messages may not survive a crash */
};

void op_exporter_spool_trouble(struct op_exporter *e, enum op_spool_trouble t,
			       const struct op_err *err);
void op_exporter_full(struct op_exporter *e, uint64_t nr, const char *where,
		      uint64_t max);

/* With the mutex held: reports files in the spool that are not ours. */
void op_exporter_foreign(struct op_exporter *e);

/* The thread; ctx is the exporter. */
void *op_exporter_run(void *ctx);

#endif
