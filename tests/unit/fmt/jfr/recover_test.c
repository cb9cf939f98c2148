// SPDX-License-Identifier: Apache-2.0
/* Recordings that are cut off, damaged or still being written, and reading
 * without memory. */
#include "jfr_fixture.h"

#define RECOVER "recover=yes"
/* No states: their names are constants of their own. */
#define TYPE                                                \
	"type jdk.ExecutionSample event | startTime:ticks " \
	"sampledThread:Thread* stackTrace:StackTrace*\n"
#define EVENT(t) "jdk.ExecutionSample " t " 0 `A.f`\n"
#define NEXT "next\n" TYPE
#define SAYS(times) "samples/count jdk.ExecutionSample\n\tA.f " times "\n"

static const struct {
	const char *name, *text, *note, *want;
} rows[] = {
	{ "nothing is wrong", EVENT("1") NEXT EVENT("2"), "",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 @2\n" },
	{ "a chunk of size 0", EVENT("1") "header 8 0",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "a chunk of size 0, and another",
	  EVENT("1") "header 8 0\n" NEXT EVENT(
		  "2") "header 32 1700000000500000000",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count 1700000000000000000+1500000001 jdk.ExecutionSample\n"
	  "\tA.f @1 @500000002\n" },
	{ "a chunk past the end", EVENT("1") "header 8 1000000",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "no place of constants", EVENT("1") "header 16 0",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "a wrong place of constants", EVENT("1") "header 16 68",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "no place of types", EVENT("1") "header 24 0",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "a wrong place of types", EVENT("1") "header 24 68",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "no place of anything",
	  EVENT("1") "header 8 0\nheader 16 0\nheader 24 0",
	  "damaged chunks: 1, 0 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "an event of size 0", EVENT("1") "raw 0i\n" EVENT("2"),
	  "damaged chunks: 1, 1444 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "an event that is cut off",
	  EVENT("1") "jdk.ExecutionSample 1 .\n" EVENT("2"),
	  "damaged chunks: 0, damaged events: 1, 4 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 @2\n" },
	{ "events that are cut off, and one of size 0",
	  EVENT("1") "jdk.ExecutionSample 1 .\njdk.ExecutionSample .\n" EVENT(
		  "2") "raw 0i\n",
	  "damaged chunks: 1, damaged events: 2, 1444 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 @2\n" },
	{ "no ticks, and another chunk",
	  EVENT("1") "header 56 0\n" NEXT EVENT("2"),
	  "damaged chunks: 1, 1511 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @2\n" },
	{ "another version, and another chunk",
	  EVENT("1") "header 4 3\n" NEXT EVENT("2"),
	  "damaged chunks: 1, 1511 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @2\n" },
	{ "a chunk, and another version",
	  EVENT("1") NEXT EVENT("2") "header 4 3",
	  "damaged chunks: 1, 1511 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "a chunk, and rubbish", EVENT("1") "next\nheader 0 7",
	  "damaged chunks: 1, 150 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1\n" },
	{ "types that cannot be, and another chunk",
	  EVENT("1") "type A #2000000 | x:int\n" NEXT EVENT("2"),
	  "damaged chunks: 1, 1540 bytes skipped",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @2\n" },
};

TEST(rescued)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, TYPE);
		play(&j, rows[i].text);
		says_with(&j, RECOVER, rows[i].name, rows[i].want);
		if (strcmp(jfr_note, rows[i].note)) {
			fprintf(stderr, "+++ %s\n", jfr_note);
			TEST_FAIL("%s: %.80s", rows[i].name, jfr_note);
		}
	}
}

/* What no chunk is in stays an error. */
TEST(hopeless)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{ EVENT("1") "header 4 3",
		  "error: a recording of version 3.1: only 1.0 and 2.x are "
		  "supported at 0\n" },
		{ EVENT("1") "header 56 0",
		  "error: the clock frequency is 0 at 56\n" },
		{ EVENT("1") "header 0 7",
		  "error: expected the start of a chunk at 0\n" },
	};

	for (size_t i = 0; i < op_countof(bad); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, TYPE);
		play(&j, bad[i].text);
		says_with(&j, RECOVER, "hopeless", bad[i].want);
	}
}

