// SPDX-License-Identifier: Apache-2.0
/* rpc/exporter_thread.c: chooses the next message, sends it and handles the
 * result. */
#include <stdio.h>

#include "base/number.h"
#include "rpc/exporter_int.h"

/* The message being sent: from the queue or from the spool. */
struct outgoing {
	enum op_signal signal;
	struct op_view bytes;
	struct op_queued *queued; /* NULL: from the spool */
	struct op_spooled spooled;
};

/* --- choosing --- */

static uint64_t spool_waits(struct op_exporter *e, enum op_signal signal)
{
	return e->spool ? op_spool_size(e->spool).nr_signal[signal] : 0;
}

/* Whether we may send from the spool. If another process does, checks again
 * soon, and sooner if a caller waits. */
static bool spool_is_ours(struct op_exporter *e)
{
	struct op_err err = { 0 };

	if (op_exporter_now(e) < e->spool_lock_ns)
		return false;
	if (op_spool_lock(e->spool, &err)) {
		op_exporter_foreign(e);
		return true;
	}
	if (err.code)
		op_exporter_spool_trouble(e, OP_SPOOL_NOT_READ, &err);
	op_spool_look(e->spool);
	e->spool_lock_ns = op_exporter_now(e) +
			   (e->nr_flushing ? OP_SECOND / 20 : OP_SECOND);
	return false;
}

static bool take_queued(struct op_exporter *e, enum op_signal signal,
			struct outgoing *out)
{
	struct op_queued *m = op_queue_take(&e->queue, signal);

	if (!m)
		return false;
	if (!m->first_try_ns)
		m->first_try_ns = op_exporter_now(e);
	*out = (struct outgoing){ .signal = signal,
				  .bytes = m->bytes,
				  .queued = m };
	e->is_in_flight = true;
	e->in_flight_bytes = m->bytes.n;
	return true;
}

/* Postpones all messages of a signal. */
static void later(struct op_exporter *e, struct op_lane *l, uint64_t asked_ns)
{
	uint64_t wait = 0;

	l->backoff.most_ns = OP_NEVER;
	l->backoff.spent_ns = 0;
	op_backoff_next(&l->backoff, asked_ns, &wait);
	l->not_before_ns = op_exporter_now(e) + wait;
}

static void damaged(struct op_exporter *e, const struct op_err *err)
{
	uint64_t nr;
	char *line = op_log_throttle_due(&e->told, OP_TROUBLE_DAMAGED, 1,
					 op_exporter_now(e), &nr);

	e->stats.dropped++;
	if (line)
		snprintf(line, OP_TOLD_TEXT, "%s; it is not sent", err->text);
}

/* Reads a file without the mutex. */
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
		op_exporter_lock(e);
		out->bytes = out->spooled.bytes;
		if (err.code == OP_EFORMAT) {
			damaged(e, &err);
		} else if (err.code) {
			op_exporter_spool_trouble(e, OP_SPOOL_NOT_READ, &err);
			later(e, &e->lanes[signal], 0);
			break;
		} else if (!is) {
			break;
		}
	}
	return is;
}

/* Alternates between the queue and the spool. */
static bool take_of(struct op_exporter *e, enum op_signal signal,
		    struct outgoing *out)
{
	struct op_lane *l = &e->lanes[signal];

	if (op_exporter_now(e) < l->not_before_ns)
		return false;
	l->spool_next = !l->spool_next;
	if (l->spool_next)
		return take_queued(e, signal, out) ||
		       take_spooled(e, signal, out);
	return take_spooled(e, signal, out) || take_queued(e, signal, out);
}

/* The next message that may be sent now. */
static bool take(struct op_exporter *e, struct outgoing *out)
{
	for (int i = 0; i < OP_NR_SIGNALS; i++) {
		e->turn = (e->turn + 1) % OP_NR_SIGNALS;
		if (take_of(e, (enum op_signal)e->turn, out))
			return true;
	}
	return false;
}

/* The time at which there may be something to send. */
static uint64_t next_ns(struct op_exporter *e)
{
	uint64_t next = OP_NEVER;

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

/* --- answers --- */

static void tell_retry(struct op_exporter *e, const char *why)
{
	unsigned long long in_memory = e->queue.nr;
	unsigned long long in_spool = e->spool ? op_spool_size(e->spool).nr : 0;
	uint64_t nr;
	char *line = op_log_throttle_due(&e->told, OP_TROUBLE_RETRY, 1,
					 op_exporter_now(e), &nr);

	if (line && in_memory && in_spool)
		snprintf(line, OP_TOLD_TEXT,
			 "cannot send: %s; retrying; messages in the spool: "
			 "%llu, in memory: %llu",
			 why, in_spool, in_memory);
	else if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "cannot send: %s; retrying; messages in %s: %llu", why,
			 in_spool ? "the spool" : "memory",
			 in_spool + in_memory);
}

