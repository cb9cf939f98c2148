// SPDX-License-Identifier: Apache-2.0
/* src/otprof_top.c: ranked lists, for include/otprof.h. */
#include "otprof_view.h"
#include "query/top.h"

struct otprof_top {
	struct otprof_view_ view;
	struct op_top t;
	struct otprof_top_info info;
};

static int rows_make(struct otprof_top *x, struct op_err *err)
{
	const struct op_top *t = &x->t;
	size_t n = t->rows.n, nr_labels = t->by.nr_labels;
	struct otprof_top_row *rows = op_new(&x->view.mem,
					     struct otprof_top_row, n);
	struct otprof_str *labels = otprof_labels_(&x->view.mem, &t->groups);

	if (!rows || !labels)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const struct op_top_row *row = &t->rows.p[i];

		rows[i] = (struct otprof_top_row){
			.name = otprof_str_of(op_top_name(t, row)),
			.labels = labels + row->group * nr_labels,
			.flat = row->flat,
			.cum = row->cum,
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	x->info.nr_labels = nr_labels;
	x->info.total = t->total;
	return OP_OK;
}

static int top_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_top *x = (struct otprof_top *)v;

	if (op_top_build(&x->t, q->m, q->like, &q->by, q->err))
		return q->err->code;
	op_top_sort(&x->t, q->by_cum ? OP_TOP_CUM : OP_TOP_FLAT);
	x->info.type = q->type;
	x->info.unit = q->unit;
	return rows_make(x, q->err);
}

static void top_fini(struct otprof_view_ *v)
{
	op_top_free(&((struct otprof_top *)v)->t);
}

static const struct otprof_view_kind_ top_kind = {
	.name = "top lists",
	.size = sizeof(struct otprof_top),
	.by = OTPROF_BY_FRAMES_ | OTPROF_BY_LABELS_,
	.make = top_make,
	.fini = top_fini,
};

int otprof_top_new(const struct otprof *p, const struct otprof_top_opts *opts,
		   struct otprof_top **out, struct otprof_err *err)
{
	struct otprof_query_ q = { .p = p, .kind = &top_kind };
	struct otprof_view_opts like_top;
	struct op_err mine = { 0 };
	struct otprof_top_opts o;
	struct otprof_view_ *v;

	if (otprof_opts_(&o, opts, &mine))
		return otprof_give_(err, &mine);
	OTPROF_INIT(&like_top);
	like_top.type = o.type;
	like_top.by = o.by;
	q.by_cum = o.by_cum;
	v = otprof_view_new_(&q, &like_top, err);
	if (v)
		*out = (struct otprof_top *)v;
	return err->code;
}

int otprof_top_info(const struct otprof_top *t, struct otprof_top_info *out,
		    struct otprof_err *err)
{
	struct op_err mine = { 0 };

	otprof_fill_(out, &t->info, &mine);
	return otprof_give_(err, &mine);
}

void otprof_top_free(struct otprof_top *t)
{
	otprof_view_free_(t ? &t->view : NULL);
}
