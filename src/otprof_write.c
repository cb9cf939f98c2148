// SPDX-License-Identifier: Apache-2.0
/* src/otprof_write.c: checking and writing, for include/otprof.h. */
#include "fmt/input.h"
#include "fmt/buf_sink.h"
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

/* Checks what was opened, if it was. */
static int check_input(struct op_input *in, const struct otprof_check_opts *o,
		       struct otprof_check_result *out, struct op_err *err)
{
	struct op_read_opts opts = { .unchecked = true };
	struct otprof_check_result result = { 0 };
	struct check c = { .opts.strict = o->strict,
			   .on_finding = o->on_finding,
			   .ctx = o->ctx };

	if (!err->code)
		op_input_each(in, &opts, check_message, &c, err);
	op_input_close(in);
	result.nr_errors = c.result.nr_errors;
	result.nr_warnings = c.result.nr_warnings;
	if (err->code)
		return err->code;
	return otprof_fill_(out, &result, err);
}

int otprof_check_file(const char *path, const struct otprof_check_opts *opts,
		      struct otprof_check_result *out, struct otprof_err *err)
{
	struct op_input in = { 0 };
	struct otprof_check_opts o;
	struct op_err mine = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, NULL);
	if (!otprof_opts_(&o, opts, &mine)) {
		struct op_input_opts how = { .max_bytes = o.max_bytes };

		if (op_input_open(&in, path, &how, &mine) ||
		    check_input(&in, &o, out, &mine))
			op_err_about(&mine, path);
	}
	return otprof_leave_(&call, NULL, err, &mine);
}

int otprof_check_memory(const void *bytes, size_t n,
			const struct otprof_check_opts *opts,
			struct otprof_check_result *out, struct otprof_err *err)
{
	struct op_input in = { 0 };
	struct otprof_check_opts o;
	struct op_err mine = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, NULL);
	if (!otprof_opts_(&o, opts, &mine)) {
		struct op_input_opts how = { .max_bytes = o.max_bytes };

		op_input_memory(&in, op_view(bytes, n), &how, &mine);
		check_input(&in, &o, out, &mine);
	}
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

static int writing_of(const struct otprof_write_opts *opts, const char *path,
		      struct writing *w, struct op_err *err)
{
	const struct op_format *f = &op_format_otlp;
	struct otprof_write_opts o;

	if (otprof_opts_(&o, opts, err))
		return err->code;
	if (o.format)
		f = op_format_wanted(o.format, err);
	else if (path && op_format_by_ending(path))
		f = op_format_by_ending(path);
	if (!f)
		return err->code;
	if (!f->write)
		return op_fail(err, OP_EUSAGE, "format %s can only be read",
			       f->name);
	w->opts = (struct op_write_opts){ .settings = o.settings,
					  .note = o.on_note,
					  .ctx = o.ctx };
	w->how = (struct op_writing){ .path = path,
				      .format = f,
				      .opts = &w->opts };
	return pack_of(o.pack, &w->how, err);
}

/* Writes the profiles with ids; the object does not get them. */
static int write_with_ids(const struct otprof *p, struct writing *w,
			  struct op_sink *sink, struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct op_model twin;

	if (!op_model_twin(&p->m, &mem, &twin) && !op_content_ids(&twin, err))
		op_write(&twin, &w->how, sink, err);
	op_arena_free(&mem);
	return err->code;
}

int otprof_write_file(const struct otprof *p, const char *path,
		      const struct otprof_write_opts *opts,
		      struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_output out;
	struct otprof_call call;
	struct writing w;

	otprof_enter_(&call, &p->budget);
	if (!writing_of(opts, path, &w, &mine) &&
	    !op_output_open(&out, path, &mine)) {
		write_with_ids(p, &w, &out.sink, &mine);
		op_output_close(&out, &mine);
	}
	return otprof_leave_(&call, NULL, err, &mine);
}

int otprof_write_memory(const struct otprof *p,
			const struct otprof_write_opts *opts, uint8_t **out,
			size_t *n_out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_buf_sink s = op_buf_sink(&mine);
	struct otprof_call call;
	struct writing w;

	otprof_enter_(&call, &p->budget);
	if (!writing_of(opts, NULL, &w, &mine))
		write_with_ids(p, &w, &s.sink, &mine);
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
