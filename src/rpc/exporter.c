// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter.c: the caller's side. */
#include "rpc/exporter_int.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/thread.h"
#include "rpc/spool_file.h"

static const size_t queue_default = 64 << 20;
static const uint64_t spool_default = 1 << 30;
static const uint64_t retry_default = 300 * OP_SECOND;

/* --- time --- */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * OP_SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t system_mono(void *ctx)
{
	(void)ctx;
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t system_wall(void *ctx)
{
	(void)ctx;
	return clock_ns(CLOCK_REALTIME);
}

static void system_wait(void *ctx, pthread_cond_t *cond, pthread_mutex_t *mu,
			uint64_t until_ns)
{
	struct timespec t = { (time_t)(until_ns / OP_SECOND),
			      (long)(until_ns % OP_SECOND) };

	(void)ctx;
	pthread_cond_timedwait(cond, mu, &t);
}

static const struct op_exporter_clock system_clock = { .mono_ns = system_mono,
						       .wall_ns = system_wall,
						       .wait = system_wait };

uint64_t op_exporter_now(const struct op_exporter *e)
{
	return e->clock->mono_ns(e->clock->ctx);
}

void op_exporter_wait(struct op_exporter *e, pthread_cond_t *cond,
		      uint64_t until_ns)
{
	if (until_ns == OP_NEVER)
		pthread_cond_wait(cond, &e->mu);
	else
		e->clock->wait(e->clock->ctx, cond, &e->mu, until_ns);
}

/* --- telling --- */

void op_exporter_unlock(struct op_exporter *e)
{
	char lines[OP_TOLD_LINES][OP_TOLD_TEXT];
	unsigned int n = e->told.nr_lines;

	if (n)
		memcpy(lines, e->told.lines, sizeof(lines));
	e->told.nr_lines = 0;
	pthread_mutex_unlock(&e->mu);
	for (unsigned int i = 0; e->opts.log && i < n; i++)
		e->opts.log(e->opts.log_ctx, lines[i]);
}

void op_exporter_lock(struct op_exporter *e)
{
	pthread_mutex_lock(&e->mu);
}

/* With the system's reason, which err->text does not contain. */
static void spool_why(char *out, size_t n, const struct op_err *err)
{
	errno = err->sys;
	if (err->sys)
		snprintf(out, n, "%s: %m", err->text);
	else
		snprintf(out, n, "%s", err->text);
}

void op_exporter_spool_trouble(struct op_exporter *e, enum op_spool_trouble t,
			       const struct op_err *err)
{
	static const char *const results[] = {
		[OP_SPOOL_NOT_READ] = "its messages are retried later",
		[OP_SPOOL_NOT_REMOVED] = "the message may be sent again",
		[OP_SPOOL_NOT_SYNCED] = "messages may be lost if the machine "
					"stops",
	};
	char why[250];
	uint64_t nr;
	char *line = op_log_throttle_due(&e->told, OP_TROUBLE_SPOOL, 1,
					 op_exporter_now(e), &nr);

	if (!line)
		return;
	spool_why(why, sizeof(why), err);
	if (t == OP_SPOOL_NOT_WRITTEN)
		snprintf(line, OP_TOLD_TEXT,
			 "the spool cannot be used: %s; messages wait in "
			 "memory, up to %zu bytes, and are lost if the process "
			 "ends",
			 why, e->queue.max);
	else
		snprintf(line, OP_TOLD_TEXT, "the spool cannot be used: %s; %s",
			 why, results[t]);
}

void op_exporter_full(struct op_exporter *e, uint64_t nr, const char *where,
		      uint64_t max)
{
	char *line;

	if (!nr)
		return;
	e->stats.dropped += nr;
	line = op_log_throttle_due(&e->told, OP_TROUBLE_FULL, nr,
				   op_exporter_now(e), &nr);
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "messages dropped, the oldest first: %llu; at most "
			 "%llu bytes may wait in %s",
			 (unsigned long long)nr, (unsigned long long)max,
			 where);
}

void op_exporter_foreign(struct op_exporter *e)
{
	char what[100];
	uint64_t nr;
	char *line;

	if (!op_spool_found_foreign(e->spool, what, sizeof(what), &nr))
		return;
	line = op_log_throttle_due(&e->told, OP_TROUBLE_FOREIGN, nr,
				   op_exporter_now(e), &nr);
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "the spool has foreign files, which are not "
			 "sent: %llu; %s",
			 (unsigned long long)nr, what);
}

/* --- taking --- */

