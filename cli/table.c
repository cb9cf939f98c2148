// SPDX-License-Identifier: Apache-2.0
/* cli/table.c: prints the tables of all commands.
 *
 * Text is aligned, so all cells are made before the first line is printed. Text
 * from a profile is made printable cell by cell; then our own escape sequences
 * for colors are added, and only then the line goes to standard output as is.
 * JSON and CSV are printed through say.c as they grow. */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/printable.h"
#include "base/text_width.h"
#include "pager.h"
#include "show.h"

enum { DEFAULT_WIDTH = 80, MIN_LAST_WIDTH = 16, FULL = 1 << 20 };

static const char bold[] = "\033[1m", plain[] = "\033[0m";

bool table_has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return pager_terminal() >= 0 && !(no && *no) && term && *term &&
	       strcmp(term, "dumb");
}

uint32_t table_line_width(void)
{
	int terminal = pager_terminal();
	struct winsize size;

	if (terminal < 0)
		return 0;
	if (ioctl(terminal, TIOCGWINSZ, &size) || !size.ws_col)
		return DEFAULT_WIDTH;
	return size.ws_col;
}

double table_share(int64_t part, int64_t whole)
{
	return whole ? 100 * (double)part / fabs((double)whole) : 0;
}

static bool is_percent(const struct table *t, uint32_t column)
{
	return t->columns[column].kind == TABLE_PERCENT ||
	       t->columns[column].kind == TABLE_SUM;
}

static bool is_shown(const struct table *t)
{
	return !is_percent(t, t->column) || !(t->json || t->csv);
}

static struct op_view key_of(const struct table_column *c)
{
	return op_view_z(c->key ? c->key : c->name);
}

static void spill(struct table *t)
{
	if (t->out->n > FULL)
		cli_flush(t->out);
}

/* --- CSV --- */

static void csv_text(struct table *t, struct op_view v)
{
	op_buf_byte(t->out, '"');
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '"')
			op_buf_byte(t->out, '"');
		op_buf_byte(t->out, v.p[i]);
	}
	op_buf_byte(t->out, '"');
}

/* Text in quotes if it needs them. */
static void csv_field(struct table *t, struct op_view v)
{
	t->text.n = 0;
	op_buf_printable(&t->text, v, "\t");
	v = op_view(t->text.p, t->text.n);
	if (v.n && (memchr(v.p, '"', v.n) || memchr(v.p, ',', v.n)))
		csv_text(t, v);
	else
		op_buf_view(t->out, v);
}

/* The comma before the next field; percentages have none. */
static void csv_comma(struct table *t)
{
	for (uint32_t i = 0; i < t->column; i++)
		if (!is_percent(t, i)) {
			op_buf_byte(t->out, ',');
			return;
		}
}

static void csv_end(struct table *t)
{
	op_buf_z(t->out, "\n");
	spill(t);
}

static void csv_header(struct table *t)
{
	for (; t->column < t->nr_columns; t->column++)
		if (is_shown(t)) {
			csv_comma(t);
			csv_field(t, key_of(&t->columns[t->column]));
		}
	t->column = 0;
	csv_end(t);
}

/* --- cells --- */

/* Ends a cell, which is the text since at. */
static void cell_add(struct table *t, size_t at, const char *colour)
{
	struct op_view v = { t->text.p + at, t->text.n - at };
	struct table_cell c = { at, v.n, op_text_columns(v), colour };

	if (!t->err->code)
		(void)op_vec_push(&t->mem, &t->cells, c);
}

/* The separator before a cell, by the form of the table. */
static void cell_begin(struct table *t)
{
	const struct table_column *c = &t->columns[t->column];

	if (t->json && !t->column)
		op_json_open(t->json, '{');
	if (t->json && is_shown(t))
		op_json_key_view(t->json, key_of(c));
	else if (t->csv)
		csv_comma(t);
}

static void cell_end(struct table *t)
{
	if (++t->column < t->nr_columns)
		return;
	t->column = 0;
	if (t->json) {
		op_json_close(t->json, '}');
		spill(t);
	} else if (t->csv) {
		csv_end(t);
	}
}

