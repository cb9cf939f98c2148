// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_send.c: sends profiles of any format to an OTLP server.
 *
 * Input that already is OTLP is sent as is, if possible, from the memory it was
 * read into: one message after the other, and each file stays open until its
 * messages are sent. Everything else is converted to messages first. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/time.h"
#include "fmt/otlp/split.h"
#include "job.h"
#include "sender.h"

struct sending {
	struct job job;
	struct sender_opts opts;
	struct op_opt_list headers;
	const char *as, *retry_for;
	uint64_t max_size;

	struct op_arena mem;
	const struct op_format *format; /* of the messages */
	struct sender sender;
	const char *path; /* of the current file */
	bool has_failed;
	bool was_noted; /* what the format cannot hold of this file */
};

/* --- options --- */

static int option_parse(struct sending *s, const struct op_cmd *cmd, int argc,
			char **argv, struct op_err *err)
{
	struct op_rpc_opts *rpc = &s->opts.rpc;
	const struct op_opt own[] = {
		{ OP_OPT_STRING, 0, "endpoint", "URL",
		  "URL of the server; default: OTEL_EXPORTER_OTLP_*",
		  &rpc->endpoint },
		{ OP_OPT_STRING, 0, "protocol", "grpc|http/protobuf|http/json",
		  "how to send; default: http/protobuf", &rpc->protocol },
		{ OP_OPT_STRING, 0, "compression", "none|gzip|zstd",
		  "of each message; default: none", &rpc->compression },
		{ OP_OPT_SETTING, 0, "header", "NAME=VALUE",
		  "add a header to each request; repeatable", &s->headers },
		{ OP_OPT_STRING, 0, "timeout", "MS",
		  "timeout of one request in milliseconds; 0: none",
		  &rpc->timeout_ms },
		{ OP_OPT_STRING, 0, "ca", "FILE",
		  "trusted CA certificates, PEM", &rpc->ca_file },
		{ OP_OPT_STRING, 0, "cert", "FILE", "client certificate, PEM",
		  &rpc->cert_file },
		{ OP_OPT_STRING, 0, "key", "FILE", "client key, PEM",
		  &rpc->key_file },
		{ OP_OPT_SIZE, 0, "max-size", "BYTES",
		  "split larger messages; default: 64M", &s->max_size },
		{ OP_OPT_STRING, 0, "as", "otlp|splunk-text|splunk-pprof",
		  "format of the messages; default: otlp", &s->as },
		{ OP_OPT_STRING, 0, "spool", "DIR",
		  "queue unsent messages here, and send those queued",
		  &s->opts.spool },
		{ OP_OPT_STRING, 0, "retry-for", "TIME",
		  "give up after this time without success; default: 5m",
		  &s->retry_for },
		{ 0 },
	};
	int first = job_begin(&s->job, cmd, own, argc, argv, err);

	s->opts.cmd = cmd->name;
	/* Not limited: it lasts as long as the server takes. */
	s->job.input.is_clocked = false;
	return first;
}

/* In the form of the variable: joined by commas, which are escaped in values.
 */
static int headers_join(struct sending *s, struct op_err *err)
{
	struct op_buf text = { .err = err };
	char *copy;

	for (size_t i = 0; i < s->headers.list.n; i++) {
		const char *p = s->headers.list.p[i] + strlen("header=");

		for (; *p; p++)
			if (*p == ',' || *p == '%')
				op_buf_printf(&text, "%%%02x", *p);
			else
				op_buf_byte(&text, *p);
		op_buf_byte(&text, ',');
	}
	op_arena_tells(&s->mem, err);
	copy = op_new(&s->mem, char, text.n + 1);
	if (text.n && !err->code)
		memcpy(copy, text.p, text.n);
	if (text.n)
		s->opts.rpc.headers = copy;
	op_buf_free(&text);
	return err->code;
}

static int as_check(struct sending *s, struct op_err *err)
{
	s->format = s->as ? op_format_named(s->as) : op_formats[0];
	if (!s->format || !s->format->is_sent)
		return op_fail(err, OP_EUSAGE,
			       "--as takes otlp, splunk-text or splunk-pprof, "
			       "not '%s'",
			       s->as);
	s->opts.signal = s->format->signal;
	return OP_OK;
}

/* "5m", parsed as the time "+5m". */
static int retry_check(struct sending *s, struct op_err *err)
{
	struct op_err why = { 0 };
	struct op_time t = { .ns = 300000000000 };
	char text[40];

	if (s->retry_for) {
		snprintf(text, sizeof(text), "+%s", s->retry_for);
		if (strlen(s->retry_for) > 30 || op_time_parse(text, &t, &why))
			return op_fail(err, OP_EUSAGE,
				       "--retry-for takes a time such as 30s "
				       "or 5m, not '%.40s'",
				       s->retry_for);
	}
	/* 0 would select the default. */
	s->opts.retry_ns = t.ns ? t.ns : 1;
	return OP_OK;
}

static int options_check(struct sending *s, struct op_err *err)
{
	if (as_check(s, err) || retry_check(s, err) || headers_join(s, err))
		return err->code;
	if (s->max_size > UINT32_MAX)
		return op_fail(err, OP_EUSAGE, "--max-size is at most 4G - 1");
	s->opts.rpc.max_request = (size_t)s->max_size;
	return OP_OK;
}

/* --- messages --- */