/* Opens the spool, or reports why not and tries again in a minute. */
static void spool_open(struct op_exporter *e)
{
	struct op_err err = { 0 };

	if (e->spool || !e->opts.spool || op_exporter_now(e) < e->spool_open_ns)
		return;
	if (op_spool_open(e->opts.spool, e->opts.spool_bytes, &e->spool, &err))
		op_exporter_spool_trouble(e, OP_SPOOL_NOT_WRITTEN, &err);
	else
		op_exporter_foreign(e);
	e->spool_open_ns = op_exporter_now(e) + 60 * OP_SECOND;
}

/* Tries to put a message into the spool. */
static bool spool_put(struct op_exporter *e, enum op_signal signal,
		      struct op_view message)
{
	struct op_err err = { 0 };
	struct op_spool *spool;
	uint64_t gone = 0;

	op_exporter_lock(e);
	spool_open(e);
	spool = e->spool; /* stays open until the end */
	op_exporter_unlock(e);
	if (!spool)
		return false;
	op_spool_add(spool, signal, message, e->clock->wall_ns(e->clock->ctx),
		     &gone, &err);
	op_exporter_lock(e);
	op_exporter_full(e, gone, "the spool", e->opts.spool_bytes);
	if (err.code)
		op_exporter_spool_trouble(e, OP_SPOOL_NOT_WRITTEN, &err);
	op_exporter_unlock(e);
	return !err.code;
}

static int queue_put(struct op_exporter *e, struct op_queued *m,
		     struct op_err *err)
{
	struct op_queued *gone;

	if (!m)
		return err->code;
	op_exporter_lock(e);
	gone = op_queue_push(&e->queue, m);
	op_exporter_full(e, op_queued_list_length(gone), "memory",
			 e->queue.max);
	op_exporter_unlock(e);
	op_queued_list_free(gone);
	return OP_OK;
}

int op_exporter_put(struct op_exporter *e, enum op_signal signal,
		    struct op_view message, void (*release)(void *ctx),
		    void *ctx, struct op_err *err)
{
	if (spool_put(e, signal, message)) {
		if (release)
			release(ctx);
	} else if (message.n > e->queue.max) {
		return op_fail(err, OP_ELIMIT,
			       "a message of %zu bytes; at most %zu may wait",
			       message.n, e->queue.max);
	} else if (queue_put(e,
			     op_queued_new(signal, message, release, ctx, err),
			     err)) {
		return err->code;
	}
	op_exporter_lock(e);
	e->stats.put++;
	e->stats.put_bytes += message.n;
	pthread_cond_signal(&e->wake);
	op_exporter_unlock(e);
	return OP_OK;
}

/* --- new and free --- */

static void sync_init(struct op_exporter *e)
{
	pthread_mutex_init(&e->mu, NULL);
	op_thread_cond_init(&e->wake);
	op_thread_cond_init(&e->changed);
}

static void defaults(struct op_exporter *e)
{
	struct op_exporter_opts *o = &e->opts;
	uint64_t seed;

	e->queue.max = o->queue_bytes ? o->queue_bytes : queue_default;
	o->spool_bytes = o->spool_bytes ? o->spool_bytes : spool_default;
	o->retry_ns = o->retry_ns ? o->retry_ns : retry_default;
	e->clock = o->clock ? o->clock : &system_clock;
	e->turn = OP_NR_SIGNALS - 1;
	seed = e->clock->seed;
	if (!seed)
		seed = op_exporter_now(e) ^ (uint64_t)(uintptr_t)e;
	for (int s = 0; s < OP_NR_SIGNALS; s++)
		e->lanes[s].backoff.random = seed + (uint64_t)s;
}

/* Everything except the thread. */
static void destroy(struct op_exporter *e)
{
	op_spool_close(e->spool);
	pthread_cond_destroy(&e->changed);
	pthread_cond_destroy(&e->wake);
	pthread_mutex_destroy(&e->mu);
	op_heap_free((char *)e->opts.spool);
	op_heap_free(e);
}

static int copy_path(struct op_exporter *e, struct op_err *err)
{
	size_t n;
	char *copy;

	if (!e->opts.spool)
		return OP_OK;
	n = strlen(e->opts.spool) + 1;
	copy = op_heap_resize(NULL, n, err);
	if (copy)
		memcpy(copy, e->opts.spool, n);
	e->opts.spool = copy;
	return err->code;
}

int op_exporter_new(const struct op_exporter_opts *opts,
		    struct op_exporter **out, struct op_err *err)
{
	struct op_exporter *e = op_heap_resize(NULL, sizeof(*e), err);

	if (!e)
		return err->code;
	*e = (struct op_exporter){ .opts = *opts };
	defaults(e);
	sync_init(e);
	if (!copy_path(e, err)) {
		op_exporter_lock(e);
		spool_open(e);
		op_exporter_unlock(e);
		op_thread_start(&e->thread, op_exporter_run, e,
				"the exporter's thread", err);
	}
	if (err->code) {
		destroy(e);
		return err->code;
	}
	*out = e;
	return OP_OK;
}

