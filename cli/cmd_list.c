// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_list.c: otprof list: the source lines of functions. */

#include "answer.h"
#include "peek_view.h"
#include "query/lines.h"
#include "show.h"
#include "sym/source_file.h"

enum { CONTEXT = 3, MAX_SOURCE = 500, TAB = 8 };

struct list {
	struct answer a;
	struct op_source_file source;
	bool has_source; /* for the current function */
	const char *source_path;
	struct op_lines l;
	struct table *t;
	struct op_buf text;
};

/* --- text --- */

/* A line of the source, with tabs as spaces, and truncated. */
static void put_source(struct list *x, int64_t line)
{
	struct op_view v = op_source_file_line(&x->source, line);
	size_t n = v.n < MAX_SOURCE ? v.n : MAX_SOURCE;

	x->text.n = 0;
	for (size_t i = 0; i < n; i++)
		if (v.p[i] != '\t')
			op_buf_byte(&x->text, v.p[i]);
		else
			do
				op_buf_byte(&x->text, ' ');
			while (x->text.n % TAB);
	op_buf_z(&x->text, n < v.n ? "..." : "");
	table_text(x->t, op_view(x->text.p, x->text.n));
}

/* row NULL: the line has no values, and is there as context. */
static void line_text(struct list *x, const struct op_lines_row *row,
		      int64_t line)
{
	if (row) {
		table_value(x->t, row->flat);
		table_value(x->t, row->cum);
		table_percent(x->t, row->cum, x->l.total);
	} else {
		for (int i = 0; i < 3; i++)
			table_blank(x->t);
	}
	if (line > 0)
		table_number(x->t, (uint64_t)line);
	else
		table_blank(x->t);
	if (x->has_source)
		put_source(x, line);
}

/* The lines of the file between two rows: some after the first and before the
 * second, and a mark if there are more. */
static void between(struct list *x, int64_t after, int64_t before)
{
	int64_t length = op_source_file_length(&x->source);
	int64_t last = before <= length ? before - 1 : length;
	int64_t tail = before <= length ? before - CONTEXT : length + 1;
	int64_t first, head;

	if (after > length)
		return;
	first = after + 1;
	head = after ? after + CONTEXT : 0;
	if (tail <= head + 1) /* at most these */
		head = last;
	for (; first <= last && first <= head; first++)
		line_text(x, NULL, first);
	if (first <= last && first < tail && after && before <= length) {
		for (int i = 0; i < 4; i++)
			table_blank(x->t);
		table_text(x->t, op_view_z("..."));
	}
	if (first < tail)
		first = tail;
	for (; first <= last; first++)
		line_text(x, NULL, first);
}

static void function_text(struct list *x, const struct op_lines_function *f)
{
	static const struct table_column columns[] = {
		{ "flat", TABLE_VALUE, NULL },	 { "cum", TABLE_VALUE, NULL },
		{ "cum%", TABLE_PERCENT, NULL }, { "line", TABLE_NUMBER, NULL },
		{ "source", TABLE_TEXT, NULL },
	};
	struct table t = answer_table(&x->a, columns, x->has_source ? 5 : 4);
	int64_t last = 0;

	x->t = &t;
	table_begin(&t);
	for (uint32_t i = 0; i < f->nr_rows && !x->a.err->code; i++) {
		const struct op_lines_row *r = &x->l.rows.p[f->first_row + i];

		if (x->has_source && r->line > 0)
			between(x, last, r->line);
		line_text(x, r, r->line);
		last = r->line > 0 ? r->line : last;
	}
	if (x->has_source && last)
		between(x, last, INT64_MAX);
	table_end(&t);
	table_free(&t);
}

static void source_find(struct list *x, const struct op_lines_function *f)
{
	x->has_source = f->file.n &&
			op_source_file_find(&x->source, f->file, x->a.err);
}

static void heading(struct list *x, const struct op_lines_function *f)
{
	struct op_buf *out = &x->a.out;

	size_t at;

	op_buf_byte(out, '\n');
	at = out->n;
	text_name(out, f->name);
	if (f->file.n) {
		op_buf_z(out, " in ");
		text_name(out, f->file);
	}
	op_buf_z(out, ": flat ");
	units_text(out, &x->a.units, f->flat, " ");
	op_buf_z(out, ", cum ");
	units_text(out, &x->a.units, f->cum, " ");
	op_buf_printf(out, " (%s%%)\n",
		      op_fixed_text(table_share(f->cum, x->l.total), 2).s);
	text_wrap(out, at);
	if (x->source_path && f->file.n && !x->has_source) {
		op_buf_z(out, "not found below ");
		text_name(out, op_view_z(x->source_path));
		op_buf_byte(out, '\n');
	}
}

