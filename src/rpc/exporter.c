// SPDX-License-Identifier: Apache-2.0
/* One mutex is for all but the spool, which has its own. It is not held while a
 * file is written or read, a message is sent, or the caller is told or given
 * back his bytes. */
#include "rpc/exporter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "rpc/queue.h"
#include "rpc/spool.h"
#include "rpc/spool_file.h"
#include "rpc/told.h"

#define SECOND 1000000000ull
#define MINUTE (60 * SECOND)
#define NEVER UINT64_MAX

static const size_t queue_default = 64 << 20;
static const uint64_t spool_default = 1 << 30;
static const uint64_t retry_default = 5 * MINUTE;

/* What waits for one signal. */
struct lane {
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
	struct lane lanes[OP_NR_SIGNALS];
	struct op_spool *spool; /* NULL: none, or it cannot be used */
	uint64_t spool_open_ns; /* when to try again */
	uint64_t spool_lock_ns; /* the same for its lock */
	bool is_in_flight;	/* a message of the queue */
	size_t in_flight_bytes;
	struct op_exporter_stats stats;
	struct op_told told;
	unsigned int nr_flushing;
	bool is_stopping;
};

/* A message on its way: of the queue or of the spool. */
struct outgoing {
	enum op_signal signal;
	struct op_view bytes;
	struct op_queued *queued; /* NULL: of the spool */
	struct op_spooled spooled;
};

/* --- time --- */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
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
	struct timespec t = { (time_t)(until_ns / SECOND),
			      (long)(until_ns % SECOND) };

	(void)ctx;
	pthread_cond_timedwait(cond, mu, &t);
}

static const struct op_exporter_clock system_clock = { .mono_ns = system_mono,
						       .wall_ns = system_wall,
						       .wait = system_wait };

static uint64_t now(const struct op_exporter *e)
{
	return e->clock->mono_ns(e->clock->ctx);
}

static void wait_until(struct op_exporter *e, pthread_cond_t *cond,
		       uint64_t until_ns)
{
	if (until_ns == NEVER)
		pthread_cond_wait(cond, &e->mu);
	else
		e->clock->wait(e->clock->ctx, cond, &e->mu, until_ns);
}

/* --- telling --- */

/* Ends what is done under the mutex, and tells what there is to be told. */
static void unlock(struct op_exporter *e)
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

static void lock(struct op_exporter *e)
{
	pthread_mutex_lock(&e->mu);
}

static void spool_trouble(struct op_exporter *e, const struct op_err *err)
{
	uint64_t nr;
	char *line = op_told_due(&e->told, OP_TROUBLE_SPOOL, 1, now(e), &nr);

	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "the spool cannot be used: %s; messages wait in "
			 "memory, up to %zu bytes, and are lost if the process "
			 "ends",
			 err->text, e->queue.max);
}

static void damaged(struct op_exporter *e, const struct op_err *err)
{
	uint64_t nr;
	char *line = op_told_due(&e->told, OP_TROUBLE_DAMAGED, 1, now(e), &nr);

	e->stats.dropped++;
	if (line)
		snprintf(line, OP_TOLD_TEXT, "%s; it is not sent", err->text);
}

static void full(struct op_exporter *e, uint64_t nr, const char *where,
		 uint64_t max)
{
	char *line;

	if (!nr)
		return;
	e->stats.dropped += nr;
	line = op_told_due(&e->told, OP_TROUBLE_FULL, nr, now(e), &nr);
	if (line)
		snprintf(
			line, OP_TOLD_TEXT,
			"%llu messages were dropped, the oldest first: no more "
			"than %llu bytes may wait in %s",
			(unsigned long long)nr, (unsigned long long)max, where);
}

/* --- taking --- */

static void list_free(struct op_queued *list)
{
	while (list) {
		struct op_queued *next = list->next;

		op_queued_free(list);
		list = next;
	}
}

