// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/pprof.c: pprof files: one message, by custom packed with gzip. */
#include "fmt/pprof/pprof.h"

#include "fmt/pprof/fields.h"
#include "pb/shape.h"

/* The wire types of the fields, to tell how much of a message has a meaning. */
static const struct op_pb_shape type = { .varint = OP_PB_BITS(1, 2) };
static const struct op_pb_shape numbers_5 = { .varint = OP_PB_BITS(1, 5) };
static const struct op_pb_shape mapping = { .varint = OP_PB_BITS(1, 10) };
static const struct op_pb_shape sample = { .varint = OP_PB_BITS(1, 2),
					   .len = OP_PB_BITS(1, 2),
					   .sub = { { 3, &numbers_5 } } };
static const struct op_pb_shape location = {
	.varint = OP_PB_BITS(1, 3) | OP_PB_BIT(5),
	.sub = { { 4, &numbers_5 } },
};
static const struct op_pb_shape profile = {
	.varint = OP_PB_BITS(7, 15),
	.len = OP_PB_BIT(6) | OP_PB_BIT(13),
	.sub = { { 1, &type },
		 { 2, &sample },
		 { 3, &mapping },
		 { 4, &location },
		 { 5, &numbers_5 },
		 { 11, &type } },
};

static int pprof_read(struct op_view in, const struct op_read_opts *opts,
		      op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	if (!op_pprof_decode(&m, in, err) && !op_model_has_samples(&m) &&
	    !op_pb_is_explained(op_pb_explain(in, &profile, in.n)))
		op_fail(err, OP_EFORMAT,
			"no samples, and most of it has no meaning in pprof");
	return op_model_deliver(&m, fn, ctx, err);
}

static int pprof_write(const struct op_model *m,
		       const struct op_write_opts *opts, struct op_sink *out,
		       struct op_err *err)
{
	struct op_pbw w = { .err = err };

	if (!op_pprof_encode(m, opts, &w))
		out->write(out, op_pbw_result(&w), err);
	op_pbw_free(&w);
	return err->code;
}

/* --- telling it from the bytes --- */

/* What a field of the message must be: a number, bytes or either (a list of
 * numbers, packed or not). */
static bool wire_fits(const struct op_pb_field *f)
{
	switch (f->num) {
	case PPROF_SAMPLE_TYPE:
	case PPROF_SAMPLE:
	case PPROF_MAPPING:
	case PPROF_LOCATION:
	case PPROF_FUNCTION:
	case PPROF_STRING:
	case PPROF_PERIOD_TYPE:
		return f->wire == OP_PB_LEN;
	case PPROF_COMMENT:
		return f->wire == OP_PB_LEN || f->wire == OP_PB_VARINT;
	default:
		return f->num > PPROF_DOC_URL || f->wire == OP_PB_VARINT;
	}
}

/* A type is two numbers, and nothing else. */
static bool is_type(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (f.num > PPROF_TYPE_UNIT || f.wire != OP_PB_VARINT)
			return false;
	return !err.code;
}

static int pprof_sniff(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	bool types = false, named = false, strings = false, samples = false;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (!wire_fits(&f))
			return 0;
		if (f.num == PPROF_SAMPLE_TYPE && !is_type(f.bytes))
			return 0;
		types |= f.num == PPROF_SAMPLE_TYPE;
		named |= f.num == PPROF_SAMPLE_TYPE && f.bytes.n;
		if (f.num == PPROF_STRING && !strings && f.bytes.n)
			return 0;
		strings |= f.num == PPROF_STRING;
		samples |= f.num == PPROF_SAMPLE;
	}
	/* One that breaks off is for the reader to say where. */
	if (err.code)
		return types ? 20 : 0;
	if (types && strings && (named || samples))
		return 90;
	/* Some say what their values are elsewhere. Of OTLP, without its first
	 * field too, nothing would be left. */
	if (strings && samples)
		return 95;
	return types || strings ? 30 : 0;
}

const struct op_format op_format_pprof = {
	.name = "pprof",
	.summary = "pprof's profile.proto, gzipped or not",
	.endings = { ".pprof", ".pb.gz", ".prof" },
	.gzip = true,
	.copies = true,
	.sniff = pprof_sniff,
	.read = pprof_read,
	.write = pprof_write,
};
