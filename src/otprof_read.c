// SPDX-License-Identifier: Apache-2.0
/* src/otprof_read.c: reading files, memory and streams, for include/otprof.h.
 */
#include "fmt/message_reader.h"
#include "otprof_int.h"

static uint32_t times_of(uint32_t budget)
{
	return budget == OTPROF_NO_BUDGET ? 0 : budget ? budget : 1;
}

int otprof_opening_(struct otprof_opening *o,
		    const struct otprof_open_opts *opts, struct op_err *err)
{
	struct otprof_open_opts all;

	*o = (struct otprof_opening){ 0 };
	if (otprof_opts_(&all, opts, err))
		return err->code;
	op_budget()->times = times_of(all.budget);
	o->in.max_bytes = all.max_bytes;
	o->read.mem_quota = all.mem_quota;
	o->read.settings = all.settings;
	o->read.strict = all.strict;
	o->read.root = all.root;
	o->read.threads = all.threads;
	o->read.note = all.on_note;
	o->read.note_ctx = all.ctx;
	if (!all.format)
		return OP_OK;
	o->in.format = op_format_wanted(all.format, err);
	return err->code;
}

int otprof_open_file(const char *path, const struct otprof_open_opts *opts,
		     struct otprof **out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_model m = { 0 };
	struct otprof_opening o;
	struct otprof_call call;
	struct op_input in;

	otprof_enter_(&call, NULL);
	if (!otprof_opening_(&o, opts, &mine) &&
	    (op_input_open(&in, path, &o.in, &mine) ||
	     op_input_read(&in, &o.read, &m, &mine)))
		op_err_about(&mine, path);
	return otprof_finish_(&call, &m, out, err, &mine);
}

int otprof_open_memory(const void *bytes, size_t n,
		       const struct otprof_open_opts *opts, struct otprof **out,
		       struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_model m = { 0 };
	struct otprof_opening o;
	struct otprof_call call;
	struct op_input in;

	otprof_enter_(&call, NULL);
	if (!otprof_opening_(&o, opts, &mine) &&
	    !op_input_memory(&in, op_view(bytes, n), &o.in, &mine))
		op_input_read(&in, &o.read, &m, &mine);
	return otprof_finish_(&call, &m, out, err, &mine);
}

/* --- streams --- */

struct otprof_reader {
	struct op_message_reader messages;
	struct otprof_opening how;
	struct op_budget budget; /* of each message */
	struct op_err err;
};

int otprof_reader_new(int fd, const struct otprof_open_opts *opts,
		      struct otprof_reader **out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct otprof_reader *r = op_heap_resize(NULL, sizeof(*r), &mine);
	struct otprof_call call;

	otprof_enter_(&call, NULL);
	if (!r)
		return otprof_leave_(&call, NULL, err, &mine);
	*r = (struct otprof_reader){ .messages.fd = fd };
	if (otprof_opening_(&r->how, opts, &mine)) {
		op_heap_free(r);
	} else {
		r->messages.max_bytes = op_input_max(&r->how.in);
		r->budget.times = call.budget.times;
		*out = r;
	}
	return otprof_leave_(&call, NULL, err, &mine);
}

/* Reads a message, which goes over to the model or is freed. */
static void message_read(struct otprof_reader *r, struct op_buf *message,
			 uint64_t at, struct op_model *m)
{
	struct op_err *err = &r->err;
	struct op_input in;

	if (!op_input_buffer(&in, message, &r->how.in, err))
		op_input_read(&in, &r->how.read, m, err);
	if (err->has_at)
		err->at += at;
}

int otprof_reader_next(struct otprof_reader *r, struct otprof **out,
		       struct otprof_err *err)
{
	struct op_buf message = { 0 };
	struct op_model m = { 0 };
	struct otprof_call call;
	uint64_t at;
	int got;

	otprof_enter_(&call, &r->budget);
	got = op_message_next(&r->messages, &message, &at, &r->err);
	if (got > 0)
		message_read(r, &message, at, &m);
	if (got > 0)
		otprof_finish_(&call, &m, out, err, &r->err);
	else
		otprof_leave_(&call, NULL, err, &r->err);
	return r->err.code ? r->err.code : got;
}

void otprof_reader_free(struct otprof_reader *r)
{
	if (!r)
		return;
	op_message_reader_free(&r->messages);
	op_heap_free(r);
}