static uint64_t list_length(const struct op_queued *list)
{
	uint64_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

/* Opens the spool, or says why not and tries again in a minute. */
static void spool_open(struct op_exporter *e)
{
	struct op_err err = { 0 };

	if (e->spool || !e->opts.spool || now(e) < e->spool_open_ns)
		return;
	if (op_spool_open(e->opts.spool, e->opts.spool_bytes, &e->spool, &err))
		spool_trouble(e, &err);
	e->spool_open_ns = now(e) + MINUTE;
}

/* Tries to put a message into the spool. */
static bool spool_put(struct op_exporter *e, enum op_signal signal,
		      struct op_view message)
{
	struct op_err err = { 0 };
	struct op_spool *spool;
	uint64_t gone = 0;

	lock(e);
	spool_open(e);
	spool = e->spool; /* which stays until the end */
	unlock(e);
	if (!spool)
		return false;
	op_spool_add(spool, signal, message, e->clock->wall_ns(e->clock->ctx),
		     &gone, &err);
	lock(e);
	full(e, gone, "the spool", e->opts.spool_bytes);
	if (err.code)
		spool_trouble(e, &err);
	unlock(e);
	return !err.code;
}

static int queue_put(struct op_exporter *e, struct op_queued *m,
		     struct op_err *err)
{
	struct op_queued *gone;

	if (!m)
		return op_fail(err, OP_ENOMEM, "no memory to keep a message");
	lock(e);
	gone = op_queue_push(&e->queue, m);
	full(e, list_length(gone), "memory", e->queue.max);
	unlock(e);
	list_free(gone);
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
			       "a message of %zu bytes, and no more than %zu "
			       "may wait",
			       message.n, e->queue.max);
	} else if (queue_put(e, op_queued_new(signal, message, release, ctx),
			     err)) {
		return err->code;
	}
	lock(e);
	e->stats.put++;
	e->stats.put_bytes += message.n;
	pthread_cond_signal(&e->wake);
	unlock(e);
	return OP_OK;
}

/* --- choosing --- */

static uint64_t spool_waits(struct op_exporter *e, enum op_signal signal)
{
	return e->spool ? op_spool_size(e->spool).nr_signal[signal] : 0;
}

/* Whether we may send from the spool. If another process does, look again
 * soon, and sooner if somebody waits for it. */
static bool spool_is_ours(struct op_exporter *e)
{
	struct op_err err = { 0 };

	if (now(e) < e->spool_lock_ns)
		return false;
	if (op_spool_lock(e->spool, &err))
		return true;
	if (err.code)
		spool_trouble(e, &err);
	op_spool_look(e->spool);
	e->spool_lock_ns = now(e) + (e->nr_flushing ? SECOND / 20 : SECOND);
	return false;
}

static bool take_queued(struct op_exporter *e, enum op_signal signal,
			struct outgoing *out)
{
	struct op_queued *m = op_queue_take(&e->queue, signal);

	if (!m)
		return false;
	if (!m->first_try_ns)
		m->first_try_ns = now(e);
	*out = (struct outgoing){ .signal = signal,
				  .bytes = m->bytes,
				  .queued = m };
	e->is_in_flight = true;
	e->in_flight_bytes = m->bytes.n;
	return true;
}

static void later(struct op_exporter *e, struct lane *l, uint64_t asked_ns);

/* Reads a file, without the mutex. */
static bool take_spooled(struct op_exporter *e, enum op_signal signal,
			 struct outgoing *out)
{
	struct op_err err = { 0 };
	bool is = false;

	while (!is && spool_waits(e, signal) && spool_is_ours(e) &&
	       !e->is_stopping) {
		*out = (struct outgoing){ .signal = signal };
		err = (struct op_err){ 0 };
		pthread_mutex_unlock(&e->mu);
		is = op_spool_take(e->spool, signal, &out->spooled, &err);
		lock(e);
		out->bytes = out->spooled.bytes;
		if (err.code == OP_EFORMAT) {
			damaged(e, &err);
		} else if (err.code) {
			spool_trouble(e, &err);
			later(e, &e->lanes[signal], 0);
			break;
		} else if (!is) {
			break;
		}
	}
	return is;
}

