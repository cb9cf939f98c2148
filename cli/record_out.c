// SPDX-License-Identifier: Apache-2.0
/* cli/record_out.c: what becomes of a recording: a file, messages to a server,
 * or an answer.
 *
 * A file of OTLP gets one message per window, each behind its length, as the
 * Collector's file exporter writes them. Other formats hold one profile, which
 * is written at the end. */
#include "record_out.h"

#include "base/thread.h"
#include "fmt/otlp/otlp.h"
#include "fmt/otlp/split.h"
#include "model/merge.h"
#include "record_page.h"
#include "sender.h"

enum { JIT_BYTES = 24 << 20 };

static void warn(void *ctx, const char *text)
{
	const struct record_out *o = ctx;

	cli_status_clear();
	cli_warn(o->opts.cmd, NULL, text);
}

/* --- server --- */

static int sender_start(struct record_out *o, struct op_err *err)
{
	struct op_sender_opts s = {
		.rpc = o->opts.rpc,
		.signal = OP_SIGNAL_PROFILES,
		.exporter = { .spool = o->opts.spool,
			      .log = warn,
			      .log_ctx = o },
		.queue_requests = 4,
	};

	s.rpc.endpoint = o->opts.url;
	for (int i = 0; i < OP_NR_SIGNALS; i++)
		s.when[i] = OP_SEND_LATER;
	s.when[OP_SIGNAL_PROFILES] = OP_SEND_NOW;
	o->has_sender = true;
	return op_sender_open(&o->sender, &s, err);
}

static int message_send(void *ctx, struct op_view message, struct op_err *err)
{
	struct record_out *o = ctx;

	return op_exporter_put(o->sender.exporter, OP_SIGNAL_PROFILES, message,
			       NULL, NULL, err);
}

static int window_send(struct record_out *o, const struct op_model *m,
		       struct op_err *err)
{
	struct op_split_opts s = { .max = op_sender_max(&o->sender,
							OP_SIGNAL_PROFILES),
				   .note = warn,
				   .note_ctx = o };

	return op_split_model(m, &s, message_send, o, err);
}

/* --- file --- */

int record_message_write(struct op_sink *to, const struct op_model *m,
			 struct op_err *err)
{
	uint8_t prefix[4];
	struct op_pbw w = { .err = err };
	struct op_view v;

	op_otlp_encode(m, &w);
	v = op_pbw_result(&w);
	for (int i = 0; i < 4; i++)
		prefix[i] = (uint8_t)(v.n >> (24 - 8 * i));
	if (!err->code && v.n > UINT32_MAX)
		op_fail(err, OP_ELIMIT, "a window is larger than 4 GiB");
	if (!err->code)
		to->write(to, op_view(prefix, sizeof(prefix)), err);
	if (!err->code)
		to->write(to, v, err);
	op_pbw_free(&w);
	return err->code;
}

static int sum_write(struct record_out *o, struct op_err *err)
{
	struct op_write_opts w = { .note = warn,
				   .ctx = o,
				   .path = o->opts.path };
	struct op_writing how = { .format = o->opts.format,
				  .opts = &w,
				  .path = o->opts.path };

	if (!o->opts.format->writes_packed && op_model_unpack(&o->sum, err))
		return err->code;
	return op_write(&o->sum, &how, &o->file.sink, err);
}

/* --- windows --- */

int record_out_open(struct record_out *o, const struct record_out_opts *opts,
		    struct op_err *err)
{
	*o = (struct record_out){ .opts = *opts,
				  .mu = PTHREAD_MUTEX_INITIALIZER,
				  .cond = PTHREAD_COND_INITIALIZER };
	if (opts->path) {
		if (cli_output_open(&o->file, opts->path, err))
			return err->code;
		o->has_file = true;
	}
	return opts->url ? sender_start(o, err) : OP_OK;
}

static bool is_stream(const struct record_out *o)
{
	return o->has_file && o->opts.format == op_formats[0];
}

bool record_out_streams(const struct record_out *o)
{
	return o->has_file ? is_stream(o) : o->has_sender;
}

static int sum_add(struct record_out *o, struct op_model *m, struct op_err *err)
{
	struct op_model *both[] = { &o->sum, m }, merged = { 0 };

	if (!o->has_sum) {
		o->sum = *m;
		*m = (struct op_model){ 0 };
		o->has_sum = true;
		return OP_OK;
	}
	if (op_merge(both, 2, &merged, err))
		return err->code;
	op_model_free(&o->sum);
	o->sum = merged;
	return OP_OK;
}

static int names_add(struct record_out *o, struct op_model *m,
		     struct op_err *err)
{
	struct op_symbolize_opts s = {
		.find = { .root = "/",
			  .kept = o->opts.kept,
			  .dirs = o->opts.symbol_path },
		.program = "/proc/self/exe",
		.jit_bytes = JIT_BYTES,
	};

