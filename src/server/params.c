// SPDX-License-Identifier: Apache-2.0
/* server/params.c: the parameters behind the ? of an address. */
#include "server/params.h"

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes the escapes of a part; a + is a space. */
static char *unescape(struct op_params *p, struct op_view v, struct op_err *err)
{
	char *out = op_arena_alloc(&p->mem, v.n + 1);
	size_t n = 0;

	for (size_t i = 0; out && i < v.n; i++) {
		int c = v.p[i];

		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			int high = i + 2 < v.n ? digit(v.p[i + 1]) : -1;
			int low = i + 2 < v.n ? digit(v.p[i + 2]) : -1;

			c = high * 16 + low;
			i += 2;
			if (high < 0 || low < 0 || !c) {
				op_fail(err, OP_EUSAGE,
					"a parameter has an escape that is "
					"not valid");
				return NULL;
			}
		}
		out[n++] = (char)c;
	}
	if (out)
		out[n] = 0;
	return out;
}

static const struct op_param *find(const struct op_params *p, const char *name)
{
	for (size_t i = 0; i < p->list.n; i++)
		if (!strcmp(p->list.p[i].name, name))
			return &p->list.p[i];
	return NULL;
}

static int add(struct op_params *p, struct op_view pair, struct op_err *err)
{
	const uint8_t *is = memchr(pair.p, '=', pair.n);
	size_t n = is ? (size_t)(is - pair.p) : pair.n;
	struct op_param x;

	if (p->list.n >= OP_MAX_PARAMS)
		return op_fail(err, OP_EUSAGE, "more than %d parameters",
			       OP_MAX_PARAMS);
	x.name = unescape(p, op_view(pair.p, n), err);
	n += is ? 1 : 0;
	x.value = unescape(p, op_view(pair.p + n, pair.n - n), err);
	if (err->code)
		return err->code;
	if (find(p, x.name))
		return op_fail(err, OP_EUSAGE, "parameter '%.60s' occurs twice",
			       x.name);
	(void)op_vec_push(&p->mem, &p->list, x);
	return err->code;
}

int op_params_parse(struct op_params *p, struct op_view text,
		    struct op_err *err)
{
	p->mem.err = err;
	while (text.n && !err->code) {
		const uint8_t *end = memchr(text.p, '&', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;

		if (n)
			add(p, op_view(text.p, n), err);
		n += end ? 1 : 0;
		text = op_view(text.p + n, text.n - n);
	}
	return err->code;
}

void op_params_free(struct op_params *p)
{
	op_arena_free(&p->mem);
	*p = (struct op_params){ 0 };
}

const char *op_param(const struct op_params *p, const char *name)
{
	const struct op_param *x = find(p, name);

	return x && *x->value ? x->value : NULL;
}

uint64_t op_param_number(const struct op_params *p, const char *name,
			 uint64_t fallback, uint64_t max, struct op_err *err)
{
	const char *text = op_param(p, name);
	uint64_t v = 0;

	if (!text)
		return fallback;
	for (; *text >= '0' && *text <= '9'; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (digit > max || v > (max - digit) / 10)
			break;
		v = v * 10 + digit;
	}
	if (!*text)
		return v;
	op_fail(err, OP_EUSAGE, "%s expects a number from 0 to %llu", name,
		(unsigned long long)max);
	return fallback;
}