/* The next message that may be sent now. */
static bool take(struct op_exporter *e, struct outgoing *out)
{
	for (int s = 0; s < OP_NR_SIGNALS; s++) {
		enum op_signal signal = (enum op_signal)s;
		struct lane *l = &e->lanes[s];

		if (now(e) < l->not_before_ns)
			continue;
		l->spool_next = !l->spool_next;
		if (l->spool_next ? take_queued(e, signal, out) ||
					    take_spooled(e, signal, out) :
				    take_spooled(e, signal, out) ||
					    take_queued(e, signal, out))
			return true;
	}
	return false;
}

/* When there may be something to send. */
static uint64_t next_ns(struct op_exporter *e)
{
	uint64_t next = NEVER;

	for (int s = 0; s < OP_NR_SIGNALS; s++) {
		uint64_t at = e->lanes[s].not_before_ns;
		uint64_t spooled = spool_waits(e, (enum op_signal)s);

		if (!e->queue.first[s] && !spooled)
			continue;
		if (!e->queue.first[s] && at < e->spool_lock_ns)
			at = e->spool_lock_ns;
		next = at < next ? at : next;
	}
	return next;
}

/* --- sending --- */

/* Puts off all of a signal. */
static void later(struct op_exporter *e, struct lane *l, uint64_t asked_ns)
{
	uint64_t wait = 0;

	l->backoff.most_ns = NEVER;
	l->backoff.spent_ns = 0;
	op_backoff_next(&l->backoff, asked_ns, &wait);
	l->not_before_ns = now(e) + wait;
	if (l->not_before_ns < wait)
		l->not_before_ns = NEVER - 1;
}

static void tell_retry(struct op_exporter *e, const char *why)
{
	struct op_exporter_stats s;
	uint64_t nr;
	char *line = op_told_due(&e->told, OP_TROUBLE_RETRY, 1, now(e), &nr);

	if (!line)
		return;
	s.waiting = e->queue.nr;
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		s.waiting += spool_waits(e, (enum op_signal)i);
	snprintf(line, OP_TOLD_TEXT,
		 "cannot send: %s; %llu messages wait in %s and are tried "
		 "again",
		 *why ? why : "no answer", (unsigned long long)s.waiting,
		 e->spool ? "the spool" : "memory");
}

static void tell_refused(struct op_exporter *e, const char *why)
{
	uint64_t nr;
	char *line = op_told_due(&e->told, OP_TROUBLE_REFUSED, 1, now(e), &nr);

	e->stats.refused++;
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "%llu messages were refused: %s; they are dropped",
			 (unsigned long long)nr, why);
}

static void tell_taken(struct op_exporter *e, const struct op_answer *a)
{
	enum op_trouble kind = a->rejected ? OP_TROUBLE_REJECTED :
					     OP_TROUBLE_SAID;
	uint64_t nr;
	char *line;

	e->stats.rejected += a->rejected;
	if (!a->rejected && !*a->text)
		return;
	line = op_told_due(&e->told, kind, a->rejected, now(e), &nr);
	if (line && a->rejected)
		snprintf(line, OP_TOLD_TEXT,
			 "%llu profiles or records were rejected: %s; they are "
			 "dropped",
			 (unsigned long long)nr, a->text);
	else if (line)
		snprintf(line, OP_TOLD_TEXT, "all was taken, but: %s", a->text);
}

static void tell_late(struct op_exporter *e, const char *why)
{
	uint64_t nr;
	char *line = op_told_due(&e->told, OP_TROUBLE_LATE, 1, now(e), &nr);

	e->stats.dropped++;
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "%llu messages were dropped: they could not be sent "
			 "for %llu s: %s",
			 (unsigned long long)nr,
			 (unsigned long long)(e->opts.retry_ns / SECOND), why);
}