	if (o->opts.no_symbols)
		return OP_OK;
	if (!o->names)
		o->names = op_names_new(&s, OP_NAMES_MAX_BYTES, err);
	if (!o->names || op_symbolize_with(o->names, m, NULL, err))
		return err->code;
	/* Binaries may have become equal to others, and names be left that
	 * nothing refers to. */
	return op_normalise(m, err);
}

static void message_put(struct record_out *o, const struct op_model *m,
			struct op_err *err)
{
	if (!err->code && o->has_sender)
		window_send(o, m, err);
	if (!err->code && is_stream(o))
		record_message_write(&o->file.sink, m, err);
}

/* Parts of a message were added up to it. */
static void parts_put(struct record_out *o, struct op_err *err)
{
	if (!o->has_sum)
		return;
	message_put(o, &o->sum, err);
	op_model_free(&o->sum);
	o->has_sum = false;
}

static void dispose(struct record_out *o)
{
	struct op_model *m = &o->window;
	struct op_err *err = &o->err;
	bool streams = record_out_streams(o);
	/* The page keeps what it shows itself. */
	bool adds = streams ? o->opts.page != NULL :
			      o->has_file || !o->opts.page;

	names_add(o, m, err);
	if (!err->code && o->opts.page)
		record_page_put(o->opts.page, m);
	if (!err->code && adds)
		sum_add(o, m, err);
	else
		message_put(o, m, err);
	if (!err->code && streams && adds && !o->is_part)
		parts_put(o, err);
	op_model_free(m);
	if (!err->code && o->opts.shown)
		o->opts.shown(o->opts.ctx, &o->sum, err);
}

static void *work(void *ctx)
{
	struct record_out *o = ctx;

	pthread_mutex_lock(&o->mu);
	while (!o->is_over) {
		if (!o->is_busy) {
			pthread_cond_wait(&o->cond, &o->mu);
			continue;
		}
		pthread_mutex_unlock(&o->mu);
		dispose(o);
		pthread_mutex_lock(&o->mu);
		o->is_busy = false;
		if (o->names)
			o->helper_us = op_names_helper_us(o->names);
		pthread_cond_broadcast(&o->cond);
	}
	pthread_mutex_unlock(&o->mu);
	return NULL;
}

bool record_out_is_busy(struct record_out *o)
{
	bool is_busy;

	pthread_mutex_lock(&o->mu);
	is_busy = o->is_busy;
	pthread_mutex_unlock(&o->mu);
	return is_busy;
}

uint64_t record_out_helper_us(struct record_out *o)
{
	uint64_t us;

	pthread_mutex_lock(&o->mu);
	us = o->helper_us;
	pthread_mutex_unlock(&o->mu);
	return us;
}

void record_out_part(struct record_out *o, bool is_part)
{
	o->is_part = is_part;
}

int record_out_put(struct record_out *o, struct op_model *m, struct op_err *err)
{
	if (!o->has_thread &&
	    !op_thread_start(&o->thread, work, o, "for windows", err))
		o->has_thread = true;
	pthread_mutex_lock(&o->mu);
	if (!err->code && o->err.code)
		*err = o->err;
	if (!err->code) {
		o->window = *m;
		o->is_busy = true;
		pthread_cond_broadcast(&o->cond);
	} else {
		op_model_free(m);
	}
	pthread_mutex_unlock(&o->mu);
	return err->code;
}

int record_out_wait(struct record_out *o, struct op_err *err)
{
	pthread_mutex_lock(&o->mu);
	while (o->is_busy)
		pthread_cond_wait(&o->cond, &o->mu);
	if (!err->code && o->err.code)
		*err = o->err;
	pthread_mutex_unlock(&o->mu);
	return err->code;
}

static void thread_end(struct record_out *o)
{
	if (!o->has_thread)
		return;
	pthread_mutex_lock(&o->mu);
	o->is_over = true;
	pthread_cond_broadcast(&o->cond);
	pthread_mutex_unlock(&o->mu);
	pthread_join(o->thread, NULL);
	o->has_thread = false;
}

bool record_out_end(struct record_out *o, struct op_err *err)
{
	record_out_wait(o, err);
	if (!err->code && record_out_streams(o))
		parts_put(o, err);
	if (!err->code && o->has_file && !is_stream(o) && o->has_sum)
		sum_write(o, err);
	return !o->has_sender ||
	       sender_finish(o->sender.exporter, o->opts.cmd, o->opts.spool);
}

void record_out_close(struct record_out *o, struct op_err *err)
{
	thread_end(o);
	if (o->has_file)
		cli_output_close(&o->file, err);
	if (o->has_sender)
		op_sender_close(&o->sender);
	op_model_free(&o->sum);
	op_names_free(o->names);
}
