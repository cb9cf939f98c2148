// SPDX-License-Identifier: Apache-2.0
/* Reports of simpleperf. Records are spelled as in tests/write/wire.h, one a
 * line: a line of "!" is a size that lies, "." ends the report. */
#include <stdlib.h>

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define F (&op_format_simpleperf)

static char notes[300];

static void note(void *ctx, const char *text)
{
	size_t n = strlen(notes);

	(void)ctx;
	snprintf(notes + n, sizeof(notes) - n, "%s\n", text);
}

static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static void size_put(struct op_buf *b, uint32_t n)
{
	uint8_t le[4] = { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16),
			  (uint8_t)(n >> 24) };

	op_buf_view(b, op_view(le, sizeof(le)));
}

static void record_put(struct op_buf *b, const char *line, size_t n)
{
	static struct wire w;
	char *text = strndup(line, n);

	if (!strcmp(text, ".")) {
		size_put(b, 0);
	} else if (!strcmp(text, "!")) {
		size_put(b, 1000);
	} else {
		wire_set(&w, text);
		size_put(b, (uint32_t)w.n);
		op_buf_view(b, wire_view(&w));
	}
	free(text);
}

static void report_make(struct op_buf *b, const char *text)
{
	op_buf_view(b, op_view("SIMPLEPERF\1\0", 12));
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			record_put(b, text, n);
		text += n + (text[n] == '\n');
	}
}

/* Reads a copy that ends where the report ends. */
static int bytes_read(const struct op_buf *b, const char *setting,
		      struct op_model *m, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_read_opts opts = { .settings = settings, .note = note };
	uint8_t *copy = malloc(b->n);

	memcpy(copy, b->p, b->n);
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	notes[0] = 0;
	F->read(op_view(copy, b->n), &opts, keep, m, err);
	free(copy);
	return err->code;
}

static int report_read(const char *text, const char *setting,
		       struct op_model *m, struct op_err *err)
{
	struct op_err ignored = { 0 };
	struct op_buf b = { .err = &ignored };

	report_make(&b, text);
	bytes_read(&b, setting, m, err);
	op_buf_free(&b);
	return err->code;
}

#define META "5{ 1'cpu-clock' 1'faults' }\n"
#define SAMPLE "1{ 1:100 2:7 3{ 1:16 2:0 3:1 } 3{ 1:32 2:0 3:-1 } 4:5 }\n"
#define FILES "3{ 1:0 2'/lib/x' 3'f' 3'g' 4'_f' 4'g' }\n"
#define THREADS "4{ 1:7 2:6 3'main' }\n"
#define END "2{ 1:1 }\n" FILES THREADS ".\n"
#define SCOPE "resource\nscope simpleperf\n"
#define CLOCK " otprof.clock=monotonic otprof.event.type="
#define IDS " process.pid=6 thread.id=7 thread.name=main\n"
#define ONE                                                              \
	SCOPE "profile samples/count period 5 100+1" CLOCK "cpu-clock\n" \
	      "\t0x20;g @100" IDS

