// SPDX-License-Identifier: Apache-2.0
#include "fmt/otlp/split.h"

#include <stdlib.h>

#include "fmt/otlp/otlp.h"
#include "test.h"
#include "write/parts.h"
#include "write/sketch.h"
#include "write/wire.h"

static void check(struct op_view message, size_t max, struct parts *out)
{
	const char *why = parts_check(message, max, out);

	if (why)
		TEST_FAIL("at most %zu bytes: %s", max, why);
}

/* Any message, cut at every size. */
TEST(parts_are_the_whole)
{
	static struct wire w;
	static char text[WIRE_MAX];

	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct parts out;

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		for (size_t max = 60; max < w.n + 40;
		     max += 1 + w.n / 37 + seed % 5)
			check(wire_view(&w), max, &out);
	}
}

/* The message of a sketch; to be freed. */
static struct op_pbw bytes_of(const struct sketch *s, struct op_err *err)
{
	struct op_pbw w = { .err = err };
	struct op_model m = { 0 };

	sketch_one(&m, s);
	CHECK_EQ(op_otlp_encode(&m, &w), OP_OK);
	op_model_free(&m);
	return w;
}

enum { TEXT = 400000 };

/* Lines of samples: stacks of two frames out of 300, or observations. */
static char *lines(uint32_t nr, uint32_t nr_times)
{
	char *text = malloc(TEXT);
	size_t n = 0;

	for (uint32_t i = 0; text && i < nr; i++) {
		n += (size_t)snprintf(text + n, TEXT - n, "main;f%u;g%u",
				      i % 300, i);
		for (uint32_t k = 0; k < nr_times; k++)
			n += (size_t)snprintf(text + n, TEXT - n, " %u@%u",
					      1 + k % 3, 1000 + k / 2);
		n += (size_t)snprintf(text + n, TEXT - n,
				      nr_times ? " t=%u\n" : " 7 t=%u\n",
				      i % 10);
	}
	return text;
}

static const struct {
	const char *name;
	uint32_t nr, nr_times;
	size_t max;
} sizes[] = {
	{ "cut between samples", 3000, 0, 8000 },
	{ "cut between samples with times", 500, 20, 4000 },
	{ "cut between observations", 1, 20000, 6000 },
	{ "cut between observations of each of a few", 3, 5000, 6000 },
	{ "old gRPC servers, in small", 3000, 5, 40000 },
};

/* Parts are near the limit, and their rows are not the whole table. */
TEST(parts_are_full)
{
	for (size_t i = 0; i < op_countof(sizes); i++) {
		char *text = lines(sizes[i].nr, sizes[i].nr_times);
		struct sketch s = { .samples = text,
				    .resource = "host=a",
				    .attrs = "x=1",
				    .time_ns = 900,
				    .duration_ns = 99999 };
		struct op_err err = { 0 };
		struct op_pbw w = bytes_of(&s, &err);
		int before = test_failed;
		struct parts out;

		check(op_pbw_result(&w), sizes[i].max, &out);
		CHECK(out.nr > 2);
		CHECK(out.smallest > sizes[i].max * 9 / 10);
		CHECK(out.sum < out.whole * 2);
		CHECK_STR(out.notes, "");
		if (before != test_failed)
			fprintf(stderr, "  in row '%s': %zu of %zu..\n",
				sizes[i].name, out.nr, out.smallest);
		op_pbw_free(&w);
		free(text);
	}
}

#define HUGE_TEXT                                              \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *name;
	struct sketch s;
	size_t max;
	size_t nr;
	const char *notes;
} left_out[] = {
	{ "a stack of which a name is too long",
	  { .samples = HUGE_TEXT " 1\nb 2\n" HUGE_TEXT " 5 t=1\nc 3\n" },
	  190,
	  1,
	  "2 observations of 2 samples were dropped: each is larger than 190 "
	  "bytes\n" },
	{ "an attribute that is too long",
	  { .samples = "a 1@5 2@6 k=" HUGE_TEXT "\nb 2@5\n" },
	  190,
	  1,
	  "2 observations of 1 samples were dropped: each is larger than 190 "
	  "bytes\n" },
	{ "a resource that is too long",
	  { .samples = "a 1\n", .resource = "host=" HUGE_TEXT },
	  190,
	  0,
	  "1 profiles were dropped: even without samples they are larger than "
	  "190 bytes\n" },
	{ "all of it fits", { .samples = "a 1\n" }, 190, 1, "" },
};

