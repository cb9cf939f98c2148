// SPDX-License-Identifier: Apache-2.0
/* cli/flame_print.c: a flame graph as lines of text, one per depth. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text_width.h"
#include "flame_view.h"
#include "show.h"

enum { DEFAULT_WIDTH = 80, MAX_WIDTH = 10000, BRACKETS = 2 };

/* Follows the rules of setlocale(), which only the host program may call. */
bool flame_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < op_countof(names); i++) {
		const char *value = getenv(names[i]);
		struct op_view set;
		const char *dot;

		if (!value || !*value)
			continue;
		dot = strchr(value, '.');
		set = op_view_z(dot ? dot + 1 : "");
		set = op_view_first(set, strcspn((const char *)set.p, "@"));
		return op_view_eq_nocase(set, op_view_z("UTF-8")) ||
		       op_view_eq_nocase(set, op_view_z("UTF8"));
	}
	return false;
}

static uint32_t text_width(const struct flame_opts *o)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long n;

	if (o->width)
		return (uint32_t)o->width;
	if (columns && *columns >= '1' && *columns <= '9') {
		n = strtoul(columns, &end, 10);
		if (!*end && n <= MAX_WIDTH)
			return (uint32_t)n;
	}
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_col)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

void flame_label(struct op_buf *out, const struct answer *a,
		 struct op_view name, uint32_t columns)
{
	/* Names of files and lines contain dots too. */
	if (a->by.frame == OP_FRAME_FUNCTION)
		name = op_flame_short(name, columns);
	op_buf_columns(out, name, columns, flame_is_utf8());
}

static void spaces(struct op_buf *out, uint32_t n)
{
	uint8_t *p = op_buf_add(out, n);

	if (p)
		memset(p, ' ', n);
}

void flame_cell(struct op_buf *out, const struct answer *a, struct op_view name,
		uint32_t columns)
{
	if (columns < BRACKETS) {
		op_buf_byte(out, '|');
		return;
	}
	op_buf_byte(out, '[');
	flame_label(out, a, name, columns - BRACKETS);
	op_buf_byte(out, ']');
}

static void rows_print(struct answer *a, const struct op_flame *f,
		       const struct op_flame_layout *l)
{
	for (uint32_t row = 0; row < op_flame_rows(l) && !a->err->code; row++) {
		uint32_t x = 0;

		for (uint32_t i = l->rows.p[row]; i < l->rows.p[row + 1]; i++) {
			const struct op_flame_cell *c = &l->cells.p[i];

			spaces(&a->out, c->x - x);
			flame_cell(&a->out, a, flame_name(f, c->node),
				   c->width);
			x = c->x + c->width;
		}
		op_buf_byte(&a->out, '\n');
		if (a->out.n > 1 << 20)
			cli_flush(&a->out);
	}
}

void flame_hidden(struct op_buf *out, const struct op_flame_hidden *h,
		  const char *what, int64_t whole)
{
	text_number(out, (int64_t)h->nr);
	op_buf_printf(out, " frame%s %s %s not shown, %s%%",
		      h->nr == 1 ? "" : "s", what, h->nr == 1 ? "is" : "are",
		      op_fixed_text(table_share(h->total, whole), 1).s);
}

static void hidden_print(struct answer *a, const struct op_flame_hidden *h,
			 const char *what, int64_t whole)
{
	if (!h->nr)
		return;
	flame_hidden(&a->out, h, what, whole);
	op_buf_byte(&a->out, '\n');
}

static void graph_print(struct answer *a, const struct op_flame *f,
			struct op_flame_layout *l)
{
	char narrow[40];

	if (op_flame_layout(l, f, a->err))
		return;
	snprintf(narrow, sizeof(narrow), "narrower than 1/%u", l->width);
	answer_head(a);
	rows_print(a, f, l);
	hidden_print(a, &l->narrow, narrow, f->total);
	hidden_print(a, &l->negative, "with negative values", f->total);
	answer_tail(a);
}

void flame_print(struct answer *a, const struct flame_opts *o)
{
	struct op_flame f = { .inverted = o->inverted, .by_size = true };
	struct op_flame_layout l = { .width = text_width(o) };

	if (!op_flame_build_by(&f, &a->m, a->like, &a->by, a->err))
		graph_print(a, &f, &l);
	op_flame_layout_free(&l);
	op_flame_free(&f);
}
