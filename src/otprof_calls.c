// SPDX-License-Identifier: Apache-2.0
/* src/otprof_calls.c: call trees, callers and callees, and source lines, for
 * include/otprof.h. */
#include "otprof_view.h"
#include "query/flame.h"
#include "query/lines.h"
#include "query/peek.h"

/* --- call trees --- */

struct otprof_tree {
	struct otprof_view_ view;
	struct op_flame f;
	struct otprof_tree_info info;
};

/* The node behind another in the order of the result. */
static uint32_t node_next(const struct op_flame *f, uint32_t node)
{
	const struct op_flame_node *n = f->nodes.p;

	if (n[node].first_child != OP_NO_NODE)
		return n[node].first_child;
	while (node && n[node].next == OP_NO_NODE)
		node = n[node].parent;
	return node ? n[node].next : OP_NO_NODE;
}

static int nodes_make(struct otprof_tree *x, struct op_err *err)
{
	const struct op_flame *f = &x->f;
	size_t n = f->nodes.n, i = 0;
	struct otprof_tree_node *out = op_new(&x->view.mem,
					      struct otprof_tree_node, n);
	size_t *place = op_new(&x->view.mem, size_t, n);

	if (!out || !place)
		return err->code;
	for (uint32_t k = 0; k != OP_NO_NODE; k = node_next(f, k), i++) {
		const struct op_flame_node *from = &f->nodes.p[k];

		place[k] = i;
		out[i] = (struct otprof_tree_node){
			.sz = sizeof(*out),
			.flat = from->self,
			.cum = from->total,
		};
		if (!k)
			continue;
		out[i].name = otprof_str_of(f->names.p[from->name].text);
		out[i].parent = place[from->parent];
		out[i].depth = out[out[i].parent].depth + 1;
	}
	x->info.nodes = out;
	x->info.nr_nodes = i;
	return OP_OK;
}

static int tree_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_tree *x = (struct otprof_tree *)v;

	x->f.inverted = q->o.inverted;
	if (op_flame_build_by(&x->f, q->m, q->like, &q->by, q->err))
		return q->err->code;
	x->info.type = q->type;
	x->info.unit = q->unit;
	x->info.total = x->f.total;
	return nodes_make(x, q->err);
}

static void tree_fini(struct otprof_view_ *v)
{
	op_flame_free(&((struct otprof_tree *)v)->f);
}

static const struct otprof_view_kind_ tree_kind = {
	.name = "trees",
	.size = sizeof(struct otprof_tree),
	.by = OTPROF_BY_FRAMES_ | OTPROF_BY_LABELS_,
	.make = tree_make,
	.fini = tree_fini,
};

OTPROF_VIEW_(tree, &tree_kind)

/* --- callers and callees --- */

struct otprof_peek {
	struct otprof_view_ view;
	struct op_peek k;
	struct otprof_peek_info info;
};

/* The regular expression that was asked for; an empty one matches all. */
static struct op_regex *match_new(const struct otprof_query_ *q)
{
	return op_regex_new(q->o.match ? q->o.match : "", q->err);
}

static struct otprof_peek_call *
calls_make(struct otprof_peek *x, const struct op_peek_call *from, size_t n)
{
	struct otprof_peek_call *out = op_new(&x->view.mem,
					      struct otprof_peek_call, n);

	for (size_t i = 0; out && i < n; i++)
		out[i] = (struct otprof_peek_call){
			.sz = sizeof(*out),
			.name = otprof_str_of(
				op_peek_name(&x->k, from[i].name)),
			.value = from[i].value,
		};
	return out;
}

static int peek_rows(struct otprof_peek *x, struct op_err *err)
{
	const struct op_peek *k = &x->k;
	size_t n = k->rows.n;
	struct otprof_peek_row *rows = op_new(&x->view.mem,
					      struct otprof_peek_row, n);
	struct otprof_peek_call *callers = calls_make(x, k->callers.p,
						      k->callers.n);
	struct otprof_peek_call *callees = calls_make(x, k->callees.p,
						      k->callees.n);

	if (!rows || !callers || !callees)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const struct op_peek_row *r = &k->rows.p[i];

		rows[i] = (struct otprof_peek_row){
			.sz = sizeof(*rows),
			.name = otprof_str_of(op_peek_name(k, r->name)),
			.flat = r->flat,
			.cum = r->cum,
			.nr_callers = r->nr_callers,
			.callers = callers + r->first_caller,
			.nr_callees = r->nr_callees,
			.callees = callees + r->first_callee,
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	return OP_OK;
}

static int peek_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_peek *x = (struct otprof_peek *)v;
	struct op_regex *re = match_new(q);

	if (re &&
	    !op_peek_build(&x->k, q->m, q->like, q->by.frame, re, q->err)) {
		x->info.type = q->type;
		x->info.unit = q->unit;
		x->info.total = x->k.total;
		peek_rows(x, q->err);
	}
	op_regex_free(re);
	return q->err->code;
}

static void peek_fini(struct otprof_view_ *v)
{
	op_peek_free(&((struct otprof_peek *)v)->k);
}

static const struct otprof_view_kind_ peek_kind = {
	.name = "callers and callees",
	.size = sizeof(struct otprof_peek),
	.by = OTPROF_BY_FRAMES_,
	.make = peek_make,
	.fini = peek_fini,
};

OTPROF_VIEW_(peek, &peek_kind)

/* --- source lines --- */

struct otprof_lines {
	struct otprof_view_ view;
	struct op_lines l;
	struct otprof_lines_info info;
};

static int lines_rows(struct otprof_lines *x, struct op_err *err)
{
	const struct op_lines *l = &x->l;
	size_t n = l->functions.n;
	struct otprof_lines_row *rows = op_new(&x->view.mem,
					       struct otprof_lines_row, n);
	struct otprof_line *lines = op_new(&x->view.mem, struct otprof_line,
					   l->rows.n);

	if (!rows || !lines)
		return err->code;
	for (size_t i = 0; i < l->rows.n; i++) {
		const struct op_lines_row *r = &l->rows.p[i];

		lines[i] = (struct otprof_line){ sizeof(*lines), r->line,
						 r->flat, r->cum };
	}
	for (size_t i = 0; i < n; i++) {
		const struct op_lines_function *f = &l->functions.p[i];

		rows[i] = (struct otprof_lines_row){
			.sz = sizeof(*rows),
			.function = otprof_str_of(f->name),
			.file = otprof_str_of(f->file),
			.flat = f->flat,
			.cum = f->cum,
			.nr_lines = f->nr_rows,
			.lines = lines + f->first_row,
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	return OP_OK;
}

static int lines_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_lines *x = (struct otprof_lines *)v;
	struct op_regex *re = match_new(q);

	if (re && !op_lines_build(&x->l, q->m, q->like, re, q->err)) {
		x->info.type = q->type;
		x->info.unit = q->unit;
		x->info.total = x->l.total;
		lines_rows(x, q->err);
	}
	op_regex_free(re);
	return q->err->code;
}

static void lines_fini(struct otprof_view_ *v)
{
	op_lines_free(&((struct otprof_lines *)v)->l);
}

static const struct otprof_view_kind_ lines_kind = {
	.name = "source lines",
	.size = sizeof(struct otprof_lines),
	.make = lines_make,
	.fini = lines_fini,
};

OTPROF_VIEW_(lines, &lines_kind)
