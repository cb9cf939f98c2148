// SPDX-License-Identifier: Apache-2.0
/* pb/json_value.h: what the text of a number or string stands for. */
#ifndef OP_PB_JSON_VALUE_H
#define OP_PB_JSON_VALUE_H

#include "base/view.h"
#include "base/word.h"

enum op_json_verdict {
	OP_JSON_FINE,
	OP_JSON_NO_NUMBER,
	OP_JSON_FRACTION,
	OP_JSON_TOO_LARGE,
};

/* An integer as sign and magnitude. */
struct op_json_int {
	uint64_t v;
	bool negative;
};

/* The integer that a JSON number writes, exactly: 12, 12.0 and 1.2e1 are the
 * same. Never by way of a double. */
enum op_json_verdict op_json_integer(struct op_view text,
				     struct op_json_int *out);

/* The double nearest to a JSON number. One of more than 10^308 is too large,
 * and so is one of more than 1000 digits. */
enum op_json_verdict op_json_real(struct op_view text, double *out);

/* Digits from p on, at most 19, of which the first is not 0 unless it is the
 * only one. At least eight bytes can be loaded before words_end. Returns the
 * byte behind them, or NULL if it is another kind of number: for
 * op_json_integer() to judge. */
op_inline const uint8_t *op_json_digits(const uint8_t *p,
					const uint8_t *words_end, uint64_t *out)
{
	static const uint32_t powers[] = { 1,	  10,	  100,	   1000,
					   10000, 100000, 1000000, 10000000 };
	const uint8_t *first = p;
	uint64_t v = 0;

	for (int round = 0; round < 3; round++) {
		uint64_t w, stop;
		unsigned int n;

		if (op_unlikely(p >= words_end))
			return NULL;
		w = op_word_load(p);
		stop = op_word_not_digit(w);
		if (!stop && round < 2) {
			v = v * 100000000 + op_word_number(w, 8);
			p += 8;
			continue;
		}
		n = stop ? op_word_first(stop) : 8;
		if (op_unlikely(round == 2 && n > 3))
			return NULL;
		if (n)
			v = v * powers[n] + op_word_number(w, n);
		p += n;
		break;
	}
	if (op_unlikely(p == first || (*first == '0' && p > first + 1)))
		return NULL;
	*out = v;
	return p;
}

/* What does not decode. */
#define OP_NOT_TEXT ((size_t)-1)

/* Decodes base64, in the standard or the URL-safe alphabet, padded or not;
 * returns the number of bytes, at most text.n, or OP_NOT_TEXT. out may be where
 * the text stands. */
size_t op_base64_decode(struct op_view text, uint8_t *out);

/* Decodes pairs of hex digits of either case; the same result. */
size_t op_hex_decode(struct op_view text, uint8_t *out);

#endif
