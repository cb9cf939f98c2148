// SPDX-License-Identifier: Apache-2.0
/* src/otprof_write.c: checking and writing, for include/otprof.h. */
#include "fmt/input.h"
#include "fmt/output.h"
#include "model/check.h"
#include "model/content.h"
#include "otprof_int.h"

/* --- checking --- */

struct check {
	struct op_check_opts opts;
	struct op_check_result result;
	otprof_finding_fn *on_finding;
	void *ctx;
};

static void found(void *ctx, const struct op_finding *f)
{
	struct check *c = ctx;
	struct otprof_finding out = {
		.rule = op_rules[f->rule].name,
		.path = f->path,
		.text = f->text,
		.is_error = f->is_error,
	};

	if (c->on_finding)
		c->on_finding(c->ctx, &out);
}

static int check_message(void *ctx, struct op_model *m, struct op_err *err)
{
	struct check *c = ctx;

	op_check(m, &c->opts, found, c, &c->result, err);
	op_model_free(m);
	return err->code;
}

static size_t max_bytes(const struct otprof_check_opts *o)
{
	return o && otprof_has_(o, max_bytes) ? o->max_bytes : 0;
}

/* Checks what was opened, if it was. */
static int check_input(struct op_input *in, const struct otprof_check_opts *o,
		       struct otprof_check_result *out, struct op_err *err)
{
	struct op_read_opts opts = { .unchecked = true };
	struct check c = { 0 };

	if (o && otprof_has_(o, strict))
		c.opts.strict = o->strict;
	if (o && otprof_has_(o, ctx)) {
		c.on_finding = o->on_finding;
		c.ctx = o->ctx;
	}
	if (!err->code)
		op_input_each(in, &opts, check_message, &c, err);
	op_input_close(in);
	if (!err->code && otprof_has_(out, nr_errors))
		out->nr_errors = c.result.nr_errors;
	if (!err->code && otprof_has_(out, nr_warnings))
		out->nr_warnings = c.result.nr_warnings;
	return err->code;
}

int otprof_check_file(const char *path, const struct otprof_check_opts *opts,
		      struct otprof_check_result *out, struct otprof_err *err)
{
	struct op_input_opts in_opts = { .max_bytes = max_bytes(opts) };
	struct op_err mine = { 0 };
	struct otprof_call call;
	struct op_input in;

	otprof_enter_(&call, NULL);
	op_input_open(&in, path, &in_opts, &mine);
	check_input(&in, opts, out, &mine);
	return otprof_leave_(&call, NULL, err, &mine);
}

int otprof_check_memory(const void *bytes, size_t n,
			const struct otprof_check_opts *opts,
			struct otprof_check_result *out, struct otprof_err *err)
{
	struct op_input_opts in_opts = { .max_bytes = max_bytes(opts) };
	struct op_err mine = { 0 };
	struct otprof_call call;
	struct op_input in;

	otprof_enter_(&call, NULL);
	op_input_memory(&in, op_view(bytes, n), &in_opts, &mine);
	check_input(&in, opts, out, &mine);
	return otprof_leave_(&call, NULL, err, &mine);
}

/* --- writing --- */

struct writing {
	struct op_writing how;
	struct op_write_opts opts;
};

static int pack_of(const char *name, struct op_writing *how, struct op_err *err)
{
	if (!name)
		return OP_OK;
	how->pack = op_pack_named(name);
	if (how->pack == OP_PACK_AUTO)
		return op_fail(err, OP_EUSAGE, "no packing '%s'", name);
	return OP_OK;
}

static int writing_of(const struct otprof_write_opts *o, const char *path,
		      struct writing *w, struct op_err *err)
{
	const struct op_format *f = &op_format_otlp;
	const char *name = NULL;

	*w = (struct writing){ .how.path = path };
	if (o && otprof_has_(o, format))
		name = o->format;
	if (o && otprof_has_(o, settings))
		w->opts.settings = o->settings;
	if (o && otprof_has_(o, ctx)) {
		w->opts.note = o->on_note;
		w->opts.ctx = o->ctx;
	}
	if (name)
		f = op_format_named(name);
	else if (path && op_format_by_ending(path))
		f = op_format_by_ending(path);
	if (!f)
		return op_fail(err, OP_EUSAGE, "no format '%s'", name);
	if (!f->write)
		return op_fail(err, OP_EUSAGE, "format %s can only be read",
			       f->name);
	w->how.format = f;
	w->how.opts = &w->opts;
	return pack_of(o && otprof_has_(o, pack) ? o->pack : NULL, &w->how,
		       err);
}

int otprof_write_file(struct otprof *p, const char *path,
		      const struct otprof_write_opts *opts,
		      struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_output out;
	struct otprof_call call;
	struct writing w;

	otprof_enter_(&call, &p->budget);
	if (!writing_of(opts, path, &w, &mine) &&
	    !op_content_ids(&p->m, &mine) &&
	    !op_output_open(&out, path, &mine)) {
		op_write(&p->m, &w.how, &out.sink, &mine);
		op_output_close(&out, &mine);
	}
	return otprof_leave_(&call, NULL, err, &mine);
}

struct memory_sink {
	struct op_sink sink;
	struct op_buf buf;
};

static int memory_write(struct op_sink *sink, struct op_view v,
			struct op_err *err)
{
	struct memory_sink *s = (struct memory_sink *)sink;

	op_buf_view(&s->buf, v);
	return err->code;
}

int otprof_write_memory(struct otprof *p, const struct otprof_write_opts *opts,
			uint8_t **out, size_t *n_out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct memory_sink s = { .sink.write = memory_write, .buf.err = &mine };
	struct otprof_call call;
	struct writing w;

	otprof_enter_(&call, &p->budget);
	if (!writing_of(opts, NULL, &w, &mine) && !op_content_ids(&p->m, &mine))
		op_write(&p->m, &w.how, &s.sink, &mine);
	if (mine.code) {
		op_buf_free(&s.buf);
	} else {
		*out = s.buf.p;
		*n_out = s.buf.n;
	}
	return otprof_leave_(&call, NULL, err, &mine);
}

void otprof_bytes_free(uint8_t *bytes)
{
	op_heap_free(bytes);
}
