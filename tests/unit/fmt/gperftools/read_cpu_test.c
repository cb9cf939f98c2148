// SPDX-License-Identifier: Apache-2.0
/* Binary CPU profiles, in each size and order of words. */
#include "gperftools_fixture.h"

struct words {
	uint8_t bytes[4096];
	size_t n;
	unsigned int size;
	bool is_big_endian;
};

static void put(struct words *w, uint64_t v)
{
	for (unsigned int i = 0; i < w->size; i++) {
		unsigned int at = w->is_big_endian ? w->size - 1 - i : i;

		w->bytes[w->n++] = (uint8_t)(v >> 8 * at);
	}
}

static void put_text(struct words *w, const char *text)
{
	memcpy(w->bytes + w->n, text, strlen(text));
	w->n += strlen(text);
}

static void put_header(struct words *w, uint64_t language, uint64_t period)
{
	const uint64_t head[] = { 0, 3, language, period, 0 };

	for (size_t i = 0; i < op_countof(head); i++)
		put(w, head[i]);
}

/* Words that 0 ends. */
static void put_stack(struct words *w, uint64_t count, const uint64_t *stack)
{
	uint64_t n = 0;

	while (stack[n])
		n++;
	put(w, count);
	put(w, n);
	for (uint64_t i = 0; i < n; i++)
		put(w, stack[i]);
}

#define STACK(w, count, ...) \
	put_stack(w, count, (const uint64_t[]){ __VA_ARGS__, 0 })

static void put_end(struct words *w)
{
	put(w, 0);
	put(w, 1);
	put(w, 0);
}

static struct op_view all(const struct words *w)
{
	return op_view(w->bytes, w->n);
}

static void check_says(const struct words *w, const char *want,
		       const char *notes)
{
	static struct gperf g;

	if (gperf_read(&g, all(w)))
		TEST_FAIL("%.100s at %llu", g.err.text,
			  (unsigned long long)g.err.at);
	CHECK_STR(g.text, want);
	CHECK_STR(g.notes, notes);
	CHECK(op_format_sniff(all(w)) == &op_format_gperftools);
	op_model_free(&g.m);
}

TEST(words_of_all_kinds)
{
	for (unsigned int kind = 0; kind < 4; kind++) {
		struct words w = { .size = kind & 2 ? 8 : 4,
				   .is_big_endian = kind & 1 };

		put_header(&w, 0, 10000);
		STACK(&w, 3, 0x10, 0x21, 0x31);
		STACK(&w, 0, 0x10, 0x41);
		STACK(&w, 1, 0x12);
		put_end(&w);
		check_says(&w,
			   "profile cpu/nanoseconds period 10000000\n"
			   "\t0x12 10000000\n\t0x30;0x20;0x10 30000000\n"
			   "\t0x40;0x10 0\n"
			   "profile samples/count period 10000000\n"
			   "\t0x12 1\n\t0x30;0x20;0x10 3\n\t0x40;0x10 0\n",
			   "");
	}
}

TEST(maps)
{
	struct words w = { .size = 8 };
	static struct gperf g;

	put_header(&w, 0, 1);
	STACK(&w, 1, 0x401000, 0x7f0000001001);
	STACK(&w, 1, 0x402000);
	put_end(&w);
	put_text(&w, "00400000-00500000 r-xp 00000000 08:01 12   /bin/a\n"
		     "7f0000000000-7f0000100000 r-xp 00000000 08:01 13   /b\n");
	CHECK_EQ(gperf_read(&g, all(&w)), OP_OK);
	CHECK_EQ(g.m.dict.nr[OP_MAPPINGS], 3);
	CHECK_EQ(g.m.dict.mappings[1].start, 0x400000);
	CHECK(op_view_is(op_string(&g.m, g.m.dict.mappings[2].filename), "/b"));
	op_model_free(&g.m);
}

TEST(leaf_is_there_twice)
{
	struct words w = { .size = 4 };

	put_header(&w, 0, 1);
	STACK(&w, 1, 0x10, 0x10, 0x21);
	STACK(&w, 1, 0x30, 0x41);
	put_end(&w);
	check_says(&w,
		   "profile cpu/nanoseconds period 1000\n"
		   "\t0x20;0x10 1000\n\t0x40;0x30 1000\n"
		   "profile samples/count period 1000\n"
		   "\t0x20;0x10 1\n\t0x40;0x30 1\n",
		   "");
}

