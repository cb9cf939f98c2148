// SPDX-License-Identifier: Apache-2.0
#include "fmt/perf_script/line.h"

#include "base/hex.h"

bool op_script_next(struct op_view in, size_t *at, struct op_view *line)
{
	const uint8_t *end;
	size_t n;

	if (*at >= in.n)
		return false;
	end = memchr(in.p + *at, '\n', in.n - *at);
	n = end ? (size_t)(end - in.p) - *at : in.n - *at;
	*line = op_view(in.p + *at, n);
	*at += n + 1;
	if (n && line->p[n - 1] == '\r')
		line->n--;
	return true;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

struct op_view op_script_trim(struct op_view v)
{
	while (v.n && is_blank(v.p[0]))
		v = op_view(v.p + 1, v.n - 1);
	while (v.n && is_blank(v.p[v.n - 1]))
		v.n--;
	return v;
}

/* Splits off the first word. */
static struct op_view word(struct op_view *v)
{
	struct op_view w = op_script_trim(*v);
	size_t n = 0;

	while (n < w.n && !is_blank(w.p[n]))
		n++;
	*v = op_view(w.p + n, w.n - n);
	return op_view(w.p, n);
}

/* Splits off the last word. */
static struct op_view last_word(struct op_view *v)
{
	struct op_view w = op_script_trim(*v);
	size_t n = w.n;

	while (n && !is_blank(w.p[n - 1]))
		n--;
	*v = op_view(w.p, n);
	return op_view(w.p + n, w.n - n);
}

/* A decimal number that is all of the text. */
static bool number(struct op_view v, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v.n; i++) {
		if (!is_digit(v.p[i]) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, v.p[i] - '0', &n))
			return false;
	}
	*out = n;
	return v.n;
}

/* "pid/tid", "tid"; perf writes -1 for what it does not know. */
static bool ids(struct op_view v, struct op_script_head *out)
{
	const uint8_t *slash = v.n ? memchr(v.p, '/', v.n) : NULL;
	struct op_view first = v, second = v;
	uint64_t pid, tid;

	if (slash) {
		first.n = (size_t)(slash - v.p);
		second = op_view(slash + 1, v.n - first.n - 1);
	}
	if (op_view_is(second, "-1")) {
		out->tid = out->pid = -1;
		return true;
	}
	if (!number(first, &pid) || !number(second, &tid) || pid > INT32_MAX ||
	    tid > INT32_MAX)
		return false;
	out->tid = (int64_t)tid;
	out->pid = slash ? (int64_t)pid : -1;
	return true;
}

/* "seconds.fraction:", of six or nine digits; longer or shorter ones too. */
static bool time_of(struct op_view v, uint64_t *ns)
{
	const uint8_t *dot = v.n > 3 ? memchr(v.p, '.', v.n) : NULL;
	uint64_t s, part, scale = 1000000000;
	struct op_view fraction;

	if (!dot || v.p[v.n - 1] != ':')
		return false;
	fraction = op_view(dot + 1, (size_t)(v.p + v.n - 1 - (dot + 1)));
	if (fraction.n > 9 || !number(op_view(v.p, (size_t)(dot - v.p)), &s) ||
	    !number(fraction, &part) || s > UINT64_MAX / scale - 1)
		return false;
	*ns = s * scale;
	for (size_t i = 0; i < fraction.n; i++)
		scale /= 10;
	*ns += part * scale;
	return true;
}

/* "[003]" */
static bool cpu_of(struct op_view v, int64_t *cpu)
{
	uint64_t n;

	if (v.n < 3 || v.p[0] != '[' || v.p[v.n - 1] != ']' ||
	    !number(op_view(v.p + 1, v.n - 2), &n) || n > INT32_MAX)
		return false;
	*cpu = (int64_t)n;
	return true;
}

/* What stands before the time. */
static bool who_of(struct op_view v, struct op_script_head *out)
{
	struct op_view rest = v, w = last_word(&rest);

	out->who = v;
	out->cpu = -1;
	if (cpu_of(w, &out->cpu))
		w = last_word(&rest);
	if (!ids(w, out))
		return false;
	out->comm = op_script_trim(rest);
	return true;
}

/* The word that is a time, and what stands before it and behind. */
static bool split_at_time(struct op_view line, struct op_view *before,
			  struct op_view *behind, uint64_t *ns)
{
	struct op_view rest = line;

	while (rest.n) {
		struct op_view w = word(&rest);

		if (!w.n || !time_of(w, ns))
			continue;
		*before = op_view(line.p, (size_t)(w.p - line.p));
		*behind = rest;
		return true;
	}
	return false;
}