TEST(what_does_not_fit_is_told)
{
	for (size_t i = 0; i < op_countof(left_out); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = bytes_of(&left_out[i].s, &err);
		int before = test_failed;
		struct parts out;

		check(op_pbw_result(&w), left_out[i].max, &out);
		CHECK_EQ(out.nr, left_out[i].nr);
		CHECK_STR(out.notes, left_out[i].notes);
		if (before != test_failed)
			fprintf(stderr, "  in row '%s'\n", left_out[i].name);
		op_pbw_free(&w);
	}
}

/* --- what is in a part --- */

static char parts_text[20000];

static int text_add(void *ctx, struct op_view message, struct op_err *err)
{
	size_t n = strlen(parts_text);
	struct op_model m = { 0 };

	(void)ctx;
	if (!op_otlp_decode(&m, message, NULL, err))
		snprintf(parts_text + n, sizeof(parts_text) - n, "--\n%s",
			 sketch_text(&m));
	op_model_free(&m);
	return err->code;
}

static int text_of(const struct sketch *s, size_t n, size_t max,
		   struct op_err *err)
{
	struct op_split_opts opts = { .max = max };
	struct op_model m = { 0 };

	parts_text[0] = 0;
	if (!sketch_model(&m, s, n, err))
		op_split_model(&m, &opts, text_add, NULL, err);
	op_model_free(&m);
	return err->code;
}

/* A profile that fits is not cut, though there was room before it. */
TEST(profiles_stay_whole)
{
	const struct sketch s[] = {
		{ .samples = "a 1\nb 2\n", .id = 1 },
		{ .samples = "c 3\nd 4\ne 5\n", .unit = "count", .id = 2 },
	};
	struct op_err err = { 0 };
	char *second;

	CHECK_EQ(text_of(s, 2, 200, &err), OP_OK);
	CHECK_STR(err.text, "");
	second = strstr(parts_text + 1, "--");
	CHECK(second != NULL);
	if (!second)
		return;
	CHECK(strstr(parts_text, "b 2") < second);
	CHECK(strstr(parts_text, "c 3") > second);
	CHECK(!strstr(second + 1, "--"));
}

static int stop(void *ctx, struct op_view message, struct op_err *err)
{
	int *left = ctx;

	(void)message;
	return --*left ? OP_OK : op_fail(err, OP_EIO, "no more");
}

TEST(who_takes_them_may_stop)
{
	char *text = lines(300, 0);
	struct sketch s = { .samples = text };
	struct op_split_opts opts = { .max = 1000 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	int left = 3;

	sketch_one(&m, &s);
	CHECK_EQ(op_split_model(&m, &opts, stop, &left, &err), OP_EIO);
	CHECK_EQ(left, 0);
	op_model_free(&m);
	free(text);
}

static int count(void *ctx, struct op_view message, struct op_err *err)
{
	(void)message, (void)err;
	++*(int *)ctx;
	return OP_OK;
}

TEST(no_memory)
{
	const struct sketch s = { .samples = "a;b 1@1 2@2 k=v #1\nc 3@3\n"
					     "d 4@1 5@1 6@1\ne;f 1@1\n",
				  .resource = "host=a",
				  .attrs = "x=1" };
	struct op_err err = { 0 };
	struct op_pbw w = bytes_of(&s, &err);
	struct op_split_opts opts = { .max = op_pbw_mark(&w) * 3 / 4 };
	int nr = 0;

	EACH_ALLOC_FAILS(k) {
		nr = 0;
		err = (struct op_err){ 0 };
		op_split_message(op_pbw_result(&w), &opts, count, &nr, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
	CHECK(nr > 1);
	op_pbw_free(&w);
}

TEST_MAIN(parts_are_the_whole, parts_are_full, what_does_not_fit_is_told,
	  profiles_stay_whole, who_takes_them_may_stop, no_memory)
