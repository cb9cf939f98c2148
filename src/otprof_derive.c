// SPDX-License-Identifier: Apache-2.0
/* src/otprof_derive.c: profiles made of profiles, for include/otprof.h. */
#include <stdio.h>

#include "model/diff.h"
#include "model/filter.h"
#include "model/merge.h"
#include "otprof_int.h"
#include "sym/symbolize.h"

/* What may be done with one, and with another, may be done with both. */
static void add_budget(struct op_budget *sum, const struct op_budget *b)
{
	sum->input += b->input;
	if (!b->times || (sum->times && b->times > sum->times))
		sum->times = b->times;
}

/* The model of an object, for functions that would unpack it if it were packed,
 * which that of an object never is. */
static struct op_model *model_of(const struct otprof *p)
{
	return (struct op_model *)&p->m;
}

int otprof_normalize(const struct otprof *p, struct otprof **out,
		     struct otprof_err *err)
{
	struct op_model *from = model_of(p);
	struct op_model m = { .mem.quota = from->mem.quota };
	struct op_err mine = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, &p->budget);
	op_concat(&from, 1, &m, &mine);
	return otprof_finish_(&call, &m, out, err, &mine);
}

int otprof_merge(const struct otprof *const *list, size_t nr,
		 struct otprof **out, struct otprof_err *err)
{
	struct op_budget sum = { .times = 1 };
	struct op_err mine = { 0 };
	struct op_arena scratch = { .err = &mine };
	struct op_model **models;
	struct op_model m = { 0 };
	struct otprof_call call;

	for (size_t i = 0; i < nr; i++)
		add_budget(&sum, &list[i]->budget);
	otprof_enter_(&call, &sum);
	models = op_new(&scratch, struct op_model *, nr);
	for (size_t i = 0; models && i < nr; i++)
		models[i] = model_of(list[i]);
	if (!mine.code)
		op_merge(models, nr, &m, &mine);
	op_arena_free(&scratch);
	return otprof_finish_(&call, &m, out, err, &mine);
}

int otprof_filter(const struct otprof *p, const struct otprof_filter_opts *opts,
		  struct otprof **out, struct otprof_err *err)
{
	struct op_model m = { .mem.quota = p->m.mem.quota };
	struct otprof_filter_opts o;
	struct op_filter_opts f = { 0 };
	struct op_where where = { 0 };
	struct op_err mine = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, &p->budget);
	if (!otprof_opts_(&o, opts, &mine)) {
		f.types = o.types;
		f.focus = o.focus;
		f.ignore = o.ignore;
		f.range.from = o.from_unix_nano;
		f.range.to = o.to_unix_nano;
		if (f.range.from && !f.range.to)
			f.range.to = UINT64_MAX;
		f.aggregate = o.aggregate;
		f.drop_payloads = o.drop_payloads;
		f.note = o.on_note;
		f.ctx = o.ctx;
		f.edit.hide = o.hide;
		f.edit.show_from = o.show_from;
		f.edit.collapse = o.collapse_recursion;
		if (o.where)
			f.where = &where;
		if (!o.where || !op_where_parse(&where, o.where, &mine))
			op_filter(&p->m, &f, &m, &mine);
		op_where_free(&where);
	}
	return otprof_finish_(&call, &m, out, err, &mine);
}

int otprof_diff(const struct otprof *before, const struct otprof *after,
		const struct otprof_diff_opts *opts, struct otprof **out,
		struct otprof_err *err)
{
	struct op_model m = { .mem.quota = after->m.mem.quota };
	struct op_budget sum = before->budget;
	struct op_err mine = { 0 };
	struct op_diff_opts d = { 0 };
	struct otprof_diff_opts o;
	struct otprof_call call;

	add_budget(&sum, &after->budget);
	otprof_enter_(&call, &sum);
	if (!otprof_opts_(&o, opts, &mine)) {
		d.exact = o.exact;
		d.normalize = o.normalize;
		op_diff(&before->m, &after->m, &d, &m, &mine);
	}
	return otprof_finish_(&call, &m, out, err, &mine);
}

/* The caller's directories, then those of the distribution. */
static int symbol_dirs(const char *own, struct op_buf *dirs)
{
	if (own)
		op_buf_printf(dirs, "%s:", own);
	op_buf_printf(dirs, "%s", OP_FIND_DIRS);
	op_buf_byte(dirs, 0);
	return dirs->err->code;
}

int otprof_symbolize(const struct otprof *p,
		     const struct otprof_symbolize_opts *opts,
		     struct otprof **out, struct otprof_err *err)
{
	struct op_model *from = model_of(p);
	struct op_model m = { .mem.quota = from->mem.quota };
	struct otprof_symbolize_opts o;
	struct op_err mine = { 0 };
	struct op_buf dirs = { .err = &mine };
	struct otprof_call call;

	otprof_enter_(&call, &p->budget);
	if (!otprof_opts_(&o, opts, &mine) && !symbol_dirs(o.path, &dirs) &&
	    !op_concat(&from, 1, &m, &mine)) {
		struct op_symbolize_opts how = {
			.find = { .root = o.root ? o.root : "/",
				  .dirs = (const char *)dirs.p },
			.program = o.program,
			.note = o.on_note,
			.ctx = o.ctx,
		};

		/* Rows that got names may now equal others. */
		if (!op_symbolize(&m, &how, NULL, &mine))
			op_normalise(&m, &mine);
	}
	op_buf_free(&dirs);
	return otprof_finish_(&call, &m, out, err, &mine);
}
