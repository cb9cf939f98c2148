// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/line.c: a line taken apart, from its end. */
#include "fmt/folded/folded_int.h"

#include <string.h>

#include "base/hex.h"

const char op_folded_no_count[] = "does not end in a space and a count";
static const char too_large[] = "the count does not fit in 64 bits";

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct op_view trimmed(struct op_view v)
{
	while (v.n && is_blank(v.p[v.n - 1]))
		v.n--;
	return v;
}

bool op_folded_next(struct op_view in, size_t *at, struct op_view *line)
{
	const uint8_t *p = in.p + *at;
	size_t left = in.n - *at;
	const uint8_t *end;

	if (!left)
		return false;
	end = memchr(p, '\n', left);
	*line = op_view(p, end ? (size_t)(end - p) : left);
	*at += line->n + (end != NULL);
	if (line->n && p[line->n - 1] == '\r')
		line->n--;
	return true;
}

bool op_folded_skips(struct op_view line)
{
	if (!line.n || line.p[0] == '#')
		return true;
	return is_blank(line.p[0]) && !trimmed(line).n;
}

bool op_folded_is_head(struct op_view line)
{
	static const char head[] = "# otprof";
	size_t n = sizeof(head) - 1;

	return line.n >= n && !memcmp(line.p, head, n) &&
	       (line.n == n || line.p[n] == ' ');
}

/* --- numbers --- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

enum number { NO_NUMBER, WHOLE, DECIMAL, TOO_LARGE };

/* A decimal number, rounded to the nearest whole one, halves away from 0. */
static enum number number(struct op_view w, int64_t *out)
{
	bool minus = w.n && w.p[0] == '-';
	uint64_t most = (uint64_t)INT64_MAX + minus;
	enum number kind = WHOLE;
	size_t i = minus;
	uint64_t v = 0;

	if (i == w.n || !is_digit(w.p[i]))
		return NO_NUMBER;
	for (; i < w.n && is_digit(w.p[i]); i++) {
		uint64_t digit = (uint64_t)w.p[i] - '0';

		if (v > (most - digit) / 10)
			kind = TOO_LARGE;
		else
			v = v * 10 + digit;
	}
	if (i < w.n && w.p[i] == '.') {
		bool up = ++i < w.n && w.p[i] >= '5';

		if (kind == WHOLE)
			kind = up && v == most ? TOO_LARGE : DECIMAL;
		v += up;
		while (i < w.n && is_digit(w.p[i]))
			i++;
	}
	*out = (int64_t)(minus ? 0 - v : v);
	return i < w.n ? NO_NUMBER : kind;
}

bool op_folded_i64(struct op_view word, int64_t *out)
{
	size_t first = word.n && word.p[0] == '-';

	if (word.n > first + 1 && word.p[first] == '0')
		return false;
	if (op_view_is(word, "-0"))
		return false;
	return number(word, out) == WHOLE;
}

bool op_folded_u64(struct op_view word, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < word.n; i++)
		if (!is_digit(word.p[i]) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, word.p[i] - '0', &v))
			return false;
	*out = v;
	return word.n;
}

bool op_folded_hex(struct op_view word, uint8_t *out, size_t n)
{
	if (word.n > 2 && word.p[0] == '0' && word.p[1] == 'x')
		word = op_view(word.p + 2, word.n - 2);
	return op_unhex(word, out, n);
}

/* --- times --- */

/* From 1990 to 2200 the units do not meet: each has its own magnitudes. */
static uint64_t time_of(struct op_view word, uint64_t finest)
{
	static const uint64_t first = 631152000, end = 7258118400;
	uint64_t v;

	if (!op_folded_u64(word, &v))
		return 0;
	for (uint64_t per_second = finest; per_second <= 1000000000;
	     per_second *= 1000)
		if (v >= first * per_second && v < end * per_second)
			return v * (1000000000 / per_second);
	return 0;
}

/* In any unit, where attributes stand before it. */
static uint64_t annotated_time(struct op_view word)
{
	return time_of(word, 1);
}

/* Alone behind a count, which it could be too: not so likely with digits
 * enough for microseconds. */
static uint64_t lone_time(struct op_view word)
{
	return time_of(word, 1000000);
}

/* --- words --- */

/* The last word, and what stands before the blank before it. There must be
 * such a blank, or the word is empty. */
static struct op_view last_word(struct op_view line, struct op_view *before)
{
	size_t i = line.n;

	while (i && !is_blank(line.p[i - 1]))
		i--;
	*before = op_view(line.p, i);
	if (!i)
		return (struct op_view){ 0 };
	*before = trimmed(*before);
	return op_view(line.p + i, line.n - i);
}

/* The same for one that may be long: names seldom have blanks. */
static struct op_view word_before(struct op_view line, struct op_view *before)
{
	const uint8_t *space = line.n ? memrchr(line.p, ' ', line.n) : NULL;
	size_t n = space ? (size_t)(space - line.p) : 0;

	*before = trimmed(op_view(line.p, n));
	if (!space)
		return (struct op_view){ 0 };
	return op_view(space + 1, line.n - n - 1);
}

/* key=value,key=value with keys that are not empty. What has a semicolon is
 * the rest of a stack. */
static bool is_attrs(struct op_view w)
{
	const uint8_t *p = w.p, *end = w.p + w.n;

	if (!w.n || memchr(p, ';', w.n))
		return false;
	for (;;) {
		const uint8_t *stop = memchr(p, ',', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);

		if (!n || p[0] == '=' || !memchr(p, '=', n))
			return false;
		if (!stop)
			return true;
		p = stop + 1;
	}
}

