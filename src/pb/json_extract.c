// SPDX-License-Identifier: Apache-2.0
/* pb/json_extract.c: texts, ids and numbers of viewers' files. */
#include "pb/json_extract.h"

#include <math.h>

#include "pb/json_value.h"

struct op_view op_json_text_of(struct op_json_in *in, struct op_json_text t,
			       struct op_arena *mem)
{
	uint8_t *copy;

	if (op_likely(!t.escaped))
		return t.raw;
	copy = op_arena_alloc(mem, t.raw.n);
	if (!copy) {
		in->p = in->end;
		return (struct op_view){ 0 };
	}
	return op_view(copy, op_json_unescape(t.raw, copy));
}

struct op_view op_json_extract_text(struct op_json_in *in, struct op_arena *mem)
{
	if (op_json_peek(in) == '"')
		return op_json_text_of(in, op_json_extract_string(in), mem);
	op_json_skip(in);
	return (struct op_view){ 0 };
}

static bool begins_number(int c)
{
	return c == '-' || (c >= '0' && c <= '9');
}

struct op_view op_json_extract_id(struct op_json_in *in)
{
	int c = op_json_peek(in);

	if (c == '"')
		return op_json_extract_string(in).raw;
	if (begins_number(c))
		return op_json_extract_number(in);
	op_json_skip(in);
	return (struct op_view){ 0 };
}

/* --- numbers --- */

static const int64_t powers[] = { 1,	     10,	100,	 1000,
				  10000,     100000,	1000000, 10000000,
				  100000000, 1000000000 };

/* Digits, perhaps with a point among them, that 10^digits makes whole and that
 * are few enough. */
static bool plain(struct op_view v, unsigned int digits, int64_t *out)
{
	enum { SAFE = 19 }; /* digits that fit for sure */
	size_t i = v.n && *v.p == '-', start = i;
	unsigned int behind = 0;
	uint64_t n = 0;

	for (; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(v.p[i] - '0');
	if (i == start || i - start + digits > SAFE)
		return false;
	if (i < v.n && v.p[i] == '.')
		for (i++; i < v.n && behind < digits && v.p[i] >= '0' &&
			  v.p[i] <= '9';
		     i++, behind++)
			n = n * 10 + (uint64_t)(v.p[i] - '0');
	if (i != v.n)
		return false;
	n *= (uint64_t)powers[digits - behind];
	if (n > (uint64_t)1 << 62)
		return false;
	*out = start ? -(int64_t)n : (int64_t)n;
	return true;
}

/* Of any form, by way of a double. */
static bool scaled(struct op_view v, unsigned int digits, int64_t *out)
{
	const double most = 4611686018427387904.0; /* 2^62 */
	double d;

	if (v.n <= 24 && plain(v, digits, out))
		return true;
	if (op_json_real(v, &d) != OP_JSON_FINE)
		return false;
	d *= (double)powers[digits];
	if (!(d <= most && d >= -most))
		return false;
	*out = (int64_t)llround(d);
	return true;
}

int64_t op_json_extract_scaled(struct op_json_in *in, unsigned int digits)
{
	int c = op_json_peek(in);
	const uint8_t *at = in->p;
	int64_t v = 0;

	if (c == 'n' && op_json_extract_word(in, "null"))
		return 0;
	if (c != '"' && !begins_number(c))
		op_json_bad(in, in->p, "expected a number");
	else if (!scaled(op_json_extract_id(in), digits, &v))
		op_json_bad(in, at, "not a number, or too large");
	return v;
}

bool op_text_number(struct op_view text, int64_t *out)
{
	return text.n && text.n <= 20 && plain(text, 0, out);
}

/* --- structure --- */

bool op_json_enter(struct op_json_in *in, char bracket)
{
	if (op_json_peek(in) == bracket) {
		in->p++;
		return true;
	}
	op_json_skip(in);
	return false;
}

struct op_json_in op_json_start(struct op_view text, struct op_err *err)
{
	struct op_json_in in = op_json_in(text, err);

	op_json_extract_word(&in, "\xef\xbb\xbf");
	return in;
}

void op_json_finish(struct op_json_in *in)
{
	if (op_json_peek(in) || in->p < in->end)
		op_json_bad(in, in->p, "unexpected text after the JSON value");
}

bool op_json_begins(struct op_view line)
{
	uint8_t second = line.n > 1 ? line.p[1] : ' ';

	if (!line.n || !second)
		return false;
	if (line.p[0] == '{')
		return strchr(" \t\"}", second);
	if (line.p[0] != '[')
		return false;
	return strchr(" \t\"{[", second) ||
	       (strchr("-0123456789", second) && !memchr(line.p, ';', line.n));
}

bool op_json_sniff_key(struct op_view text, const char *key,
		       struct op_view *value)
{
	enum { FIRST = 16384 };
	struct op_err ignored = { 0 };
	struct op_json_in in;
	bool first = true;

	if (text.n > FIRST)
		text.n = FIRST;
	in = op_json_start(text, &ignored);
	if (op_json_peek(&in) != '{')
		return false;
	in.p++;
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text k = op_json_extract_key(&in);

		if (!ignored.code && op_json_is(k, key)) {
			op_json_peek(&in);
			*value = op_view(in.p, (size_t)(in.end - in.p));
			return true;
		}
		op_json_skip(&in);
	}
	return false;
}
