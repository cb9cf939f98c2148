// SPDX-License-Identifier: Apache-2.0
/* What is made of records whose body is a pprof file. */
#include <libdeflate.h>

#include "unit/fmt/splunk/splunk_fixture.h"

/* 1 main, 2 work, 3 source.event.time, 4 source.event.period,
 * 5 source.event.name, 6 e, 7 trace_id, 8 its value, 9 span_id, 10 its value,
 * 11 thread.name, 12 w, 13 thread.stack.truncated, 14 true, 15
 * allocationSize, 16 bytes, 17 a period as text, 18 thread.os.id */
#define STRINGS                                                            \
	"6'' 6'main' 6'work' 6'source.event.time' 6'source.event.period' " \
	"6'source.event.name' 6'e' 6'trace_id' "                           \
	"6'07000000000000000000000000000000' 6'span_id' "                  \
	"6'0700000000000000' 6'thread.name' 6'w' "                         \
	"6'thread.stack.truncated' 6'true' 6'allocationSize' 6'bytes' "    \
	"6'10000000' 6'thread.os.id' "
#define ROWS                                           \
	"4{ 1:1 4{ 1:1 2:5 } } 4{ 1:2 4{ 1:2 2:7 } } " \
	"5{ 1:1 2:1 } 5{ 1:2 2:2 } " STRINGS
#define AT "3{ 1:3 3:1700000000001 } "
#define HEAD "resource\nscope otel.profiling\n"
#define CPU HEAD "profile samples/count 1700000000001000000+0\n"
#define LOOK "\tmain;work @1700000000001000000"

#define FORMAT "6{ 1'profiling.data.format' 2{ 1'pprof-gzip-base64' } } "
#define ALLOCATION "6{ 1'profiling.data.type' 2{ 1'allocation' } } "

static const struct {
	const char *name, *record, *pprof, *result;
} takes_rows[] = {
	{ "no types and no values: each sample is one", FORMAT,
	  "2{ 1[2 1] " AT "} 2{ 1[2 1] " AT "} " ROWS,
	  CPU LOOK " @1700000000001000000\n" },
	{ "no time", FORMAT, "2{ 1[2 1] } " ROWS,
	  HEAD "profile samples/count\n\tmain;work 1\n" },
	{ "the record's time is no sample's", FORMAT "1@5 ",
	  "2{ 1[2 1] } " ROWS, HEAD "profile samples/count\n\tmain;work 1\n" },
	{ "a period", FORMAT, "2{ 1[2 1] " AT "3{ 1:4 3:10 } } " ROWS,
	  HEAD "profile samples/count period 10000000 "
	       "1700000000001000000+0\n" LOOK "\n" },
	{ "a period as text, in ns", FORMAT,
	  "2{ 1[2 1] " AT "3{ 1:4 2:17 } } " ROWS,
	  HEAD "profile samples/count period 10000000 "
	       "1700000000001000000+0\n" LOOK "\n" },
	{ "an event", FORMAT, "2{ 1[2 1] " AT "3{ 1:5 2:6 } } " ROWS,
	  HEAD "profile samples/count 1700000000001000000+0 "
	       "otprof.event.type=e\n" LOOK "\n" },
	{ "a link", FORMAT,
	  "2{ 1[2 1] " AT "3{ 1:7 2:8 } 3{ 1:9 2:10 } } " ROWS,
	  CPU LOOK " #7\n" },
	{ "a link without zeros in front", FORMAT,
	  "2{ 1[2 1] " AT "3{ 1:7 2:19 } 3{ 1:9 2:20 } } " ROWS
	  "6'7000000000000000000000000000000' 6'700000000000000'",
	  CPU LOOK " #7\n" },
	{ "IDs that are no numbers", FORMAT,
	  "2{ 1[2 1] " AT "3{ 1:7 2:2 } 3{ 1:9 2:10 } } " ROWS,
	  CPU LOOK " span_id=0700000000000000 trace_id=work\n" },
	{ "a thread and a stack that was cut", FORMAT,
	  "2{ 1[2 1] " AT "3{ 1:11 2:12 } 3{ 1:13 2:14 } 3{ 1:18 3:9 } } " ROWS,
	  CPU LOOK " thread.name=w thread.os.id=9 "
		   "thread.stack.truncated=true\n" },
	{ "the first string is a key, as Splunk's library for Python has it",
	  FORMAT,
	  "2{ 1[2 1] 3{ 3:1700000000001 } } 4{ 1:1 4{ 1:1 2:5 } } "
	  "4{ 1:2 4{ 1:2 2:7 } } 5{ 1:1 2:1 } 5{ 1:2 2:2 } "
	  "6'source.event.time' 6'main' 6'work' ",
	  CPU LOOK "\n" },
	{ "an allocation", FORMAT ALLOCATION,
	  "1{ 1:15 2:16 } 2{ 1[2 1] 2[64] " AT "} " ROWS,
	  HEAD "profile alloc_space/bytes 1700000000001000000+0\n"
	       "\tmain;work 64@1700000000001000000\n" },
	{ "types of its own", FORMAT,
	  "1{ 1:2 2:16 } 2{ 1[2 1] 2[3] " AT "} " ROWS,
	  HEAD "profile work/bytes 1700000000001000000+0\n"
	       "\tmain;work 3@1700000000001000000\n" },
	{ "other attributes of the record are the profile's",
	  FORMAT "6{ 1'k' 2{ 1'v' } } ", "2{ 1[1] } 2{ 1[2] } " ROWS,
	  HEAD "profile samples/count k=v\n\tmain 1\n\twork 1\n" },
	{ "no samples", FORMAT, ROWS, HEAD "profile samples/count\n" },
	{ "our own time, to the ns", FORMAT,
	  "2{ 1[1] " AT "3{ 1:19 3:1700000000001000002 } } " ROWS
	  "6'otprof.time_unix_nano'",
	  HEAD "profile samples/count 1700000000001000002+0\n"
	       "\tmain @1700000000001000002\n" },
};