static bool is_number(struct op_view w)
{
	int64_t v;

	return number(w, &v) != NO_NUMBER;
}

bool op_folded_misread(struct op_view name)
{
	struct op_view before, rest, last;

	name = trimmed(name);
	last = word_before(name, &before);
	if (!last.n)
		return false;
	return is_number(last) ||
	       (is_attrs(last) && is_number(word_before(before, &rest)));
}

/* --- lines --- */

/* Before and after: what counts is how much it became more. */
static const char *parse_pair(struct op_view a, struct op_view b,
			      struct op_folded_line *out, const uint8_t **at)
{
	int64_t after, before;

	*at = a.p;
	if (number(a, &after) == TOO_LARGE)
		return too_large;
	*at = b.p;
	if (number(b, &before) == TOO_LARGE ||
	    __builtin_sub_overflow(after, before, &out->value))
		return too_large;
	return NULL;
}

/* STACK COUNT ATTRIBUTES, where the last two are given. */
static bool parse_attrs(struct op_view attrs, struct op_view before,
			struct op_folded_line *out, const uint8_t **at,
			const char **why)
{
	struct op_view stack, count;
	enum number kind;

	if (!is_attrs(attrs))
		return false;
	count = word_before(before, &stack);
	kind = number(count, &out->value);
	if (kind == NO_NUMBER)
		return false;
	*at = count.p;
	*why = kind == TOO_LARGE ? too_large : NULL;
	out->stack = stack;
	out->attrs = attrs;
	return true;
}

static const char *parse_plain(bool pairs, struct op_view line,
			       struct op_folded_line *out, const uint8_t **at)
{
	struct op_view stack, rest, last, prev;
	const char *why = NULL;
	enum number kind;
	uint64_t time;

	*at = line.p;
	last = last_word(trimmed(line), &stack);
	kind = number(last, &out->value);
	if (kind == NO_NUMBER) {
		if (parse_attrs(last, stack, out, at, &why))
			return why;
		*at = line.p + line.n;
		return op_folded_no_count;
	}
	prev = word_before(stack, &rest);
	if (op_unlikely(is_number(prev)) && rest.n) {
		time = pairs ? 0 : lone_time(last);
		out->stack = rest;
		if (pairs)
			return parse_pair(last, prev, out, at);
		if (time && number(prev, &out->value) != TOO_LARGE) {
			out->has_time = true;
			out->time_ns = time;
			return NULL;
		}
	}
	time = annotated_time(last);
	if (op_unlikely(time) && !pairs &&
	    parse_attrs(prev, rest, out, at, &why)) {
		out->has_time = true;
		out->time_ns = time;
		return why;
	}
	*at = last.p;
	out->stack = stack;
	return number(last, &out->value) == TOO_LARGE ? too_large : NULL;
}

/* STACK COUNT [ATTRIBUTES] [TIME], one space between them: blanks in names
 * are escaped. */
static const char *parse_escaped(struct op_view line,
				 struct op_folded_line *out, const uint8_t **at)
{
	struct op_view words[4] = { { 0 } };
	const uint8_t *p = line.p, *end = p + line.n;
	uint32_t n = 0, i = 2;
	enum number kind;
	bool more = true;

	while (more && n < op_countof(words)) {
		const uint8_t *space = memchr(p, ' ', (size_t)(end - p));

		words[n++] = op_view(p, (size_t)((space ? space : end) - p));
		more = space != NULL;
		p = more ? space + 1 : end;
	}
	*at = p;
	if (more)
		return "text after the stack, count, attributes and time";
	*at = n < 2 ? end : words[1].p;
	kind = n < 2 ? NO_NUMBER : number(words[1], &out->value);
	if (kind == NO_NUMBER)
		return "no count after the stack";
	if (kind == TOO_LARGE)
		return too_large;
	out->stack = words[0];
	if (n > i && memchr(words[i].p, '=', words[i].n))
		out->attrs = words[i++];
	*at = words[i < n ? i : 0].p;
	out->has_time = n > i;
	if (n > i && (!op_folded_u64(words[i], &out->time_ns) || n > i + 1))
		return "the text after the count is neither attributes nor a "
		       "time";
	return NULL;
}

const char *op_folded_parse(enum op_folded_form form, struct op_view line,
			    struct op_folded_line *out, const uint8_t **at)
{
	*out = (struct op_folded_line){ 0 };
	if (form == OP_FOLDED_ESCAPED)
		return parse_escaped(line, out, at);
	return parse_plain(form == OP_FOLDED_PAIRS, line, out, at);
}

bool op_folded_looks(struct op_view line, struct op_folded_line *out)
{
	const uint8_t *at;
	const char *why = op_folded_parse(OP_FOLDED_PLAIN, line, out, &at);

	return !why || why == too_large;
}

static bool is_pair(struct op_view line, bool or_time)
{
	struct op_view stack, rest, last;

	last = last_word(trimmed(line), &stack);
	return is_number(last) && is_number(word_before(stack, &rest)) &&
	       rest.n && (or_time || !lone_time(last));
}

/* Two counts on every line. One with a single count shows that the others are
 * names that end in a number. */
enum op_folded_form op_folded_form_of(struct op_view in)
{
	bool first = true;
	struct op_view line;
	size_t at = 0;

	if (op_folded_next(in, &at, &line) && op_folded_is_head(line))
		return OP_FOLDED_ESCAPED;
	at = 0;
	while (op_folded_next(in, &at, &line)) {
		if (op_folded_skips(line))
			continue;
		if (!is_pair(line, !first))
			return OP_FOLDED_PLAIN;
		first = false;
	}
	return first ? OP_FOLDED_PLAIN : OP_FOLDED_PAIRS;
}
