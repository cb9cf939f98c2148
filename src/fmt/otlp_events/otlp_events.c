// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/otlp_events.c: files of profiles that are events: one
 * message, as protobuf or as its text format. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "fmt/draft/read.h"
#include "fmt/draft/write.h"

const struct op_draft_layout op_events_layout = {
	.attrs = OP_DRAFT_REFS,
	.table = {
		[OP_STACKS] = 4,
		[OP_LOCATIONS] = 5,
		[OP_FUNCTIONS] = 6,
		[OP_MAPPINGS] = 7,
		[OP_ATTRS] = 8,
		[OP_LINKS] = 10,
		[OP_STRINGS] = 11,
	},
	.function = { .name = 2, .system_name = 3, .filename = 4,
		      .start_line = 5 },
	.location = { .mapping = 1, .address = 2, .line = 3, .is_folded = 4,
		      .type = 5, .attrs = 6 },
	.mapping = { .start = 1, .limit = 2, .offset = 3, .filename = 4,
		     .build_id = 5, .id_kind = 6, .attrs = 7,
		     .first_flag = 8 },
};

static int events_sniff(struct op_view in);

static int read_with(struct op_view in, const struct op_read_opts *opts,
		     op_model_fn *fn, void *ctx, bool text, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	if (text)
		op_events_text_read(&m, in, err);
	else if (!op_events_decode(&m, in, err))
		op_draft_empty_check(&m, events_sniff(in), err);
	return op_model_deliver(&m, fn, ctx, err);
}

static int events_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	return read_with(in, opts, fn, ctx, false, err);
}

static int text_read(struct op_view in, const struct op_read_opts *opts,
		     op_model_fn *fn, void *ctx, struct op_err *err)
{
	return read_with(in, opts, fn, ctx, true, err);
}

static int events_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *out,
			struct op_err *err)
{
	struct op_pbw w = { .err = err };

	op_events_encode(m, opts, &w);
	return op_draft_file_end(&w, out);
}

static int text_write(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_sink *out,
		      struct op_err *err)
{
	struct op_buf buf = { .err = err };

	if (!op_events_text_write(m, opts, &buf))
		out->write(out, op_view(buf.p, buf.n), err);
	op_buf_free(&buf);
	return err->code;
}

/* --- telling it from the bytes --- */

static bool is_type(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (f.num > TYPE_ATTRIBUTES ||
		    (f.wire != OP_PB_VARINT && f.num != TYPE_ATTRIBUTES))
			return false;
	return !err.code;
}

/* The wire type that a field must have. */
static bool wire_fits(const struct op_pb_field *f)
{
	switch (f->num) {
	case EVENTS_TIME:
		return f->wire == OP_PB_I64;
	case EVENTS_DURATION:
		return f->wire == OP_PB_VARINT;
	case EVENTS_COMMENT:
		return f->wire == OP_PB_LEN || f->wire == OP_PB_VARINT;
	case 2: /* the drafts beside it have samples and a table there */
	case 9:
		return false;
	default:
		return f->num <= EVENTS_COMMENT && f->wire == OP_PB_LEN;
	}
}

static int events_sniff(struct op_view in)
{
	uint32_t strings_num = op_events_layout.table[OP_STRINGS];
	bool strings = false, types = false;
	struct op_err err = { 0 };
	struct op_view profile;
	struct op_pb_field f;
	struct op_cur c;

	if (!op_draft_first_profile(in, &profile))
		return 0;
	c = op_cur(profile, &err);
	while (op_pb_next(&c, &f)) {
		if (!wire_fits(&f) ||
		    (f.num == strings_num && !strings && f.bytes.n) ||
		    (f.num == EVENTS_TYPE && !is_type(f.bytes)))
			return 0;
		strings |= f.num == strings_num;
		types |= f.num == EVENTS_TYPE;
	}
	return strings && types ? 85 : 0;
}

static int text_sniff(struct op_view in)
{
	return op_events_text_begins(in) ? 90 : 0;
}

const struct op_format op_format_otlp_events = {
	.name = "otlp-events",
	.summary = "OTLP profiles draft with timestamped events",
	.endings = { ".otlp-events" },
	.copies = true,
	.sniff = events_sniff,
	.read = events_read,
	.write = events_write,
};

const struct op_format op_format_otlp_events_text = {
	.name = "otlp-events-text",
	.summary = "OTLP profiles draft with timestamped events, text",
	.endings = { ".txtpb", ".textproto", ".pbtxt" },
	.copies = true,
	.sniff = text_sniff,
	.read = text_read,
	.write = text_write,
};
