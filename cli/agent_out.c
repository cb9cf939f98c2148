// SPDX-License-Identifier: Apache-2.0
/* cli/agent_out.c: where the samples of an agent go. */
#include "agent_out.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmt/otlp/split.h"
#include "model/merge.h"
#include "record_out.h"
#include "sender.h"

/* How long a pipe that was the program's standard error is kept open. */
static const uint64_t pipe_ns = 2000000000;

static void warn(void *ctx, const char *text)
{
	const struct agent_out *o = ctx;

	cli_warn(o->cmd, NULL, text);
}

/* --- what is wanted --- */

/* A process may execute a program after another, and each has an agent. */
static void path_parse(struct agent_out *o, struct op_view text)
{
	size_t n = 0, i = 0;

	while (i < text.n && n + 16 < sizeof(o->path)) {
		char name = text.p[i] == '%' && i + 1 < text.n ?
				    (char)text.p[i + 1] :
				    0;

		if (name == 'p' || name == 't') {
			n += (size_t)snprintf(o->path + n, 16, "%u",
					      name == 'p' ? o->pid :
							    o->sampler);
			i += 2;
		} else {
			o->path[n++] = (char)text.p[i++];
		}
	}
	o->path[n] = 0;
}

static int one_parse(struct agent_out *o, struct op_view text,
		     struct op_err *err)
{
	static const char file[] = "file:";

	if (op_view_is(text, "splunk-text"))
		o->has_text = true;
	else if (op_view_is(text, "splunk-pprof"))
		o->has_pprof = true;
	else if (op_view_is(text, "otlp"))
		o->has_otlp = true;
	else if (text.n > strlen(file) && !memcmp(text.p, file, strlen(file)) &&
		 !o->path[0])
		path_parse(o, op_view(text.p + strlen(file),
				      text.n - strlen(file)));
	else if (text.n > strlen(file) && !memcmp(text.p, file, strlen(file)))
		return op_fail(err, OP_EUSAGE,
			       "there is more than one file in the list of "
			       "outputs");
	else
		return op_fail(err, OP_EUSAGE,
			       "unknown output '%.*s': expected splunk-text, "
			       "splunk-pprof, otlp, file:PATH, or a list of "
			       "these with commas",
			       (int)(text.n < 60 ? text.n : 60),
			       (const char *)text.p);
	return OP_OK;
}

int agent_out_parse(struct agent_out *o, const char *text, struct op_err *err)
{
	while (*text && !err->code) {
		size_t n = strcspn(text, ",");

		one_parse(o, op_view(text, n), err);
		text += n + (text[n] == ',');
	}
	return err->code;
}

bool agent_out_wants(const struct agent_out *o, enum op_agent_helper_kind kind)
{
	return kind == OP_AGENT_LOGS ? o->has_text || o->has_pprof :
				       o->has_otlp || o->path[0];
}

/* --- begin --- */

static int sender_start(struct agent_out *o, struct op_err *err)
{
	struct op_sender_opts s = {
		.is_splunk = true,
		/* One endpoint is for logs, which go by gRPC, and profiles. */
		.rpc.is_grpc = true,
		.signal = OP_SIGNAL_LOGS,
		.exporter = { .log = warn, .log_ctx = o },
		.queue_requests = 4,
	};

	if (o->has_text || o->has_pprof)
		s.when[OP_SIGNAL_LOGS] = OP_SEND_NOW;
	if (o->has_otlp)
		s.when[OP_SIGNAL_PROFILES] = OP_SEND_NOW;
	o->has_sender = true;
	return op_sender_open(&o->sender, &s, err);
}

int agent_out_open(struct agent_out *o, struct op_err *err)
{
	struct op_symbolize_opts s = {
		.find = { .root = "/" },
		.program = "/proc/self/exe",
	};

	o->names = op_names_new(&s, OP_NAMES_MAX_BYTES, err);
	if (o->path[0] && !err->code) {
		if (cli_output_open(&o->file, o->path, err))
			return err->code;
		o->has_file = true;
	}
	if (!err->code && (o->has_text || o->has_pprof || o->has_otlp))
		return sender_start(o, err);
	return err->code;
}

/* --- windows --- */

struct sending {
	struct agent_out *o;
	enum op_signal signal;
};

static int message_send(void *ctx, struct op_view message, struct op_err *err)
{
	struct sending *s = ctx;

	s->o->nr_messages++;
	return op_exporter_put(s->o->sender.exporter, s->signal, message, NULL,
			       NULL, err);
}

/* What a format cannot hold was known when it was chosen. */
static void format_note(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

static void model_send(struct agent_out *o, const struct op_model *m,
		       const char *format, struct op_err *err)
{
	struct op_write_opts write = { .note = format_note };
	struct sending s = { o, OP_SIGNAL_PROFILES };
	struct op_split_opts split = { .note = warn, .note_ctx = o };

	if (format) {
		s.signal = OP_SIGNAL_LOGS;
		split.format = op_format_named(format);
		split.write = &write;
	}
	split.max = op_sender_max(&o->sender, s.signal);
	op_split_model(m, &split, message_send, &s, err);
}

static void prepare(struct agent_out *o, struct op_model *m, struct op_err *err)
{
	if (op_symbolize_with(o->names, m, NULL, err) || op_normalise(m, err) ||
	    !o->has_sender)
		return;
	op_rpc_resource_apply(&o->sender.resource, m, err);
}

int agent_out_put(struct agent_out *o, struct op_model m[OP_AGENT_KINDS],
		  struct op_err *err)
{
	struct op_model *profiles = &m[OP_AGENT_PROFILES];
	struct op_model *logs = &m[OP_AGENT_LOGS];

	if (logs->nr_resources) {
		prepare(o, logs, err);
		if (!err->code)
			op_model_unpack(logs, err);
		if (!err->code && o->has_text)
			model_send(o, logs, "splunk-text", err);
		if (!err->code && o->has_pprof)
			model_send(o, logs, "splunk-pprof", err);
	}
	if (profiles->nr_resources && !err->code) {
		prepare(o, profiles, err);
		if (!err->code && o->has_file)
			record_message_write(&o->file.sink, profiles, err);
		if (!err->code && o->has_otlp)
			model_send(o, profiles, NULL, err);
	}
	return err->code;
}

/* --- end --- */

/* Whoever reads what the program prints, as a shell does in $(), waits until
 * nobody has the pipe open. */
static void pipe_leave(const struct agent_out *o)
{
	struct stat st;
	int null;

	if (fstat(STDERR_FILENO, &st) ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0)
		return;
	cli_line("otprof %s: the server does not accept messages; retrying "
		 "silently for 10 s",
		 o->cmd);
	dup2(null, STDERR_FILENO);
	close(null);
}

void agent_out_close(struct agent_out *o, struct op_err *err)
{
	struct op_exporter *e = o->has_sender ? o->sender.exporter : NULL;

	if (o->has_file)
		cli_output_close(&o->file, err);
	if (e && !op_exporter_flush(e, cli_now_ns() + pipe_ns) && !err->code)
		pipe_leave(o);
	if (e)
		sender_finish(e, o->cmd, NULL);
	if (o->has_sender)
		op_sender_close(&o->sender);
	op_names_free(o->names);
}
