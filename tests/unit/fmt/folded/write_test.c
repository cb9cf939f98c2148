// SPDX-License-Identifier: Apache-2.0
/* What models become as folded stacks, and back. */
#include "folded_fixture.h"

#define ANNOTATE "annotate=yes"

struct sink {
	struct op_sink sink;
	struct op_buf buf;
	size_t most; /* bytes at once */
	bool fails;
	char note[200];
	unsigned int nr_notes;
};

static int sink_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct sink *s = (struct sink *)sink;

	if (s->fails)
		return op_fail(err, OP_EIO, "the disk is full");
	s->most = v.n > s->most ? v.n : s->most;
	op_buf_view(&s->buf, v);
	return err->code;
}

static void note(void *ctx, const char *text)
{
	struct sink *s = ctx;

	s->nr_notes++;
	snprintf(s->note, sizeof(s->note), "%s", text);
}

/* Writes the model; the buffer is the caller's to free. */
static int write_with(struct sink *s, const struct op_model *m,
		      const char *setting, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_write_opts opts = { .settings = settings,
				      .note = note,
				      .ctx = s };

	*s = (struct sink){ .sink.write = sink_write, .buf.err = err };
	return op_format_folded.write(m, &opts, &s->sink, err);
}

static void writes(const struct op_model *m, const char *setting,
		   const char *text)
{
	struct op_err err = { 0 };
	struct sink s;

	CHECK_EQ(write_with(&s, m, setting, &err), OP_OK);
	op_buf_byte(&s.buf, 0);
	if (strcmp((const char *)s.buf.p, text))
		TEST_FAIL("it writes %.150s", (const char *)s.buf.p);
	op_buf_free(&s.buf);
}

static void sketch_writes(const char *samples, const char *setting,
			  const char *text)
{
	struct sketch s = { .samples = samples };
	struct op_model m;

	sketch_one(&m, &s);
	writes(&m, setting, text);
	op_model_free(&m);
}

TEST(plain)
{
	sketch_writes("b;a 1\na 2\nb;c 3\na 4 k=v #1\n", NULL,
		      "b;a 1\na 6\nb;c 3\n");
	sketch_writes("a 1@5 2@6\n- 7@8\n", NULL, "a 3\n[unknown] 7\n");
	sketch_writes("a -5\nb 0\n", "annotate=no", "a -5\nb 0\n");
	sketch_writes("a 9223372036854775807\na 5 k=v\n", NULL,
		      "a 9223372036854775807\n");
	sketch_writes("", NULL, "");
}

/* Of a gauge the last value counts, as in all views. */
TEST(gauge)
{
	struct sketch s = { .samples = "a 5@9 3@1\na 2@4 k=v\nb 1@1 1@2\n",
			    .type = "inuse_space" };
	struct op_model m;

	sketch_one(&m, &s);
	writes(&m, NULL, "a 7\nb 1\n");
	op_model_free(&m);
}

#define HEAD "# otprof type=cpu unit=nanoseconds\n"

TEST(annotated)
{
	sketch_writes("b;a 1\na 4 k=v,l=2 #1\n- 3\n", ANNOTATE,
		      HEAD "b;a 1\n"
			   "a 4 k=v%2Cl%3D2,"
			   "trace_id=01000000000000000000000000000000,"
			   "span_id=0100000000000000\n"
			   " 3\n");
	sketch_writes("a 1@5 2@6\nb 1@7 #2\n", ANNOTATE,
		      HEAD "a 1 5\na 2 6\n"
			   "b 1 trace_id=02000000000000000000000000000000,"
			   "span_id=0200000000000000 7\n");
	sketch_writes("a 5 n=12 m=-0 trace_id=x\n", ANNOTATE,
		      HEAD "a 5 n=%312,m=-0,%74race_id=x\n");
	sketch_writes("", ANNOTATE, HEAD);
}

/* --- frames --- */

struct frame {
	const char *name, *system_name, *file, *module;
	uint64_t address;
	const char *plain, *escaped;
};

static uint32_t string(struct op_builder *b, const char *s)
{
	return op_build_string(b, op_view_z(s));
}

