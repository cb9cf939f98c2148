// SPDX-License-Identifier: Apache-2.0
#include "pb/json_value.h"

#include <math.h>
#include <stdlib.h>

#include "base/hex.h"

/* A number taken apart: digits * 10^exponent, where the digits are those of
 * the text up to and with the last that is not 0, without the point. */
struct decimal {
	bool negative;
	struct op_view digits; /* with a point among them, perhaps */
	size_t nr_digits;
	int64_t exponent;
};

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

/* Digits and at most one point between them; returns where they end. */
static size_t mantissa_read(struct op_view v, struct decimal *d)
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
	if (!before_point || (point && nr == before_point) ||
	    (*v.p == '0' && before_point > 1))
		return 0;
	d->exponent = (int64_t)before_point - (int64_t)d->nr_digits;
	return i;
}

static bool decimal_read(struct op_view v, struct decimal *d)
{
	int64_t e = 0;
	size_t n;

	*d = (struct decimal){ .negative = v.n && *v.p == '-' };
	v = op_view(v.p + d->negative, v.n - d->negative);
	n = mantissa_read(v, d);
	if (!n)
		return false;
	if (n < v.n && ((v.p[n] | 0x20) != 'e' ||
			!exponent_read(op_view(v.p + n + 1, v.n - n - 1), &e)))
		return false;
	d->exponent += e;
	return true;
}

/* The digits as a number; false if they are more than 64 bits. */
static bool digits_value(const struct decimal *d, uint64_t *out)
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

enum op_json_verdict op_json_integer(struct op_view text,
				     struct op_json_int *out)
{
	struct op_json_int r = { 0 };
	struct decimal d;

	if (!decimal_read(text, &d))
		return OP_JSON_NO_NUMBER;
	r.negative = d.negative;
	if (d.nr_digits && d.exponent < 0)
		return OP_JSON_FRACTION;
	if (!digits_value(&d, &r.v))
		return OP_JSON_TOO_LARGE;
	for (; r.v && d.exponent > 0; d.exponent--)
		if (__builtin_mul_overflow(r.v, 10, &r.v))
			return OP_JSON_TOO_LARGE;
	*out = r;
	return OP_JSON_FINE;
}

/* Exact where both the digits and the power are: one rounding then. */
static bool real_exact(const struct decimal *d, double *out)
{
	static const double powers[] = {
		1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
		1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
		1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};
	const int64_t most = (int64_t)op_countof(powers) - 1;
	uint64_t v;
	double r;

	if (!digits_value(d, &v) || v >> 53)
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

enum op_json_verdict op_json_real(struct op_view text, double *out)
{
	char copy[1001];
	struct decimal d;
	double r;

	if (!decimal_read(text, &d))
		return OP_JSON_NO_NUMBER;
	if (real_exact(&d, out))
		return OP_JSON_FINE;
	if (text.n >= sizeof(copy))
		return OP_JSON_TOO_LARGE;
	memcpy(copy, text.p, text.n);
	copy[text.n] = 0;
	r = strtod(copy, NULL);
	if (isinf(r))
		return OP_JSON_TOO_LARGE;
	*out = r;
	return OP_JSON_FINE;
}

/* --- bytes --- */

/* The six bits of a character of either alphabet; 64: it is of none. */
static unsigned int sextet(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (is_digit(c))
		return c - '0' + 52u;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : 64;
}

size_t op_base64_decode(struct op_view text, uint8_t *out)
{
	size_t n = 0;
	uint32_t bits = 0;
	unsigned int nr_bits = 0;

	if (text.n % 4 == 0)
		for (int i = 0; i < 2 && text.n && text.p[text.n - 1] == '=';
		     i++)
			text.n--;
	if (text.n % 4 == 1)
		return OP_NOT_TEXT;
	for (size_t i = 0; i < text.n; i++) {
		unsigned int six = sextet(text.p[i]);

		if (six > 63)
			return OP_NOT_TEXT;
		bits = bits << 6 | six;
		nr_bits += 6;
		if (nr_bits >= 8) {
			nr_bits -= 8;
			out[n++] = (uint8_t)(bits >> nr_bits);
		}
	}
	return n;
}

size_t op_hex_decode(struct op_view text, uint8_t *out)
{
	size_t n = text.n / 2;

	return op_unhex(text, out, n) ? n : OP_NOT_TEXT;
}
