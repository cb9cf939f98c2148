// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/escape.c: percent-escapes, and values as text. */
#include "fmt/folded/folded_int.h"

#include "model/any_text.h"

bool op_folded_decode(struct op_arena *mem, struct op_view v,
		      struct op_view *out, const uint8_t **at)
{
	const uint8_t *p = v.n ? memchr(v.p, '%', v.n) : NULL;
	const uint8_t *end = v.p + v.n;
	uint8_t *start, *to;

	*out = v;
	if (!p)
		return true;
	*at = NULL;
	start = to = op_arena_alloc(mem, v.n);
	if (!start)
		return false;
	for (p = v.p; p < end; to++) {
		if (*p != '%') {
			*to = *p++;
			continue;
		}
		*at = p++;
		if (end - p < 2 || !op_folded_hex(op_view(p, 2), to, 1))
			return false;
		p += 2;
	}
	*out = op_view(start, (size_t)(to - start));
	return true;
}

static bool is_special(uint8_t c, const char *also)
{
	return c <= ' ' || c == '%' || c == 0x7f || strchr(also, c);
}

void op_folded_encode(struct op_buf *out, struct op_view v, bool first,
		      const char *also)
{
	size_t from = 0;

	for (size_t i = 0; i < v.n; i++) {
		if (!is_special(v.p[i], also) && !(first && !i))
			continue;
		op_buf_view(out, op_view(v.p + from, i - from));
		op_buf_printf(out, "%%%02X", v.p[i]);
		from = i + 1;
	}
	op_buf_view(out, op_view(v.p + from, v.n - from));
}

/* --- values --- */

/* Text that looks like a whole number is none. */
static void put_text(struct op_buf *out, struct op_view text)
{
	int64_t num;

	op_folded_encode(out, text, op_folded_i64(text, &num), ",=");
}

/* Other kinds than text and whole numbers. */
static void put_other(struct op_buf *out, const struct op_model *m,
		      const struct op_any *v)
{
	struct op_buf text = { .err = out->err };

	op_any_plain(&text, m, v);
	put_text(out, op_view(text.p, text.n));
	op_buf_free(&text);
}

static void put_value(struct op_buf *out, const struct op_model *m,
		      const struct op_any *v)
{
	if (v->kind == OP_ANY_INT)
		op_buf_printf(out, "%lld", (long long)v->num);
	else if (v->kind == OP_ANY_STRING || v->kind == OP_ANY_STRING_ID)
		put_text(out, op_any_text(m, v));
	else
		put_other(out, m, v);
}

void op_folded_put_attr(struct op_buf *out, const struct op_model *m,
			struct op_view key, const struct op_any *value)
{
	bool first = op_view_is(key, OP_FOLDED_TRACE) ||
		     op_view_is(key, OP_FOLDED_SPAN);

	op_folded_encode(out, key, first, ",=");
	op_buf_byte(out, '=');
	put_value(out, m, value);
}
