// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_diff.c: otprof diff: compares two files and prints or writes the
 * change. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "diff_view.h"
#include "model/diff.h"
#include "query/compare.h"
#include "show.h"

/* Of a terminal that has room for names too. */
enum { MIN_WIDTH = 66 };

struct diff {
	struct answer a;
	struct op_diff_opts opts;
	struct diff_view view;

	const struct op_model *before, *after;
	struct op_err *err;
};

static double percent(const int64_t v[2])
{
	return 100.0 * ((double)v[1] - (double)v[0]) / (double)v[0];
}

/* --- text --- */

static void heading(struct diff *d, const struct op_profile *p,
		    const int64_t total[2])
{
	struct op_view event = op_profile_event(d->after, p);
	int64_t delta = op_compare_delta(total);
	size_t at = d->a.out.n;

	text_word(&d->a.out, op_string(d->after, p->sample_type.type));
	op_buf_byte(&d->a.out, '/');
	text_word(&d->a.out, op_string(d->after, p->sample_type.unit));
	if (event.n) {
		op_buf_z(&d->a.out, " (");
		text_word(&d->a.out, event);
		op_buf_byte(&d->a.out, ')');
	}
	op_buf_z(&d->a.out, ": before ");
	text_number(&d->a.out, total[0]);
	op_buf_z(&d->a.out, ", after ");
	text_number(&d->a.out, total[1]);
	op_buf_z(&d->a.out, delta > 0 ? ": +" : ": ");
	text_number(&d->a.out, delta);
	if (total[0])
		op_buf_printf(&d->a.out, " (%s%s%%)",
			      signbit(percent(total)) ? "" : "+",
			      op_fixed_text(percent(total), 2).s);
	op_buf_byte(&d->a.out, '\n');
	text_wrap(&d->a.out, at);
}

static void rows_text(struct diff *d, struct op_compare *c, bool by_total)
{
	uint32_t nr = 0;
	uint32_t *ids = op_compare_top(c, by_total, &nr, d->err);
	uint32_t width = table_line_width();

	if (!ids || !nr)
		return;
	op_buf_printf(&d->a.out, "%15s %15s %15s  function, %s\n", "delta",
		      "before", "after", by_total ? "total" : "self");
	for (uint32_t i = 0; i < nr && i < d->a.nr_rows; i++) {
		const struct op_compare_row *r = &c->rows.p[ids[i]];
		const int64_t *v = by_total ? r->total : r->self;
		size_t at = d->a.out.n;

		op_buf_printf(&d->a.out,
			      "%+15" PRId64 " %15" PRId64 " %15" PRId64 "  ",
			      op_compare_delta(v), v[0], v[1]);
		text_name(&d->a.out, r->name);
		if (width > MIN_WIDTH)
			text_cut(&d->a.out, at, width);
		op_buf_byte(&d->a.out, '\n');
	}
}

/* --- JSON --- */

static void values_json(struct op_json *w, const int64_t v[2])
{
	op_json_key(w, "delta");
	op_json_int(w, op_compare_delta(v));
	op_json_key(w, "before");
	op_json_int(w, v[0]);
	op_json_key(w, "after");
	op_json_int(w, v[1]);
}

static void rows_json(struct diff *d, struct op_compare *c, bool by_total)
{
	uint32_t nr = 0;
	uint32_t *ids = op_compare_top(c, by_total, &nr, d->err);

	op_json_key(&d->a.w, by_total ? "total" : "self");
	op_json_open(&d->a.w, '[');
	for (uint32_t i = 0; ids && i < nr && i < d->a.nr_rows; i++) {
		const struct op_compare_row *r = &c->rows.p[ids[i]];

		op_json_open(&d->a.w, '{');
		op_json_key(&d->a.w, "name");
		op_json_string(&d->a.w, r->name);
		values_json(&d->a.w, by_total ? r->total : r->self);
		op_json_close(&d->a.w, '}');
	}
	op_json_close(&d->a.w, ']');
}

static void type_json(struct diff *d, const struct op_profile *p,
		      const int64_t total[2], struct op_compare *c)
{
	struct op_view event = op_profile_event(d->after, p);

	op_json_open(&d->a.w, '{');
	op_json_key(&d->a.w, "type");
	op_json_string(&d->a.w, op_string(d->after, p->sample_type.type));
	op_json_key(&d->a.w, "unit");
	op_json_string(&d->a.w, op_string(d->after, p->sample_type.unit));
	if (event.n) {
		op_json_key(&d->a.w, "event");
		op_json_string(&d->a.w, event);
	}
	values_json(&d->a.w, total);
	op_json_key(&d->a.w, "percent");
	if (total[0])
		op_json_double(&d->a.w, percent(total));
	else
		op_json_null(&d->a.w);
	rows_json(d, c, false);
	rows_json(d, c, true);
	op_json_close(&d->a.w, '}');
}

/* --- both --- */

