// SPDX-License-Identifier: Apache-2.0
/* pb/json_read.c: a JSON tokenizer with offsets in its errors. */
#include "pb/json_read.h"

#include "base/hex.h"
#include "base/utf8.h"
#include "base/word.h"

void op_json_bad(struct op_json_in *in, const uint8_t *at, const char *what)
{
	op_fail_at(in->err, OP_EFORMAT, (uint64_t)(at - in->base), "%s",
		   at < in->end ? what : "the JSON text is truncated");
	in->p = in->end;
}

void op_json_not_closed(struct op_json_in *in, char close)
{
	op_json_bad(in, in->p,
		    close == '}' ? "expected ',' or '}'" :
				   "expected ',' or ']'");
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

int op_json_space(struct op_json_in *in)
{
	const uint8_t *p = in->p;

	while (p < in->end && is_space(*p))
		p++;
	in->p = p;
	return p < in->end ? *p : 0;
}

/* --- strings --- */

/* The four hex digits at p, or -1. */
static int hex_four(const uint8_t *p, const uint8_t *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = op_hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* The length of the escape at p; 0 if it is none. */
static size_t escape_length(const uint8_t *p, const uint8_t *end)
{
	if (end - p < 2 || !p[1])
		return 0;
	if (p[1] == 'u')
		return hex_four(p + 2, end) < 0 ? 0 : 6;
	return strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

/* The first byte from p on that a string cannot pass over. */
static const uint8_t *string_stop(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 8) {
		uint64_t w = op_word_load(p);
		uint64_t stop = op_word_equal(w, '"') | op_word_equal(w, '\\') |
				op_word_below(w, ' ');

		if (stop)
			return p + op_word_first(stop);
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && *p >= ' ')
		p++;
	return p;
}

struct op_json_text op_json_extract_string(struct op_json_in *in)
{
	const uint8_t *start = in->p + 1;
	const uint8_t *p = start;
	bool escaped = false;

	if (in->p >= in->end || *in->p != '"') {
		op_json_bad(in, in->p, "expected a string");
		return (struct op_json_text){ 0 };
	}
	while ((p = string_stop(p, in->end)) < in->end && *p == '\\') {
		size_t n = escape_length(p, in->end);

		if (!n) {
			op_json_bad(in, p, "invalid escape");
			return (struct op_json_text){ 0 };
		}
		escaped = true;
		p += n;
	}
	if (p >= in->end || *p != '"') {
		op_json_bad(in, p, "a control character in a string");
		return (struct op_json_text){ 0 };
	}
	in->p = p + 1;
	return (struct op_json_text){ op_view(start, (size_t)(p - start)),
				      escaped };
}

struct op_json_text op_json_extract_key(struct op_json_in *in)
{
	struct op_json_text key = op_json_extract_string(in);

	op_json_take(in, ':', "expected ':'");
	return key;
}

/* The character of the escape at *p, which moves on; two escapes if they are
 * a surrogate pair. */
static unsigned int escape_char(const uint8_t **p, const uint8_t *end)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	uint8_t kind = (*p)[1];
	const char *at = strchr(from, kind);
	unsigned int c;
	int low;

	if (kind != 'u') {
		*p += 2;
		return at ? (uint8_t)to[at - from] : kind;
	}
	c = (unsigned int)hex_four(*p + 2, end);
	*p += 6;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	low = end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u' ?
		      hex_four(*p + 2, end) :
		      -1;
	if (c >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*p += 6;
	return 0x10000 + ((c - 0xd800) << 10) + (unsigned int)(low - 0xdc00);
}

size_t op_json_unescape(struct op_view raw, uint8_t *out)
{
	const uint8_t *p = raw.p, *end = raw.p + raw.n;
	size_t n = 0;

	while (p < end) {
		const uint8_t *stop = memchr(p, '\\', (size_t)(end - p));
		size_t plain = (size_t)((stop ? stop : end) - p);

		memcpy(out + n, p, plain);
		n += plain;
		p += plain;
		if (stop)
			n += op_utf8_put(out + n, escape_char(&p, end));
	}
	return n;
}

/* --- numbers --- */

static const uint8_t *digits_end(const uint8_t *p, const uint8_t *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

struct op_view op_json_extract_number(struct op_json_in *in)
{
	const uint8_t *start = in->p, *end = in->end;
	const uint8_t *p = start, *digits;

	if (p < end && *p == '-')
		p++;
	digits = p;
	p = digits_end(p, end);
	if (p == digits || (*digits == '0' && p > digits + 1))
		goto bad;
	if (p < end && *p == '.') {
		digits = ++p;
		p = digits_end(p, end);
		if (p == digits)
			goto bad;
	}
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		p = digits_end(p, end);
		if (p == digits)
			goto bad;
	}
	in->p = p;
	return op_view(start, (size_t)(p - start));
bad:
	op_json_bad(in, p > digits ? digits : p, "not a number");
	return (struct op_view){ 0 };
}

/* --- values --- */

bool op_json_extract_word(struct op_json_in *in, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(in->end - in->p) < n || memcmp(in->p, word, n))
		return false;
	in->p += n;
	return true;
}

/* A value that holds no other. */
static void skip_scalar(struct op_json_in *in, int c)
{
	if (c == '"')
		op_json_extract_string(in);
	else if (c == '-' || (c >= '0' && c <= '9'))
		op_json_extract_number(in);
	else if (!op_json_extract_word(in, "null") &&
		 !op_json_extract_word(in, "true") &&
		 !op_json_extract_word(in, "false"))
		op_json_bad(in, in->p, "expected a value");
}

void op_json_skip(struct op_json_in *in)
{
	uint8_t closers[OP_JSON_DEPTH]; /* of the brackets that are open */
	unsigned int depth = 0;
	bool first = true;

	do {
		int c = op_json_peek(in);

		if (c != '{' && c != '[') {
			skip_scalar(in, c);
		} else if (depth == OP_JSON_DEPTH) {
			op_fail_at(in->err, OP_ELIMIT,
				   (uint64_t)(in->p - in->base),
				   "nested more than %d deep", OP_JSON_DEPTH);
			in->p = in->end;
		} else {
			in->p++;
			closers[depth++] = c == '{' ? '}' : ']';
			first = true;
		}
		while (depth &&
		       !op_json_more(in, (char)closers[depth - 1], &first)) {
			depth--;
			first = false;
		}
		if (depth && closers[depth - 1] == '}')
			op_json_extract_key(in);
	} while (depth && !in->err->code);
}
