// SPDX-License-Identifier: Apache-2.0
/* cli/peek_view.c: shows the callers and callees of each function. */
#include "peek_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "query/peek.h"
#include "show.h"

struct printing {
	struct answer *a;
	const struct op_peek *p;
	int64_t whole;
	struct table *t; /* of text and CSV */
};

int peek_usage(const struct answer *a, struct op_err *err)
{
	if (a->by.nr_labels)
		return op_fail(err, OP_EUSAGE,
			       "callers and callees are of functions, lines, "
			       "files or modules, not of '%.*s'",
			       (int)op_view_first(a->by.labels[0].name, 60).n,
			       (const char *)a->by.labels[0].name.p);
	return OP_OK;
}

int peek_no_match(const struct answer *a, const char *pattern, uint32_t nr,
		  struct op_err *err)
{
	struct op_err quiet = { 0 };
	struct op_buf count = { .err = &quiet };

	text_number(&count, nr);
	op_fail(err, OP_EFORMAT, "no %s matches '%.80s' (%.*s looked at)",
		op_frame_parts_name(a->by.frame), pattern, (int)count.n,
		(const char *)count.p);
	op_buf_free(&count);
	return err->code;
}

static uint64_t at_most(const struct answer *a, uint64_t n)
{
	return n < a->nr_rows ? n : a->nr_rows;
}

/* --- text and CSV --- */

/* A row of the table; flat NULL: the row is a caller or callee. */
struct line {
	const struct op_peek_row *row;
	const char *call;
	const int64_t *flat;
	int64_t cum;
	struct op_view name;
};

static void line_print(struct printing *x, const struct line *l)
{
	if (x->a->csv)
		table_text(x->t, op_peek_name(x->p, l->row->name));
	if (l->flat)
		table_value(x->t, *l->flat);
	else
		table_blank(x->t);
	table_value(x->t, l->cum);
	table_percent(x->t, l->cum, x->whole ? x->whole : l->row->cum);
	table_text(x->t, op_view_z(l->call));
	table_text(x->t, l->name);
}

static void calls_print(struct printing *x, const struct op_peek_row *row,
			bool callers)
{
	const struct op_peek_call *calls = callers ? x->p->callers.p +
							     row->first_caller :
						     x->p->callees.p +
							     row->first_callee;
	uint32_t nr = callers ? row->nr_callers : row->nr_callees;
	uint64_t n = x->a->csv ? nr : at_most(x->a, nr);
	struct line l = { .row = row, .call = callers ? "caller" : "callee" };
	char rest[40];

	for (uint64_t i = 0; i < n; i++) {
		l.cum = calls[i].value;
		l.name = op_peek_name(x->p, calls[i].name);
		line_print(x, &l);
	}
	if (n == nr)
		return;
	snprintf(rest, sizeof(rest), "... %" PRIu64 " smaller", nr - n);
	l.name = op_view_z(rest);
	l.cum = 0;
	for (uint64_t i = n; i < nr; i++)
		l.cum = op_add_sat(l.cum, calls[i].value);
	line_print(x, &l);
}

static void function_print(struct printing *x, const struct op_peek_row *row)
{
	struct line l = { .row = row,
			  .call = x->a->csv ? "function" : "",
			  .flat = &row->flat,
			  .cum = row->cum,
			  .name = op_peek_name(x->p, row->name) };

	calls_print(x, row, true);
	line_print(x, &l);
	calls_print(x, row, false);
}

/* Each function is a separate table, to set it apart from the next. */
static void text_print(struct printing *x)
{
	struct table_column columns[] = {
		{ "flat", TABLE_VALUE, NULL },
		{ "cum", TABLE_VALUE, NULL },
		{ "cum%", TABLE_PERCENT, NULL },
		{ "call", TABLE_TEXT, NULL },
		{ op_frame_parts_name(x->a->by.frame), TABLE_TEXT, NULL },
	};
	uint64_t n = at_most(x->a, x->p->rows.n);

	for (uint64_t i = 0; i < n && !x->a->err->code; i++) {
		struct table t = answer_table(x->a, columns,
					      op_countof(columns));

		x->t = &t;
		op_buf_z(&x->a->out, i ? "\n" : "");
		table_begin(&t);
		function_print(x, &x->p->rows.p[i]);
		table_end(&t);
		table_free(&t);
	}
	if (n < x->p->rows.n) {
		op_buf_z(&x->a->out, "\nand ");
		text_number(&x->a->out, (int64_t)(x->p->rows.n - n));
		op_buf_printf(&x->a->out, " more that match\n");
	}
}

static void csv_print(struct printing *x)
{
	static const struct table_column columns[] = {
		{ "function", TABLE_TEXT, NULL },
		{ "flat", TABLE_VALUE, NULL },
		{ "cum", TABLE_VALUE, NULL },
		{ "cum%", TABLE_PERCENT, NULL },
		{ "call", TABLE_TEXT, NULL },
		{ "name", TABLE_TEXT, NULL },
	};
	struct table t = answer_table(x->a, columns, op_countof(columns));

	x->t = &t;
	table_begin(&t);
	for (size_t i = 0; i < x->p->rows.n && !x->a->err->code; i++)
		function_print(x, &x->p->rows.p[i]);
	table_end(&t);
	table_free(&t);
}

/* --- JSON --- */

static void key_int(struct op_json *w, const char *key, int64_t v)
{
	op_json_key(w, key);
	op_json_int(w, v);
}

static void name_json(struct printing *x, uint32_t name)
{
	op_json_key(&x->a->w, "name");
	op_json_string(&x->a->w, op_peek_name(x->p, name));
}

static void calls_json(struct printing *x, const char *key,
		       const struct op_peek_call *calls, uint32_t nr)
{
	struct op_json *w = &x->a->w;

	op_json_key(w, key);
	op_json_open(w, '[');
	for (uint32_t i = 0; i < nr; i++) {
		op_json_open(w, '{');
		name_json(x, calls[i].name);
		key_int(w, "value", calls[i].value);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void json_print(struct printing *x)
{
	const struct op_peek *p = x->p;
	struct op_json *w = &x->a->w;

	op_json_key(w, "functions");
	op_json_open(w, '[');
	for (size_t i = 0; i < p->rows.n && !x->a->err->code; i++) {
		const struct op_peek_row *r = &p->rows.p[i];

		op_json_open(w, '{');
		name_json(x, r->name);
		key_int(w, "flat", r->flat);
		key_int(w, "cum", r->cum);
		calls_json(x, "callers", p->callers.p + r->first_caller,
			   r->nr_callers);
		calls_json(x, "callees", p->callees.p + r->first_callee,
			   r->nr_callees);
		op_json_close(w, '}');
		if (x->a->out.n > 1 << 20)
			cli_flush(&x->a->out);
	}
	op_json_close(w, ']');
}

/* --- all --- */

void peek_show(struct answer *a, const char *pattern, int64_t whole)
{
	struct op_regex *re = op_regex_new(pattern, a->err);
	struct op_peek p = { 0 };
	struct printing x = { .a = a, .p = &p, .whole = whole };

	if (re && !op_peek_build(&p, &a->m, a->like, a->by.frame, re, a->err)) {
		if (!p.rows.n)
			peek_no_match(a, pattern, p.nr_names, a->err);
		else if (a->json)
			json_print(&x);
		else if (a->csv)
			csv_print(&x);
		else
			text_print(&x);
	}
	op_regex_free(re);
	op_peek_free(&p);
}
