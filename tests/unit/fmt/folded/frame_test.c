// SPDX-License-Identifier: Apache-2.0
/* What frames and threads are called, by option. */
#include "fmt/folded/folded_int.h"
#include "model/builder.h"
#include "model/semconv.h"
#include "test.h"

struct model {
	struct op_model m;
	struct op_err err;
	struct op_builder b;
};

static void begin(struct model *x)
{
	*x = (struct model){ 0 };
	CHECK_EQ(op_builder_init(&x->b, &x->m, &x->err), OP_OK);
}

static uint32_t attr_text(struct model *x, const char *key, const char *text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = op_view_z(text) };

	return op_build_attr(&x->b, op_view_z(key), &v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t attr_int(struct model *x, const char *key, int64_t num)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = num };

	return op_build_attr(&x->b, op_view_z(key), &v, (struct op_view){ 0 },
			     NULL);
}

/* --- frames --- */

static const struct {
	const char *type, *name;
	int64_t line;
	struct op_folded_style style;
	const char *want;
} frames[] = {
	{ "jvm",
	  "java.lang.String.hashCode",
	  12,
	  { 0 },
	  "java.lang.String.hashCode" },
	{ "jvm",
	  "java.lang.String.hashCode",
	  12,
	  { .lines = true },
	  "java.lang.String.hashCode:12" },
	{ "jvm", "A.f", 0, { .lines = true }, "A.f" },
	{ "jvm",
	  "java.lang.String.hashCode",
	  12,
	  { .lines = true, .simple = true },
	  "String.hashCode:12" },
	{ "jvm", "A.f", 0, { .simple = true }, "A.f" },
	{ "jvm", "f", 0, { .simple = true, .norm = true }, "f" },
	{ "jvm", "a.B.<init>", 0, { .simple = true }, "B.<init>" },
	{ "native", "a.b.c", 0, { .simple = true, .norm = true }, "a.b.c" },
	{ "native", "std::x", 7, { .lines = true }, "std::x:7" },
	{ "jvm",
	  "p.A$$Lambda.0x0000000800c03000.run",
	  0,
	  { .norm = true },
	  "p.A$$Lambda.run" },
	{ "jvm",
	  "p.A$$Lambda.0x0000000800c03000.run",
	  0,
	  { .simple = true },
	  "A$$Lambda.0x0000000800c03000.run" },
	{ "jvm",
	  "p.A$$Lambda.0x0000000800c03000.run",
	  0,
	  { .simple = true, .norm = true },
	  "A$$Lambda.run" },
	{ "jvm",
	  "p.A$$Lambda$14/123.run",
	  0,
	  { .norm = true },
	  "p.A$$Lambda$14.run" },
	{ "jvm",
	  "p.A$$Lambda+0x0000000800c03000.run",
	  0,
	  { .norm = true },
	  "p.A$$Lambda.run" },
	{ "jvm", "p.A.run", 0, { .norm = true }, "p.A.run" },
	{ "jvm", "", 5, { .simple = true, .lines = true }, "[unknown]:5" },
	{ "jvm", ".f", 0, { .simple = true, .norm = true }, ".f" },
	{ "jvm", "a.", 0, { .simple = true, .norm = true }, "a." },
};

static void frame_check(size_t i)
{
	struct op_location row = { 0 };
	struct op_function f = { 0 };
	struct op_line line = { .line = frames[i].line };
	struct op_buf out;
	struct model x;
	uint32_t attr;

	begin(&x);
	out = (struct op_buf){ .err = &x.err };
	attr = attr_text(&x, OP_ATTR_FRAME_TYPE, frames[i].type);
	row.attrs = op_build_set(&x.b, &attr, 1);
	f.name = op_build_string(&x.b, op_view_z(frames[i].name));
	line.function = op_build_function(&x.b, &f);
	op_build_location(&x.b, &row, &line, 1);
	CHECK_EQ(op_builder_finish(&x.b), OP_OK);
	op_folded_put_frame(&out, &x.m, &x.m.dict.locations[1],
			    &x.m.dict.lines[x.m.dict.locations[1].first_line],
			    &frames[i].style);
	if (!op_view_is(op_view(out.p, out.n), frames[i].want))
		TEST_FAIL("%s became %.*s", frames[i].name, (int)out.n,
			  (const char *)out.p);
	op_buf_free(&out);
	op_model_free(&x.m);
}

TEST(frame)
{
	for (size_t i = 0; i < op_countof(frames); i++)
		frame_check(i);
}

/* --- threads --- */

static const struct {
	const char *name;
	int64_t id;
	const char *want;
} threads[] = {
	{ "worker", 5, "[worker tid=5]" },
	{ "worker", 0, "[worker]" },
	{ NULL, 5, "[tid=5]" },
	{ NULL, 0, "" },
};

TEST(thread)
{
	for (size_t i = 0; i < op_countof(threads); i++) {
		uint32_t ids[2], n = 0, set;
		struct op_buf out;
		struct model x;

		begin(&x);
		out = (struct op_buf){ .err = &x.err };
		if (threads[i].name)
			ids[n++] = attr_text(&x, OP_ATTR_THREAD_NAME,
					     threads[i].name);
		if (threads[i].id)
			ids[n++] = attr_int(&x, OP_ATTR_THREAD_ID,
					    threads[i].id);
		set = op_build_set(&x.b, ids, n);
		CHECK_EQ(op_builder_finish(&x.b), OP_OK);
		CHECK_EQ(op_folded_put_thread(&out, &x.m, set), n != 0);
		CHECK(op_view_is(op_view(out.p, out.n), threads[i].want));
		op_buf_free(&out);
		op_model_free(&x.m);
	}
}

TEST_MAIN(frame, thread)
