// SPDX-License-Identifier: Apache-2.0
/* src/otprof_algebra.c: from profiles to profiles, for include/otprof.h. */
#include "model/diff.h"
#include "model/filter.h"
#include "model/merge.h"
#include "otprof_int.h"

int otprof_normalise(struct otprof *p, struct otprof_err *err)
{
	struct op_model *old = &p->m;
	struct op_model m = { .mem.quota = old->mem.quota };
	struct op_err mine = { 0 };
	struct otprof_call call;
	struct otprof fresh;

	otprof_enter_(&call, &p->budget);
	if (op_concat(&old, 1, &m, &mine) || otprof_list_(&m, &fresh, &mine)) {
		op_model_free(&m);
	} else {
		op_model_free(old);
		*p = fresh;
	}
	return otprof_leave_(&call, &p, err, &mine);
}

/* What may be done with one, and with another, may be done with both. */
static void add_budget(struct op_budget *sum, const struct op_budget *b)
{
	sum->input += b->input;
	if (!b->times || (sum->times && b->times > sum->times))
		sum->times = b->times;
}

int otprof_merge(struct otprof *const *list, size_t nr, struct otprof **out,
		 struct otprof_err *err)
{
	struct op_budget sum = { .times = 1 };
	struct op_arena scratch = { 0 };
	struct op_model **models;
	struct op_model m = { 0 };
	struct op_err mine = { 0 };
	struct otprof_call call;

	for (size_t i = 0; i < nr; i++)
		add_budget(&sum, &list[i]->budget);
	otprof_enter_(&call, &sum);
	models = op_new(&scratch, struct op_model *, nr);

	if (!models)
		op_fail(&mine, OP_ENOMEM, "no memory to merge");
	for (size_t i = 0; models && i < nr; i++)
		models[i] = &list[i]->m;
	if (!mine.code && op_merge(models, nr, &m, &mine))
		op_model_free(&m);
	if (!mine.code)
		otprof_wrap_(&m, out, &mine);
	op_arena_free(&scratch);
	return otprof_leave_(&call, out, err, &mine);
}

static struct op_filter_opts filter_opts(const struct otprof_filter_opts *o)
{
	struct op_filter_opts f = { 0 };

	if (!o)
		return f;
	if (otprof_has_(o, types))
		f.types = o->types;
	if (otprof_has_(o, focus))
		f.focus = o->focus;
	if (otprof_has_(o, ignore))
		f.ignore = o->ignore;
	if (otprof_has_(o, from_unix_nano))
		f.range.from = o->from_unix_nano;
	if (otprof_has_(o, to_unix_nano))
		f.range.to = o->to_unix_nano;
	if (f.range.from && !f.range.to)
		f.range.to = UINT64_MAX;
	if (otprof_has_(o, aggregate))
		f.aggregate = o->aggregate;
	if (otprof_has_(o, drop_payloads))
		f.drop_payloads = o->drop_payloads;
	if (otprof_has_(o, ctx)) {
		f.note = o->on_note;
		f.ctx = o->ctx;
	}
	return f;
}

/* Hands over what was made, if it was. */
static int give(struct otprof_call *call, struct op_model *m,
		struct otprof **out, struct otprof_err *err,
		struct op_err *mine)
{
	if (mine->code)
		op_model_free(m);
	else
		otprof_wrap_(m, out, mine);
	return otprof_leave_(call, out, err, mine);
}

int otprof_filter(const struct otprof *p, const struct otprof_filter_opts *opts,
		  struct otprof **out, struct otprof_err *err)
{
	struct op_filter_opts o = filter_opts(opts);
	struct op_model m = { .mem.quota = p->m.mem.quota };
	struct op_err mine = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, &p->budget);
	op_filter(&p->m, &o, &m, &mine);
	return give(&call, &m, out, err, &mine);
}

int otprof_diff(const struct otprof *before, const struct otprof *after,
		const struct otprof_diff_opts *opts, struct otprof **out,
		struct otprof_err *err)
{
	struct op_diff_opts o = { 0 };
	struct op_model m = { .mem.quota = after->m.mem.quota };
	struct op_budget sum = before->budget;
	struct op_err mine = { 0 };
	struct otprof_call call;

	add_budget(&sum, &after->budget);
	otprof_enter_(&call, &sum);
	if (opts && otprof_has_(opts, exact))
		o.exact = opts->exact;
	if (opts && otprof_has_(opts, normalize))
		o.normalize = opts->normalize;
	op_diff(&before->m, &after->m, &o, &m, &mine);
	return give(&call, &m, out, err, &mine);
}