/* What becomes of a message in memory that could not be sent: NULL if it waits,
 * or what had to go. */
static struct op_queued *retry_queued(struct op_exporter *e,
				      struct op_queued *m, const char *why)
{
	uint64_t again = e->lanes[m->signal].not_before_ns;
	struct op_queued *gone;

	if (again - m->first_try_ns > e->opts.retry_ns) {
		tell_late(e, why);
		return m;
	}
	e->is_in_flight = false;
	gone = op_queue_return(&e->queue, m);
	full(e, list_length(gone), "memory", e->queue.max);
	tell_retry(e, why);
	return gone;
}

/* Takes note of an answer. Gives what is to be freed. */
static struct op_queued *answered(struct op_exporter *e,
				  const struct outgoing *o,
				  const struct op_answer *a)
{
	struct lane *l = &e->lanes[o->signal];

	e->stats.tries++;
	if (a->verdict == OP_VERDICT_RETRY) {
		later(e, l, a->delay_ns);
		if (o->queued)
			return retry_queued(e, o->queued, a->text);
		tell_retry(e, a->text);
		return NULL;
	}
	l->backoff.next_ns = 0;
	if (a->verdict == OP_VERDICT_REFUSED) {
		tell_refused(e, a->text);
	} else {
		e->stats.sent++;
		e->stats.sent_bytes += o->bytes.n;
		tell_taken(e, a);
	}
	return o->queued;
}

/* Without the mutex. */
static void spooled_end(struct op_exporter *e, struct outgoing *o,
			const struct op_answer *a)
{
	struct op_err err = { 0 };

	if (a->verdict == OP_VERDICT_RETRY)
		op_spool_return(e->spool, &o->spooled);
	else
		op_spool_done(e->spool, &o->spooled, &err);
	if (!err.code)
		return;
	lock(e);
	spool_trouble(e, &err);
	unlock(e);
}

/* Called and left with the mutex held. */
static void send_one(struct op_exporter *e, struct outgoing *o)
{
	struct op_answer a = { 0 };
	struct op_queued *gone;

	unlock(e);
	e->opts.send(e->opts.send_ctx, o->signal, o->bytes, &a);
	lock(e);
	gone = answered(e, o, &a);
	unlock(e);
	list_free(gone);
	if (!o->queued)
		spooled_end(e, o, &a);
	lock(e);
	e->is_in_flight = false;
	pthread_cond_broadcast(&e->changed);
}

/* What stays for a while shall outlive the machine. */
static void sync_spool(struct op_exporter *e)
{
	struct op_err err = { 0 };

	pthread_mutex_unlock(&e->mu);
	op_spool_sync(e->spool, &err);
	lock(e);
	if (err.code)
		spool_trouble(e, &err);
}

/* Nothing can be sent now. Called and left with the mutex held. */
static void rest(struct op_exporter *e)
{
	uint64_t until = next_ns(e);

	if (until == NEVER && e->spool)
		op_spool_unlock(e->spool);
	if (until != NEVER && until > now(e) && e->spool)
		sync_spool(e);
	pthread_cond_broadcast(&e->changed);
	unlock(e);
	lock(e);
	/* Something may have come in between. */
	if (!e->is_stopping && next_ns(e) == until && until > now(e))
		wait_until(e, &e->wake, until);
}

static void *thread_run(void *ctx)
{
	struct op_exporter *e = ctx;
	struct outgoing o;

	lock(e);
	while (!e->is_stopping) {
		if (take(e, &o))
			send_one(e, &o);
		else
			rest(e);
	}
	unlock(e);
	return NULL;
}

/* --- new and free --- */

static int thread_start(struct op_exporter *e, struct op_err *err)
{
	enum { STACK = 512 << 10 };
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&e->thread, &attr, thread_run, e);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!rc)
		return OP_OK;
	errno = rc;
	return op_fail_sys(err, "cannot start the exporter's thread");
}

