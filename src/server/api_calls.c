// SPDX-License-Identifier: Apache-2.0
/* server/api_calls.c: what is called: flame tree, top list, callers and
 * callees, source lines. */
#include "base/number.h"
#include "query/flame_json.h"
#include "query/lines.h"
#include "query/peek.h"
#include "query/top_diff.h"
#include "server/api_int.h"

/* --- flame --- */

static double least_param(struct op_request *r)
{
	const char *text = op_param(r->params, "least");
	double v = 0;

	if (text && (!op_number_parse(op_view_z(text), &v) || v >= 1))
		op_fail(r->err, OP_EUSAGE,
			"least expects a share from 0 to below 1, as in 0.001");
	return v;
}

static void flame_head(struct op_request *r, const struct op_subject *s,
		       const struct op_flame *f)
{
	const struct op_profile *p = s->like;

	op_api_type(r, s->m, p);
	op_api_int(&r->w, "total", f->total);
	op_api_int(&r->w, "self", f->nodes.p[0].self);
	op_api_int(&r->w, "period", p->period);
	op_api_text(&r->w, "period_unit", op_string(s->m, p->period_type.unit));
	op_api_bool(&r->w, "diff", s->is_diff);
	if (!s->is_diff)
		return;
	op_api_int(&r->w, "before_total", s->total[0]);
	op_api_int(&r->w, "after_total", s->total[1]);
}

static void flame_put(struct op_request *r, const struct op_subject *s,
		      struct op_flame *f, struct op_flame_json *x)
{
	op_json_open(&r->w, '{');
	flame_head(r, s, f);
	if (!op_flame_json_tree(x, f, r->err))
		op_flame_json_frames(x, f, r->err);
	op_api_open(&r->w, "cut", '{');
	op_api_uint(&r->w, "frames", x->nr_cut);
	op_api_int(&r->w, "value", x->cut);
	op_json_close(&r->w, '}');
	op_json_close(&r->w, '}');
}

void op_api_flame(struct op_request *r)
{
	struct op_flame f = { .origins = true, .by_size = true };
	struct op_flame_json x = { .w = &r->w };
	struct op_subject s = { 0 };
	struct op_group_by by;

	f.inverted = op_api_flag(r, "inverted");
	x.least = least_param(r);
	x.limit = op_api_number(r, "limit", 200000, 2000000);
	if (!r->err->code && !op_subject_open(&s, r) &&
	    !op_subject_by(r, &s, &by) &&
	    !op_flame_build_by(&f, s.m, s.like, &by, r->err))
		flame_put(r, &s, &f, &x);
	op_flame_json_free(&x);
	op_flame_free(&f);
	op_subject_close(&s);
}

/* --- top --- */

/* Rows while they are written. */
struct rows {
	struct op_request *r;
	struct op_group_by by;
	const struct op_frame_names *names;
	struct op_frame_origin *origins; /* per name */
	struct op_regex *match;		 /* NULL: all */
	enum op_top_order order;
	uint32_t limit;
	uint64_t nr, nr_rest;
	int64_t rest;
	struct op_buf text;
	struct op_arena mem;
};

/* Of one row; before NULL: there is none. */
struct row {
	uint32_t name;
	struct op_view labels[OP_MAX_LABELS];
	int64_t flat, cum;
	const int64_t *before_flat, *before_cum;
};

/* What a row is called: its frame, else its labels. */
static struct op_view row_name(struct rows *x, const struct row *row)
{
	x->text.n = 0;
	if (row->name != OP_NO_ID)
		return op_text(&x->names->texts, row->name);
	for (uint32_t k = 0; k < x->by.nr_labels; k++) {
		op_buf_z(&x->text, k ? ", " : "");
		op_buf_view(&x->text, row->labels[k]);
	}
	return op_view(x->text.p, x->text.n);
}

static void labels_put(struct rows *x, const struct row *row)
{
	struct op_json *w = &x->r->w;

	if (!x->by.nr_labels)
		return;
	op_api_open(w, "labels", '[');
	for (uint32_t k = 0; k < x->by.nr_labels; k++)
		op_json_string(w, row->labels[k]);
	op_json_close(w, ']');
}

static void origin_put(struct rows *x, const struct row *row)
{
	const struct op_frame_origin *o;
	struct op_json *w = &x->r->w;

	if (row->name == OP_NO_ID)
		return;
	o = &x->origins[row->name];
	op_api_text(w, "module", o->module);
	op_api_text(w, "file", o->file);
	op_api_text(w, "type", o->type);
}

