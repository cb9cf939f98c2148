// SPDX-License-Identifier: Apache-2.0
/* cli/text.c: values, times and names as text. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/text_width.h"
#include "show.h"
#include "table.h"

static bool is_word(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		uint8_t c = v.p[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  (c >= '0' && c <= '9') || c == '_' || c == '.' ||
			  c == ':' || c == '-';

		if (!ok)
			return false;
	}
	return v.n;
}

/* As is if it is a plain word, else quoted. */
void text_word(struct op_buf *out, struct op_view v)
{
	if (is_word(v))
		op_buf_view(out, v);
	else
		op_quote(out, v);
}

void text_name(struct op_buf *out, struct op_view v)
{
	size_t at = out->n;

	op_quote(out, v);
	if (out->err->code || out->n < at + 2)
		return;
	/* Without quotes, which no name here needs. */
	memmove(out->p + at, out->p + at + 1, out->n - at - 2);
	out->n -= 2;
}

void text_cut(struct op_buf *out, size_t at, uint32_t columns)
{
	struct op_view v = op_view(out->p + at, out->n - at);
	uint32_t used;

	if (out->err->code || op_text_columns(v) <= columns)
		return;
	out->n = at + op_text_fit(v, columns - 3, &used).n;
	op_buf_z(out, "...");
}

void text_wrap(struct op_buf *out, size_t at)
{
	uint32_t width = table_line_width();
	size_t from = at, comma = 0;

	if (!width || out->err->code)
		return;
	for (size_t i = at; i < out->n; i++) {
		struct op_view line = op_view(out->p + from, i - from);

		if (out->p[i] != '\n' &&
		    (out->p[i] != ' ' || i == at || out->p[i - 1] != ','))
			continue;
		if (comma && op_text_columns(line) > width) {
			out->p[comma] = '\n';
			from = comma + 1;
		}
		comma = i;
	}
}

static void list_text(struct op_buf *out, const struct op_model *m,
		      const struct op_any *v)
{
	bool kvs = v->kind == OP_ANY_KVLIST;

	op_buf_byte(out, kvs ? '{' : '[');
	for (uint32_t i = 0; i < v->n; i++) {
		if (i)
			op_buf_byte(out, ',');
		if (kvs) {
			text_word(out, op_kv_key(m, &v->kvlist[i]));
			op_buf_byte(out, ':');
		}
		text_any(out, m, kvs ? &v->kvlist[i].value : &v->array[i]);
	}
	op_buf_byte(out, kvs ? '}' : ']');
}

/* The depth that readers allow limits the recursion. */
void text_any(struct op_buf *out, const struct op_model *m,
	      const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_NONE:
		op_buf_z(out, "null");
		break;
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_quote(out, op_any_text(m, v));
		break;
	case OP_ANY_BOOL:
		op_buf_z(out, v->flag ? "true" : "false");
		break;
	case OP_ANY_INT:
		op_buf_printf(out, "%" PRId64, v->num);
		break;
	case OP_ANY_DOUBLE:
		op_buf_z(out, op_double_text(v->real).s);
		break;
	case OP_ANY_BYTES:
		op_buf_z(out, "0x");
		op_buf_hex(out, v->bytes);
		break;
	default:
		list_text(out, m, v);
	}
}

void text_time(struct op_buf *out, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[40];

	if (!gmtime_r(&s, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm)) {
		op_buf_printf(out, "%" PRIu64 " ns", ns);
		return;
	}
	op_buf_printf(out, "%s.%09" PRIu64 "Z", text, ns % 1000000000);
}

void text_duration(struct op_buf *out, uint64_t ns)
{
	if (ns >= 1000000000)
		op_buf_printf(out, "%s s",
			      op_general_text((double)ns / 1e9, 9).s);
	else if (ns >= 1000000)
		op_buf_printf(out, "%s ms",
			      op_general_text((double)ns / 1e6, 6).s);
	else if (ns >= 1000)
		op_buf_printf(out, "%s us",
			      op_general_text((double)ns / 1e3, 3).s);
	else
		op_buf_printf(out, "%" PRIu64 " ns", ns);
}

void text_number(struct op_buf *out, int64_t v)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, u);

	if (v < 0)
		op_buf_byte(out, '-');
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			op_buf_byte(out, ',');
		op_buf_byte(out, digits[i]);
	}
}