/* --- every byte --- */

/* Two chunks: types behind and before the constants. */
static struct op_view sample(struct jfr *j)
{
	jfr_begin(j, JFR_JDK17);
	play(j, TYPE EVENT("1") EVENT("2") "metadata\n" NEXT EVENT("3"));
	return jfr_end(j);
}

static uint32_t nr_observed(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint32_t n = 0;

	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			n += op_sample_times(w.profile, i).n;
	return n;
}

/* Cut off, it is refused with a place; what can be recovered never gets less
 * from one byte more. */
TEST(cut_off)
{
	struct jfr j;
	struct op_view file = sample(&j);
	uint32_t most = 0;

	for (size_t n = 1; n <= file.n; n++) {
		struct op_err err;
		struct op_model m;
		uint32_t got;

		if (read_with(&m, op_view(file.p, n), NULL, &err))
			CHECK(err.has_at && err.at <= n && *err.text);
		else
			CHECK(n == file.n || nr_observed(&m) == 2);
		op_model_free(&m);
		if (read_with(&m, op_view(file.p, n), RECOVER, &err))
			CHECK(n < JFR_HEADER);
		got = nr_observed(&m);
		CHECK(got >= most);
		most = got;
		op_model_free(&m);
	}
	CHECK_EQ(most, 3);
	jfr_free(&j);
}

/* Any byte may be another: it says something else or is refused. */
TEST(damaged)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct jfr j;
	struct op_view file = sample(&j);
	uint8_t *copy = malloc(file.n);

	memcpy(copy, file.p, file.n);
	for (size_t i = 0; i < file.n; i++) {
		for (size_t k = 0; k < op_countof(bytes); k++) {
			struct op_err err;
			struct op_model m;

			copy[i] = bytes[k];
			if (read_with(&m, op_view(copy, file.n), NULL, &err))
				CHECK(*err.text && err.at <= file.n);
			op_model_free(&m);
			if (read_with(&m, op_view(copy, file.n), RECOVER, &err))
				CHECK(i < JFR_HEADER);
			op_model_free(&m);
		}
		copy[i] = file.p[i];
	}
	free(copy);
	jfr_free(&j);
}

/* --- no memory --- */

static void no_memory(const char *text, const char *setting)
{
	struct jfr j;
	struct op_view file;
	bool done = false;

	jfr_begin(&j, JFR_JDK17);
	play(&j, TYPE);
	play(&j, text);
	file = jfr_end(&j);
	EACH_ALLOC_FAILS(k) {
		struct op_err err;
		struct op_model m;

		read_with(&m, file, setting, &err);
		if (op_alloc_failed())
			CHECK_EQ(err.code, OP_ENOMEM);
		else
			done = !err.code;
		op_model_free(&m);
	}
	CHECK(done);
	jfr_free(&j);
}

TEST(memory)
{
#define ALL                                                                 \
	"jdk.ExecutionSample 1 `w` `A.f;B.g`\n"                             \
	"jdk.ThreadStart 2 `w` `...;A.f`\n"                                 \
	"jdk.ObjectAllocationSample 3 `w` `A.f` `[[J` 64\n"                 \
	"jdk.FileRead 4 5 `w` 0 u'a' 6\njdk.OSInformation 1 l'x\xc3\xa9'\n" \
	"jdk.ActiveSetting id=70 'period' '20 ms'\n"
	no_memory(ALL, NULL);
	no_memory(ALL, "thread=w");
	no_memory(ALL, RECOVER);
	no_memory(ALL "header 8 0", RECOVER);
	no_memory(ALL "raw 0i", RECOVER);
}

TEST_MAIN(rescued, hopeless, cut_off, damaged, memory)
