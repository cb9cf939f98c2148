// SPDX-License-Identifier: Apache-2.0
/* src/otprof_top.c: ranked lists, for include/otprof.h. */
#include "otprof_int.h"
#include "query/default_profile.h"
#include "query/top.h"

struct otprof_top {
	struct op_arena mem; /* that holds it too */
	struct op_top t;
	struct otprof_top_info info;
};

static int rows_make(struct otprof_top *x, struct op_err *err)
{
	const struct op_top *t = &x->t;
	size_t n = t->rows.n, nr_labels = t->by.nr_labels;
	struct otprof_top_row *rows = op_new(&x->mem, struct otprof_top_row, n);
	struct otprof_str *labels = op_new(&x->mem, struct otprof_str,
					   n * nr_labels);

	if (!rows || !labels)
		return err->code;
	for (size_t i = 0; i < n; i++, labels += nr_labels) {
		const struct op_top_row *row = &t->rows.p[i];

		rows[i] = (struct otprof_top_row){
			.name = otprof_str_of(op_top_name(t, row)),
			.labels = labels,
			.flat = row->flat,
			.cum = row->cum,
		};
		for (uint32_t k = 0; k < nr_labels; k++)
			labels[k] = otprof_str_of(
				op_group_text(&t->groups, row->group, k));
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	x->info.nr_labels = nr_labels;
	x->info.total = t->total;
	return OP_OK;
}

static int top_make(struct otprof_top *x, const struct otprof *p,
		    const struct otprof_top_opts *o, struct op_err *err)
{
	const struct op_profile *like = op_choose_profile(&p->m, o->type);
	struct op_group_by by;

	op_arena_tells(&x->mem, err);
	if (!like)
		return op_fail(err, OP_EFORMAT, "there is no profile%s%s",
			       o->type ? " of type " : "",
			       o->type ? o->type : "");
	if (op_group_by_parse(&by, o->by, err) ||
	    op_top_build(&x->t, &p->m, like, &by, err))
		return err->code;
	op_top_sort(&x->t, o->by_cum ? OP_TOP_CUM : OP_TOP_FLAT);
	x->info.type = otprof_str_of(op_string(&p->m, like->sample_type.type));
	x->info.unit = otprof_str_of(op_string(&p->m, like->sample_type.unit));
	return rows_make(x, err);
}

int otprof_top_new(const struct otprof *p, const struct otprof_top_opts *opts,
		   struct otprof_top **out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct op_arena mem = { .err = &mine };
	struct otprof_top_opts o;
	struct otprof_call call;
	struct otprof_top *x = NULL;

	otprof_enter_(&call, &p->budget);
	if (!otprof_opts_(&o, opts, &mine))
		x = op_new(&mem, struct otprof_top, 1);
	if (x) {
		x->mem = mem;
		x->mem.err = NULL; /* which it outlives */
		top_make(x, p, &o, &mine);
	}
	if (mine.code)
		otprof_top_free(x);
	else
		*out = x;
	return otprof_leave_(&call, NULL, err, &mine);
}

void otprof_top_free(struct otprof_top *t)
{
	struct op_arena mem;

	if (!t)
		return;
	op_top_free(&t->t);
	mem = t->mem;
	op_arena_free(&mem);
}

int otprof_top_info(const struct otprof_top *t, struct otprof_top_info *out,
		    struct otprof_err *err)
{
	struct op_err mine = { 0 };

	otprof_fill_(out, &t->info, &mine);
	return otprof_give_(err, &mine);
}
