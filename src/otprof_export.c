// SPDX-License-Identifier: Apache-2.0
/* src/otprof_export.c: sending, for include/otprof.h. */
#include <stdio.h>
#include <time.h>

#include "fmt/otlp/split.h"
#include "otprof_int.h"
#include "rpc/sender.h"

static const uint64_t millisecond = 1000000;

struct otprof_exporter {
	struct op_sender sender;
	otprof_note_fn *on_log;
	void *ctx;
};

static void tell(void *ctx, const char *text)
{
	struct otprof_exporter *x = ctx;

	if (x->on_log)
		x->on_log(x->ctx, text);
}

/* --- new and free --- */

static int start(struct otprof_exporter *x,
		 const struct otprof_exporter_opts *o, struct op_err *err)
{
	struct op_sender_opts opts = {
		.rpc = { .endpoint = o->endpoint,
			 .protocol = o->protocol,
			 .compression = o->compression,
			 .headers = o->headers,
			 .ca_file = o->ca_file,
			 .cert_file = o->cert_file,
			 .key_file = o->key_file,
			 .max_request = o->max_request },
		.signal = OP_SIGNAL_PROFILES,
		.endpoints[OP_SIGNAL_LOGS] = o->logs_endpoint,
		.when[OP_SIGNAL_PROFILES] = OP_SEND_NOW,
		.when[OP_SIGNAL_LOGS] = o->logs ? OP_SEND_NOW : OP_SEND_NEVER,
		.exporter = { .queue_bytes = o->queue_bytes,
			      .spool = o->spool,
			      .spool_bytes = o->spool_bytes,
			      .retry_ns = o->retry_ms * millisecond,
			      .log = tell,
			      .log_ctx = x },
	};
	char timeout[24];

	if (o->retry_ms > UINT64_MAX / millisecond)
		opts.exporter.retry_ns = UINT64_MAX;
	if (o->timeout_ms) {
		snprintf(timeout, sizeof(timeout), "%llu",
			 (unsigned long long)o->timeout_ms);
		opts.rpc.timeout_ms = timeout;
	}
	return op_sender_open(&x->sender, &opts, err);
}

static void end(struct otprof_exporter *x)
{
	op_sender_close(&x->sender);
	op_heap_free(x);
}

int otprof_exporter_new(const struct otprof_exporter_opts *opts,
			struct otprof_exporter **out, struct otprof_err *err)
{
	struct otprof_exporter_opts all;
	struct otprof_exporter *x;
	struct op_err mine = { 0 };

	if (otprof_opts_(&all, opts, &mine))
		return otprof_give_(err, &mine);
	x = op_heap_resize(NULL, sizeof(*x), &mine);
	if (!x)
		return otprof_give_(err, &mine);
	*x = (struct otprof_exporter){ .on_log = all.on_log, .ctx = all.ctx };
	if (start(x, &all, &mine)) {
		end(x);
		return otprof_give_(err, &mine);
	}
	*out = x;
	return OTPROF_OK;
}

void otprof_exporter_free(struct otprof_exporter *e, uint64_t timeout_ms)
{
	if (!e)
		return;
	otprof_exporter_flush(e, timeout_ms);
	end(e);
}

/* --- sending --- */

/* A message that the splitter hands on, and the caller's if it may be that. */
struct putting {
	struct otprof_exporter *x;
	struct otprof_message from;
	bool is_handed_on;
};

static int put(void *ctx, struct op_view message, struct op_err *err)
{
	struct putting *p = ctx;
	const struct otprof_message *from = &p->from;

	if (!from->release || message.p != from->bytes)
		return op_exporter_put(p->x->sender.exporter,
				       OP_SIGNAL_PROFILES, message, NULL, NULL,
				       err);
	p->is_handed_on = !op_exporter_put(p->x->sender.exporter,
					   OP_SIGNAL_PROFILES, message,
					   from->release, from->ctx, err);
	return err->code;
}