/* Without a time the ids are the first numbers behind a word. */
static bool split_at_ids(struct op_view line, struct op_view *before,
			 struct op_view *behind)
{
	struct op_view rest = line, w = word(&rest), after;
	struct op_script_head ignored;
	int64_t cpu;

	if (!w.n)
		return false;
	while (rest.n) {
		w = word(&rest);
		if (!ids(w, &ignored))
			continue;
		after = rest;
		if (cpu_of(word(&after), &cpu))
			rest = after;
		*before = op_view(line.p, (size_t)(rest.p - line.p));
		*behind = rest;
		return true;
	}
	return false;
}

/* "period event: more", "event: more", nothing. */
static void what_of(struct op_view v, struct op_script_head *out)
{
	struct op_view rest = v, w = word(&rest);

	if (number(w, &out->period)) {
		out->has_period = true;
		v = rest;
		w = word(&rest);
	}
	if (w.n > 1 && w.p[w.n - 1] == ':') {
		out->event = op_view(w.p, w.n - 1);
		v = rest;
	}
	out->more = op_script_trim(v);
}

bool op_script_head(struct op_view line, struct op_script_head *out)
{
	struct op_view before, behind;

	*out = (struct op_script_head){ 0 };
	out->has_time = split_at_time(line, &before, &behind, &out->time_ns);
	if (!out->has_time && !split_at_ids(line, &before, &behind))
		return false;
	if (!who_of(before, out))
		return false;
	what_of(behind, out);
	/* Text that only happens to have a number in it. */
	return out->has_time || out->event.n || !out->more.n;
}

/* --- frames --- */

static bool hex(struct op_view v, uint64_t *out)
{
	uint64_t n = 0;

	if (!v.n || v.n > 16)
		return false;
	for (size_t i = 0; i < v.n; i++) {
		int digit = op_hex_digit(v.p[i]);

		if (digit < 0)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*out = n;
	return true;
}

/* The text in the last parentheses, which may have others in them. */
static bool in_parens(struct op_view *v, struct op_view *out)
{
	size_t depth = 0;

	if (!v->n || v->p[v->n - 1] != ')')
		return false;
	for (size_t i = v->n; i-- > 0;) {
		depth += v->p[i] == ')';
		depth -= v->p[i] == '(';
		if (depth || (i && !is_blank(v->p[i - 1])))
			continue;
		*out = op_view(v->p + i + 1, v->n - i - 2);
		v->n = i;
		return true;
	}
	return false;
}

/* Without "+0x1f". */
static struct op_view plain_symbol(struct op_view v)
{
	uint64_t offset;

	for (size_t i = v.n; i-- > 0;) {
		if (v.p[i] == '+' && v.n - i > 3 && v.p[i + 1] == '0' &&
		    v.p[i + 2] == 'x' &&
		    hex(op_view(v.p + i + 3, v.n - i - 3), &offset))
			return op_view(v.p, i);
		if (op_hex_digit(v.p[i]) < 0 && v.p[i] != 'x')
			break;
	}
	return v;
}

bool op_script_frame(struct op_view line, struct op_script_frame *out)
{
	struct op_view rest = line;
	struct op_view file = { 0 };

	*out = (struct op_script_frame){ 0 };
	if (!hex(word(&rest), &out->address))
		return false;
	rest = op_script_trim(rest);
	if (in_parens(&rest, &file) && op_view_is(file, "inlined"))
		out->is_inlined = true;
	else if (!op_view_is(file, "[unknown]"))
		out->file = file;
	rest = plain_symbol(op_script_trim(rest));
	if (!op_view_is(rest, "[unknown]"))
		out->symbol = rest;
	return true;
}

bool op_script_source(struct op_view line, struct op_view *file, int64_t *nr)
{
	struct op_view v = op_script_trim(line);
	size_t n = v.n;
	uint64_t at;

	/* "file.so[1f40]" is all that is known of some. */
	if (v.n && is_blank(line.p[0]) && v.p[v.n - 1] == ']') {
		*file = (struct op_view){ 0 };
		*nr = 0;
		return true;
	}
	while (n && is_digit(v.p[n - 1]))
		n--;
	if (n < 2 || v.p[n - 1] != ':' || !is_blank(line.p[0]) ||
	    !number(op_view(v.p + n, v.n - n), &at) || at > INT32_MAX)
		return false;
	*file = op_view(v.p, n - 1);
	*nr = (int64_t)at;
	return true;
}