static void left_out(void *ctx, const char *text)
{
	struct sending *s = ctx;

	s->has_failed = true;
	cli_warn(s->opts.cmd, s->path, text);
}

static struct op_split_opts split_opts(struct sending *s)
{
	return (struct op_split_opts){ .max = op_sender_max(&s->sender.out,
							    s->opts.signal),
				       .note = left_out,
				       .note_ctx = s };
}

/* Reports what the format cannot hold once per file, not for each part. */
static void format_note(void *ctx, const char *text)
{
	struct sending *s = ctx;

	if (!s->was_noted)
		cli_warn(s->opts.cmd, s->path, text);
	s->was_noted = true;
}

static int put_copy(void *ctx, struct op_view message, struct op_err *err)
{
	struct sending *s = ctx;

	return sender_put(&s->sender, message, NULL, NULL, err);
}

/* --- files --- */

static int send_model(struct sending *s, struct op_input *in,
		      struct op_err *err)
{
	struct op_write_opts write = { .note = format_note, .ctx = s };
	struct op_split_opts split = split_opts(s);
	struct op_model m = { 0 };

	if (cli_read_open(&m, in, s->path, &s->job.input, err))
		return err->code;
	split.format = s->format;
	split.write = &write;
	if (!job_after_read(&s->job, s->path, &m, err) &&
	    !job_filter(&s->job, &m, err) &&
	    !op_rpc_resource_apply(&s->sender.out.resource, &m, err))
		op_split_model(&m, &split, put_copy, s, err);
	op_model_free(&m);
	return err->code ? op_err_about(err, s->path) : OP_OK;
}

/* A file whose messages are sent without a copy: each message holds a reference
 * to it. */
struct shared_file {
	struct op_input in;
	struct sending *s;
	atomic_size_t nr_users;
};

static void file_release(void *ctx)
{
	struct shared_file *f = ctx;

	if (atomic_fetch_sub(&f->nr_users, 1) > 1)
		return;
	op_input_close(&f->in);
	op_heap_free(f);
}

static bool is_within(struct op_view v, struct op_view whole)
{
	return v.p >= whole.p && v.p + v.n <= whole.p + whole.n;
}

static int put_shared(void *ctx, struct op_view message, struct op_err *err)
{
	struct shared_file *f = ctx;

	if (!is_within(message, f->in.bytes))
		return put_copy(f->s, message, err);
	atomic_fetch_add(&f->nr_users, 1);
	if (sender_put(&f->s->sender, message, file_release, f, err))
		atomic_fetch_sub(&f->nr_users, 1);
	return err->code;
}

static int each_message(void *ctx, struct op_view message, struct op_err *err)
{
	struct shared_file *f = ctx;
	struct op_split_opts split = split_opts(f->s);

	if (op_split_message(message, &split, put_shared, f, err) &&
	    err->has_at)
		err->at += (uint64_t)(message.p - f->in.bytes.p);
	return err->code;
}

static int send_as_is(struct sending *s, struct op_input *in,
		      struct op_err *err)
{
	struct shared_file *f = op_heap_resize(NULL, sizeof(*f), err);

	if (!f) {
		op_input_close(in);
		return err->code;
	}
	*f = (struct shared_file){ .in = *in, .s = s };
	atomic_store(&f->nr_users, 1);
	if (f->in.format->each(f->in.bytes, each_message, f, err))
		op_err_about(err, s->path);
	file_release(f);
	return err->code;
}

static int send_file(struct sending *s, const char *path, struct op_err *err)
{
	struct op_input in;

	s->path = path;
	s->was_noted = false;
	cli_budget_next();
	if (cli_open(&in, path, &s->job.input, err))
		return err->code;
	if (job_opened(&s->job, &in, err) ||
	    job_settings_check(&s->job, NULL, err)) {
		op_input_close(&in);
		return err->code;
	}
	if (in.format == s->format && in.format->each &&
	    !s->sender.out.resource.attrs.n && !job_changes(&s->job))
		return send_as_is(s, &in, err);
	return send_model(s, &in, err);
}

/* A file that cannot be read does not stop the others from being sent. */
static void send_files(struct sending *s, const struct cli_files *files)
{
	for (size_t i = 0; i < files->list.n; i++) {
		struct op_err err = { 0 };

		if (send_file(s, files->list.p[i], &err)) {
			cli_report(s->opts.cmd, NULL, &err);
			s->has_failed = true;
		}
	}
}

/* --- the command --- */

static int run(struct sending *s, struct cli_files *files, struct op_err *err)
{
	int status = 0;

	if (!sender_open(&s->sender, &s->opts, err)) {
		send_files(s, files);
		sender_flush(&s->sender);
		status = sender_report(&s->sender);
	}
	sender_close(&s->sender);
	return err->code ? err->code : status || s->has_failed;
}

int cmd_send(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct sending s = { 0 };
	struct cli_files files = { 0 };
	int first = option_parse(&s, cmd, argc, argv, err);
	int status = 0;

	if (first >= 0 && first == argc && !s.opts.spool)
		op_fail(err, OP_EUSAGE, "expected a FILE or --spool");
	if (first >= 0 && !err->code && !options_check(&s, err) &&
	    !cli_files(&files, argv + first, argc - first, err))
		status = run(&s, &files, err);
	op_arena_free(&files.mem);
	op_arena_free(&s.headers.mem);
	op_arena_free(&s.mem);
	job_end(&s.job);
	return err->code ? err->code : status;
}