static void sync_init(struct op_exporter *e)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&e->mu, NULL);
	pthread_cond_init(&e->wake, &attr);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static void defaults(struct op_exporter *e)
{
	struct op_exporter_opts *o = &e->opts;
	uint64_t seed;

	e->queue.max = o->queue_bytes ? o->queue_bytes : queue_default;
	o->spool_bytes = o->spool_bytes ? o->spool_bytes : spool_default;
	o->retry_ns = o->retry_ns ? o->retry_ns : retry_default;
	e->clock = o->clock ? o->clock : &system_clock;
	seed = e->clock->seed;
	if (!seed)
		seed = now(e) ^ (uint64_t)(uintptr_t)e;
	for (int s = 0; s < OP_NR_SIGNALS; s++)
		e->lanes[s].backoff.random = seed + (uint64_t)s;
}

/* All but the thread. */
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
	copy = op_heap_resize(NULL, n);
	if (!copy)
		op_fail(err, OP_ENOMEM, "no memory for an exporter");
	else
		memcpy(copy, e->opts.spool, n);
	e->opts.spool = copy;
	return err->code;
}

int op_exporter_new(const struct op_exporter_opts *opts,
		    struct op_exporter **out, struct op_err *err)
{
	struct op_exporter *e = op_heap_resize(NULL, sizeof(*e));

	if (!e)
		return op_fail(err, OP_ENOMEM, "no memory for an exporter");
	*e = (struct op_exporter){ .opts = *opts };
	defaults(e);
	sync_init(e);
	if (!copy_path(e, err)) {
		lock(e);
		spool_open(e);
		unlock(e);
		thread_start(e, err);
	}
	if (err->code) {
		destroy(e);
		return err->code;
	}
	*out = e;
	return OP_OK;
}

/* Drops those that were in memory only, and tells what was not told yet. */
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
		if (op_told_rest(&e->told, (enum op_trouble)k, line))
			e->opts.log(e->opts.log_ctx, line);
	if (!nr)
		return;
	snprintf(line, sizeof(line),
		 "%llu messages of %llu bytes were dropped: they were not sent "
		 "before the end",
		 (unsigned long long)nr, (unsigned long long)bytes);
	e->opts.log(e->opts.log_ctx, line);
}

void op_exporter_free(struct op_exporter *e)
{
	struct op_err ignored = { 0 };

	if (!e)
		return;
	lock(e);
	e->is_stopping = true;
	pthread_cond_broadcast(&e->wake);
	unlock(e);
	if (e->opts.stop)
		e->opts.stop(e->opts.send_ctx);
	pthread_join(e->thread, NULL);
	if (e->spool)
		op_spool_sync(e->spool, &ignored);
	left_behind(e);
	destroy(e);
}

/* --- waiting --- */

static uint64_t waiting(struct op_exporter *e)
{
	uint64_t n = e->queue.nr + e->is_in_flight;

	return n + (e->spool ? op_spool_size(e->spool).nr : 0);
}

static bool has_room(struct op_exporter *e, size_t n)
{
	if (!waiting(e))
		return true;
	if (!e->spool)
		return n <= e->queue.max && e->queue.bytes <= e->queue.max - n;
	return op_spool_size(e->spool).bytes + n + OP_SPOOL_HEADER <=
	       e->opts.spool_bytes;
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

	lock(e);
	e->nr_flushing++;
	e->spool_lock_ns = 0;
	pthread_cond_signal(&e->wake);
	while (!(ok = is(e, n)) && (!deadline_ns || now(e) < deadline_ns))
		wait_until(e, &e->changed, deadline_ns ? deadline_ns : NEVER);
	e->nr_flushing--;
	unlock(e);
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
	lock(e);
	*out = e->stats;
	out->waiting = waiting(e);
	out->waiting_bytes = e->queue.bytes +
			     (e->is_in_flight ? e->in_flight_bytes : 0);
	if (e->spool) {
		struct op_spool_size s = op_spool_size(e->spool);

		out->waiting_bytes += s.bytes;
	}
	unlock(e);
}