static void row_put(struct rows *x, const struct row *row)
{
	struct op_view name = row_name(x, row);
	struct op_json *w = &x->r->w;

	if (x->r->err->code ||
	    (x->match && !op_regex_matches(x->match, name, x->r->err)))
		return;
	if (x->nr++ >= x->limit) {
		x->nr_rest++;
		x->rest = op_add_sat(x->rest, row->flat);
		return;
	}
	op_json_open(w, '{');
	op_api_text(w, "name", name);
	labels_put(x, row);
	op_api_int(w, "flat", row->flat);
	op_api_int(w, "cum", row->cum);
	if (row->before_flat) {
		op_api_int(w, "before_flat", *row->before_flat);
		op_api_int(w, "before_cum", *row->before_cum);
	}
	origin_put(x, row);
	op_json_close(w, '}');
}

static int rows_begin(struct rows *x, const struct op_model *m,
		      const struct op_frame_names *names)
{
	x->names = names;
	op_arena_tells(&x->mem, x->r->err);
	if (x->by.frame)
		x->origins = op_frame_origins(names, m, x->by.frame, &x->mem);
	op_api_open(&x->r->w, "rows", '[');
	return x->r->err->code;
}

static void rows_end(struct rows *x)
{
	op_json_close(&x->r->w, ']');
	op_api_uint(&x->r->w, "nr", x->nr);
	op_api_rest(x->r, x->nr_rest, "flat", x->rest);
}

static void top_rows(struct rows *x, const struct op_subject *s)
{
	struct op_top t = { 0 };

	if (!op_top_build(&t, s->m, s->like, &x->by, x->r->err)) {
		op_top_sort(&t, x->order);
		op_api_int(&x->r->w, "total", t.total);
		rows_begin(x, s->m, &t.names);
		for (size_t i = 0; i < t.rows.n && !x->r->err->code; i++) {
			const struct op_top_row *from = &t.rows.p[i];
			struct row row = { .name = from->name,
					   .flat = from->flat,
					   .cum = from->cum };

			for (uint32_t k = 0; k < x->by.nr_labels; k++)
				row.labels[k] = op_group_text(&t.groups,
							      from->group, k);
			row_put(x, &row);
		}
		rows_end(x);
	}
	op_top_free(&t);
}

static void diff_rows(struct rows *x, const struct op_subject *s)
{
	struct op_top_diff t = { 0 };
	uint32_t *order = NULL;

	if (!op_top_diff_build(&t, &s->d, s->like, &x->by, x->r->err))
		order = op_top_diff_sort(&t, x->order, x->r->err);
	if (order) {
		op_api_int(&x->r->w, "total", s->total[1]);
		op_api_int(&x->r->w, "before_total", s->total[0]);
		rows_begin(x, s->m, &t.side[0].names);
		for (size_t i = 0; i < t.rows.n && !x->r->err->code; i++) {
			uint32_t id = order[i];
			const struct op_top_diff_row *from = &t.rows.p[id];
			struct row row = { .name = from->name,
					   .flat = from->flat[1],
					   .cum = from->cum[1],
					   .before_flat = &from->flat[0],
					   .before_cum = &from->cum[0] };

			for (uint32_t k = 0; k < x->by.nr_labels; k++)
				row.labels[k] = op_top_diff_label(&t, id, k);
			row_put(x, &row);
		}
		rows_end(x);
	}
	op_top_diff_free(&t);
}

void op_api_top(struct op_request *r)
{
	static const char *const orders[] = { "flat", "cum" };
	struct rows x = { .r = r, .text.err = r->err };
	struct op_subject s = { 0 };

	x.order = op_api_choice(r, "sort", orders, 2) ? OP_TOP_CUM :
							OP_TOP_FLAT;
	x.limit = op_api_number(r, "limit", 500, 100000);
	x.match = op_api_pattern(r, "match");
	if (!r->err->code && !op_subject_open(&s, r) &&
	    !op_subject_by(r, &s, &x.by)) {
		op_json_open(&r->w, '{');
		op_api_type(r, s.m, s.like);
		if (s.is_diff)
			diff_rows(&x, &s);
		else
			top_rows(&x, &s);
		op_json_close(&r->w, '}');
	}
	op_regex_free(x.match);
	op_buf_free(&x.text);
	op_arena_free(&x.mem);
	op_subject_close(&s);
}

