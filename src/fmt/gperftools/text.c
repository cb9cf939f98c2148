// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/text.c: lines, numbers and stacks of the text profiles. */
#include "base/hex.h"
#include "fmt/gperftools/gperftools_int.h"
#include "sym/text.h"

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip(struct op_view *v, size_t n)
{
	*v = op_view(v->p + n, v->n - n);
}

static void skip_blanks(struct op_view *v)
{
	while (v->n && is_blank(v->p[0]))
		skip(v, 1);
}

struct op_view op_gperf_trim(struct op_view v)
{
	skip_blanks(&v);
	while (v.n && is_blank(v.p[v.n - 1]))
		v.n--;
	return v;
}

bool op_gperf_line(struct op_view *text, struct op_view *line)
{
	if (!op_text_line(text, line))
		return false;
	*line = op_gperf_trim(*line);
	return true;
}

bool op_gperf_is_idle(struct op_view line)
{
	return !line.n || line.p[0] == '#';
}

bool op_gperf_begins(struct op_view v, const char *text)
{
	size_t n = strlen(text);

	return v.n >= n && !memcmp(v.p, text, n);
}

static bool holds(struct op_view v, const char *text)
{
	return v.n && memmem(v.p, v.n, text, strlen(text));
}

bool op_gperf_is_map_head(struct op_view line)
{
	return holds(line, "--- Memory map: ---") ||
	       holds(line, "MAPPED_LIBRARIES:");
}

bool op_gperf_ends_samples(struct op_view line)
{
	return op_gperf_begins(line, "---") || op_gperf_is_map_head(line);
}

/* --- parts of a line --- */

bool op_gperf_take(struct op_view *v, const char *text)
{
	struct op_view rest = *v;

	skip_blanks(&rest);
	if (!op_gperf_begins(rest, text))
		return false;
	skip(&rest, strlen(text));
	*v = rest;
	return true;
}

bool op_gperf_take_int(struct op_view *v, int64_t *out)
{
	struct op_view rest = *v;
	bool is_negative;
	int64_t n = 0;
	size_t i;

	skip_blanks(&rest);
	is_negative = op_gperf_begins(rest, "-");
	skip(&rest, is_negative);
	for (i = 0; i < rest.n && rest.p[i] >= '0' && rest.p[i] <= '9'; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, rest.p[i] - '0', &n))
			return false;
	if (!i)
		return false;
	skip(&rest, i);
	*out = is_negative ? -n : n;
	*v = rest;
	return true;
}

bool op_gperf_take_hex(struct op_view *v, uint64_t *out)
{
	struct op_view rest = *v;
	uint64_t n = 0;
	size_t i;

	skip_blanks(&rest);
	if (rest.n > 2 && rest.p[0] == '0' && (rest.p[1] | 0x20) == 'x')
		skip(&rest, 2);
	for (i = 0; i < rest.n && op_hex_digit(rest.p[i]) >= 0; i++) {
		if (n >> 60)
			return false;
		n = n << 4 | (unsigned int)op_hex_digit(rest.p[i]);
	}
	if (!i)
		return false;
	skip(&rest, i);
	*out = n;
	*v = rest;
	return true;
}

struct op_view op_gperf_take_word(struct op_view *v)
{
	struct op_view word;
	size_t n = 0;

	skip_blanks(v);
	while (n < v->n && !is_blank(v->p[n]))
		n++;
	word = op_view(v->p, n);
	skip(v, n);
	return word;
}

bool op_gperf_assignment(struct op_view line, struct op_view *key,
			 struct op_view *value)
{
	const uint8_t *sign = line.n ? memchr(line.p, '=', line.n) : NULL;

	if (!sign)
		return false;
	*key = op_gperf_trim(op_view(line.p, (size_t)(sign - line.p)));
	*value = op_view(sign + 1, line.n - (size_t)(sign + 1 - line.p));
	*value = op_gperf_trim(*value);
	return true;
}

void op_gperf_take_stack(struct op_gperf *g, struct op_view v,
			 unsigned int less)
{
	uint64_t address;

	while (!g->err->code && op_gperf_trim(v).n) {
		v = op_gperf_trim(v);
		if (op_gperf_begins(v, "0x") && op_gperf_take_hex(&v, &address))
			op_gperf_address_add(g, address - less);
		else
			op_gperf_bad(g, v, "expected an address of a stack");
	}
}
