// SPDX-License-Identifier: Apache-2.0
/* pb/json_value.c: integers, reals and base64 in JSON. */
#include "pb/json_value.h"

#include "base/hex.h"
#include "base/number.h"

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

enum op_json_verdict op_json_integer(struct op_view text,
				     struct op_json_int *out)
{
	struct op_json_int r = { 0 };
	struct op_decimal d;

	if (!op_decimal_read(text, &d))
		return OP_JSON_NO_NUMBER;
	r.negative = d.negative;
	if (d.nr_digits && d.exponent < 0)
		return OP_JSON_FRACTION;
	if (!op_decimal_digits(&d, &r.v))
		return OP_JSON_TOO_LARGE;
	for (; r.v && d.exponent > 0; d.exponent--)
		if (__builtin_mul_overflow(r.v, 10, &r.v))
			return OP_JSON_TOO_LARGE;
	*out = r;
	return OP_JSON_FINE;
}

enum op_json_verdict op_json_real(struct op_view text, double *out)
{
	struct op_decimal d;

	if (!op_decimal_read(text, &d))
		return OP_JSON_NO_NUMBER;
	return op_decimal_real(&d, out) ? OP_JSON_FINE : OP_JSON_TOO_LARGE;
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
