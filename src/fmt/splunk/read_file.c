// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read_file.c: files of logs: protobuf, bare or behind lengths, or
 * JSON, one object or several behind one another. All of a file is one model,
 * since a profile is many records. */
#include "fmt/splunk/read_int.h"

#include "pb/json_extract.h"

enum { PREFIX = 4 };

/* No message begins with a byte below 8, no length of less than 128 MiB with
 * one above. */
bool op_splunk_next(struct op_view in, size_t *at, struct op_view *msg,
		    struct op_err *err)
{
	size_t left = in.n - *at, n;
	const uint8_t *p = in.p + *at;

	if (!left)
		return false;
	if (in.p[0] >= 8) {
		*msg = op_view(p, left);
		*at = in.n;
		return true;
	}
	if (left < PREFIX) {
		op_fail_at(err, OP_EFORMAT, *at,
			   "truncated length of a message");
		return false;
	}
	n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (n > left - PREFIX) {
		op_fail_at(
			err, OP_EFORMAT, *at,
			"a message declares %zu bytes, but only %zu are left",
			n, left - PREFIX);
		return false;
	}
	*msg = op_view(p + PREFIX, n);
	*at += PREFIX + n;
	return true;
}

/* Whether all of it is fields of number 1, of which a message is made. */
static bool is_message(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) != OP_PB(1, OP_PB_LEN))
			return false;
	return !err.code;
}

/* A message may begin like white space and a brace. */
static bool is_json(struct op_view in)
{
	struct op_err ignored = { 0 };
	struct op_json_in j = op_json_start(in, &ignored);

	return op_json_peek(&j) == '{' && !is_message(in);
}

static void wire_read(struct op_splunk_reader *r, struct op_view in)
{
	struct op_view msg;
	size_t at = 0;

	while (!r->err->code && op_splunk_next(in, &at, &msg, r->err))
		if (op_splunk_message(r, msg) && r->err->has_at)
			r->err->at += (uint64_t)(msg.p - in.p);
}

static void json_read(struct op_splunk_reader *r, struct op_view in)
{
	struct op_json_in j = op_json_start(in, r->err);
	struct op_buf wire = { .limit = r->mem.quota, .err = r->err };

	for (op_json_peek(&j); j.p < j.end && !r->err->code; op_json_peek(&j)) {
		struct op_json_in start = j;

		wire.n = 0;
		if (!op_logs_from_json(&j, &wire) &&
		    op_splunk_message(r, op_view(wire.p, wire.n)) &&
		    r->err->has_at)
			r->err->at = (uint64_t)(op_logs_json_place(start,
								   r->err->at) -
						start.base);
	}
	op_buf_free(&wire);
}

int op_splunk_read(struct op_view in, const struct op_read_opts *opts,
		   struct op_model *m, struct op_err *err)
{
	struct op_splunk_reader r;

	if (!op_splunk_reader_init(&r, m, opts, err)) {
		if (is_json(in))
			json_read(&r, in);
		else
			wire_read(&r, in);
	}
	return op_splunk_reader_finish(&r);
}
