// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/escape.c: percent-escapes, and values as text. */
#include "fmt/folded/folded_int.h"

#include "pb/json_write.h"

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

static void put_json(struct op_json *w, const struct op_model *m,
		     const struct op_any *v);

static void put_list(struct op_json *w, const struct op_model *m,
		     const struct op_any *v)
{
	bool kvs = v->kind == OP_ANY_KVLIST;

	op_json_open(w, kvs ? '{' : '[');
	for (uint32_t i = 0; i < v->n; i++) {
		if (kvs)
			op_json_key_view(w, op_kv_key(m, &v->kvlist[i]));
		put_json(w, m, kvs ? &v->kvlist[i].value : &v->array[i]);
	}
	op_json_close(w, kvs ? '}' : ']');
}

/* Recursion is bounded by the depth that readers allow. */
static void put_json(struct op_json *w, const struct op_model *m,
		     const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_BOOL:
		op_json_bool(w, v->flag);
		break;
	case OP_ANY_INT:
		op_json_int(w, v->num);
		break;
	case OP_ANY_DOUBLE:
		op_json_double(w, v->real);
		break;
	case OP_ANY_BYTES:
		op_json_hex(w, v->bytes);
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		put_list(w, m, v);
		break;
	case OP_ANY_NONE:
		op_json_null(w);
		break;
	default:
		op_json_string(w, op_any_text(m, v));
	}
}

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
	struct op_json w = { .out = &text, .first = true };

	if (v->kind == OP_ANY_BYTES)
		op_buf_hex(&text, v->bytes);
	else if (v->kind == OP_ANY_DOUBLE)
		op_buf_z(&text, op_double_text(v->real).s);
	else if (v->kind != OP_ANY_NONE)
		put_json(&w, m, v);
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
