// SPDX-License-Identifier: Apache-2.0
/* base/number.c: real numbers from and to decimal text. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- reading --- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Beyond this no double and no integer is left, and sums do not overflow. */
enum { FAR = 1 << 30 };

/* The exponent behind its letter; false if it is none. */
static bool exponent_read(struct op_view v, int64_t *out)
{
	bool negative = v.n && *v.p == '-';
	size_t i = v.n && (*v.p == '-' || *v.p == '+');
	int64_t e = 0;

	if (i == v.n)
		return false;
	for (; i < v.n; i++) {
		if (!is_digit(v.p[i]))
			return false;
		if (e < FAR)
			e = e * 10 + (v.p[i] - '0');
	}
	*out = negative ? -e : e;
	return true;
}

/* Digits and at most one point, in strict text between them; returns where
 * they end. */
static size_t mantissa_read(struct op_view v, bool strict, struct op_decimal *d)
{
	size_t nr = 0, before_point = 0, i = 0;
	bool point = false;

	for (; i < v.n && (is_digit(v.p[i]) || (v.p[i] == '.' && !point));
	     i++) {
		if (v.p[i] == '.') {
			point = true;
			before_point = nr;
			continue;
		}
		nr++;
		if (v.p[i] != '0') {
			d->nr_digits = nr;
			d->digits = op_view(v.p, i + 1);
		}
	}
	if (!point)
		before_point = nr;
	if (!nr || (strict && (!before_point || (point && nr == before_point) ||
			       (*v.p == '0' && before_point > 1))))
		return 0;
	d->exponent = (int64_t)before_point - (int64_t)d->nr_digits;
	return i;
}

static bool unsigned_read(struct op_view v, bool strict, struct op_decimal *d)
{
	size_t n = mantissa_read(v, strict, d);
	int64_t e = 0;

	if (!n)
		return false;
	if (n < v.n && ((v.p[n] | 0x20) != 'e' ||
			!exponent_read(op_view(v.p + n + 1, v.n - n - 1), &e)))
		return false;
	d->exponent += e;
	return true;
}

bool op_decimal_read(struct op_view v, struct op_decimal *d)
{
	*d = (struct op_decimal){ .negative = v.n && *v.p == '-' };
	return unsigned_read(op_view(v.p + d->negative, v.n - d->negative),
			     true, d);
}

bool op_decimal_digits(const struct op_decimal *d, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < d->digits.n; i++) {
		uint8_t c = d->digits.p[i];

		if (c != '.' && (__builtin_mul_overflow(v, 10, &v) ||
				 __builtin_add_overflow(v, c - '0', &v)))
			return false;
	}
	*out = v;
	return true;
}

/* Exact where both the digits and the power are: one rounding then. */
static bool real_exact(const struct op_decimal *d, double *out)
{
	static const double powers[] = {
		1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
		1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
		1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};
	const int64_t most = (int64_t)op_countof(powers) - 1;
	uint64_t v;
	double r;

	if (!op_decimal_digits(d, &v) || v >> 53)
		return false;
	if (v && (d->exponent > most || d->exponent < -most))
		return false;
	r = (double)v;
	if (v)
		r = d->exponent < 0 ? r / powers[-d->exponent] :
				      r * powers[d->exponent];
	*out = d->negative ? -r : r;
	return true;
}

/* The power of two times m that is nearest; is_more: m is a little more. m has
 * at least 54 bits. */
static double rounded(unsigned __int128 m, bool is_more, int power)
{
	uint64_t high = (uint64_t)(m >> 64);
	int bits = high ? 128 - __builtin_clzll(high) :
			  64 - __builtin_clzll((uint64_t)m);
	int drop = bits - DBL_MANT_DIG;
	unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
	unsigned __int128 low = m & (2 * half - 1);
	uint64_t top = (uint64_t)(m >> drop);

	if (low > half || (low == half && (is_more || top & 1)))
		top++;
	return ldexp((double)top, power + drop);
}