/* Of 64 samples two may have another second frame. */
TEST(signal_handler)
{
	static struct gperf g;

	for (unsigned int others = 0; others < 4; others++) {
		struct words w = { .size = 4 };
		bool is_dropped = others <= 2;

		put_header(&w, 0, 1);
		for (unsigned int i = 0; i < 64; i++)
			STACK(&w, 1, 0x100 + i, i < others ? 0x901 + i : 0x801,
			      0x201 + i);
		put_end(&w);
		CHECK_EQ(gperf_read(&g, all(&w)), OP_OK);
		CHECK_EQ(strstr(g.text, "0x800") == NULL, is_dropped);
		CHECK_EQ(strstr(g.notes, "caller 0x800 of almost all") != NULL,
			 is_dropped);
		op_model_free(&g.m);
	}
}

TEST(java)
{
	struct words w = { .size = 4 };

	put_header(&w, 1, 1);
	STACK(&w, 2, 3, 4);
	put_end(&w);
	put_text(&w, " 0x00000003 f (F.java:3)\n 0x00000004 VM\n");
	check_says(&w,
		   "profile cpu/nanoseconds period 1000\n\tVM;f 2000\n"
		   "profile samples/count period 1000\n\tVM;f 2\n",
		   "");
}

TEST(ends_early)
{
	struct words w = { .size = 8 };
	static struct gperf g;

	put_header(&w, 0, 1);
	check_says(&w,
		   "profile cpu/nanoseconds period 1000\n"
		   "profile samples/count period 1000\n",
		   "no end mark: the profile may be truncated\n");
	STACK(&w, 1, 0x10);
	check_says(&w,
		   "profile cpu/nanoseconds period 1000\n\t0x10 1000\n"
		   "profile samples/count period 1000\n\t0x10 1\n",
		   "no end mark: the profile may be truncated\n");
	for (size_t n = w.n - 1; n > 40; n--) {
		CHECK_EQ(gperf_read(&g, op_view(w.bytes, n)), OP_EFORMAT);
		CHECK_EQ(g.err.at, 40);
		CHECK_STR(g.err.text,
			  n < 56 ? "truncated record" :
				   "a stack extends past the end of the file");
	}
	CHECK_EQ(gperf_read(&g, op_view(w.bytes, 39)), OP_EFORMAT);
}

TEST(too_large)
{
	static const uint64_t counts[] = { UINT64_MAX, INT64_MAX };
	static struct gperf g;

	for (size_t i = 0; i < op_countof(counts); i++) {
		struct words w = { .size = 8 };

		put_header(&w, 0, 1);
		STACK(&w, counts[i], 0x10);
		put_end(&w);
		CHECK_EQ(gperf_read(&g, all(&w)), OP_EFORMAT);
		CHECK_STR(g.err.text, "a count is too large");
		CHECK_EQ(g.err.at, 40);
	}
}

/* Headers that look like it are left to others. */
TEST(not_recognised)
{
	static const uint64_t heads[][5] = {
		{ 1, 3, 0, 1, 0 }, { 0, 4, 0, 1, 0 }, { 0, 3, 2, 1, 0 },
		{ 0, 3, 0, 0, 0 }, { 0, 3, 0, 1, 1 },
	};
	struct words w = { .size = 4 };

	for (size_t i = 0; i < op_countof(heads); i++) {
		w.n = 0;
		for (size_t k = 0; k < 5; k++)
			put(&w, heads[i][k]);
		put_end(&w);
		CHECK(!op_format_gperftools.sniff(all(&w)));
	}
	w.n = 0;
	put_header(&w, 0, 1);
	put(&w, 1);
	put(&w, 2);
	put(&w, 0x10);
	CHECK(!op_format_gperftools.sniff(all(&w)));
}

TEST(oom)
{
	struct words w = { .size = 4 };

	put_header(&w, 0, 1);
	STACK(&w, 1, 0x10, 0x21);
	STACK(&w, 1, 0x30, 0x41);
	put_end(&w);
	put_text(&w, "0-100: /bin/a\n");
	gperf_survives(all(&w));
}

TEST_MAIN(words_of_all_kinds, maps, leaf_is_there_twice, signal_handler, java,
	  ends_early, too_large, not_recognised, oom)