static void tell_refused(struct op_exporter *e, const char *why)
{
	uint64_t nr;
	char *line = op_log_throttle_due(&e->told, OP_TROUBLE_REFUSED, 1,
					 op_exporter_now(e), &nr);

	e->stats.refused++;
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "refused: %s; messages dropped: %llu", why,
			 (unsigned long long)nr);
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
	line = op_log_throttle_due(&e->told, kind, a->rejected,
				   op_exporter_now(e), &nr);
	if (line && a->rejected)
		snprintf(line, OP_TOLD_TEXT,
			 "%s; profiles or records dropped: %llu", a->text,
			 (unsigned long long)nr);
	else if (line)
		snprintf(line, OP_TOLD_TEXT, "accepted with a warning: %s",
			 a->text);
}

static void tell_late(struct op_exporter *e, const char *why)
{
	double s = (double)e->opts.retry_ns / OP_SECOND;
	uint64_t nr;
	char *line = op_log_throttle_due(&e->told, OP_TROUBLE_LATE, 1,
					 op_exporter_now(e), &nr);

	e->stats.dropped++;
	if (line)
		snprintf(line, OP_TOLD_TEXT,
			 "not sent within %s s: %s; messages dropped: %llu",
			 op_general_text(s, 6).s, why, (unsigned long long)nr);
}

/* An attempt that we ended ourselves says nothing about the server. */
static void failed_try(struct op_exporter *e, const char *why)
{
	if (!e->is_stopping)
		tell_retry(e, *why ? why : "no answer");
}

/* Handles a message in memory that could not be sent: NULL if it waits, or the
 * message that had to be dropped. */
static struct op_queued *retry_queued(struct op_exporter *e,
				      struct op_queued *m, const char *why)
{
	uint64_t again = e->lanes[m->signal].not_before_ns;
	struct op_queued *gone;

	if (again - m->first_try_ns > e->opts.retry_ns && !e->is_stopping) {
		tell_late(e, why);
		return m;
	}
	e->is_in_flight = false;
	gone = op_queue_return(&e->queue, m);
	op_exporter_full(e, op_queued_list_length(gone), "memory",
			 e->queue.max);
	failed_try(e, why);
	return gone;
}

/* Handles a response. Returns what the caller must free. */
static struct op_queued *answered(struct op_exporter *e,
				  const struct outgoing *o,
				  const struct op_answer *a)
{
	struct op_lane *l = &e->lanes[o->signal];

	e->stats.tries++;
	if (a->verdict == OP_VERDICT_RETRY) {
		later(e, l, a->delay_ns);
		if (o->queued)
			return retry_queued(e, o->queued, a->text);
		failed_try(e, a->text);
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
	op_exporter_lock(e);
	op_exporter_spool_trouble(e, OP_SPOOL_NOT_REMOVED, &err);
	op_exporter_unlock(e);
}

/* Called with the mutex held, and returns with it held. */
static void send_one(struct op_exporter *e, struct outgoing *o)
{
	struct op_answer a = { 0 };
	struct op_queued *gone;

	op_exporter_unlock(e);
	e->opts.send(e->opts.send_ctx, o->signal, o->bytes, &a);
	op_exporter_lock(e);
	gone = answered(e, o, &a);
	op_exporter_unlock(e);
	op_queued_list_free(gone);
	if (!o->queued)
		spooled_end(e, o, &a);
	op_exporter_lock(e);
	e->is_in_flight = false;
	pthread_cond_broadcast(&e->changed);
}

/* Sync files that stay for a while, in case the machine stops. */
static void sync_spool(struct op_exporter *e)
{
	struct op_err err = { 0 };

	pthread_mutex_unlock(&e->mu);
	op_spool_sync(e->spool, &err);
	op_exporter_lock(e);
	if (err.code)
		op_exporter_spool_trouble(e, OP_SPOOL_NOT_SYNCED, &err);
}

/* Nothing can be sent now. Called with the mutex held, and returns with it
 * held. */
static void rest(struct op_exporter *e)
{
	uint64_t until = next_ns(e);

	if (until == OP_NEVER && e->spool)
		op_spool_unlock(e->spool);
	if (until != OP_NEVER && until > op_exporter_now(e) && e->spool)
		sync_spool(e);
	pthread_cond_broadcast(&e->changed);
	op_exporter_unlock(e);
	op_exporter_lock(e);
	/* A message may have arrived meanwhile. */
	if (!e->is_stopping && next_ns(e) == until &&
	    until > op_exporter_now(e))
		op_exporter_wait(e, &e->wake, until);
}

void *op_exporter_run(void *ctx)
{
	struct op_exporter *e = ctx;
	struct outgoing o;

	op_exporter_lock(e);
	while (!e->is_stopping) {
		if (take(e, &o))
			send_one(e, &o);
		else
			rest(e);
	}
	op_exporter_unlock(e);
	return NULL;
}
