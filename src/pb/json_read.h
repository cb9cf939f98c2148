// SPDX-License-Identifier: Apache-2.0
/* pb/json_read.h: JSON (RFC 8259) read token by token, without a tree.
 *
 *	bool first = true;
 *
 *	op_json_take(in, '{', "expected an object");
 *	while (op_json_more(in, '}', &first)) {
 *		struct op_json_text key = op_json_extract_key(in);
 *		... op_json_extract_string(in), op_json_skip(in) ...
 *	}
 *
 * Strings and numbers are views of the text as it stands. The error is carried
 * inside: after the first failure the reader stands at its end, tokens are
 * empty and loops end.
 */
#ifndef OP_PB_JSON_READ_H
#define OP_PB_JSON_READ_H

#include "base/err.h"
#include "base/view.h"

struct op_json_in {
	const uint8_t *p;
	const uint8_t *end;
	const uint8_t *base; /* offsets in errors count from here */
	struct op_err *err;
};

/* A string between its quotes, or a number. */
struct op_json_text {
	struct op_view raw;
	bool escaped; /* a string with escapes: see op_json_unescape() */
};

/* Most brackets in brackets that op_json_skip() follows. */
enum { OP_JSON_DEPTH = 512 };

op_inline struct op_json_in op_json_in(struct op_view text, struct op_err *err)
{
	return (struct op_json_in){ text.p, text.p + text.n, text.p, err };
}

/* Fails at a place in the text and ends the reader. */
op_cold void op_json_bad(struct op_json_in *in, const uint8_t *at,
			 const char *what);

/* Passes white space; the byte behind it, 0 at the end of the text. */
int op_json_space(struct op_json_in *in);

op_inline int op_json_peek(struct op_json_in *in)
{
	if (op_likely(in->p<in->end && * in->p> ' '))
		return *in->p;
	return op_json_space(in);
}

/* Takes this byte, which white space may precede, or fails. */
op_inline void op_json_take(struct op_json_in *in, char c, const char *what)
{
	if (op_likely(op_json_peek(in) == c))
		in->p++;
	else
		op_json_bad(in, in->p, what);
}

/* Records that neither a comma nor the closing bracket follows. */
op_cold void op_json_not_closed(struct op_json_in *in, char close);

/* In an object or array whose opening bracket was taken: true if there is one
 * more member or element; the reader then stands at a byte of it. *first is
 * true before the first call. */
op_inline bool op_json_more(struct op_json_in *in, char close, bool *first)
{
	int c = op_json_peek(in);

	if (c == close) {
		in->p++;
		return false;
	}
	if (*first) {
		*first = false;
	} else if (op_likely(c == ',')) {
		in->p++;
		op_json_peek(in);
	} else {
		op_json_not_closed(in, close);
		return false;
	}
	if (op_likely(in->p < in->end))
		return true;
	op_json_not_closed(in, close);
	return false;
}

/* A string, whose opening quote the reader stands at or fails. Control
 * characters are refused and escapes are checked; UTF-8 is not. */
struct op_json_text op_json_extract_string(struct op_json_in *in);

/* The same and the colon behind it. */
struct op_json_text op_json_extract_key(struct op_json_in *in);

/* Writes what a string with escapes says, at most raw.n bytes, and returns
 * their number. Half a surrogate pair becomes U+FFFD. */
size_t op_json_unescape(struct op_view raw, uint8_t *out);

/* A number; the reader stands at it or fails. */
struct op_view op_json_extract_number(struct op_json_in *in);

/* Takes a word such as "null" if the reader stands at it. */
bool op_json_extract_word(struct op_json_in *in, const char *word);

/* Passes one value of any kind, which must be valid. */
void op_json_skip(struct op_json_in *in);

/* The same; returns where the value begins, to read it later. */
op_inline const uint8_t *op_json_defer(struct op_json_in *in)
{
	const uint8_t *at;

	op_json_peek(in);
	at = in->p;
	op_json_skip(in);
	return at;
}

#endif