static void text_print(struct list *x)
{
	for (size_t i = 0; i < x->l.functions.n && !x->a.err->code; i++) {
		source_find(x, &x->l.functions.p[i]);
		heading(x, &x->l.functions.p[i]);
		function_text(x, &x->l.functions.p[i]);
	}
}

/* --- CSV and JSON --- */

static void csv_print(struct list *x)
{
	static const struct table_column columns[] = {
		{ "function", TABLE_TEXT, NULL }, { "file", TABLE_TEXT, NULL },
		{ "line", TABLE_NUMBER, NULL },	  { "flat", TABLE_VALUE, NULL },
		{ "cum", TABLE_VALUE, NULL },
	};
	struct table t = answer_table(&x->a, columns, op_countof(columns));

	table_begin(&t);
	for (size_t i = 0; i < x->l.rows.n && !x->a.err->code; i++) {
		const struct op_lines_row *r = &x->l.rows.p[i];

		table_text(&t, x->l.functions.p[r->function].name);
		table_text(&t, x->l.functions.p[r->function].file);
		if (r->line > 0)
			table_number(&t, (uint64_t)r->line);
		else
			table_blank(&t);
		table_value(&t, r->flat);
		table_value(&t, r->cum);
	}
	table_end(&t);
	table_free(&t);
}

static void key_int(struct op_json *w, const char *key, int64_t v)
{
	op_json_key(w, key);
	op_json_int(w, v);
}

static void key_view(struct op_json *w, const char *key, struct op_view v)
{
	op_json_key(w, key);
	op_json_string(w, v);
}

static void lines_json(struct list *x, const struct op_lines_function *f)
{
	struct op_json *w = &x->a.w;

	source_find(x, f);
	op_json_key(w, "lines");
	op_json_open(w, '[');
	for (uint32_t i = 0; i < f->nr_rows && !x->a.err->code; i++) {
		const struct op_lines_row *r = &x->l.rows.p[f->first_row + i];
		struct op_view text = op_source_file_line(&x->source, r->line);

		op_json_open(w, '{');
		if (r->line > 0)
			key_int(w, "line", r->line);
		key_int(w, "flat", r->flat);
		key_int(w, "cum", r->cum);
		if (x->has_source)
			key_view(w, "source", op_view_first(text, MAX_SOURCE));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void json_print(struct list *x)
{
	struct op_json *w = &x->a.w;

	op_json_key(w, "functions");
	op_json_open(w, '[');
	for (size_t i = 0; i < x->l.functions.n && !x->a.err->code; i++) {
		const struct op_lines_function *f = &x->l.functions.p[i];

		op_json_open(w, '{');
		key_view(w, "name", f->name);
		key_view(w, "file", f->file);
		key_int(w, "flat", f->flat);
		key_int(w, "cum", f->cum);
		lines_json(x, f);
		op_json_close(w, '}');
		if (x->a.out.n > 1 << 20)
			cli_flush(&x->a.out);
	}
	op_json_close(w, ']');
}

/* --- all --- */

static void list_show(struct list *x, const char *pattern)
{
	struct answer *a = &x->a;
	struct op_regex *re = op_regex_new(pattern, a->err);

	if (re && !op_lines_build(&x->l, &a->m, a->like, re, a->err)) {
		if (!x->l.functions.n) {
			peek_no_match(a, pattern, x->l.nr_names, a->err);
		} else {
			answer_head(a);
			if (a->json)
				json_print(x);
			else if (a->csv)
				csv_print(x);
			else
				text_print(x);
			answer_tail(a);
		}
	}
	op_regex_free(re);
}

static int usage(struct list *x, int nr_args, struct op_err *err)
{
	if (!nr_args)
		return op_fail(err, OP_EUSAGE, "expected a REGEX");
	if (x->source_path)
		x->source.dir = x->source_path;
	return cli_source_path_check(x->source_path, err);
}

int cmd_list(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct list x = { .a.has = ANSWER_CSV | ANSWER_PAGER | ANSWER_SUMS,
			  .a.job.has = JOB_NAMES,
			  .source.dir = ".",
			  .text.err = err };
	const struct op_opt own[] = {
		{ OP_OPT_STRING, 0, "source-path", "DIR",
		  "look for source files below DIR; default: .",
		  &x.source_path },
		{ 0 },
	};
	int first = answer_begin(&x.a, cmd, own, argc, argv, err);

	if (first > 0 && !usage(&x, argc - first, err) &&
	    !answer_read(&x.a, argv + first + 1, argc - first - 1))
		list_show(&x, argv[first]);
	op_lines_free(&x.l);
	op_source_file_free(&x.source);
	op_buf_free(&x.text);
	return answer_end(&x.a, first);
}