static void number(struct table *t, uint64_t size, bool negative)
{
	uint8_t digits[OP_DIGITS_ROOM];
	uint8_t *end = op_put_digits(digits, size);

	if (negative)
		op_buf_byte(t->out, '-');
	op_buf_view(t->out, op_view(digits, (size_t)(end - digits)));
}

/* An exact number; false: the table is text. */
static bool exact(struct table *t, uint64_t size, bool negative)
{
	if (t->json && negative)
		op_json_int(t->json, (int64_t)-size);
	else if (t->json)
		op_json_uint(t->json, size);
	else if (t->csv)
		number(t, size, negative);
	return t->json || t->csv;
}

void table_value(struct table *t, int64_t v)
{
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	size_t at = t->text.n;

	cell_begin(t);
	if (!exact(t, size, v < 0)) {
		units_text(&t->text, t->units, v, "");
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

void table_count(struct table *t, uint64_t n)
{
	size_t at = t->text.n;

	cell_begin(t);
	if (!exact(t, n, false)) {
		text_number(&t->text, n > INT64_MAX ? INT64_MAX : (int64_t)n);
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

void table_number(struct table *t, uint64_t n)
{
	size_t at = t->text.n;

	cell_begin(t);
	if (!exact(t, n, false)) {
		op_buf_printf(&t->text, "%" PRIu64, n);
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

/* Large shares are highlighted, small ones dimmed. */
static const char *colour_of(const struct table *t, double percent)
{
	double size = fabs(percent);

	if (t->columns[t->column].kind == TABLE_SUM)
		return NULL;
	if (size >= 10)
		return "\033[31m";
	if (size >= 2)
		return "\033[33m";
	return size < 0.5 ? "\033[2m" : NULL;
}

void table_percent(struct table *t, int64_t part, int64_t whole)
{
	double share = table_share(part, whole);
	size_t at = t->text.n;

	if (is_shown(t)) {
		op_buf_printf(&t->text, "%s%%", op_fixed_text(share, 2).s);
		cell_add(t, at, colour_of(t, share));
	}
	cell_end(t);
}

void table_text(struct table *t, struct op_view text)
{
	size_t at = t->text.n;

	cell_begin(t);
	if (t->json) {
		op_json_string(t->json, text);
	} else if (t->csv) {
		csv_field(t, text);
	} else {
		op_buf_printable(&t->text, text, "");
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

void table_time(struct table *t, uint64_t ns)
{
	size_t at = t->text.n;

	cell_begin(t);
	if (!exact(t, ns, false)) {
		text_time(&t->text, ns);
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

void table_duration(struct table *t, uint64_t ns)
{
	size_t at = t->text.n;

	cell_begin(t);
	if (!exact(t, ns, false)) {
		units_duration(&t->text, ns, "");
		cell_add(t, at, NULL);
	}
	cell_end(t);
}

void table_blank(struct table *t)
{
	if (is_shown(t)) {
		cell_begin(t);
		if (t->json)
			op_json_null(t->json);
		else if (!t->csv)
			cell_add(t, t->text.n, NULL);
	}
	cell_end(t);
}

/* --- the table --- */

static void text_header(struct table *t)
{
	for (uint32_t i = 0; i < t->nr_columns; i++) {
		size_t at = t->text.n;

		op_buf_printable(&t->text, op_view_z(t->columns[i].name), "");
		cell_add(t, at, NULL);
	}
}

void table_begin(struct table *t)
{
	t->text.err = t->mem.err = t->err;
	t->column = 0;
	if (t->json) {
		op_json_key(t->json, t->json_key ? t->json_key : "rows");
		op_json_open(t->json, '[');
	} else if (t->csv && !t->no_header) {
		csv_header(t);
	} else if (!t->no_header) {
		text_header(t);
	}
}

struct printing {
	struct table *t;
	struct op_buf line;
	const uint32_t *width; /* per column */
	uint32_t last_width;   /* limit of the last column; 0: none */
	bool colours;
};

static void spaces(struct op_buf *out, uint32_t n)
{
	uint8_t *p = op_buf_add(out, n);

	if (p)
		memset(p, ' ', n);
}

static void cell_print(struct printing *x, const struct table_cell *c,
		       uint32_t column, bool is_header)
{
	bool is_text = x->t->columns[column].kind == TABLE_TEXT;
	bool is_last = column + 1 == x->t->nr_columns;
	uint32_t pad = x->width[column] - c->columns;
	const char *colour = is_header ? bold : c->colour;
	struct op_view v = op_view(x->t->text.p + c->at, c->n);
	bool is_cut = is_text && is_last && x->last_width &&
		      c->columns > x->last_width;
	uint32_t used;

	if (!is_text)
		spaces(&x->line, pad);
	if (x->colours && colour)
		op_buf_z(&x->line, colour);
	if (is_cut)
		v = op_text_fit(v, x->last_width - 3, &used);
	op_buf_view(&x->line, v);
	if (is_cut)
		op_buf_z(&x->line, "...");
	if (x->colours && colour)
		op_buf_z(&x->line, plain);
	if (is_text && !is_last)
		spaces(&x->line, pad);
	if (!is_last)
		op_buf_z(&x->line, "  ");
}

/* Lines that were made here; text from profiles was made printable before. */
int table_write(struct op_buf *b)
{
	op_work(b->n, b->err);
	if (b->n)
		pager_begin();
	if (!b->err->code && b->n && fwrite(b->p, 1, b->n, stdout) != b->n)
		op_fail_sys(b->err, "cannot write the output");
	b->n = 0;
	return b->err->code;
}

/* Computes the widths of columns, and the space left for the last. */
static void measure(struct printing *x, uint32_t *width)
{
	const struct table *t = x->t;
	uint32_t line = table_line_width(), used = 0;

	for (size_t i = 0; i < t->cells.n; i++) {
		uint32_t *w = &width[i % t->nr_columns];

		if (t->cells.p[i].columns > *w)
			*w = t->cells.p[i].columns;
	}
	for (uint32_t i = 0; i + 1 < t->nr_columns; i++)
		used += width[i] + 2;
	if (t->indent)
		used += (uint32_t)strlen(t->indent);
	x->width = width;
	if (line)
		x->last_width = line > used + MIN_LAST_WIDTH ? line - used :
							       MIN_LAST_WIDTH;
}

static void lines_end(struct table *t, struct op_buf *lines)
{
	if (t->keeps) {
		op_buf_view(t->out, op_view(lines->p, lines->n));
		lines->n = 0;
	} else {
		table_write(lines);
	}
}

static void text_end(struct table *t)
{
	struct printing x = { .t = t,
			      .line.err = t->err,
			      .colours = table_has_colours() };
	uint32_t *width = op_new(&t->mem, uint32_t, t->nr_columns);

	if (t->err->code || (!t->keeps && cli_flush(t->out)))
		return;
	measure(&x, width);
	for (size_t i = 0; i < t->cells.n && !t->err->code; i++) {
		uint32_t column = (uint32_t)(i % t->nr_columns);

		if (!column && t->indent)
			op_buf_z(&x.line, t->indent);
		cell_print(&x, &t->cells.p[i], column,
			   i < t->nr_columns && !t->no_header);
		if (column + 1 < t->nr_columns)
			continue;
		while (x.line.n && x.line.p[x.line.n - 1] == ' ')
			x.line.n--;
		op_buf_byte(&x.line, '\n');
		if (x.line.n > FULL)
			lines_end(t, &x.line);
	}
	lines_end(t, &x.line);
	op_buf_free(&x.line);
}

void table_end(struct table *t)
{
	if (t->json)
		op_json_close(t->json, ']');
	else if (!t->csv)
		text_end(t);
}

void table_free(struct table *t)
{
	op_buf_free(&t->text);
	op_arena_free(&t->mem);
	*t = (struct table){ 0 };
}
