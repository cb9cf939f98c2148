// SPDX-License-Identifier: Apache-2.0
/* base/number.h: real numbers from and to decimal text, the same in every
 * locale.
 *
 * The locale belongs to the host program. strtod() and printf() take their
 * decimal point from it, so no other file may use them for real numbers
 * (scripts/check-style).
 */
#ifndef OP_BASE_NUMBER_H
#define OP_BASE_NUMBER_H

#include "base/view.h"

/* A parsed number: digits * 10^exponent, where the digits are those of the text
 * up to and including the last nonzero one, without the point. */
struct op_decimal {
	bool negative;
	struct op_view digits; /* may include a point */
	size_t nr_digits;
	int64_t exponent;
};

/* Parses a number of JSON's grammar; false if the text is not one. */
bool op_decimal_read(struct op_view text, struct op_decimal *d);

/* The digits as an integer; false if they exceed 64 bits. */
bool op_decimal_digits(const struct op_decimal *d, uint64_t *out);

/* The nearest double; false if it exceeds the largest one, or if there are more
 * than 1000 digits and they matter. */
bool op_decimal_real(const struct op_decimal *d, double *out);

/* The double nearest to an unsigned number in everyday notation, where .5 and
 * 5. are allowed too. False if the text is anything else. */
bool op_number_parse(struct op_view text, double *out);

/* The shortest decimal that reads back as v, always with a point, an exponent
 * or a name (nan, inf), so that it cannot be mistaken for an integer. */
struct op_double_text {
	char s[40];
};
struct op_double_text op_double_text(double v);

/* With at most 17 digits, like printf's %.*g. */
struct op_double_text op_general_text(double v, int digits);

/* With at most 6 decimals, like printf's %.*f. The largest double has 309
 * digits before the point. */
struct op_fixed_text {
	char s[328];
};
struct op_fixed_text op_fixed_text(double v, int decimals);

#endif
