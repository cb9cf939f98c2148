// SPDX-License-Identifier: Apache-2.0
/* cli/sender.c: waits for the exporter, handles signals, and reports progress
 * and the result. */
#include "sender.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/number.h"

static const uint64_t second = 1000000000;

/* The interval of progress and signal checks, and the time that a signal leaves
 * for requests being sent; how long other commands wait at their end. */
static const uint64_t slice_ns = 100000000;
static const uint64_t grace_ns = 3000000000;
static const uint64_t finish_ns = 10000000000;

static volatile sig_atomic_t was_told_to_end;

static void on_signal(int sig)
{
	(void)sig;
	was_told_to_end = 1;
}

/* The second signal of a kind ends the program at once. */
static void signals_catch(void)
{
	struct sigaction a = { .sa_handler = on_signal,
			       .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

static void warn(void *ctx, const char *text)
{
	const struct sender *s = ctx;

	if (s->was_reported)
		return;
	cli_status_clear();
	cli_warn(s->opts.cmd, NULL, text);
}

/* --- begin and end --- */

int sender_open(struct sender *s, const struct sender_opts *opts,
		struct op_err *err)
{
	struct op_sender_opts o = {
		.rpc = opts->rpc,
		.signal = opts->signal,
		.is_splunk = true,
		.exporter = { .spool = opts->spool,
			      .retry_ns = opts->retry_ns,
			      .log = warn,
			      .log_ctx = s },
		/* One is being sent while the next is made. */
		.queue_requests = 2,
	};

	/* The spool may contain other signals from before. */
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		o.when[i] = OP_SEND_LATER;
	o.when[opts->signal] = OP_SEND_NOW;
	*s = (struct sender){ .opts = *opts };
	signals_catch();
	s->since_ns = cli_now_ns();
	return op_sender_open(&s->out, &o, err);
}

void sender_close(struct sender *s)
{
	op_sender_close(&s->out);
}

/* --- patience --- */

static void progress(const struct op_exporter_stats *st)
{
	char spooled[64] = "";

	if (st->spooled)
		snprintf(spooled, sizeof(spooled),
			 ", %llu of them in the spool",
			 (unsigned long long)st->spooled);
	cli_status("%llu sent, %llu waiting (%s MB)%s",
		   (unsigned long long)st->sent,
		   (unsigned long long)st->waiting,
		   op_fixed_text((double)st->waiting_bytes / 1e6, 1).s,
		   spooled);
}

/* Called once per interval; false if there is no point in waiting. */
static bool goes_on(struct sender *s)
{
	struct op_exporter_stats st;
	uint64_t now = cli_now_ns();

	op_exporter_stats(s->out.exporter, &st);
	progress(&st);
	if (st.sent + st.refused != s->nr_done) {
		s->nr_done = st.sent + st.refused;
		s->since_ns = now;
	}
	/* The exporter then drops the message, or keeps it in the spool, and
	 * needs a moment to report that. */
	if (now - s->since_ns > s->opts.retry_ns + second)
		s->gave_up = true;
	return !s->gave_up && !was_told_to_end;
}

int sender_put(struct sender *s, struct op_view message,
	       void (*release)(void *ctx), void *ctx, struct op_err *err)
{
	while (!op_exporter_wait_room(s->out.exporter, message.n,
				      cli_now_ns() + slice_ns))
		if (!goes_on(s))
			break;
	if (was_told_to_end)
		return op_fail(err, OP_EIO, "not sent: a signal came");
	if (s->gave_up)
		return op_fail(err, OP_EIO, "not sent: gave up");
	return op_exporter_put(s->out.exporter, s->opts.signal, message,
			       release, ctx, err);
}

void sender_flush(struct sender *s)
{
	uint64_t end;

	while (!op_exporter_flush(s->out.exporter, cli_now_ns() + slice_ns))
		if (!goes_on(s))
			break;
	if (!was_told_to_end)
		return;
	end = cli_now_ns() + grace_ns;
	op_exporter_flush(s->out.exporter, end);
}

/* --- what happened --- */

/* A URL without the user name and password that it may contain. */
static void url_text(const char *url, char *out, size_t n)
{
	const char *host = strstr(url, "://");
	const char *end, *at;

	*out = 0;
	if (!host)
		return;
	host += 3;
	end = host + strcspn(host, "/?");
	at = memrchr(host, '@', (size_t)(end - host));
	snprintf(out, n, "%.*s%s", (int)(host - url), url, at ? at + 1 : host);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void failed(const struct sender *s, uint64_t n, const char *what)
{
	if (n)
		cli_line("otprof %s: %llu message%s %s", s->opts.cmd,
			 (unsigned long long)n, plural(n), what);
}

int sender_report(struct sender *s)
{
	struct op_exporter_stats st;
	char left[400], url[1000];

	/* The exporter has stopped, and the numbers are final. */
	op_exporter_stop(s->out.exporter);
	op_exporter_stats(s->out.exporter, &st);
	s->was_reported = true;
	url_text(s->out.to[s->opts.signal].url, url, sizeof(url));
	cli_status_clear();
	cli_print(stdout, "sent %llu message%s, %llu bytes, to %s\n",
		  (unsigned long long)st.sent, plural(st.sent),
		  (unsigned long long)st.sent_bytes, url);
	fflush(stdout);
	failed(s, st.refused, "refused by the server");
	failed(s, st.dropped, "given up and lost");
	snprintf(left, sizeof(left), "left in %.300s to be sent later",
		 s->opts.spool ? s->opts.spool : "");
	failed(s, st.spooled, left);
	failed(s, st.waiting - st.spooled, "not sent and lost");
	if (st.rejected)
		cli_line("otprof %s: %llu profile%s rejected by the server",
			 s->opts.cmd, (unsigned long long)st.rejected,
			 plural(st.rejected));
	return st.refused || st.dropped || st.waiting || st.rejected;
}

/* --- for other commands --- */

bool sender_finish(struct op_exporter *e, const char *cmd, const char *spool)
{
	struct op_exporter_stats st;
	uint64_t left;

	op_exporter_flush(e, cli_now_ns() + finish_ns);
	op_exporter_stop(e);
	op_exporter_stats(e, &st);
	left = st.refused + st.dropped + st.waiting - st.spooled;
	if (left)
		cli_line("otprof %s: %llu of %llu messages were not accepted",
			 cmd, (unsigned long long)left,
			 (unsigned long long)st.put);
	if (st.spooled)
		cli_line("otprof %s: %llu messages wait in %s", cmd,
			 (unsigned long long)st.spooled, spool);
	return !left;
}