static const struct {
	const char *text, *words, *notes;
} rows[] = {
	{ META SAMPLE END, ONE, "" },
	/* In any order. */
	{ FILES THREADS SAMPLE META "2{ 1:1 }\n.\n", ONE, "" },
	{ "5{ 1'c' 2'p' 3'debuggable' 4'31' 5'user' 6:1 }\n1{ 2:7 }\n.\n",
	  "resource simpleperf.app_package_name=p simpleperf.app_type="
	  "debuggable android.os.api_level=31 "
	  "simpleperf.android_build_type=user simpleperf.trace_offcpu=true\n"
	  "scope simpleperf\nprofile samples/count 0+1" CLOCK "c\n"
	  "\t- @0 thread.id=7\n",
	  "" },
	/* Each event; periods that differ. */
	{ META "1{ 1:100 2:7 4:5 }\n1{ 1:103 2:7 4:1 5:1 }\n"
	       "1{ 1:101 2:7 4:1 5:1 }\n1{ 1:102 2:7 4:2 5:1 }\n.\n",
	  SCOPE "profile samples/count period 5 100+4" CLOCK "cpu-clock\n"
		"\t- @100 thread.id=7\n"
		"profile samples/count 100+4" CLOCK "faults\n"
		"\t- @103 @101 @102 thread.id=7\n"
		"profile faults/count 100+4" CLOCK "faults\n"
		"\t- 1@103 1@101 2@102 thread.id=7\n",
	  "" },
	/* Without names of events. */
	{ "1{ 1:100 2:7 4:5 }\n.\n",
	  SCOPE "profile samples/count period 5 100+1 otprof.clock=monotonic\n"
		"\t- @100 thread.id=7\n",
	  "" },
	{ "1{ 1:100 2:7 4:5 6{ 1:3 3:2 } }\n1{ 1:101 2:7 4:5 6{ 3:99 } }\n.\n",
	  SCOPE "profile samples/count period 5 100+2 otprof.clock=monotonic\n"
		"\t- @100 perf.stack.end=not_enough_stack thread.id=7\n"
		"\t- @101 perf.stack.end=unknown thread.id=7\n",
	  "" },
	{ META SAMPLE "6{ 1:1 2:5 3:7 }\n9{}\n2{ 1:2 2:3 }\n" FILES THREADS
		      ".\n.\n",
	  SCOPE "profile samples/count period 5 100+1 otprof.clock=monotonic "
		"otprof.event.type=cpu-clock perf.lost_records=3\n"
		"\t0x20;g @100" IDS,
	  "4 bytes after the last record skipped\n"
	  "1 unknown records skipped\n1 context switches skipped\n"
	  "3 records were lost in recording\n"
	  "the report declares 2 samples, but has 1\n" },
	{ ".\n", SCOPE, "" },
};

TEST(reading)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_model m;
		struct op_err err;

		if (report_read(rows[i].text, NULL, &m, &err))
			TEST_FAIL("row %zu is refused: %.80s", i, err.text);
		else
			CHECK_STR(sketch_text(&m), rows[i].words);
		CHECK_STR(notes, rows[i].notes);
		op_model_free(&m);
	}
}

/* Which code it is, and what linkers call it. */
TEST(frames)
{
	static const struct {
		const char *path, *call, *type;
	} kinds[] = {
		{ "/lib/x", "", "native" },
		{ "/lib/x", "4:1", "jvm" },
		{ "/lib/x", "4:2", "jvm" },
		{ "/lib/x", "4:3", "native" },
		{ "/f.jar", "", "jvm" },
		{ "[JIT app cache]", "", "jvm" },
		{ "[kernel.kallsyms]", "", "kernel" },
		{ "/vendor/x.ko", "", "kernel" },
		{ "[anon:x]", "", "native" },
		{ "[vdso]", "", "native" },
	};

	for (size_t i = 0; i < op_countof(kinds); i++) {
		const struct op_attr *a;
		struct op_model m;
		struct op_err err;
		char text[200];

		snprintf(text, sizeof(text),
			 "1{ 3{ 1:5 %s } }\n3{ 2'%s' 3'f' 4'_f' }\n.\n",
			 kinds[i].call, kinds[i].path);
		CHECK_EQ(report_read(text, NULL, &m, &err), OP_OK);
		a = op_set_find(&m, m.dict.locations[1].attrs,
				"profile.frame.type");
		CHECK(a &&
		      op_view_is(op_any_text(&m, &a->value), kinds[i].type));
		CHECK(op_view_is(op_string(&m, m.dict.mappings[1].filename),
				 kinds[i].path));
		CHECK(op_view_is(op_string(&m, m.dict.functions[1].system_name),
				 "_f"));
		op_model_free(&m);
	}
}