/* A profile of one sample of 5: a stack of one location. */
static void frame_model(struct op_model *m, const struct frame *f)
{
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	struct op_err err = { 0 };
	struct op_builder b;

	*m = (struct op_model){ 0 };
	op_builder_init(&b, m, &err);
	{
		struct op_mapping map = { .filename = string(&b, f->module) };
		struct op_location l = {
			.address = f->address,
			.mapping = op_build_mapping(&b, &map),
		};
		struct op_function fn = {
			.name = string(&b, f->name),
			.system_name = string(&b, f->system_name),
			.filename = string(&b, f->file),
		};
		struct op_line line = {
			.function = op_build_function(&b, &fn),
		};
		bool has_line = f->name || f->system_name || f->file;
		uint32_t at = op_build_location(&b, &l, &line, has_line);
		struct op_identity id = { op_build_stack(&b, &at, 1), 0, 0 };
		uint32_t r = op_build_resource(&b, &resource, NULL);
		uint32_t s = op_build_scope(&b, r, &scope, NULL);
		uint32_t p = op_build_profile(&b, s, &head);

		op_build_add(&b, p, op_build_sample(&b, p, id), 5);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

TEST(frames)
{
	static const struct frame rows[] = {
		{ "f", "_f", "f.c", "/bin/x", 5, "f", "f" },
		{ NULL, "_f", "f.c", "/bin/x", 5, "_f", "_f" },
		{ NULL, NULL, "f.c", "/bin/x", 5, "x+0x5", "x+0x5" },
		{ NULL, NULL, NULL, "/bin/x", 255, "x+0xff", "x+0xff" },
		{ NULL, NULL, NULL, "/bin/x", 0, "x+0x0", "x+0x0" },
		{ NULL, NULL, NULL, NULL, 255, "0xff", "0xff" },
		{ NULL, NULL, NULL, NULL, 0, "[unknown]", "[unknown]" },
		{ NULL, NULL, "f.c", NULL, 0, "[unknown]", "[unknown]" },
		/* Names that the plain form cannot hold. */
		{ .name = "a;b", .plain = "a:b", .escaped = "a%3Bb" },
		{ .name = "a\nb\tc\x7f",
		  .plain = "a b c ",
		  .escaped = "a%0Ab%09c%7F" },
		{ .name = "#a", .plain = "_a", .escaped = "%23a" },
		{ .name = "a #", .plain = "a #", .escaped = "a%20#" },
		{ .name = "a 5", .plain = "a_5", .escaped = "a%205" },
		{ .name = "a 5  7.5 ",
		  .plain = "a 5 _7.5 ",
		  .escaped = "a%205%20%207.5%20" },
		{ .name = "a 5 k=v",
		  .plain = "a 5_k=v",
		  .escaped = "a%205%20k=v" },
		{ .name = "a k=v", .plain = "a k=v", .escaped = "a%20k=v" },
		{ .name = "a 5b", .plain = "a 5b", .escaped = "a%205b" },
		{ .name = "5", .plain = "5", .escaped = "5" },
		{ .name = "50%", .plain = "50%", .escaped = "50%25" },
		{ .name = "\xc3\xa4",
		  .plain = "\xc3\xa4",
		  .escaped = "\xc3\xa4" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		char plain[80], escaped[80];
		struct op_model m;

		frame_model(&m, &rows[i]);
		snprintf(plain, sizeof(plain), "%s 5\n", rows[i].plain);
		writes(&m, NULL, plain);
		snprintf(escaped, sizeof(escaped),
			 "# otprof type= unit=\n%s 5\n", rows[i].escaped);
		writes(&m, ANNOTATE, escaped);
		op_model_free(&m);
	}
}

/* Inlined calls are frames; stacks that read alike are one line. */
TEST(inlined)
{
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_builder b;
	uint32_t r, s, p;

	op_builder_init(&b, &m, &err);
	r = op_build_resource(&b, &resource, NULL);
	s = op_build_scope(&b, r, &scope, NULL);
	p = op_build_profile(&b, s, &head);
	for (uint64_t address = 1; address < 4; address++) {
		struct op_location l = { .address = address };
		struct op_function in = { .name = string(&b, "in") };
		struct op_function out = { .name = string(&b, "out") };
		struct op_line lines[] = {
			{ .function = op_build_function(&b, &in) },
			{ .function = op_build_function(&b, &out) },
		};
		uint32_t at = op_build_location(&b, &l, lines, 2);
		struct op_identity id = { op_build_stack(&b, &at, 1), 0, 0 };

		op_build_add(&b, p, op_build_sample(&b, p, id), 5);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
	writes(&m, NULL, "out;in 15\n");
	op_model_free(&m);
}

/* Attributes of every kind as text. */
TEST(kinds)
{
	struct op_any list[] = { { .kind = OP_ANY_INT, .num = 1 },
				 { .kind = OP_ANY_NONE } };
	struct op_kv kv = { .key = op_view_z("x"),
			    .value = { .kind = OP_ANY_BOOL, .flag = true } };
	const struct {
		struct op_any value;
		const char *text;
	} rows[] = {
		{ { .kind = OP_ANY_INT, .num = -5 }, "-5" },
		{ { .kind = OP_ANY_STRING, .bytes = op_view_z("-5") }, "%2D5" },
		{ { .kind = OP_ANY_STRING, .bytes = op_view_z("a, b=%") },
		  "a%2C%20b%3D%25" },
		{ { .kind = OP_ANY_BOOL, .flag = true }, "true" },
		{ { .kind = OP_ANY_DOUBLE, .real = 1.5 }, "1.5" },
		{ { .kind = OP_ANY_BYTES, .bytes = op_view("\x12\x34", 2) },
		  "%31234" },
		{ { .kind = OP_ANY_NONE }, "" },
		{ { .kind = OP_ANY_ARRAY, .n = 2, .array = list },
		  "[1%2Cnull]" },
		{ { .kind = OP_ANY_KVLIST, .n = 1, .kvlist = &kv },
		  "{\"x\":true}" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_resource resource = { 0 };
		struct op_kv attr = { .key = op_view_z("k"),
				      .value = rows[i].value };
		struct op_scope scope = { .name = op_view_z("s c") };
		struct op_profile head = { 0 };
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		struct op_builder b;
		char want[200];
		uint32_t r, s;

		resource.attrs = (struct op_kvs){ &attr, 1 };
		op_builder_init(&b, &m, &err);
		r = op_build_resource(&b, &resource, NULL);
		s = op_build_scope(&b, r, &scope, NULL);
		op_build_profile(&b, s, &head);
		CHECK_EQ(op_builder_finish(&b), OP_OK);
		snprintf(want, sizeof(want),
			 "# otprof type= unit= scope.name=s%%20c "
			 "resource.k=%s\n",
			 rows[i].text);
		writes(&m, ANNOTATE, want);
		op_model_free(&m);
	}
}

/* --- several profiles --- */

static const struct sketch several[] = {
	{ .samples = "a 1\n", .type = "heap", .unit = "bytes" },
	{ .samples = "b 2\n",
	  .period = 5,
	  .time_ns = 6,
	  .duration_ns = 7,
	  .id = 8,
	  .attrs = "k=v" },
	{ .samples = "b 3\nc 4@5\n", .resource = "r=x", .scope = "s" },
	{ .samples = "d 5\n", .resource = "r=x", .scope = "s" },
	{ .samples = "a 1\n", .type = "wall" },
	{ .samples = "a 1\n", .unit = "seconds" },
};

TEST(one_type)
{
	struct sketch s[op_countof(several)];
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct sink sink;

	memcpy(s, several, sizeof(s));
	s[2].samples = "b 3\nc 4\n";
	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	writes(&m, NULL, "b 5\nc 4\nd 5\n");
	writes(&m, ANNOTATE,
	       "# otprof type=cpu unit=nanoseconds period=5 time=6 duration=7 "
	       "id=08000000000000000000000000000000 profile.k=v\n"
	       "b 2\n"
	       "# otprof type=cpu unit=nanoseconds scope.name=s resource.r=x\n"
	       "b 3\nc 4\n"
	       "# otprof type=cpu unit=nanoseconds scope.name=s resource.r=x\n"
	       "d 5\n");
	CHECK_EQ(write_with(&sink, &m, NULL, &err), OP_OK);
	CHECK_EQ(sink.nr_notes, 1);
	CHECK_STR(sink.note, "heap/bytes, wall/nanoseconds, cpu/seconds are "
			     "left out: folded stacks hold one type");
	op_buf_free(&sink.buf);
	op_model_free(&m);
}

TEST(nothing_is_left_out)
{
	struct sketch s = { .samples = "a 1\n" };
	struct op_err err = { 0 };
	struct op_model m;
	struct sink sink;

	sketch_one(&m, &s);
	CHECK_EQ(write_with(&sink, &m, NULL, &err), OP_OK);
	CHECK_EQ(sink.nr_notes, 0);
	op_buf_free(&sink.buf);
	op_model_free(&m);
	/* Not even a profile. */
	m = (struct op_model){ 0 };
	CHECK_EQ(sketch_model(&m, NULL, 0, &err), OP_OK);
	writes(&m, NULL, "");
	writes(&m, ANNOTATE, "");
	op_model_free(&m);
}

/* --- there and back --- */

static void comes_back(const struct sketch *s, size_t n, const char *setting)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 }, back;
	struct sink sink;

	CHECK_EQ(sketch_model(&m, s, n, &err), OP_OK);
	CHECK_EQ(write_with(&sink, &m, setting, &err), OP_OK);
	CHECK_EQ(read_with(&back, op_view(sink.buf.p, sink.buf.n),
			   setting ? NULL : "as=cpu/nanoseconds", &err),
		 OP_OK);
	if (strcmp(sketch_text(&m), sketch_text(&back)))
		TEST_FAIL("it comes back as %.150s", sketch_text(&back));
	op_model_free(&back);
	op_buf_free(&sink.buf);
	op_model_free(&m);
}

TEST(back_plain)
{
	static const struct sketch rows[] = {
		{ .samples = "a;b;c 1\na;b 2\na -3\na;b;c;d;e;f;g;h 4\n" },
		{ .samples = "a%20b;c%% 1\n" },
		{ .samples = "x=y;5;0x5 1\n" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		comes_back(&rows[i], 1, NULL);
}

TEST(back_annotated)
{
	static const struct sketch rows[] = {
		{ .samples = "a;b;c 1\na;b 2\na -3\n- 4\n" },
		{ .samples = "a%20b;c%% 1\n##;# 2\n" },
		{ .samples = "a 1 k=v #1\na 2 k=w #1\na 3 k=v\na 4 #2\n" },
		{ .samples = "a 1@5 2@3 1@18446744073709551615\n- 0@0 x=y\n" },
		{ .samples = "a 1 k=5 l=%,% m== trace_id=1 x=\n" },
		{ .samples = "",
		  .type = "a b",
		  .unit = "%",
		  .resource = "k=v a==% b=7",
		  .scope = "a;b c",
		  .attrs = "x=y z=5",
		  .period = -5,
		  .time_ns = 1,
		  .duration_ns = UINT64_MAX,
		  .id = 9 },
	};
	static const struct sketch cpu[] = {
		{ .samples = "a 1\n", .scope = "s" },
		{ .samples = "a 1@2\n", .scope = "s" },
		{ .samples = "a 1@2\n", .scope = "t" },
		{ .samples = "b 1@2\n", .scope = "t", .resource = "x=y" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		comes_back(&rows[i], 1, ANNOTATE);
	comes_back(cpu, op_countof(cpu), ANNOTATE);
}

/* --- size and failures --- */

TEST(blocks)
{
	static const char *const settings[] = { NULL, ANNOTATE };
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_model m;

	for (int i = 0; i < 100000; i++)
		op_buf_printf(&text, "main;f%d;work 1\n", i);
	CHECK_EQ(read_with(&m, op_view(text.p, text.n), NULL, &err), OP_OK);
	for (size_t i = 0; i < op_countof(settings); i++) {
		struct sink s;

		CHECK_EQ(write_with(&s, &m, settings[i], &err), OP_OK);
		CHECK(s.buf.n >= text.n);
		CHECK(s.most < 70000);
		op_buf_free(&s.buf);
	}
	op_model_free(&m);
	op_buf_free(&text);
}

TEST(full)
{
	static const char *const settings[] = { NULL, ANNOTATE };
	struct sketch sketch = { .samples = "a;b 1@1 k=v #1\n" };
	struct op_model m;

	sketch_one(&m, &sketch);
	for (size_t i = 0; i < op_countof(settings); i++) {
		const char *list[] = { settings[i], NULL };
		struct op_write_opts opts = { .settings = list };
		struct sink s = { .sink.write = sink_write, .fails = true };
		struct op_err err = { 0 };

		CHECK_EQ(op_format_folded.write(&m, &opts, &s.sink, &err),
			 OP_EIO);
	}
	op_model_free(&m);
}

TEST(settings_refused)
{
	struct sketch sketch = { .samples = "a 1\n" };
	struct op_err err = { 0 };
	struct op_model m;
	struct sink s;

	sketch_one(&m, &sketch);
	CHECK_EQ(write_with(&s, &m, "annotate=maybe", &err), OP_EUSAGE);
	CHECK_EQ(s.buf.n, 0);
	op_model_free(&m);
}

TEST(oom)
{
	static const char *const settings[] = { NULL, ANNOTATE };
	struct op_err none = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, several, 2, &none), OP_OK);
	for (size_t i = 0; i < op_countof(settings); i++) {
		EACH_ALLOC_FAILS(k) {
			struct op_err err = { 0 };
			struct sink s;

			if (write_with(&s, &m, settings[i], &err))
				CHECK_EQ(err.code, OP_ENOMEM);
			op_buf_free(&s.buf);
		}
	}
	op_model_free(&m);
}

TEST_MAIN(plain, gauge, annotated, frames, inlined, kinds, one_type,
	  nothing_is_left_out, back_plain, back_annotated, blocks, full,
	  settings_refused, oom)
