// SPDX-License-Identifier: Apache-2.0
#include "write/wire.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *spell(struct wire *w, const char *s, char end);

static void refuse(const char *s, const char *why)
{
	fprintf(stderr, "wire text: %s at '%.40s'\n", why, s);
	abort();
}

static void byte(struct wire *w, unsigned int b)
{
	if (w->n == WIRE_MAX)
		refuse("", "too long");
	w->p[w->n++] = (uint8_t)b;
}

static void varint(struct wire *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		byte(w, (unsigned int)(v & 0x7f) | 0x80);
	byte(w, (unsigned int)v);
}

static void fixed(struct wire *w, uint64_t v, int n)
{
	for (; n--; v >>= 8)
		byte(w, (unsigned int)(v & 0xff));
}

static uint64_t number(const char **s)
{
	char *end;
	uint64_t v;

	if (**s == '-')
		v = (uint64_t)strtoll(*s, &end, 0);
	else
		v = strtoull(*s, &end, 0);
	if (end == *s)
		refuse(*s, "a number is missing");
	*s = end;
	return v;
}

static const char *hex(struct wire *w, const char *s)
{
	char two[3] = "";

	for (; isxdigit((unsigned char)s[0]) && isxdigit((unsigned char)s[1]);
	     s += 2) {
		memcpy(two, s, 2);
		byte(w, (unsigned int)strtoul(two, NULL, 16));
	}
	return s;
}

/* Numbers up to end, as varints or as eight bytes each. */
static const char *run(struct wire *w, const char *s, char end)
{
	while (*s != end) {
		if (isspace((unsigned char)*s))
			s++;
		else if (*s == '^')
			w->marked = true, w->mark = w->n, s++;
		else if (end == ']')
			varint(w, number(&s));
		else
			fixed(w, number(&s), 8);
	}
	return s + 1;
}

static const char *text(struct wire *w, const char *s)
{
	for (; *s != '\''; s++) {
		if (!*s)
			refuse(s, "a quote is missing");
		byte(w, (unsigned char)*s);
	}
	return s + 1;
}

/* What stands between the brackets, behind its length. */
static const char *sized(struct wire *w, const char *s, char open)
{
	struct wire *in = calloc(1, sizeof(*in));

	if (!in)
		refuse(s, "no memory");
	if (*s == '^')
		in->marked = true, s++;
	if (open == '{')
		s = spell(in, s, '}');
	else if (open == '\'')
		s = text(in, s);
	else if (open == '#')
		s = hex(in, s);
	else
		s = run(in, s, open == '[' ? ']' : '>');
	varint(w, in->n);
	if (in->marked) {
		w->marked = true;
		w->mark = w->n + in->mark;
	}
	for (size_t i = 0; i < in->n; i++)
		byte(w, in->p[i]);
	free(in);
	return s;
}

static const char *field(struct wire *w, const char *s)
{
	uint64_t tag = number(&s) << 3;
	char kind = *s++;

	if (kind == ':') {
		varint(w, tag);
		if (*s == '^')
			w->marked = true, w->mark = w->n, s++;
		varint(w, number(&s));
	} else if (kind == '@') {
		varint(w, tag | 1);
		fixed(w, number(&s), 8);
	} else if (kind == '%') {
		varint(w, tag | 5);
		fixed(w, number(&s), 4);
	} else if (kind && strchr("{['#<", kind)) {
		varint(w, tag | 2);
		s = sized(w, s, kind);
	} else {
		refuse(s - 1, "not a kind of field");
	}
	return s;
}

static const char *spell(struct wire *w, const char *s, char end)
{
	while (*s != end) {
		if (isspace((unsigned char)*s))
			s++;
		else if (*s == '^')
			w->marked = true, w->mark = w->n, s++;
		else if (*s == '=')
			s = hex(w, s + 1);
		else if (isdigit((unsigned char)*s))
			s = field(w, s);
		else
			refuse(s, "not a field");
	}
	return end ? s + 1 : s;
}

void wire_add(struct wire *w, const char *s)
{
	spell(w, s, 0);
}

void wire_set(struct wire *w, const char *s)
{
	w->n = w->mark = 0;
	w->marked = false;
	wire_add(w, s);
}

struct op_view wire_view(const struct wire *w)
{
	return op_view(w->p, w->n);
}

