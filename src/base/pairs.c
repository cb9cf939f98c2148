// SPDX-License-Identifier: Apache-2.0
/* base/pairs.c: parses "name=value,..." lists. */
#include "base/pairs.h"

#include "base/hex.h"

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct op_view trim(struct op_view v)
{
	while (v.n && is_space(v.p[0]))
		v = op_view(v.p + 1, v.n - 1);
	while (v.n && is_space(v.p[v.n - 1]))
		v.n--;
	return v;
}

/* A copy with escapes decoded; NULL after an error. base is the start of the
 * whole text. */
static const char *decode(struct op_view v, struct op_arena *mem,
			  const char *base, struct op_err *err)
{
	char *out = op_new_raw(mem, char, v.n + 1);
	size_t n = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < v.n; i++) {
		uint8_t c = v.p[i];

		if (c == '%') {
			if (v.n - i < 3 ||
			    !op_unhex(op_view(v.p + i + 1, 2), &c, 1) || !c) {
				op_fail_at(err, OP_EUSAGE,
					   (uint64_t)((const char *)v.p + i -
						      base),
					   "bad escape");
				return NULL;
			}
			i += 2;
		}
		out[n++] = (char)c;
	}
	out[n] = 0;
	return out;
}

static int element(struct op_pairs *out, struct op_arena *mem, struct op_view v,
		   const char *base, struct op_err *err)
{
	const uint8_t *eq = memchr(v.p, '=', v.n);
	uint64_t at = (uint64_t)((const char *)v.p - base);
	struct op_pair pair;
	struct op_view key, value;

	if (!eq)
		return op_fail_at(err, OP_EUSAGE, at, "'=' is missing");
	key = trim(op_view(v.p, (size_t)(eq - v.p)));
	value = trim(op_view(eq + 1, (size_t)(v.p + v.n - eq - 1)));
	if (!key.n)
		return op_fail_at(err, OP_EUSAGE, at, "a key is missing");
	pair.key = decode(key, mem, base, err);
	pair.value = pair.key ? decode(value, mem, base, err) : NULL;
	if (pair.value)
		(void)op_vec_push(mem, out, pair);
	return err->code;
}

int op_pairs_read(struct op_pairs *out, struct op_arena *mem, const char *text,
		  struct op_err *err)
{
	const char *p = text;

	while (*p && !err->code) {
		size_t n = strcspn(p, ",");
		struct op_view v = trim(op_view(p, n));

		if (v.n)
			element(out, mem, v, text, err);
		p += n + (p[n] == ',');
	}
	return err->code;
}
