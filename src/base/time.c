// SPDX-License-Identifier: Apache-2.0
/* base/time.c: parses points in time. */
#include "base/time.h"

#include <string.h>

static const uint64_t SECOND = 1000000000;

/* A text being read; the first failure is kept in err. */
struct text {
	const char *start, *p;
	struct op_err *err;
};

static int bad(struct text *t, const char *at, const char *what)
{
	return op_fail_at(t->err, OP_EUSAGE, (uint64_t)(at - t->start),
			  "'%.60s' is not a time: %s", t->start, what);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Exactly n digits. */
static unsigned int digits(struct text *t, int n)
{
	unsigned int v = 0;

	for (; n && !t->err->code; n--) {
		if (!is_digit(*t->p)) {
			bad(t, t->p, "a digit is missing");
			return 0;
		}
		v = v * 10 + (unsigned int)(*t->p++ - '0');
	}
	return v;
}

static void expect(struct text *t, const char *one_of, const char *what)
{
	if (t->err->code)
		return;
	if (!*t->p || !strchr(one_of, *t->p))
		bad(t, t->p, what);
	else
		t->p++;
}

/* What stands behind a point, in units of 1 / scale; nothing is 0. */
static uint64_t fraction(struct text *t, uint64_t scale)
{
	unsigned __int128 v = 0;
	unsigned __int128 one = 1;

	if (t->err->code || *t->p != '.')
		return 0;
	if (!is_digit(*++t->p))
		bad(t, t->p, "a digit is missing");
	for (; is_digit(*t->p); t->p++) {
		/* A day has 14 digits of nanoseconds. */
		if (one < 1000000000000000) {
			v = v * 10 + (unsigned int)(*t->p - '0');
			one *= 10;
		}
	}
	return (uint64_t)(v * scale / one);
}

/* Digits and a fraction, times scale. */
static uint64_t number(struct text *t, const char *from, uint64_t scale)
{
	uint64_t v = 0;
	bool over = false;

	t->p = from;
	if (!is_digit(*t->p))
		bad(t, t->p, "a digit is missing");
	for (; is_digit(*t->p); t->p++) {
		over |= __builtin_mul_overflow(v, 10, &v);
		over |= __builtin_add_overflow(v, (uint64_t)(*t->p - '0'), &v);
	}
	over |= __builtin_mul_overflow(v, scale, &v);
	over |= __builtin_add_overflow(v, fraction(t, scale), &v);
	if (over)
		bad(t, from, "too large");
	return v;
}

/* --- RFC 3339 --- */

static bool is_leap(unsigned int y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

/* Days from 1970 to the first of January. */
static int64_t days_to_year(unsigned int y)
{
	int64_t before = (int64_t)y - 1;

	return 365 * ((int64_t)y - 1970) + before / 4 - before / 100 +
	       before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
}

static int64_t date(struct text *t)
{
	static const unsigned int before[] = { 0,   31,	 59,  90,  120,
					       151, 181, 212, 243, 273,
					       304, 334, 365 };
	const char *start = t->p;
	unsigned int y = digits(t, 4);
	unsigned int m, d, length;

	expect(t, "-", "a date is YYYY-MM-DD");
	m = digits(t, 2);
	expect(t, "-", "a date is YYYY-MM-DD");
	d = digits(t, 2);
	if (t->err->code)
		return 0;
	if (m < 1 || m > 12) {
		bad(t, start + 5, "there is no such month");
		return 0;
	}
	length = before[m] - before[m - 1];
	if (m == 2 && is_leap(y))
		length++;
	if (d < 1 || d > length)
		bad(t, start + 8, "there is no such day");
	return days_to_year(y) + before[m - 1] + (m > 2 && is_leap(y)) + d - 1;
}

static unsigned int below(struct text *t, unsigned int limit, const char *what)
{
	const char *at = t->p;
	unsigned int v = digits(t, 2);

	if (v >= limit)
		bad(t, at, what);
	return v;
}

/* hh:mm, in seconds. */
static int64_t hours_minutes(struct text *t)
{
	int64_t h = below(t, 24, "there is no such hour");

	expect(t, ":", "a time of day is hh:mm:ss");
	return h * 3600 + below(t, 60, "there is no such minute") * 60;
}

static int64_t offset(struct text *t)
{
	const char *sign = t->p;

	expect(t, "Zz+-", "Z or an offset such as +02:00 is missing");
	if (t->err->code || *sign == 'Z' || *sign == 'z')
		return 0;
	return *sign == '-' ? -hours_minutes(t) : hours_minutes(t);
}

static uint64_t rfc3339(struct text *t)
{
	int64_t s = date(t) * 86400;
	uint64_t part, ns;

	expect(t, "Tt ", "T and a time of day are missing");
	s += hours_minutes(t);
	expect(t, ":", "a time of day is hh:mm:ss");
	/* 60 is a leap second, which runs into the next. */
	s += below(t, 61, "there is no such second");
	part = fraction(t, SECOND);
	s -= offset(t);
	if (!t->err->code && s < 0)
		bad(t, t->start, "before 1970");
	if (__builtin_mul_overflow((uint64_t)s, SECOND, &ns) ||
	    __builtin_add_overflow(ns, part, &ns))
		bad(t, t->start, "too late for 64 bits");
	return ns;
}

/* --- all forms --- */

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "h", 3600000000000 },
	{ "d", 86400000000000 },
};

static uint64_t amount(struct text *t)
{
	const char *from = t->p;
	const char *unit = from + strspn(from, "0123456789.");

	for (size_t i = 0; i < op_countof(units); i++) {
		uint64_t v;

		if (strcmp(unit, units[i].name))
			continue;
		v = number(t, from, units[i].ns);
		if (!t->err->code && t->p != unit)
			bad(t, t->p, "more than one point");
		t->p = unit + strlen(unit);
		return v;
	}
	bad(t, unit, "a unit is missing: ns us ms s m h or d");
	return 0;
}

int op_time_parse(const char *s, struct op_time *out, struct op_err *err)
{
	struct text t = { s, s, err };
	struct op_time r = { .kind = OP_TIME_AT };
	size_t n = strspn(s, "0123456789");

	if (*s == '+' || *s == '-') {
		r.kind = *s == '+' ? OP_TIME_FROM_START : OP_TIME_FROM_END;
		t.p++;
		r.ns = amount(&t);
	} else if (n == 4 && s[n] == '-') {
		r.ns = rfc3339(&t);
	} else {
		r.ns = number(&t, s, SECOND);
	}
	if (!err->code && *t.p)
		bad(&t, t.p, "unexpected text after it");
	if (!err->code)
		*out = r;
	return err->code;
}

uint64_t op_time_ns(struct op_time t, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t ns;

	switch (t.kind) {
	case OP_TIME_FROM_START:
		return __builtin_add_overflow(start_ns, t.ns, &ns) ?
			       UINT64_MAX :
			       ns;
	case OP_TIME_FROM_END:
		return end_ns < t.ns ? 0 : end_ns - t.ns;
	default:
		return t.ns;
	}
}