/* base64 of gzip of the wire; the caller frees it. */
static void body_make(struct op_buf *out, struct op_view file, bool is_packed)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	static uint8_t packed[WIRE_MAX];
	size_t n = libdeflate_gzip_compress(c, file.p, file.n, packed,
					    sizeof(packed));
	uint8_t *p;

	libdeflate_free_compressor(c);
	if (is_packed)
		file = op_view(packed, n);
	p = op_buf_add(out, op_base64_size(file.n));
	if (p)
		op_put_base64(p, file);
}

static int pprof_read(struct op_model *m, const char *record, const char *text,
		      bool is_packed, struct op_err *err)
{
	struct op_err none = { 0 };
	struct op_buf body = { .err = &none }, msg = { .err = &none };
	static struct wire w;

	wire_set(&w, text);
	body_make(&body, wire_view(&w), is_packed);
	splunk_message(&msg, "1'otel.profiling'", record,
		       op_view(body.p, body.n));
	splunk_read(m, op_view(msg.p, msg.n), NULL, NULL, err);
	op_buf_free(&body);
	op_buf_free(&msg);
	return err->code;
}

TEST(takes)
{
	for (size_t i = 0; i < op_countof(takes_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		if (pprof_read(&m, takes_rows[i].record, takes_rows[i].pprof,
			       i % 2, &err)) {
			TEST_FAIL("%s: %.100s", takes_rows[i].name, err.text);
			continue;
		}
		if (strcmp(sketch_text(&m), takes_rows[i].result))
			TEST_FAIL("%s: %s", takes_rows[i].name,
				  sketch_text(&m));
		op_model_free(&m);
	}
}

/* The place is where the body stands. */
static const struct {
	const char *name, *body, *text;
} refuses_rows[] = {
	{ "no base64", "a*", "the body is not valid base64" },
	{ "no pprof",
	  "CgU=", "the pprof body: 5 bytes declared, but only 0 are left" },
	{ "broken gzip", "H4sIAAAA",
	  "the pprof body: the gzip data is damaged or truncated" },
};

TEST(refuses)
{
	for (size_t i = 0; i < op_countof(refuses_rows); i++) {
		struct op_err err = { 0 }, none = { 0 };
		struct op_buf msg = { .err = &none };
		const char *body = refuses_rows[i].body;
		struct op_model m;

		splunk_message(&msg, "1'otel.profiling'", FORMAT,
			       op_view_z(body));
		CHECK_EQ(splunk_read(&m, op_view(msg.p, msg.n), NULL, NULL,
				     &err),
			 OP_EFORMAT);
		CHECK_STR(err.text, refuses_rows[i].text);
		CHECK(err.has_at && err.at < msg.n &&
		      msg.p[err.at] == (uint8_t)body[0]);
		op_buf_free(&msg);
	}
}

TEST(a_time_that_does_not_fit)
{
	struct op_err err = { 0 };
	struct op_model m;

	CHECK_EQ(pprof_read(&m, FORMAT,
			    "2{ 1[1] 3{ 1:3 3:18000000000000 } } " ROWS, true,
			    &err),
		 OP_OK);
	op_model_free(&m);
	CHECK_EQ(pprof_read(&m, FORMAT,
			    "2{ 1[1] 3{ 1:3 3:19000000000000 } } " ROWS, true,
			    &err),
		 OP_EFORMAT);
	CHECK_STR(err.text, "a pprof timestamp does not fit in 64 bits of ns");
}

/* A body that unpacks to more than the quota allows. */
TEST(a_bomb)
{
	static uint8_t zeros[4 << 20], packed[1 << 16], text[1 << 17];
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	const struct op_read_opts opts = { .mem_quota = 1 << 20 };
	struct op_model m = { .mem.quota = 1 << 20 };
	struct op_err err = { 0 }, none = { 0 };
	struct op_buf msg = { .err = &none };
	size_t n = libdeflate_gzip_compress(c, zeros, sizeof(zeros), packed,
					    sizeof(packed));

	libdeflate_free_compressor(c);
	CHECK(n);
	op_put_base64(text, op_view(packed, n));
	splunk_message(&msg, "1'otel.profiling'", FORMAT,
		       op_view(text, op_base64_size(n)));
	CHECK_EQ(op_splunk_read(op_view(msg.p, msg.n), &opts, &m, &err),
		 OP_ELIMIT);
	op_model_free(&m);
	op_buf_free(&msg);
}

TEST(oom)
{
	struct op_err none = { 0 };
	struct op_buf body = { .err = &none }, msg = { .err = &none };
	static struct wire w;

	wire_set(&w, takes_rows[7].pprof);
	body_make(&body, wire_view(&w), true);
	splunk_message(&msg, "1'otel.profiling'", FORMAT,
		       op_view(body.p, body.n));
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m;

		if (!splunk_read(&m, op_view(msg.p, msg.n), NULL, NULL, &err))
			op_model_free(&m);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
	op_buf_free(&body);
	op_buf_free(&msg);
}

TEST_MAIN(takes, refuses, a_time_that_does_not_fit, a_bomb, oom)