static const struct {
	const char *text, *why;
	uint64_t at;
	const char *words, *notes; /* with --recover */
} bad[] = {
	{ "", "the report is truncated: --recover reads the intact part", 12,
	  SCOPE, "recovered: the report has no end\n" },
	{ META SAMPLE "!\n",
	  "the report is truncated: --recover reads the intact part", 74,
	  SCOPE "profile samples/count period 5 100+1" CLOCK "cpu-clock\n"
		"\t0x20;0x10 @100 thread.id=7\n",
	  "recovered: 1 records, 4 bytes skipped\n1 files are missing\n" },
	{ META SAMPLE FILES THREADS,
	  "the report is truncated: --recover reads the intact part", 119, ONE,
	  "recovered: the report has no end\n" },
	{ META "=0b\n" SAMPLE END, "field 1 is a group, which is not supported",
	  41, ONE, "recovered: 1 records, 5 bytes skipped\n" },
	{ META "1{ =08 }\n" SAMPLE END, "truncated number", 44, ONE,
	  "recovered: 1 records, 7 bytes skipped\n" },
	{ META SAMPLE "3{ =08 }\n" END, "truncated number", 81, ONE,
	  "recovered: 1 records, 7 bytes skipped\n" },
	{ META "1{ 5:2 }\n" SAMPLE END,
	  "event index 2 is out of range for a table of 2", 37, ONE,
	  "recovered: 1 records, 8 bytes skipped\n" },
	{ META "1{ 3{ 3:2 } }\n" SAMPLE END,
	  "refers to symbol 2 of "
	  "file 0, which has only 2",
	  37, ONE, "recovered: 1 records, 10 bytes skipped\n" },
	{ META SAMPLE ".\n", "file 0 is missing", 37,
	  SCOPE "profile samples/count period 5 100+1" CLOCK "cpu-clock\n"
		"\t0x20;0x10 @100 thread.id=7\n",
	  "1 files are missing\n" },
	{ META SAMPLE FILES END, "duplicate file 0", 111, ONE,
	  "recovered: 1 records, 29 bytes skipped\n" },
};

TEST(broken)
{
	for (size_t i = 0; i < op_countof(bad); i++) {
		struct op_model m;
		struct op_err err;

		report_read(bad[i].text, NULL, &m, &err);
		CHECK_STR(err.text, bad[i].why);
		CHECK_EQ(err.at, bad[i].at);
		op_model_free(&m);
		if (report_read(bad[i].text, "recover=1", &m, &err))
			TEST_FAIL("row %zu is refused: %.80s", i, err.text);
		else
			CHECK_STR(sketch_text(&m), bad[i].words);
		CHECK_STR(notes, bad[i].notes);
		op_model_free(&m);
	}
}

TEST(head)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *why;
		uint64_t at;
	} heads[] = {
		{ "", 0, "not a simpleperf report", 0 },
		{ "SIMPLEPERF\1", 11, "not a simpleperf report", 0 },
		{ "SIMPLEPERX\1\0\0\0\0\0", 16, "not a simpleperf report", 0 },
		{ "SIMPLEPERF\2\1\0\0\0\0", 16,
		  "report version 258 is not supported, only 1", 10 },
	};

	for (size_t i = 0; i < op_countof(heads); i++) {
		struct op_view in = op_view(heads[i].bytes, heads[i].n);
		struct op_model m = { 0 };
		struct op_err err = { 0 };

		F->read(in, NULL, keep, &m, &err);
		CHECK_STR(err.text, heads[i].why);
		CHECK_EQ(err.at, heads[i].at);
		op_model_free(&m);
	}
	CHECK(op_format_sniff(op_view_z("SIMPLEPERF")) == F);
	CHECK(!op_format_sniff(op_view_z("SIMPLEPER")));
	CHECK(op_format_by_ending("x.trace") == F);
	CHECK(op_format_by_ending("x.trace.json") != F);
}

static const struct {
	const char *setting, *words;
} asked[] = {
	{ "event=cpu-clock", ONE },
	{ "event=faults", SCOPE },
	{ "thread=ai", ONE },
	{ "thread=x", SCOPE },
};

TEST(options)
{
	struct op_model m;
	struct op_err err;

	for (size_t i = 0; i < op_countof(asked); i++) {
		CHECK_EQ(report_read(META SAMPLE END, asked[i].setting, &m,
				     &err),
			 OP_OK);
		CHECK_STR(sketch_text(&m), asked[i].words);
		op_model_free(&m);
	}
	report_read(META SAMPLE END, "event=x", &m, &err);
	CHECK_EQ(err.code, OP_EUSAGE);
	CHECK_STR(err.text, "--event x: the report has no such event");
	op_model_free(&m);
}

TEST(oom)
{
	for (size_t i = 0; i < 4; i++) {
		struct op_err ignored = { 0 };
		struct op_buf b = { .err = &ignored };

		report_make(&b, rows[i].text);
		EACH_ALLOC_FAILS(k) {
			struct op_model m;
			struct op_err err;

			bytes_read(&b, "recover=1", &m, &err);
			if (err.code)
				CHECK_EQ(err.code, OP_ENOMEM);
			op_model_free(&m);
		}
		op_buf_free(&b);
	}
}

TEST_MAIN(reading, frames, broken, head, options, oom)
