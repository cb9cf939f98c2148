// SPDX-License-Identifier: Apache-2.0
/* cli/diff_view.c: the tree and peek views of a difference. */
#include "diff_view.h"

#include "peek_view.h"
#include "query/compare.h"
#include "query/difference.h"
#include "show.h"
#include "top_view.h"

bool diff_view_is_wanted(const struct diff_view *v, const struct answer *a)
{
	return v->tree || v->peek || a->by_text || a->unit_text || a->csv;
}

int diff_view_usage(struct diff_view *v, const struct answer *a,
		    struct op_err *err)
{
	const struct tree_opts *o = &v->tree_opts;

	if (v->tree && v->peek)
		return op_fail(err, OP_EUSAGE,
			       "--tree and --peek are mutually exclusive");
	if (v->tree && a->csv)
		return op_fail(err, OP_EUSAGE, "--tree has no CSV form");
	if (!v->tree && (o->inverted || o->min_share || o->depth))
		return op_fail(err, OP_EUSAGE,
			       "--inverted, --min-share and --depth are for "
			       "--tree");
	if (v->peek && peek_usage(a, err))
		return err->code;
	return v->tree ? tree_opts_parse(&v->tree_opts, err) : OP_OK;
}

static void signed_text(struct answer *a, int64_t v)
{
	op_buf_z(&a->out, v > 0 ? "+" : "");
	units_text(&a->out, &a->units, v, " ");
}

static void head_text(struct answer *a, const int64_t total[2])
{
	int64_t delta = op_compare_delta(total);
	size_t at = a->out.n;

	text_word(&a->out, op_string(&a->m, a->like->sample_type.type));
	op_buf_z(&a->out, ": before ");
	units_text(&a->out, &a->units, total[0], " ");
	op_buf_z(&a->out, ", after ");
	units_text(&a->out, &a->units, total[1], " ");
	op_buf_z(&a->out, ": ");
	signed_text(a, delta);
	if (total[0])
		op_buf_printf(&a->out, " (%s%s%%)", delta < 0 ? "" : "+",
			      op_fixed_text(table_share(delta, total[0]), 2).s);
	op_buf_byte(&a->out, '\n');
	text_wrap(&a->out, at);
}

static void head_json(struct answer *a, const int64_t total[2])
{
	struct op_json *w = &a->w;

	op_json_open(w, '{');
	op_json_key(w, "type");
	op_json_string(w, op_string(&a->m, a->like->sample_type.type));
	op_json_key(w, "unit");
	op_json_string(w, op_string(&a->m, a->like->sample_type.unit));
	op_json_key(w, "before");
	op_json_int(w, total[0]);
	op_json_key(w, "after");
	op_json_int(w, total[1]);
	op_json_key(w, "delta");
	op_json_int(w, op_compare_delta(total));
}

static void show(const struct diff_view *v, struct answer *a,
		 const int64_t total[2])
{
	/* A new function has no total before. */
	int64_t whole = total[0] ? total[0] : total[1];

	a->w.pretty = !v->tree;
	if (a->json)
		head_json(a, total);
	else if (!a->csv)
		head_text(a, total);
	if (v->tree)
		tree_show(a, &v->tree_opts, whole);
	else if (v->peek)
		peek_show(a, v->peek, whole);
	else
		top_show(a, false, whole);
	answer_tail(a);
}

int diff_view_show(const struct diff_view *v, struct answer *a,
		   const struct op_model *before, const struct op_model *after)
{
	struct op_difference d = { 0 };
	int64_t total[2];

	if (!op_difference_build(&d, before, after, v->normalize, a->err)) {
		a->m = d.m;
		if (!answer_choose(a)) {
			op_difference_totals(&d, a->like, total);
			show(v, a, total);
		}
		a->m = (struct op_model){ 0 };
	}
	op_difference_free(&d);
	return a->err->code;
}
