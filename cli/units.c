// SPDX-License-Identifier: Apache-2.0
/* cli/units.c: chooses a unit and rounds to it. */
#include "units.h"

#include <math.h>

#include "base/number.h"
#include "base/printable.h"
#include "model/time_value.h"
#include "show.h"

enum { MAX_NAME = 40 };

/* In ascending order within a kind; those with is_usual are selected by size.
 */
struct units_scale {
	const char *name;
	enum units_kind kind;
	bool is_usual;
	double size; /* in ns or bytes */
};

static const struct units_scale scales[] = {
	{ "ns", UNITS_TIME, true, 1 },
	{ "us", UNITS_TIME, true, 1e3 },
	{ "ms", UNITS_TIME, true, 1e6 },
	{ "s", UNITS_TIME, true, 1e9 },
	{ "min", UNITS_TIME, true, 60e9 },
	{ "h", UNITS_TIME, true, 3600e9 },
	{ "B", UNITS_BYTES, true, 1 },
	{ "kB", UNITS_BYTES, false, 1e3 },
	{ "KiB", UNITS_BYTES, true, 1024 },
	{ "MB", UNITS_BYTES, false, 1e6 },
	{ "MiB", UNITS_BYTES, true, 1048576 },
	{ "GB", UNITS_BYTES, false, 1e9 },
	{ "GiB", UNITS_BYTES, true, 1073741824 },
	{ "TB", UNITS_BYTES, false, 1e12 },
	{ "TiB", UNITS_BYTES, true, 1099511627776 },
	{ "count", UNITS_COUNT, false, 1 },
};

static bool is_one_of(struct op_view unit, const char *const *names)
{
	for (; *names; names++)
		if (op_view_is(unit, *names))
			return true;
	return false;
}

static struct units units_of(const struct op_model *m,
			     const struct op_profile *p)
{
	static const char *const bytes[] = { "bytes", "byte", "By", "B", NULL };
	static const char *const counts[] = { "count", "1", "", NULL };
	struct op_view unit = op_string(m, p->sample_type.unit);
	struct units u = { .ns = op_unit_ns(unit), .name = unit };

	if (u.ns)
		u.kind = UNITS_TIME;
	else if (is_one_of(unit, bytes))
		u.kind = UNITS_BYTES;
	else if (!is_one_of(unit, counts))
		u.kind = UNITS_OTHER;
	return u;
}

static const struct units_scale *scale_named(const char *name)
{
	for (size_t i = 0; i < op_countof(scales); i++)
		if (!strcmp(scales[i].name, name))
			return &scales[i];
	return NULL;
}

int units_init(struct units *u, const struct op_model *m,
	       const struct op_profile *p, const char *fixed,
	       struct op_err *err)
{
	struct op_view type = op_view_first(op_string(m, p->sample_type.type),
					    MAX_NAME);
	struct op_view unit = op_view_first(op_string(m, p->sample_type.unit),
					    MAX_NAME);

	*u = units_of(m, p);
	if (!fixed)
		return OP_OK;
	u->fixed = scale_named(fixed);
	if (!u->fixed)
		return op_fail(err, OP_EUSAGE, "--unit expects one of %s",
			       UNITS_ARG);
	if (u->kind == UNITS_COUNT && u->fixed->kind == UNITS_TIME) {
		u->ns = op_value_ns(m, p);
		u->kind = u->ns ? UNITS_TIME : UNITS_COUNT;
	}
	if (u->kind != u->fixed->kind)
		return op_fail(err, OP_EUSAGE,
			       "--unit %s does not fit %.*s, which is in %.*s",
			       fixed, (int)type.n, (const char *)type.p,
			       unit.n ? (int)unit.n : 5,
			       unit.n ? (const char *)unit.p : "count");
	return OP_OK;
}

/* Digits with thousands separators, up to the decimal point if there is one. */
static void put_number(struct op_buf *out, const char *digits)
{
	size_t n;

	if (*digits == '-')
		op_buf_byte(out, *digits++);
	n = strspn(digits, "0123456789");
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			op_buf_byte(out, ',');
		op_buf_byte(out, digits[i]);
	}
	op_buf_z(out, digits + n);
}

/* As many decimals as make three digits in total. */
static int decimals(double v)
{
	int n = 2;

	v = fabs(v);
	for (; v >= 9.995 && n; v /= 10)
		n--;
	for (; v < 0.9995 && n < 6; v *= 10)
		n++;
	return n;
}

static void put_real(struct op_buf *out, double v)
{
	struct op_fixed_text text = op_fixed_text(v, decimals(v));
	char *point = strchr(text.s, '.');

	if (v != 0 && fabs(v) < 1e-6) {
		op_buf_z(out, op_general_text(v, 3).s);
		return;
	}
	/* 2s, but 2.50s, so that numbers in a column align. */
	if (point && point[1 + strspn(point + 1, "0")] == 0)
		*point = 0;
	put_number(out, text.s);
}

/* The largest unit in which the rounded value is at least one. */
static const struct units_scale *best_scale(enum units_kind kind, double v)
{
	const struct units_scale *best = NULL;

	for (size_t i = 0; i < op_countof(scales); i++) {
		const struct units_scale *s = &scales[i];

		if (s->kind == kind && s->is_usual &&
		    (!best || fabs(v) >= 0.9995 * s->size))
			best = s;
	}
	return best;
}

/* v is in ns or bytes. */
static void put_scaled(struct op_buf *out, const struct units_scale *s,
		       double v, const char *gap)
{
	if (v == 0) {
		op_buf_byte(out, '0');
		return;
	}
	put_real(out, v / s->size);
	op_buf_z(out, gap);
	op_buf_z(out, s->name);
}

void units_text(struct op_buf *out, const struct units *u, int64_t v,
		const char *gap)
{
	double real = (double)v * (u->kind == UNITS_TIME ? (double)u->ns : 1);

	if (u->kind == UNITS_TIME || u->kind == UNITS_BYTES) {
		put_scaled(out, u->fixed ? u->fixed : best_scale(u->kind, real),
			   real, gap);
		return;
	}
	text_number(out, v);
	if (u->kind == UNITS_OTHER) {
		op_buf_byte(out, ' ');
		op_buf_printable(out, op_view_first(u->name, MAX_NAME), "");
	}
}

void units_duration(struct op_buf *out, uint64_t ns, const char *gap)
{
	put_scaled(out, best_scale(UNITS_TIME, (double)ns), (double)ns, gap);
}