/* Drops the messages that are only in memory, and reports what was not reported
 * yet. */
static void left_behind(struct op_exporter *e)
{
	uint64_t nr = e->queue.nr, bytes = e->queue.bytes;
	struct op_queued *m;
	char line[OP_TOLD_TEXT];

	while ((m = op_queue_pop(&e->queue)))
		op_queued_free(m);
	if (!e->opts.log)
		return;
	for (int k = 0; k < OP_NR_TROUBLES; k++)
		if (op_log_throttle_rest(&e->told, (enum op_trouble)k, line))
			e->opts.log(e->opts.log_ctx, line);
	if (!nr)
		return;
	snprintf(line, sizeof(line),
		 "messages dropped at exit, not yet sent: %llu, of %llu bytes",
		 (unsigned long long)nr, (unsigned long long)bytes);
	e->opts.log(e->opts.log_ctx, line);
}

/* Syncs and counts the spool once more, so that the report is correct. */
static void spool_settle(struct op_exporter *e)
{
	struct op_err err = { 0 };

	op_spool_sync(e->spool, &err);
	op_spool_look(e->spool);
	if (!err.code)
		return;
	op_exporter_lock(e);
	op_exporter_spool_trouble(e, OP_SPOOL_NOT_SYNCED, &err);
	op_exporter_unlock(e);
}

void op_exporter_stop(struct op_exporter *e)
{
	if (e->has_stopped)
		return;
	op_exporter_lock(e);
	e->is_stopping = true;
	pthread_cond_broadcast(&e->wake);
	op_exporter_unlock(e);
	if (e->opts.stop)
		e->opts.stop(e->opts.send_ctx);
	pthread_join(e->thread, NULL);
	e->has_stopped = true;
	if (e->spool)
		spool_settle(e);
}

void op_exporter_free(struct op_exporter *e)
{
	if (!e)
		return;
	op_exporter_stop(e);
	left_behind(e);
	destroy(e);
}

/* --- waiting --- */

static struct op_spool_size spool_size(struct op_exporter *e)
{
	return e->spool ? op_spool_size(e->spool) : (struct op_spool_size){ 0 };
}

static uint64_t waiting(struct op_exporter *e)
{
	return e->queue.nr + e->is_in_flight + spool_size(e).nr;
}

/* With a spool, the queue is used while the spool cannot be written. */
static bool has_room(struct op_exporter *e, size_t n)
{
	bool is_queued = !e->spool || e->queue.nr;

	if (!waiting(e))
		return true;
	if (is_queued &&
	    (n > e->queue.max || e->queue.bytes > e->queue.max - n))
		return false;
	return !e->spool ||
	       spool_size(e).bytes + n + OP_SPOOL_HEADER <= e->opts.spool_bytes;
}

static bool has_sent_all(struct op_exporter *e, size_t n)
{
	(void)n;
	return !waiting(e);
}

static bool wait_for(struct op_exporter *e,
		     bool (*is)(struct op_exporter *e, size_t n), size_t n,
		     uint64_t deadline_ns)
{
	bool ok;

	op_exporter_lock(e);
	e->nr_flushing++;
	e->spool_lock_ns = 0;
	pthread_cond_signal(&e->wake);
	while (!(ok = is(e, n)) &&
	       (!deadline_ns || op_exporter_now(e) < deadline_ns))
		op_exporter_wait(e, &e->changed,
				 deadline_ns ? deadline_ns : OP_NEVER);
	e->nr_flushing--;
	op_exporter_unlock(e);
	return ok;
}

bool op_exporter_wait_room(struct op_exporter *e, size_t n,
			   uint64_t deadline_ns)
{
	return wait_for(e, has_room, n, deadline_ns);
}

bool op_exporter_flush(struct op_exporter *e, uint64_t deadline_ns)
{
	return wait_for(e, has_sent_all, 0, deadline_ns);
}

void op_exporter_stats(struct op_exporter *e, struct op_exporter_stats *out)
{
	struct op_spool_size spool;

	op_exporter_lock(e);
	spool = spool_size(e);
	*out = e->stats;
	out->spooled = spool.nr;
	out->spooled_bytes = spool.bytes;
	out->waiting = e->queue.nr + e->is_in_flight + spool.nr;
	out->waiting_bytes = e->queue.bytes + spool.bytes;
	if (e->is_in_flight)
		out->waiting_bytes += e->in_flight_bytes;
	op_exporter_unlock(e);
}
