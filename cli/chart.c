// SPDX-License-Identifier: Apache-2.0
/* cli/chart.c: draws charts with characters. */
#include "chart.h"

#include <stdlib.h>

#include "pager.h"
#include "table.h"

enum { DEFAULT_WIDTH = 80 };

const char chart_plain[] = "\033[0m";

/* Whether the locale uses UTF-8: the first variable that is set decides. */
static bool has_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *v = NULL, *term = getenv("TERM");

	for (size_t i = 0; i < op_countof(names) && !(v && *v); i++)
		v = getenv(names[i]);
	return v && term && strcmp(term, "dumb") &&
	       (strcasestr(v, "utf-8") || strcasestr(v, "utf8"));
}

void chart_init(struct chart *c)
{
	c->utf8 = pager_terminal() >= 0 && has_utf8();
	c->colours = table_has_colours();
	c->width = table_line_width();
	if (!c->width)
		c->width = DEFAULT_WIDTH;
}

static double within(double share)
{
	return share > 0 ? (share < 1 ? share : 1) : 0;
}

void chart_bar(struct op_buf *out, const struct chart *c, double share,
	       uint32_t width)
{
	static const char *const eighths[] = { "",  "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	uint32_t n = (uint32_t)(within(share) * width * 8 + 0.5);

	if (!c->utf8)
		n = (n + 4) / 8 * 8;
	for (uint32_t i = 0; i < n / 8; i++)
		op_buf_z(out, c->utf8 ? "█" : "#");
	op_buf_z(out, eighths[n % 8]);
}

/* The level, of n, of a value; 0 means exactly nothing. */
static size_t level(double share, size_t n)
{
	double top = (double)(n - 1);

	if (!(share > 0))
		return 0;
	return 1 + (size_t)(within(share) * (top - 1) + 0.5);
}

static const char *const ascii[] = { " ", ".", ":", "-", "=",
				     "+", "*", "#", "%", "@" };

void chart_height(struct op_buf *out, const struct chart *c, double share)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };

	op_buf_z(out, c->utf8 ? blocks[level(share, op_countof(blocks))] :
				ascii[level(share, op_countof(ascii))]);
}

void chart_shade(struct op_buf *out, const struct chart *c, double share)
{
	static const char *const blocks[] = { " ", "░", "▒", "▓", "█" };

	op_buf_z(out, c->utf8 ? blocks[level(share, op_countof(blocks))] :
				ascii[level(share, op_countof(ascii))]);
}

void chart_colours(struct op_buf *out, double upper, double lower)
{
	/* Of the 256 terminal colors: black, dark red to yellow, white. */
	static const int heat[] = { 16,	 52,  88,  124, 160, 196,
				    202, 208, 214, 220, 226, 231 };

	op_buf_printf(out, "\033[38;5;%d;48;5;%dm▀",
		      heat[level(upper, op_countof(heat))],
		      heat[level(lower, op_countof(heat))]);
}

uint64_t chart_step(uint64_t ns)
{
	static const uint64_t second = 1000000000;
	static const uint32_t longer[] = { 2,	  5,	10,   15,    30,
					   60,	  120,	300,  600,   900,
					   1800,  3600, 7200, 10800, 21600,
					   43200, 86400 };
	static const uint32_t digits[] = { 1, 2, 5 };

	for (uint64_t unit = 1; unit < second; unit *= 10)
		for (size_t i = 0; i < op_countof(digits); i++)
			if (unit * digits[i] >= ns)
				return unit * digits[i];
	if (ns <= second)
		return second;
	for (size_t i = 0; i < op_countof(longer); i++)
		if (longer[i] * second >= ns)
			return longer[i] * second;
	return ns;
}