static void type_show(struct diff *d, const struct op_profile *before,
		      const struct op_profile *after)
{
	struct op_compare_side was = { d->before, before };
	struct op_compare_side is = { d->after, after };
	struct op_compare c = { 0 };

	if (!op_compare_build(&c, was, is, d->err)) {
		int64_t total[] = { c.side[0].total, c.side[1].total };

		if (d->a.json) {
			type_json(d, after, total, &c);
		} else {
			heading(d, after, total);
			rows_text(d, &c, false);
			rows_text(d, &c, true);
		}
	}
	op_compare_free(&c);
}

static int show(struct diff *d, const struct op_model *a,
		const struct op_model *b)
{
	struct op_model before = { 0 }, after = { 0 };
	struct op_walk was = { 0 }, is = { 0 };

	if (!op_diff_sides(a, b, &d->opts, &before, &after, d->err)) {
		d->before = &before;
		d->after = &after;
		if (d->a.json)
			op_json_open(&d->a.w, '[');
		while (op_walk_next(&before, &was) &&
		       op_walk_next(&after, &is) && !d->err->code)
			type_show(d, was.profile, is.profile);
		if (d->a.json) {
			op_json_close(&d->a.w, ']');
			op_buf_byte(&d->a.out, '\n');
		}
		cli_flush(&d->a.out);
	}
	op_model_free(&before);
	op_model_free(&after);
	return d->err->code;
}

static int write_profile(struct diff *d, const struct op_model *a,
			 const struct op_model *b)
{
	struct op_model out = { 0 };

	if (!op_diff(a, b, &d->opts, &out, d->err))
		job_write(&d->a.job, &out, NULL, d->err);
	op_model_free(&out);
	return d->err->code;
}

static bool writes(const struct diff *d)
{
	return d->a.job.output || d->a.job.to_format;
}

/* Filters each side separately: relative times refer to each. */
static int diff_files(struct diff *d, char **files)
{
	struct job *j = &d->a.job;
	bool has_view = diff_view_is_wanted(&d->view, &d->a);
	struct op_model m[2] = { 0 };

	/* A view is of one type, and lists the others. */
	if (!has_view)
		j->filter.types = d->a.types_text;

	if (!strcmp(files[0], "-") && !strcmp(files[1], "-"))
		op_fail(d->err, OP_EUSAGE,
			"standard input can be read only once");
	for (int i = 0; i < 2 && !d->err->code; i++)
		job_read_all(j, files + i, 1, false, &m[i], d->err);
	if (!d->err->code && writes(d))
		write_profile(d, &m[0], &m[1]);
	else if (!d->err->code && !job_settings_check(j, NULL, d->err))
		has_view ? diff_view_show(&d->view, &d->a, &m[0], &m[1]) :
			   show(d, &m[0], &m[1]);
	op_model_free(&m[0]);
	op_model_free(&m[1]);
	return d->err->code;
}

static int usage(struct diff *d, int nr_files, struct op_err *err)
{
	bool has_view = diff_view_is_wanted(&d->view, &d->a);

	if (nr_files != 2)
		return op_fail(err, OP_EUSAGE, "expected two FILEs");
	if (!d->a.nr_rows)
		return op_fail(err, OP_EUSAGE, "--top expects at least 1");
	if (writes(d) && (d->a.json || has_view))
		return op_fail(err, OP_EUSAGE,
			       "%s and a profile (-o, -t) are mutually "
			       "exclusive",
			       d->a.json ? "--json" : "a view");
	if (d->a.job.check && !writes(d))
		return op_fail(err, OP_EUSAGE,
			       "--check requires a profile to write (-o, -t)");
	d->view.normalize = d->opts.normalize;
	return diff_view_usage(&d->view, &d->a, err);
}

int cmd_diff(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct diff d = { .a = { .has = ANSWER_BY | ANSWER_CSV | ANSWER_PAGER,
				 .job.has = JOB_WRITES | JOB_NAMES },
			  .err = err };
	uint64_t top = 10;
	const struct op_opt own[] = {
		{ OP_OPT_U64, 0, "top", "N",
		  "show the N functions that changed most; default: 10", &top },
		{ OP_OPT_FLAG, 0, "tree", NULL,
		  "show the change as a call tree", &d.view.tree },
		TREE_OPTS(d.view.tree_opts),
		{ OP_OPT_STRING, 0, "peek", "REGEX",
		  "show the change of a function's callers and callees",
		  &d.view.peek },
		{ OP_OPT_FLAG, 0, "normalize", NULL,
		  "scale BEFORE to the total of AFTER", &d.opts.normalize },
		{ OP_OPT_FLAG, 0, "exact", NULL,
		  "compare whole frames, not only function names",
		  &d.opts.exact },
		{ 0 },
	};
	int first = answer_begin(&d.a, cmd, own, argc, argv, err);

	d.a.nr_rows = top;
	if (first > 0 && !usage(&d, argc - first, err))
		diff_files(&d, argv + first);
	return answer_end(&d.a, first);
}
