// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/otlp.c: OTLP files: a bare message, or messages with their length
 * before each, as four bytes, big-endian (the Collector's file exporter). */
#include "fmt/otlp/otlp.h"

#include "fmt/format.h"
#include "fmt/otlp/fields.h"
#include "pb/read.h"

enum { PREFIX = 4 };

static size_t prefix_at(struct op_view in, size_t at)
{
	const uint8_t *p = in.p + at;

	return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
	       (size_t)p[3];
}

/* Whether the lengths add up to the size of the file. */
static bool prefixes_fit(struct op_view in)
{
	size_t at = 0;

	while (in.n - at >= PREFIX) {
		size_t n = prefix_at(in, at);

		at += PREFIX;
		if (n > in.n - at)
			return false;
		at += n;
	}
	return at == in.n;
}

/* No message begins with a byte below 8, which would be field number 0. No
 * length of a message under 128 MiB begins with a byte above. */
static bool is_prefixed(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;

	if (in.p[0] < 8)
		return true;
	if (!prefixes_fit(in))
		return false;
	while (op_pb_next(&c, &f))
		;
	return err.code;
}

int op_otlp_each(struct op_view in, op_message_fn *fn, void *ctx,
		 struct op_err *err)
{
	size_t at = 0;

	if (!is_prefixed(in))
		return fn(ctx, in, err);
	while (at < in.n && !err->code) {
		size_t n;

		if (in.n - at < PREFIX)
			return op_fail_at(err, OP_EFORMAT, at,
					  "truncated length of a message");
		n = prefix_at(in, at);
		if (n > in.n - at - PREFIX)
			return op_fail_at(err, OP_EFORMAT, at,
					  "a message declares %zu bytes, but "
					  "only %zu are left",
					  n, in.n - at - PREFIX);
		at += PREFIX;
		fn(ctx, op_view(in.p + at, n), err);
		at += n;
	}
	return err->code;
}

struct reading {
	struct op_view file;
	const struct op_read_opts *opts;
	op_model_fn *fn;
	void *ctx;
};

/* A message without samples must at least be OTLP. */
static int check_empty(const struct op_model *m, struct op_view msg,
		       struct op_err *err)
{
	struct op_pb_share s;

	if (op_model_has_samples(m))
		return OP_OK;
	s = op_otlp_explain(msg, msg.n);
	if (op_pb_is_explained(s))
		return OP_OK;
	return op_fail(err, OP_EFORMAT,
		       "no samples, and %zu of %zu bytes have no meaning in "
		       "OTLP",
		       s.looked_at - s.explained, s.looked_at);
}

static int message(void *ctx, struct op_view msg, struct op_err *err)
{
	const struct reading *r = ctx;
	struct op_otlp_opts o = { .at = (uint64_t)(msg.p - r->file.p),
				  .read = r->opts };
	struct op_model m = { 0 };

	if (r->opts) {
		o.unchecked = r->opts->unchecked;
		m.mem.quota = r->opts->mem_quota;
	}
	if (op_otlp_decode(&m, msg, &o, err) || check_empty(&m, msg, err)) {
		op_model_free(&m);
		return err->code;
	}
	return r->fn(r->ctx, &m, err);
}

static int otlp_read(struct op_view in, const struct op_read_opts *opts,
		     op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct reading r = { in, opts, fn, ctx };

	return op_otlp_each(in, message, &r, err);
}

/* Whether fields 1 to last of a message are all length-delimited; a truncated
 * message counts as far as it goes. */
static bool only_lens(struct op_cur c, uint32_t last)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (f.num <= last && f.wire != OP_PB_LEN)
			return false;
	return true;
}

static bool begins_like_ours(struct op_view msg)
{
	return msg.p[0] == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN) ||
	       msg.p[0] == OP_PB(DATA_DICTIONARY, OP_PB_LEN);
}

/* Text may begin with an empty line, which is the tag of a first field. */
static bool begins_as_text(struct op_view msg)
{
	enum { ENOUGH = 64 };

	for (size_t i = 0; i < msg.n && i < ENOUGH; i++)
		if (msg.p[i] < ' ' && !memchr("\n\r\t", msg.p[i], 3))
			return false;
	return true;
}

/* Fields 1 to 3 of ResourceProfiles are all length-delimited; in pprof (field
 * 1: two numbers) they are not. */
static int sniff_message(struct op_view msg)
{
	enum { ENOUGH = 64 << 10 }; /* bytes; enough to judge the rest */
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	bool dictionary = false, known = false;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_err ignored = { 0 };
		struct op_cur sub = op_cur(f.bytes, &ignored);

		if (f.num <= 8 && f.wire != OP_PB_LEN)
			return 0;
		known |= f.num <= 2;
		if (f.num == DATA_RESOURCE_PROFILES &&
		    !only_lens(sub, RESOURCE_PROFILES_SCHEMA_URL))
			return 0;
		if (f.num == DATA_DICTIONARY)
			dictionary |= only_lens(sub, DICT_STACK);
	}
	/* For a truncated message that begins like ours, the decoder reports
	 * the position. */
	if (err.code && begins_as_text(msg))
		return 0;
	if (err.code)
		return known ? 15 : begins_like_ours(msg) ? 5 : 0;
	if (!op_pb_is_explained(op_otlp_explain(msg, ENOUGH)))
		return known ? 10 : 0;
	return dictionary ? 90 : known ? 50 : 0;
}

int op_otlp_sniff(struct op_view in)
{
	size_t at = 0;

	if (in.p[0] >= 8)
		return sniff_message(in);
	if (in.n < PREFIX)
		return 0;
	/* A truncated message that begins like ours. */
	if (!prefixes_fit(in))
		return !in.p[0] && in.n > PREFIX &&
				       begins_like_ours(op_view(
					       in.p + PREFIX, in.n - PREFIX)) ?
			       5 :
			       0;
	while (at < in.n) {
		size_t n = prefix_at(in, at);

		at += PREFIX;
		if (n)
			return sniff_message(op_view(in.p + at, n));
	}
	return 0;
}

static int otlp_write(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_sink *out,
		      struct op_err *err)
{
	(void)opts;
	return op_otlp_write(m, out, err);
}

const struct op_format op_format_otlp = {
	.name = "otlp",
	.summary = "OTLP profiles, protobuf; reads every version since v1.4",
	.endings = { ".otlp", ".otlp.pb" },
	.is_otlp = true,
	.writes_packed = true,
	.is_sent = true,
	.signal = OP_SIGNAL_PROFILES,
	.sniff = op_otlp_sniff,
	.read = otlp_read,
	.each = op_otlp_each,
	.write = otlp_write,
};