static struct op_split_opts split_opts(struct otprof_exporter *x)
{
	return (struct op_split_opts){
		.max = op_sender_max(&x->sender, OP_SIGNAL_PROFILES),
		.note = tell,
		.note_ctx = x,
	};
}

int otprof_exporter_send(struct otprof_exporter *e, const struct otprof *p,
			 struct otprof_err *err)
{
	struct op_split_opts opts = split_opts(e);
	struct putting putting = { .x = e };
	struct op_err mine = { 0 };
	struct op_arena mem = { .err = &mine };
	struct op_model twin;

	if (!op_model_twin(&p->m, &mem, &twin)) {
		twin.mem = mem;
		if (!op_rpc_resource_apply(&e->sender.resource, &twin, &mine))
			op_split_model(&twin, &opts, put, &putting, &mine);
		mem = twin.mem;
	}
	op_arena_free(&mem);
	return otprof_give_(err, &mine);
}

static int send_logs(struct otprof_exporter *e, const struct otprof_message *m,
		     struct op_err *err)
{
	size_t max = op_sender_max(&e->sender, OP_SIGNAL_LOGS);

	if (!e->sender.has_to[OP_SIGNAL_LOGS])
		return op_fail(err, OP_EUSAGE,
			       "this exporter was not told to send logs");
	if (m->n > max)
		return op_fail(err, OP_ELIMIT,
			       "logs of %zu bytes, and a request has at most "
			       "%zu",
			       m->n, max);
	return op_exporter_put(e->sender.exporter, OP_SIGNAL_LOGS,
			       op_view(m->bytes, m->n), m->release, m->ctx,
			       err);
}

static int send_profiles(struct otprof_exporter *e,
			 const struct otprof_message *m, struct op_err *err)
{
	struct op_split_opts opts = split_opts(e);
	struct putting p = { .x = e, .from = *m };

	if (!op_split_message(op_view(m->bytes, m->n), &opts, put, &p, err) &&
	    m->release && !p.is_handed_on)
		m->release(m->ctx);
	return err->code;
}

int otprof_exporter_send_bytes(struct otprof_exporter *e,
			       const struct otprof_message *m,
			       struct otprof_err *err)
{
	struct otprof_message all;
	struct op_err mine = { 0 };

	if (otprof_opts_(&all, m, &mine))
		return otprof_give_(err, &mine);
	if (all.signal == OTPROF_LOGS)
		send_logs(e, &all, &mine);
	else
		send_profiles(e, &all, &mine);
	return otprof_give_(err, &mine);
}

/* --- waiting --- */

int otprof_exporter_flush(struct otprof_exporter *e, uint64_t timeout_ms)
{
	uint64_t deadline;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	deadline = (uint64_t)t.tv_sec * 1000 * millisecond +
		   (uint64_t)t.tv_nsec;
	if (timeout_ms > (UINT64_MAX - deadline) / millisecond)
		deadline = 0;
	else
		deadline += timeout_ms * millisecond;
	return op_exporter_flush(e->sender.exporter, deadline);
}

void otprof_exporter_stats(struct otprof_exporter *e,
			   struct otprof_exporter_stats *out)
{
	struct op_exporter_stats s;
	struct otprof_exporter_stats all;
	struct op_err ignored = { 0 };

	op_exporter_stats(e->sender.exporter, &s);
	all = (struct otprof_exporter_stats){
		.put = s.put,
		.put_bytes = s.put_bytes,
		.sent = s.sent,
		.sent_bytes = s.sent_bytes,
		.refused = s.refused,
		.rejected = s.rejected,
		.dropped = s.dropped,
		.tries = s.tries,
		.waiting = s.waiting,
		.waiting_bytes = s.waiting_bytes,
		.spooled = s.spooled,
		.spooled_bytes = s.spooled_bytes,
	};
	otprof_fill_(out, &all, &ignored);
}
