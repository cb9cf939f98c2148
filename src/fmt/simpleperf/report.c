// SPDX-License-Identifier: Apache-2.0
/* fmt/simpleperf/report.c: records of a report, and the messages in them. */
#include "fmt/simpleperf/report.h"

enum { VERSION = 1, MAGIC_BYTES = 10, HEAD_BYTES = 12, SIZE_BYTES = 4 };

#define NUMBER(num) OP_PB(num, OP_PB_VARINT)
#define BYTES(num) OP_PB(num, OP_PB_LEN)

/* --- records --- */

size_t op_simpleperf_start(struct op_view in, struct op_err *err)
{
	unsigned int version;

	if (in.n < HEAD_BYTES ||
	    memcmp(in.p, OP_SIMPLEPERF_MAGIC, MAGIC_BYTES)) {
		op_fail_at(err, OP_EFORMAT, 0, "not a simpleperf report");
		return in.n;
	}
	version = in.p[MAGIC_BYTES] | (unsigned int)in.p[MAGIC_BYTES + 1] << 8;
	if (version != VERSION)
		op_fail_at(err, OP_EFORMAT, MAGIC_BYTES,
			   "report version %u is not supported, only %d",
			   version, VERSION);
	return HEAD_BYTES;
}

/* Of several fields the last counts, as protobuf has it. */
static void kind_find(struct op_view in, struct op_view record,
		      struct op_simpleperf_record *out, struct op_err *err)
{
	struct op_cur all = op_cur(in, err);
	struct op_cur c = op_cur_sub(&all, record);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_LEN || f.num >= OP_SIMPLEPERF_NR_KINDS)
			continue;
		out->kind = (enum op_simpleperf_kind)f.num;
		out->bytes = f.bytes;
	}
}

bool op_simpleperf_next(struct op_view in, size_t *at,
			struct op_simpleperf_record *out, struct op_err *err)
{
	size_t left = in.n - *at;
	uint32_t size = 0;

	*out = (struct op_simpleperf_record){ .file = in.p, .at = *at };
	if (left >= SIZE_BYTES) {
		memcpy(&size, in.p + *at, SIZE_BYTES);
		left -= SIZE_BYTES;
	}
	if (in.n - *at < SIZE_BYTES || size > left) {
		op_fail_at(err, OP_EFORMAT, *at,
			   "the report is truncated: --recover reads the "
			   "intact part");
		return false;
	}
	*at += SIZE_BYTES + (size_t)size;
	out->size = SIZE_BYTES + (size_t)size;
	if (!size)
		return false;
	kind_find(in, op_view(in.p + out->at + SIZE_BYTES, size), out, err);
	return !err->code;
}

/* --- messages --- */

/* A cursor on the message, whose offsets count from the start of the file. */
static struct op_cur message(const struct op_simpleperf_record *r,
			     struct op_err *err)
{
	struct op_cur c = op_cur(r->bytes, err);

	c.base = r->file;
	return c;
}

static struct op_simpleperf_call call_read(struct op_cur c)
{
	struct op_simpleperf_call call = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case NUMBER(1):
			call.address = f.v;
			break;
		case NUMBER(2):
			call.file = (uint32_t)f.v;
			break;
		case NUMBER(3):
			call.symbol = (int32_t)f.v;
			break;
		case NUMBER(4):
			call.type = (uint32_t)f.v;
			break;
		}
	}
	return call;
}

static uint32_t unwind_error(struct op_cur c)
{
	struct op_pb_field f;
	uint32_t error = 0;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == NUMBER(3))
			error = (uint32_t)f.v;
	return error;
}

void op_simpleperf_sample(const struct op_simpleperf_record *r,
			  struct op_arena *mem,
			  struct op_simpleperf_sample *out, struct op_err *err)
{
	struct op_cur c = message(r, err);
	struct op_pb_field f;

	out->time_ns = out->count = 0;
	out->thread = 0;
	out->event = out->unwind_error = 0;
	out->calls.n = 0;
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case NUMBER(1):
			out->time_ns = f.v;
			break;
		case NUMBER(2):
			out->thread = (int32_t)f.v;
			break;
		case BYTES(3):
			(void)op_vec_push(mem, &out->calls,
					  call_read(op_pb_sub(&c, &f)));
			break;
		case NUMBER(4):
			out->count = f.v;
			break;
		case NUMBER(5):
			out->event = (uint32_t)f.v;
			break;
		case BYTES(6):
			out->unwind_error = unwind_error(op_pb_sub(&c, &f));
			break;
		}
	}
}

void op_simpleperf_file(const struct op_simpleperf_record *r,
			struct op_arena *mem, struct op_simpleperf_file *out,
			struct op_err *err)
{
	struct op_cur c = message(r, err);
	struct op_pb_field f;

	*out = (struct op_simpleperf_file){ 0 };
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case NUMBER(1):
			out->id = (uint32_t)f.v;
			break;
		case BYTES(2):
			out->path = f.bytes;
			break;
		case BYTES(3):
			(void)op_vec_push(mem, &out->symbols, f.bytes);
			break;
		case BYTES(4):
			(void)op_vec_push(mem, &out->mangled, f.bytes);
			break;
		}
	}
}

void op_simpleperf_thread(const struct op_simpleperf_record *r,
			  struct op_simpleperf_thread *out, struct op_err *err)
{
	struct op_cur c = message(r, err);
	struct op_pb_field f;

	*out = (struct op_simpleperf_thread){ 0 };
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case NUMBER(1):
			out->id = (uint32_t)f.v;
			break;
		case NUMBER(2):
			out->process = (uint32_t)f.v;
			break;
		case BYTES(3):
			out->name = f.bytes;
			break;
		}
	}
}

void op_simpleperf_meta(const struct op_simpleperf_record *r,
			struct op_arena *mem, struct op_simpleperf_meta *out,
			struct op_err *err)
{
	struct op_cur c = message(r, err);
	struct op_pb_field f;

	*out = (struct op_simpleperf_meta){ 0 };
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case BYTES(1):
			(void)op_vec_push(mem, &out->events, f.bytes);
			break;
		case BYTES(2):
			out->package = f.bytes;
			break;
		case BYTES(3):
			out->app_type = f.bytes;
			break;
		case BYTES(4):
			out->sdk_version = f.bytes;
			break;
		case BYTES(5):
			out->build_type = f.bytes;
			break;
		case NUMBER(6):
			out->has_offcpu = true;
			out->is_offcpu = f.v;
			break;
		}
	}
}

void op_simpleperf_lost(const struct op_simpleperf_record *r,
			struct op_simpleperf_lost *out, struct op_err *err)
{
	struct op_cur c = message(r, err);
	struct op_pb_field f;

	*out = (struct op_simpleperf_lost){ 0 };
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == NUMBER(1))
			out->samples = f.v;
		else if (op_pb_key(&f) == NUMBER(2))
			out->lost = f.v;
	}
}