/* Exact in 128 bits: most of what programs write with 16 or 17 digits. */
static bool real_wide(const struct op_decimal *d, double *out)
{
	enum { MAX_POWER = 19 }; /* 10^19 is the last in 64 bits */
	unsigned __int128 m;
	uint64_t v, ten = 1;
	double r;

	if (!op_decimal_digits(d, &v) || !(v >> 53) ||
	    d->exponent > MAX_POWER || d->exponent < -MAX_POWER)
		return false;
	for (int64_t e = d->exponent; e; e += e < 0 ? 1 : -1)
		ten *= 10;
	if (d->exponent >= 0) {
		r = rounded((unsigned __int128)v * ten, false, 0);
	} else {
		m = (unsigned __int128)v << 64;
		r = rounded(m / ten, m % ten, -64);
	}
	*out = d->negative ? -r : r;
	return true;
}

/* Room for the exponent of a decimal, its letter, sign and NUL. */
enum { EXPONENT_SIZE = 24 };

/* By hand, because this is done for every long number. */
static void exponent_put(char *out, int64_t e)
{
	uint64_t u = e < 0 ? -(uint64_t)e : (uint64_t)e;
	char text[EXPONENT_SIZE];
	size_t at = sizeof(text);

	text[--at] = 0;
	do
		text[--at] = (char)('0' + u % 10);
	while (u /= 10);
	if (e < 0)
		text[--at] = '-';
	text[--at] = 'e';
	memcpy(out, text + at, sizeof(text) - at);
}

/* By way of digits and an exponent: what has no decimal point reads the same
 * in every locale. */
static bool real_rounded(const struct op_decimal *d, double *out)
{
	enum { MAX_DIGITS = 1000 };
	char text[MAX_DIGITS + EXPONENT_SIZE];
	size_t n = 0;
	double r;

	if (d->nr_digits > MAX_DIGITS)
		return false;
	for (size_t i = 0; i < d->digits.n; i++)
		if (d->digits.p[i] != '.')
			text[n++] = (char)d->digits.p[i];
	exponent_put(text + n, d->exponent);
	r = strtod(text, NULL);
	if (isinf(r))
		return false;
	*out = d->negative ? -r : r;
	return true;
}

bool op_decimal_real(const struct op_decimal *d, double *out)
{
	return real_exact(d, out) || real_wide(d, out) || real_rounded(d, out);
}

bool op_number_parse(struct op_view text, double *out)
{
	struct op_decimal d = { 0 };

	return unsigned_read(text, false, &d) && op_decimal_real(&d, out);
}

/* --- writing --- */

/* Puts a point where the locale's stands, which can be several bytes: the only
 * part of a finite number that is no digit, sign or exponent. */
static void point_set(char *s)
{
	static const char digits[] = "0123456789";
	char *at = s + strspn(s, "-0123456789");
	const char *rest;

	if (!*at || *at == '.' || *at == 'e')
		return;
	rest = at + strcspn(at, digits);
	*at = '.';
	memmove(at + 1, rest, strlen(rest) + 1);
}

struct op_double_text op_general_text(double v, int digits)
{
	struct op_double_text t;

	snprintf(t.s, sizeof(t.s), "%.*g", digits, v);
	if (isfinite(v))
		point_set(t.s);
	return t;
}

struct op_fixed_text op_fixed_text(double v, int decimals)
{
	struct op_fixed_text t;

	snprintf(t.s, sizeof(t.s), "%.*f", decimals, v);
	if (isfinite(v))
		point_set(t.s);
	return t;
}

static bool reads_back(const char *s, double v)
{
	struct op_decimal d;
	double back;

	return op_decimal_read(op_view_z(s), &d) &&
	       op_decimal_real(&d, &back) && back == v;
}

struct op_double_text op_double_text(double v)
{
	struct op_double_text t = { "nan" };

	if (isnan(v))
		return t;
	for (int digits = 15; digits <= 17; digits++) {
		t = op_general_text(v, digits);
		if (reads_back(t.s, v))
			break;
	}
	if (!strpbrk(t.s, ".ein"))
		strncat(t.s, ".0", sizeof(t.s) - strlen(t.s) - 1);
	return t;
}
