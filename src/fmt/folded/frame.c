// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/frame.c: what a frame is called. */
#include "fmt/folded/folded_int.h"
#include "model/semconv.h"

/* --- names of Java --- */

static bool is_digit(struct op_view v, size_t i)
{
	return i < v.n && v.p[i] >= '0' && v.p[i] <= '9';
}

/* The last dot or slash before end that a name stands behind, or that a
 * number does; end if there is none. */
static size_t last_mark(struct op_view v, size_t end, bool number)
{
	for (size_t i = end; i--;)
		if ((v.p[i] == '.' || v.p[i] == '/') &&
		    is_digit(v, i + 1) == number)
			return i;
	return end;
}

static size_t method_at(struct op_view v)
{
	const uint8_t *dot = v.n ? memrchr(v.p, '.', v.n) : NULL;

	return dot ? (size_t)(dot - v.p) : 0;
}

/* Where what tells hidden classes apart begins: "Lambda.0x0800c03000",
 * "Lambda/123", "Lambda+0x0800c03000". */
static size_t hidden_at(struct op_view v, size_t end)
{
	const uint8_t *plus = memmem(v.p, end, "+0x", 3);

	return plus ? (size_t)(plus - v.p) : last_mark(v, end, true);
}

/* "java.util.List.of": of that List.of. */
static void put_java(struct op_buf *out, struct op_view v,
		     const struct op_folded_style *style)
{
	size_t end = method_at(v), class_end = end, from = 0;

	if (end && style->norm)
		class_end = hidden_at(v, end);
	if (end && style->simple) {
		from = last_mark(v, end, false);
		from = from == end ? 0 : from + 1;
	}
	if (class_end < from)
		class_end = end;
	op_buf_view(out, op_view(v.p + from, class_end - from));
	op_buf_view(out, op_view(v.p + end, v.n - end));
}

static bool is_java(const struct op_model *m, const struct op_location *l)
{
	struct op_ids ids = op_list(&m->dict.sets, l->attrs);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_is(op_string(m, a->key), OP_ATTR_FRAME_TYPE))
			return op_view_is(op_any_text(m, &a->value), "jvm");
	}
	return false;
}

/* --- frames --- */

static struct op_view base_name(struct op_view path)
{
	const uint8_t *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
	size_t n = slash ? (size_t)(slash + 1 - path.p) : 0;

	return op_view(path.p + n, path.n - n);
}

void op_folded_put_frame(struct op_buf *out, const struct op_model *m,
			 const struct op_location *l,
			 const struct op_line *line,
			 const struct op_folded_style *style)
{
	const struct op_dict *d = &m->dict;
	const struct op_function *f = &d->functions[line ? line->function : 0];
	struct op_view file = op_string(m, d->mappings[l->mapping].filename);
	struct op_view name = op_string(m, f->name ? f->name : f->system_name);

	if (name.n && (style->simple || style->norm) && is_java(m, l)) {
		put_java(out, name, style);
	} else if (f->name || f->system_name) {
		op_buf_view(out, name);
	} else if (file.n || l->address) {
		op_buf_view(out, base_name(file));
		op_buf_printf(out, "%s0x%llx", file.n ? "+" : "",
			      (unsigned long long)l->address);
	}
	if (!out->n)
		op_buf_z(out, OP_FOLDED_UNKNOWN);
	if (style->lines && line && line->line > 0)
		op_buf_printf(out, ":%lld", (long long)line->line);
}

/* --- threads --- */

bool op_folded_put_thread(struct op_buf *out, const struct op_model *m,
			  uint32_t set)
{
	struct op_ids ids = op_list(&m->dict.sets, set);
	struct op_view name = { 0 };
	const struct op_attr *id = NULL;

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_is(op_string(m, a->key), OP_ATTR_THREAD_NAME))
			name = op_any_text(m, &a->value);
		else if (op_view_is(op_string(m, a->key), OP_ATTR_THREAD_ID) &&
			 a->value.kind == OP_ANY_INT)
			id = a;
	}
	if (!name.n && !id)
		return false;
	op_buf_byte(out, '[');
	op_buf_view(out, name);
	if (id)
		op_buf_printf(out, "%stid=%lld", name.n ? " " : "",
			      (long long)id->value.num);
	op_buf_byte(out, ']');
	return true;
}
