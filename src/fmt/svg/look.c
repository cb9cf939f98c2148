// SPDX-License-Identifier: Apache-2.0
/* fmt/svg/look.c: colours and numbers, as ui/lib/text.js has them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/number.h"
#include "fmt/svg/svg_int.h"

/* --- colours --- */

static double channel(double hue, double s, double l, double n)
{
	double k = fmod(n + hue / 30, 12);
	double a = s * (l < 0.5 ? l : 1 - l);
	double least = k - 3 < 9 - k ? k - 3 : 9 - k;

	least = least > 1 ? 1 : least < -1 ? -1 : least;
	return l - a * least;
}

static struct op_svg_colour hsl(double hue, double s, double l)
{
	struct op_svg_colour c;
	unsigned int rgb[3];

	hue = fmod(hue + 360, 360);
	for (int i = 0; i < 3; i++)
		rgb[i] = (unsigned int)lround(255 * channel(hue, s / 100,
							    l / 100,
							    i == 0 ? 0 :
							    i == 1 ? 8 :
								     4));
	snprintf(c.text, sizeof(c.text), "#%02x%02x%02x", rgb[0] & 0xff,
		 rgb[1] & 0xff, rgb[2] & 0xff);
	return c;
}

static const struct {
	const char *type;
	double hue, saturation;
} kinds[] = {
	{ "inlined", 172, 46 }, { "jvm", 128, 44 },    { "native", 42, 82 },
	{ "kernel", 16, 78 },	{ "go", 194, 60 },     { "rust", 22, 60 },
	{ "cpython", 212, 58 }, { "v8js", 54, 74 },    { "ruby", 348, 62 },
	{ "php", 244, 50 },	{ "perl", 224, 44 },   { "dotnet", 274, 46 },
	{ "beam", 316, 46 },	{ "thread", 215, 14 },
};

/* What is of unknown kind varies over the colours of a fire. */
struct op_svg_colour op_svg_kind(struct op_view type, struct op_view name,
				 bool inlined)
{
	double v = (op_hash_fixed(name.p, name.n) >> 16) / 65535.0 - 0.5;

	for (size_t i = 0; i < op_countof(kinds); i++)
		if (inlined || op_view_is(type, kinds[i].type))
			return hsl(kinds[i].hue + v * 14, kinds[i].saturation,
				   73 + v * 11);
	return hsl(28 + v * 44, 80, 73 + v * 11);
}

struct op_svg_colour op_svg_change(double ratio)
{
	double much = fabs(ratio) > 1 ? 1 : fabs(ratio);

	return hsl(ratio < 0 ? 212 : 8, 10 + 72 * much, 90 - 24 * much);
}

struct op_svg_colour op_svg_plain(void)
{
	return hsl(215, 8, 85);
}

/* --- numbers --- */

static void put_number(struct op_buf *out, int64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64,
			 v < 0 ? -(uint64_t)v : (uint64_t)v);

	if (v < 0)
		op_buf_byte(out, '-');
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			op_buf_byte(out, ',');
		op_buf_byte(out, digits[i]);
	}
}

struct step {
	double by;
	const char *name;
};

static void put_scaled(struct op_buf *out, double v, const struct step *steps)
{
	const struct step *s = steps;
	int decimals;
	double x;

	while (s[1].name && fabs(v) >= s[1].by)
		s++;
	x = v / s->by;
	decimals = x == floor(x) || fabs(x) >= 100 ? 0 : fabs(x) >= 10 ? 1 : 2;
	op_buf_printf(out, "%s %s", op_fixed_text(x, decimals).s, s->name);
}

static const struct step times[] = {
	{ 1, "ns" },  { 1e3, "\xc2\xb5s" }, { 1e6, "ms" },
	{ 1e9, "s" }, { 0, NULL },
};

static const struct step sizes[] = {
	{ 1, "B" },
	{ 1024, "KiB" },
	{ 1048576, "MiB" },
	{ 1073741824, "GiB" },
	{ 1099511627776, "TiB" },
	{ 0, NULL },
};

static const struct {
	const char *unit;
	double by;
	const struct step *steps;
} units[] = {
	{ "nanoseconds", 1, times },
	{ "ns", 1, times },
	{ "microseconds", 1e3, times },
	{ "us", 1e3, times },
	{ "milliseconds", 1e6, times },
	{ "ms", 1e6, times },
	{ "seconds", 1e9, times },
	{ "s", 1e9, times },
	{ "bytes", 1, sizes },
	{ "By", 1, sizes },
	{ "B", 1, sizes },
};

void op_svg_value(struct op_buf *out, int64_t v, struct op_view unit)
{
	for (size_t i = 0; i < op_countof(units); i++) {
		if (!op_view_is(unit, units[i].unit))
			continue;
		put_scaled(out, (double)v * units[i].by, units[i].steps);
		return;
	}
	put_number(out, v);
	if (!unit.n || op_view_is(unit, "count") || op_view_is(unit, "1"))
		return;
	op_buf_byte(out, ' ');
	op_graph_escape(out, unit);
}