static void input_free(void *p, size_t n)
{
	(void)n;
	free(p);
}

int wire_decode(struct op_model *m, struct op_view in,
		const struct op_otlp_opts *opts, struct op_err *err)
{
	uint8_t *copy = malloc(in.n + !in.n);

	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	if (!copy)
		refuse("", "no memory");
	if (in.n)
		memcpy(copy, in.p, in.n);
	if (!op_otlp_decode(m, op_view(copy, in.n), opts, err) &&
	    !op_model_own(m, input_free, copy, 0, err))
		return OP_OK;
	free(copy);
	op_model_free(m);
	return err->code;
}

/* --- generated messages --- */

struct text {
	char *p;
	size_t n, cap;
	uint32_t seed;
};

static void put(struct text *t, const char *fmt, ...) op_printf(2, 3);

static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= t->cap - t->n)
		refuse(fmt, "no room");
	t->n += (size_t)n;
}

/* A number below n (xorshift). */
static uint32_t below(struct text *t, uint32_t n)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 17;
	t->seed ^= t->seed << 5;
	return t->seed % n;
}

/* Two attribute lists out of five whose keys differ, or none. */
static void put_attrs(struct text *t, int num)
{
	static const char *const lists[] = { "", "1", "2 3", "3 2", "3 1" };

	put(t, "%d[%s] ", num, lists[below(t, 5)]);
}

enum { STRINGS = 7, ROWS = 6 };

static void put_dictionary(struct text *t)
{
	static const char *const values[] = { "1'x'", "3:-1", "8:2", "2:0" };
	static const int keys[] = { 0, 1, 2, 3, 1, 2, 3 };

	put(t, "2{ 5'' 5'a' 5'b' 5'c' 5'main' 5'a' 5'unused' ");
	put(t, WIRE_ZERO_ROWS);
	for (int i = 1; i < ROWS; i++) {
		put(t, "1{ 1:%u 2:%u 4:%u ", below(t, 2), 16 + below(t, 2),
		    below(t, STRINGS));
		put_attrs(t, 5);
		put(t, "} 3{ 1:%u 2:%u 4:%u } ", 1 + below(t, 6), below(t, 3),
		    below(t, 2));
		put(t, "2{ 1:%u 2:%u 3{ 1:%u 2:%u } ", below(t, ROWS),
		    below(t, 3), below(t, ROWS), below(t, 3));
		put_attrs(t, 4);
		put(t,
		    "} 4{ 1#0102030405060708090a0b0c0d0e0f%02x "
		    "2#01020304050607%02x } ",
		    below(t, 2), below(t, 2));
		put(t, "6{ 1:%d 2{ %s } 3:%u } ", keys[i], values[below(t, 4)],
		    below(t, 2) * 4);
		put(t, "7{ 1[%u %u %u] } ", below(t, ROWS), below(t, ROWS),
		    below(t, ROWS));
	}
	put(t, "} ");
}

static void put_sample(struct text *t, bool timed)
{
	put(t, "2{ 1:%u 3:%u ", below(t, ROWS), below(t, ROWS));
	put_attrs(t, 2);
	if (timed)
		put(t, "4[%u %d] 5<%u %u> } ", below(t, 3), -(int)below(t, 300),
		    1000 + below(t, 9), below(t, 9));
	else
		put(t, "4[%d] } ", (int)below(t, 1000) - 400);
}

void wire_generate(char *out, size_t n, uint32_t seed)
{
	struct text t = { .p = out, .cap = n, .seed = seed * 2654435761u | 1 };
	bool mixed = below(&t, 2);

	put_dictionary(&t);
	for (uint32_t r = 0; r < 1 + below(&t, 2); r++) {
		put(&t, "1{ 1{ 1{ 1'key%u' 2{ 1'v' } } 1{ 3:4 2{ 8:1 } } } ",
		    r);
		for (uint32_t p = 0; p < 1 + below(&t, 3); p++) {
			bool timed = below(&t, 2);

			put(&t, "2{ 1{ 1'scope' } 2{ 1{ 1:%u 2:2 } 3@5 4:7 ",
			    below(&t, STRINGS));
			put_attrs(&t, 11);
			for (uint32_t i = below(&t, 12); i--;)
				put_sample(&t, mixed && i % 3 ? !timed : timed);
			put(&t, "} } ");
		}
		put(&t, "} ");
	}
}
