// SPDX-License-Identifier: Apache-2.0
/* OTLP files: one bare message, or messages behind their lengths. */
#include "fmt/otlp/otlp.h"

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* Messages whose resources tell them apart; A of 14 bytes, B of 4. */
#define A "1{ 1{ 1{ 1'k' 2{ 1'a' } } } } "
#define B "1{ 3'b' } "
#define A_BYTES "=0000000e "
#define B_BYTES "=00000005 "

static struct wire w;

struct seen {
	unsigned int nr;
	unsigned int stop_at; /* fail at this message; 0: none */
	char text[256];
};

static int see(void *ctx, struct op_model *m, struct op_err *err)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	s->nr++;
	snprintf(s->text + n, sizeof(s->text) - n, "%s|", sketch_text(m));
	op_model_free(m);
	if (s->nr == s->stop_at)
		return op_fail(err, OP_EUSAGE, "enough");
	return OP_OK;
}

static const struct {
	const char *name, *text; /* ^ where the error is */
	int code;
	unsigned int nr;
	const char *result;
} rows[] = {
	{ "bare", A, OP_OK, 1, "resource k=a\n|" },
	{ "one behind its length", A_BYTES A, OP_OK, 1, "resource k=a\n|" },
	{ "two", A_BYTES A B_BYTES B, OP_OK, 2, "resource k=a\n|resource\n|" },
	{ "an empty one between", A_BYTES A "=00000000" B_BYTES B, OP_OK, 3,
	  "resource k=a\n||resource\n|" },
	{ "one empty", "=00000000", OP_OK, 1, "|" },
	{ "length cut off", A_BYTES A "^ =000000", OP_EFORMAT, 1,
	  "resource k=a\n|" },
	{ "length of the first cut off", "^ =00", OP_EFORMAT, 0, "" },
	{ "length past the end", A_BYTES A "^ =00000006" B, OP_EFORMAT, 1,
	  "resource k=a\n|" },
	{ "length of the first past the end", "^ =07ffffff" A, OP_EFORMAT, 0,
	  "" },
	{ "length too short",
	  "=0000000d =0a0c ^ =0a0a =0a08 =0a016b =1203 "
	  "=0a0161",
	  OP_EFORMAT, 0, "" },
	{ "offsets count from the start of the file",
	  A_BYTES A "=00000006 1{ 1{ ^ =0000 } }", OP_EFORMAT, 1,
	  "resource k=a\n|" },
};

/* Without samples, what was read must be OTLP; with some, what is not known is
 * of a later release. */
static const struct {
	const char *name, *text;
	int code;
} empties[] = {
	{ "no message at all", "=00000000", OP_OK },
	{ "no profile", "1{ 1{ 1{ 1'k' } } }", OP_OK },
	{ "no samples", "1{ 2{ 2{ 1{ 1:1 } 3@5 } } } 2{ 5'' 5'cpu' }", OP_OK },
	{ "no samples, v1.6", "1{ 2{ 2{ 3[0] 4:5 } } } 2{ 1:1 2:5 } 6'' 6'x'",
	  OP_OK },
	{ "a little that is not known", "1{ 2{ 2{ 1{ 1:0 } 3@5 } } } 99:1",
	  OP_OK },
	{ "nothing that is known", "9{ 1:1 2:2 } 12'text'", OP_EFORMAT },
	{ "hardly anything", "1{} 9{ 1:1 2:2 } 12'text'", OP_EFORMAT },
	{ "tables that are none", "1{} 2{ 1[1 2] 2[5 6] } 2{ 1[1 2] 2[7 8] }",
	  OP_EFORMAT },
	{ "with a sample", "1{ 2{ 2{ 2{ 4[5] } } } } 99'a later release'",
	  OP_OK },
};

TEST(nothing_is_not_a_profile)
{
	for (size_t i = 0; i < op_countof(empties); i++) {
		struct op_err err = { 0 };
		struct seen seen = { 0 };

		wire_set(&w, empties[i].text);
		op_format_otlp.read(wire_view(&w), NULL, see, &seen, &err);
		CHECK_EQ(err.code, empties[i].code);
		if (err.code != empties[i].code)
			fprintf(stderr, "  in row '%s': %s\n", empties[i].name,
				err.text);
	}
}

