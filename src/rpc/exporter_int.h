// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter_int.h: between the caller's side of the exporter and its thread.
 *
 * One mutex is for all but the spool, which has its own. It is not held while a
 * file is written or read, a message is sent, or the caller is told or given
 * back his bytes. */
#ifndef OP_RPC_EXPORTER_INT_H
#define OP_RPC_EXPORTER_INT_H

#include "rpc/exporter.h"
#include "rpc/queue.h"
#include "rpc/spool.h"
#include "rpc/log_throttle.h"

#define OP_SECOND 1000000000ull
#define OP_NEVER UINT64_MAX

/* What waits for one signal. */
struct op_lane {
	struct op_backoff backoff;
	uint64_t not_before_ns;
	bool spool_next; /* the queue had its turn */
};

struct op_exporter {
	struct op_exporter_opts opts;
	const struct op_exporter_clock *clock;
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t wake;	/* for the thread */
	pthread_cond_t changed; /* for those who wait for it */

	struct op_queue queue;
	struct op_lane lanes[OP_NR_SIGNALS];
	int turn;		/* the signal that had it last */
	struct op_spool *spool; /* NULL: none, or it cannot be used */
	uint64_t spool_open_ns; /* when to try again */
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

/* Waits for cond, with the mutex held, or until a time; OP_NEVER: no time. */
void op_exporter_wait(struct op_exporter *e, pthread_cond_t *cond,
		      uint64_t until_ns);

void op_exporter_lock(struct op_exporter *e);

/* Ends what is done under the mutex, and tells what there is to be told. */
void op_exporter_unlock(struct op_exporter *e);

/* With the mutex: takes note of trouble with the spool and what becomes of the
 * data then, and of messages that had to go at a bound. */
enum op_spool_trouble {
	OP_SPOOL_NOT_WRITTEN, /* messages wait in memory */
	OP_SPOOL_NOT_READ,    /* they stay there */
	OP_SPOOL_NOT_REMOVED, /* they may be sent twice */
	OP_SPOOL_NOT_SYNCED,  /* they may not outlive the machine */
};

void op_exporter_spool_trouble(struct op_exporter *e, enum op_spool_trouble t,
			       const struct op_err *err);
void op_exporter_full(struct op_exporter *e, uint64_t nr, const char *where,
		      uint64_t max);

/* With the mutex: tells of files in the spool that are not ours. */
void op_exporter_foreign(struct op_exporter *e);

/* The thread; ctx is the exporter. */
void *op_exporter_run(void *ctx);

#endif