/* --- callers and callees --- */

/* The pattern of functions, which must be there. */
static struct op_regex *function_param(struct op_request *r)
{
	struct op_regex *re = op_api_pattern(r, "function");

	if (!re && !r->err->code)
		op_fail(r->err, OP_EUSAGE,
			"function expects a regular expression");
	return re;
}

struct peek {
	struct op_request *r;
	const struct op_peek *p;
	uint32_t limit;
};

static void calls_put(struct peek *x, const char *key,
		      const struct op_peek_call *calls, uint32_t nr)
{
	struct op_json *w = &x->r->w;

	op_api_open(w, key, '[');
	for (uint32_t i = 0; i < nr; i++) {
		op_json_open(w, '{');
		op_api_text(w, "name", op_peek_name(x->p, calls[i].name));
		op_api_int(w, "value", calls[i].value);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void peek_put(struct peek *x)
{
	const struct op_peek *p = x->p;
	struct op_json *w = &x->r->w;
	int64_t rest = 0;

	op_api_int(w, "total", p->total);
	op_api_open(w, "functions", '[');
	for (size_t i = 0; i < p->rows.n && !x->r->err->code; i++) {
		const struct op_peek_row *row = &p->rows.p[i];

		if (i >= x->limit) {
			rest = op_add_sat(rest, row->flat);
			continue;
		}
		op_json_open(w, '{');
		op_api_text(w, "name", op_peek_name(p, row->name));
		op_api_int(w, "flat", row->flat);
		op_api_int(w, "cum", row->cum);
		calls_put(x, "callers", p->callers.p + row->first_caller,
			  row->nr_callers);
		calls_put(x, "callees", p->callees.p + row->first_callee,
			  row->nr_callees);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
	op_api_rest(x->r, p->rows.n > x->limit ? p->rows.n - x->limit : 0,
		    "flat", rest);
}

void op_api_peek(struct op_request *r)
{
	uint32_t limit = op_api_number(r, "limit", 50, 10000);
	struct op_regex *re = function_param(r);
	struct op_selection s = { 0 };
	struct op_peek p = { 0 };
	struct peek x = { r, &p, limit };

	if (!r->err->code && !op_selection_open(&s, r, "", OP_FOR_SUMS) &&
	    !op_peek_build(&p, s.m, s.like, OP_FRAME_FUNCTION, re, r->err)) {
		op_json_open(&r->w, '{');
		op_api_type(r, s.m, s.like);
		peek_put(&x);
		op_json_close(&r->w, '}');
	}
	op_regex_free(re);
	op_peek_free(&p);
	op_selection_close(&s);
}

/* --- source lines --- */

static void lines_put(struct op_request *r, const struct op_lines *l)
{
	struct op_json *w = &r->w;

	op_api_int(w, "total", l->total);
	op_api_open(w, "functions", '[');
	for (size_t i = 0; i < l->functions.n && !r->err->code; i++) {
		const struct op_lines_function *f = &l->functions.p[i];

		op_json_open(w, '{');
		op_api_text(w, "name", f->name);
		op_api_text(w, "file", f->file);
		op_api_int(w, "flat", f->flat);
		op_api_int(w, "cum", f->cum);
		op_api_open(w, "rows", '[');
		for (uint32_t k = 0; k < f->nr_rows; k++) {
			const struct op_lines_row *row =
				&l->rows.p[f->first_row + k];

			op_json_open(w, '{');
			op_api_int(w, "line", row->line);
			op_api_int(w, "flat", row->flat);
			op_api_int(w, "cum", row->cum);
			op_json_close(w, '}');
		}
		op_json_close(w, ']');
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

void op_api_lines(struct op_request *r)
{
	struct op_regex *re = function_param(r);
	struct op_selection s = { 0 };
	struct op_lines l = { 0 };

	if (!r->err->code && !op_selection_open(&s, r, "", OP_FOR_SUMS) &&
	    !op_lines_build(&l, s.m, s.like, re, r->err)) {
		op_json_open(&r->w, '{');
		op_api_type(r, s.m, s.like);
		lines_put(r, &l);
		op_json_close(&r->w, '}');
	}
	op_regex_free(re);
	op_lines_free(&l);
	op_selection_close(&s);
}