TEST(framing)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_err err = { 0 };
		struct seen seen = { 0 };

		wire_set(&w, rows[i].text);
		CHECK_EQ(op_format_otlp.read(wire_view(&w), NULL, see, &seen,
					     &err),
			 rows[i].code);
		CHECK_EQ(seen.nr, rows[i].nr);
		CHECK(!strcmp(seen.text, rows[i].result));
		if (rows[i].code && w.marked)
			CHECK_EQ(err.at, w.mark);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n%s\n", rows[i].name,
				err.text, seen.text);
	}
}

/* A failing callback ends the reading. */
TEST(callback_fails)
{
	struct seen seen = { .stop_at = 1 };
	struct op_err err = { 0 };

	wire_set(&w, A_BYTES A B_BYTES B);
	CHECK_EQ(op_format_otlp.read(wire_view(&w), NULL, see, &seen, &err),
		 OP_EUSAGE);
	CHECK_EQ(seen.nr, 1);
}

static int see_options(void *ctx, struct op_model *m, struct op_err *err)
{
	struct op_model *out = ctx;

	(void)err;
	*out = *m;
	return OP_OK;
}

TEST(options)
{
	struct op_read_opts opts = { .unchecked = true, .mem_quota = 100000 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	wire_set(&w, "1{ 2{ 2{ 2{ 1:9 4[5] } } } }");
	CHECK_EQ(op_format_otlp.read(wire_view(&w), &opts, see_options, &m,
				     &err),
		 OP_OK);
	CHECK_EQ(m.mem.quota, 100000);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].stack[0], 9);
	op_model_free(&m);
}

/* How much bytes look like OTLP: not at all, perhaps, or most likely. */
static const struct {
	const char *name, *text;
	int least, most;
} sniffs[] = {
	{ "resources and a dictionary", A "2{ " WIRE_ZERO_ROWS "}", 80, 100 },
	{ "dictionary first", "2{ " WIRE_ZERO_ROWS "} " A, 80, 100 },
	{ "resources alone", A, 20, 80 },
	{ "v1.6", A "3{} 4{} 6''", 20, 100 },
	{ "behind its length", A_BYTES A, 20, 80 },
	{ "two behind their lengths", A_BYTES A B_BYTES B, 20, 80 },
	{ "length cut off", A_BYTES A "=0000", 1, 20 },
	{ "message cut off", "1{ 1{ } 2{ 2{} } } =0a40 =0a", 1, 20 },
	/* pprof: 1 sample_type { 1, 2: numbers }, 2 sample { 1, 2: runs },
	 * 5 function { 1: number }, 6 string. */
	{ "pprof",
	  "1{ 1:1 2:2 } 2{ 1[1] 2[5] } 4{ 1:1 4{ 1:1 } } 5{ 1:1 2:3 } 6'' "
	  "6'cpu' 6'ns' 6'f' 9:1 10:2",
	  0, 0 },
	{ "pprof with a period only", "11{ 1:1 2:2 } 12:10", 0, 0 },
	{ "text", "=7b2273747269 =6e6773223a5b5d7d", 0, 0 },
	{ "folded stacks", "=6d61696e3b776f726b2031300a", 0, 0 },
	{ "ELF", "=7f454c46020101000000000000000000", 0, 0 },
	{ "gzip", "=1f8b0800000000000003", 0, 0 },
	{ "perf.data", "=50455246494c4532", 0, 0 },
	{ "JFR", "=464c5200000200000000", 0, 0 },
	{ "random bytes", "=e3b0c44298fc1c149afbf4c8996fb924", 0, 0 },
	{ "zeros", "=0000000000000000", 0, 0 },
	{ "one byte", "=0a", 0, 5 },
	{ "one zero byte", "=00", 0, 5 },
	{ "a large length", "=07ffffff00", 0, 5 },
};

TEST(sniff)
{
	for (size_t i = 0; i < op_countof(sniffs); i++) {
		int score;

		wire_set(&w, sniffs[i].text);
		score = op_otlp_sniff(wire_view(&w));
		if (score < sniffs[i].least || score > sniffs[i].most)
			TEST_FAIL("%s: %d, not %d to %d", sniffs[i].name, score,
				  sniffs[i].least, sniffs[i].most);
	}
}

TEST_MAIN(nothing_is_not_a_profile, framing, callback_fails, options, sniff)
