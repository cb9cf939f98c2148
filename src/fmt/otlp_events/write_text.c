// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/write_text.c: the wire format as protobuf's text format. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "base/number.h"
#include "fmt/otlp_events/schema.h"
#include "pb/json_write.h"
#include "pb/read.h"

static void indent(struct op_buf *out, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++)
		op_buf_z(out, "  ");
}

/* A string; what is not text is written as octal codes. */
static void quoted(struct op_buf *out, struct op_view v, bool is_text)
{
	op_buf_byte(out, '"');
	for (size_t i = 0; i < v.n; i++) {
		uint8_t c = v.p[i];

		if (c == '\n')
			op_buf_z(out, "\\n");
		else if (c == '"' || c == '\\')
			op_buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !is_text))
			op_buf_printf(out, "\\%03o", c);
		else
			op_buf_byte(out, c);
	}
	op_buf_byte(out, '"');
}

static void scalar(struct op_buf *out, const struct op_events_field *f,
		   uint64_t v)
{
	double real;

	switch (f->kind) {
	case OP_EVENTS_INT64:
		op_buf_printf(out, "%lld", (long long)v);
		break;
	case OP_EVENTS_BOOL:
		op_buf_z(out, v ? "true" : "false");
		break;
	case OP_EVENTS_DOUBLE:
		memcpy(&real, &v, sizeof(real));
		op_buf_z(out, op_double_text(real).s);
		break;
	case OP_EVENTS_BUILD_ID_KIND:
		op_buf_z(out, v ? "BUILD_ID_BINARY_HASH" : "BUILD_ID_LINKER");
		break;
	default:
		op_buf_printf(out, "%llu", (unsigned long long)v);
	}
}

static void packed(struct op_buf *out, const struct op_events_field *f,
		   struct op_cur run)
{
	const char *between = "[";

	while (op_cur_more(&run)) {
		op_buf_z(out, between);
		scalar(out, f, op_cur_varint(&run));
		between = ", ";
	}
	op_buf_z(out, "]");
}

/* What stands between the braces of a message. It is one that we wrote, as
 * deep as readers allow. */
static void message(struct op_buf *out, struct op_cur c,
		    enum op_events_kind kind, unsigned int depth)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		const struct op_events_field *s = op_events_numbered(kind,
								     f.num);

		if (!s)
			continue;
		indent(out, depth);
		op_buf_z(out, s->name);
		if (s->kind >= OP_EVENTS_DATA) {
			op_buf_z(out, " {\n");
			message(out, op_pb_sub(&c, &f), s->kind, depth + 1);
			indent(out, depth);
			op_buf_z(out, "}\n");
			continue;
		}
		op_buf_z(out, ": ");
		if (s->kind >= OP_EVENTS_STRING)
			quoted(out, f.bytes, s->kind == OP_EVENTS_STRING);
		else if (f.wire == OP_PB_LEN)
			packed(out, s, op_pb_sub(&c, &f));
		else
			scalar(out, s, f.v);
		op_buf_byte(out, '\n');
	}
}

/* The one profile message that is all there is, if nothing around it says
 * anything. */
static bool is_alone(struct op_view in, struct op_view *out)
{
	static const uint32_t path[] = { 1, 2, 2 };

	for (size_t i = 0; i < op_countof(path); i++) {
		struct op_err err = { 0 };
		struct op_cur c = op_cur(in, &err);
		struct op_pb_field f;

		if (!op_pb_next(&c, &f) || f.num != path[i])
			return false;
		in = f.bytes;
		if (op_pb_next(&c, &f))
			return false;
	}
	*out = in;
	return true;
}

int op_events_text_write(const struct op_model *m,
			 const struct op_write_opts *opts, struct op_buf *out)
{
	struct op_pbw w = { .err = out->err };
	struct op_view wire, profile;

	if (!op_events_encode(m, opts, &w)) {
		wire = op_pbw_result(&w);
		if (is_alone(wire, &profile))
			message(out, op_cur(profile, out->err),
				OP_EVENTS_PROFILE, 0);
		else
			message(out, op_cur(wire, out->err), OP_EVENTS_DATA, 0);
	}
	op_pbw_free(&w);
	return out->err->code;
}
