// SPDX-License-Identifier: Apache-2.0
#include "model/filter.h"

#include "base/regex.h"
#include "model/merge.h"
#include "model/semconv.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define HEAD "resource\nscope \n"
#define CPU "profile cpu/nanoseconds"
#define RUNS "otprof.aggregation_temporality=cumulative"
#define NS .period_unit = "nanoseconds"
#define AT(t, d) .time_ns = t, .duration_ns = d
#define RANGE(a, b) .range = { a, b }

static const struct {
	const char *name;
	struct sketch s;
	struct op_filter_opts o;
	const char *result;
	const char *note; /* a part of it; NULL: there is none */
} rows[] = {
	/* frames */
	{ "focus keeps stacks with the frame",
	  { .samples = "main;f 1\nmain;g 2\nmain;f;g 4" },
	  { .focus = "f" },
	  HEAD CPU "\n\tmain;f 1\n\tmain;f;g 4\n",
	  0 },
	{ "ignore drops them",
	  { .samples = "main;f 1\nmain;g 2\nmain;f;g 4" },
	  { .ignore = "f" },
	  HEAD CPU "\n\tmain;g 2\n",
	  0 },
	{ "both",
	  { .samples = "main;f 1\nmain;g 2\nmain;f;g 4" },
	  { .focus = "f", .ignore = "g" },
	  HEAD CPU "\n\tmain;f 1\n",
	  0 },
	{ "no stack has no frame",
	  { .samples = "- 1\nf 2" },
	  { .focus = "f" },
	  HEAD CPU "\n\tf 2\n",
	  0 },
	{ "and is not ignored",
	  { .samples = "- 1\nf 2" },
	  { .ignore = "f" },
	  HEAD CPU "\n\t- 1\n",
	  0 },
	{ "attributes, links and times stay",
	  { .samples = "f 1@5 2@6 k=v #1\ng 1@7" },
	  { .focus = "f" },
	  HEAD CPU "\n\tf 1@5 2@6 k=v #1\n",
	  0 },
	{ "a profile stays without samples",
	  { .samples = "f 1", .id = 7 },
	  { .focus = "g" },
	  HEAD CPU "\n",
	  0 },
	{ "what loses nothing keeps its id",
	  { .samples = "f 1", .id = 7 },
	  { .focus = "f" },
	  HEAD CPU " id 7\n\tf 1\n",
	  0 },
	{ "what loses something does not",
	  { .samples = "f 1\ng 2", .id = 7 },
	  { .focus = "f" },
	  HEAD CPU "\n\tf 1\n",
	  0 },
	{ "zeros",
	  { .samples = "f 0\ng 2\nh -2" },
	  { .drop_zeros = true },
	  HEAD CPU "\n\tg 2\n\th -2\n",
	  0 },

	/* time */
	{ "observations in the range",
	  { .samples = "f 1@9 2@10 4@19 8@20\ng 1@5", AT(0, 100), .id = 7 },
	  { RANGE(10, 20) },
	  HEAD CPU " 10+10\n\tf 2@10 4@19\n",
	  0 },
	{ "a range around all changes nothing",
	  { .samples = "f 1@9 2@10", AT(5, 10), .id = 7 },
	  { RANGE(5, 15) },
	  HEAD CPU " 5+10 id 7\n\tf 1@9 2@10\n",
	  0 },
	{ "the profile's range is cut at one end",
	  { .samples = "f 1@9 2@10", AT(5, 10) },
	  { RANGE(10, 200) },
	  HEAD CPU " 10+5\n\tf 2@10\n",
	  0 },
	{ "a profile outside goes",
	  { .samples = "f 1@9", AT(5, 10) },
	  { RANGE(15, 20) },
	  "",
	  "no profile is in the requested time range" },
	{ "one that overlaps stays, without samples",
	  { .samples = "f 1@9", AT(5, 10), .id = 7 },
	  { RANGE(12, 20) },
	  HEAD CPU " 12+3\n",
	  0 },
	{ "times without a range of the profile",
	  { .samples = "f 1@9 2@10" },
	  { RANGE(10, 20) },
	  HEAD CPU "\n\tf 2@10\n",
	  0 },
	{ "intervals are cut",
	  { .samples = "f 5@8 5@12 5@18 5@20 5@5 50@0",
	    .type = "off_cpu",
	    AT(0, 100) },
	  { RANGE(10, 20) },
	  HEAD "profile off_cpu/nanoseconds 10+10\n"
	       "\tf 3@10 5@12 2@18 10@10\n",
	  0 },
	{ "intervals stamped at their end",
	  { .samples = "f 5@13 5@17 5@23 5@25 5@10",
	    .type = "off_cpu",
	    .scope = OP_SCOPE_EBPF },
	  { RANGE(10, 20) },
	  "resource\nscope " OP_SCOPE_EBPF
	  "\nprofile off_cpu/nanoseconds\n\tf 3@13 5@17 2@20\n",
	  0 },
	{ "intervals that are weights",
	  { .samples = "f 1000000000@0",
	    .type = "off_cpu",
	    .period = 1000000,
	    NS },
	  { RANGE(250000000, 500000000) },
	  HEAD "profile off_cpu/nanoseconds period 1000000\n"
	       "\tf 250000000@250000000\n",
	  0 },
	{ "sums that overlap stay whole",
	  { .samples = "f 7", AT(5, 10), .id = 7 },
	  { RANGE(10, 20) },
	  HEAD CPU " 5+10 id 7\n\tf 7\n",
	  "profile 0.0.0: values without timestamps cannot be split" },
	{ "sums inside do without a word",
	  { .samples = "f 7", AT(10, 10) },
	  { RANGE(10, 20) },
	  HEAD CPU " 10+10\n\tf 7\n",
	  0 },
	{ "sums outside go",
	  { .samples = "f 7", AT(0, 10) },
	  { RANGE(10, 20) },
	  "",
	  "no profile is in the requested time range" },
	{ "a profile at one point",
	  { .samples = "f 7", AT(10, 0) },
	  { RANGE(10, 20) },
	  HEAD CPU " 10+0\n\tf 7\n",
	  0 },
	{ "sums at no time stay",
	  { .samples = "f 7" },
	  { RANGE(10, 20) },
	  HEAD CPU "\n\tf 7\n",
	  "kept whole" },

	/* aggregate */
	{ "observations are summed",
	  { .samples = "f 1@9 2@10 k=v\ng 3@5", AT(5, 10), .id = 7 },
	  { .aggregate = true },
	  HEAD CPU " 5+10\n\tf 3 k=v\n\tg 3\n",
	  0 },
	{ "times count",
	  { .samples = "f 1@9 1@10" },
	  { .aggregate = true },
	  HEAD CPU "\n\tf 2\n",
	  0 },
	{ "sums stay as they are",
	  { .samples = "f 1\ng 3", .id = 7 },
	  { .aggregate = true },
	  HEAD CPU " id 7\n\tf 1\n\tg 3\n",
	  0 },
	{ "of gauges the last, by time",
	  { .samples = "f 1@9 2@20 4@10\ng 3@5", .type = "inuse_space" },
	  { .aggregate = true },
	  HEAD "profile inuse_space/nanoseconds\n\tf 2\n\tg 3\n",
	  0 },
	{ "events add up, whatever their totals would do",
	  { .samples = "f 10@9 70@20 40@10\ng 3@5", .attrs = "k=v " RUNS },
	  { .aggregate = true },
	  HEAD CPU " k=v\n\tf 120\n\tg 3\n",
	  0 },
	{ "a counter without times still runs",
	  { .samples = "f 10", .attrs = RUNS },
	  { .aggregate = true },
	  HEAD CPU " " RUNS "\n\tf 10\n",
	  0 },
	{ "all at once",
	  { .samples = "main;f 5@8 1@12\nmain;g 9@10", .type = "off_cpu" },
	  { .aggregate = true, .focus = "f", RANGE(10, 20) },
	  HEAD "profile off_cpu/nanoseconds\n\tmain;f 4\n",
	  0 },
};

static char noted[400];

static void note(void *ctx, const char *text)
{
	CHECK(ctx == noted);
	snprintf(noted, sizeof(noted), "%s", text);
}

TEST(filter_rows)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_filter_opts o = rows[i].o;
		struct op_model m, out = { 0 };
		struct op_err err = { 0 };
		int before = test_failed;

		noted[0] = 0;
		o.note = note;
		o.ctx = noted;
		sketch_one(&m, &rows[i].s);
		CHECK_EQ(op_filter(&m, &o, &out, &err), OP_OK);
		CHECK_STR(sketch_text(&out), rows[i].result);
		CHECK(out.normal);
		CHECK(rows[i].note ? strstr(noted, rows[i].note) != NULL :
				     !*noted);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'; noted '%s'\n%s",
				rows[i].name, noted, sketch_text(&out));
		op_model_free(&out);
		op_model_free(&m);
	}
}

/* --- several profiles --- */

static const struct sketch several[] = {
	{ .samples = "main;f 1 k=v\nmain;g 2", .resource = "host=a", .id = 1 },
	{ .samples = "f 3", .resource = "host=a", .type = "alloc" },
	{ .samples = "h 4@5", .resource = "host=b", .type = "alloc" },
	{ .samples = "h 4@5",
	  .resource = "host=b",
	  .scope = "other",
	  .type = "wall" },
};

static void several_filtered(const struct op_filter_opts *o, const char *result)
{
	struct op_model m = { 0 }, out = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&m, several, op_countof(several), &err), OP_OK);
	CHECK_EQ(op_filter(&m, o, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out), result);
	op_model_free(&out);
	op_model_free(&m);
}

TEST(types)
{
	struct op_filter_opts alloc = { .types = "alloc" };
	struct op_filter_opts two = { .types = "cpu,wall/nanoseconds" };
	struct op_filter_opts nothing = { .types = "heap,cpu/bytes" };
	struct op_model m = { 0 }, out = { 0 };
	struct op_err err = { 0 };

	several_filtered(&alloc, "resource host=a\nscope \n"
				 "profile alloc/nanoseconds\n\tf 3\n"
				 "resource host=b\nscope \n"
				 "profile alloc/nanoseconds\n\th 4@5\n");
	several_filtered(&two, "resource host=a\nscope \n" CPU
			       " id 1\n\tmain;f 1 k=v\n\tmain;g 2\n"
			       "resource host=b\nscope other\n"
			       "profile wall/nanoseconds\n\th 4@5\n");
	sketch_one(&m, several);
	CHECK_EQ(op_filter(&m, &nothing, &out, &err), OP_EUSAGE);
	CHECK(strstr(err.text, "there is cpu/nanoseconds"));
	op_model_free(&out);
	op_model_free(&m);
}

/* Only what the samples that stay lead to is there. */
TEST(no_orphans)
{
	struct op_filter_opts o = { .focus = "f", .types = "cpu" };
	struct op_model m = { 0 }, out = { 0 }, again = { 0 };
	struct op_model *one[] = { &out };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&m, several, op_countof(several), &err), OP_OK);
	CHECK_EQ(op_filter(&m, &o, &out, &err), OP_OK);
	CHECK_EQ(op_concat(one, 1, &again, &err), OP_OK);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(out.dict.nr[t], again.dict.nr[t]);
	CHECK_EQ(out.dict.nr[OP_STACKS], 2);
	op_model_free(&again);
	op_model_free(&out);
	op_model_free(&m);
}

TEST(payloads)
{
	struct op_filter_opts keep = { 0 }, drop = { .drop_payloads = true };
	struct op_filter_opts less = { .focus = "nothing" };
	const struct op_filter_opts *o[] = { &keep, &drop, &less };

	for (size_t i = 0; i < op_countof(o); i++) {
		struct op_model m, out = { 0 };
		struct op_profile *p;
		struct op_err err = { 0 };

		sketch_one(&m, several);
		p = m.resources[0].scopes[0].profiles;
		p->payload = op_view_z("bytes");
		p->payload_format = op_view_z("jfr");
		CHECK_EQ(op_filter(&m, o[i], &out, &err), OP_OK);
		p = out.resources[0].scopes[0].profiles;
		CHECK_EQ(p->payload.n, i ? 0 : 5);
		CHECK_EQ(p->payload_format.n, i ? 0 : 3);
		CHECK_EQ(p->id_len, o[i] == &less ? 0 : 16);
		op_model_free(&out);
		op_model_free(&m);
	}
}

TEST(bad_pattern)
{
	struct op_filter_opts o[] = { { .focus = "a(" }, { .ignore = "a(" } };

	for (int i = 0; op_regex_is_full() && i < 2; i++) {
		struct op_model m, out = { 0 };
		struct op_err err = { 0 };

		sketch_one(&m, several);
		CHECK_EQ(op_filter(&m, &o[i], &out, &err), OP_EUSAGE);
		CHECK_EQ(err.at, 2);
		op_model_free(&out);
		op_model_free(&m);
	}
}

/* --- laws --- */

static void generated(struct op_model *m, uint32_t seed)
{
	static char text[WIRE_MAX];
	static struct wire w;
	struct op_err err = { 0 };

	wire_generate(text, sizeof(text), seed);
	wire_set(&w, text);
	CHECK_EQ(wire_decode(m, wire_view(&w), NULL, &err), OP_OK);
}

static bool same_tables(const struct op_model *a, const struct op_model *b)
{
	for (int t = 0; t < OP_NR_TABLES; t++)
		if (a->dict.nr[t] != b->dict.nr[t])
			return false;
	for (uint32_t i = 0; i < a->dict.nr[OP_STRINGS]; i++)
		if (!op_view_eq(op_string(a, i), op_string(b, i)))
			return false;
	return true;
}

/* Asked for everything, it is op_normalise(), to the order of the rows. */
TEST(all_is_normalise)
{
	for (uint32_t seed = 1; seed <= 50; seed++) {
		struct op_filter_opts all = { 0 };
		struct op_err err = { 0 };
		struct op_model m, out = { 0 };

		generated(&m, seed);
		CHECK_EQ(op_filter(&m, &all, &out, &err), OP_OK);
		CHECK_EQ(op_normalise(&m, &err), OP_OK);
		CHECK_STR(sketch_text(&out), sketch_text(&m));
		CHECK(same_tables(&out, &m));
		op_model_free(&out);
		op_model_free(&m);
	}
}

static int64_t total(const struct op_model *m)
{
	struct op_walk w = { 0 };
	int64_t sum = 0;

	while (op_walk_next(m, &w))
		sum += op_profile_total(w.profile);
	return sum;
}

/* focus and ignore of one pattern share the samples among them. */
TEST(focus_and_ignore_make_all)
{
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct op_filter_opts o[] = { { .focus = "1" },
					      { .ignore = "1" } };
		struct op_model m, part[2] = { 0 };
		struct op_err err = { 0 };

		generated(&m, seed);
		for (int i = 0; i < 2; i++)
			CHECK_EQ(op_filter(&m, &o[i], &part[i], &err), OP_OK);
		CHECK_EQ(total(&part[0]) + total(&part[1]), total(&m));
		for (int i = 0; i < 2; i++)
			op_model_free(&part[i]);
		op_model_free(&m);
	}
}

/* Cut at any time and merged again, it is the whole, also where an interval
 * was cut: then as two observations, so they are compared when summed. */
TEST(cut_and_merged)
{
	static const struct sketch timed[] = {
		{ .samples = "main;f 1@10 1@20 7@30\nmain;g 3@15 k=v",
		  AT(5, 45) },
		{ .samples = "main;f 10@10 13@20\nmain;g 30@15",
		  AT(5, 45),
		  .type = "off_cpu" },
		{ .samples = "main;f 10@20 13@43\nmain;g 30@45",
		  AT(5, 45),
		  .type = "off_cpu",
		  .scope = OP_SCOPE_EBPF },
		{ .samples = "main;f 17@10 23@20\nmain;g 31@15",
		  AT(5, 45),
		  .type = "off_cpu",
		  .scope = "w",
		  .period = 9,
		  NS },
	};
	struct op_filter_opts sums = { .aggregate = true };
	struct op_model m = { 0 }, all = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&m, timed, op_countof(timed), &err), OP_OK);
	CHECK_EQ(op_filter(&m, &sums, &all, &err), OP_OK);
	for (uint64_t t = 6; t < 50; t++) {
		struct op_filter_opts o[] = { { RANGE(0, t) },
					      { RANGE(t, 100) } };
		struct op_model part[2] = { 0 }, both = { 0 }, sum = { 0 };
		struct op_model *parts[] = { &part[0], &part[1] };

		for (int i = 0; i < 2; i++)
			CHECK_EQ(op_filter(&m, &o[i], &part[i], &err), OP_OK);
		CHECK_EQ(op_merge(parts, 2, &both, &err), OP_OK);
		CHECK_EQ(op_filter(&both, &sums, &sum, &err), OP_OK);
		CHECK_STR(sketch_text(&sum), sketch_text(&all));
		op_model_free(&part[0]);
		op_model_free(&part[1]);
		op_model_free(&both);
		op_model_free(&sum);
	}
	op_model_free(&all);
	op_model_free(&m);
}

/* Summing and merging can be done in either order. */
TEST(aggregate_and_merge)
{
	struct op_filter_opts sums = { .aggregate = true };

	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct op_model m[2], sum[2] = { 0 }, both = { 0 };
		struct op_model first = { 0 }, last = { 0 };
		struct op_model *ms[] = { &m[0], &m[1] };
		struct op_model *ss[] = { &sum[0], &sum[1] };
		struct op_model *fs[] = { &first };
		struct op_model once = { 0 };
		struct op_err err = { 0 };

		for (uint32_t i = 0; i < 2; i++) {
			generated(&m[i], seed + i * 100);
			CHECK_EQ(op_filter(&m[i], &sums, &sum[i], &err), OP_OK);
		}
		CHECK_EQ(op_merge(ms, 2, &both, &err), OP_OK);
		CHECK_EQ(op_filter(&both, &sums, &first, &err), OP_OK);
		/* Those with and without times are now of one kind. */
		CHECK_EQ(op_merge(fs, 1, &once, &err), OP_OK);
		CHECK_EQ(op_merge(ss, 2, &last, &err), OP_OK);
		CHECK_STR(sketch_text(&once), sketch_text(&last));
		op_model_free(&once);
		op_model_free(&first);
		op_model_free(&last);
		op_model_free(&both);
		for (int i = 0; i < 2; i++) {
			op_model_free(&sum[i]);
			op_model_free(&m[i]);
		}
	}
}

/* Merged with itself, all sums are twice what they were. */
TEST(merge_doubles)
{
	struct op_filter_opts sums = { .aggregate = true };
	struct sketch once = { .samples = "f 1\nmain;g -5 k=v #1" };
	struct sketch twice = { .samples = "f 2\nmain;g -10 k=v #1" };
	struct op_model a, b, out = { 0 }, sum = { 0 };
	struct op_model *both[] = { &a, &a };
	struct op_err err = { 0 };

	sketch_one(&a, &once);
	sketch_one(&b, &twice);
	CHECK_EQ(op_merge(both, 2, &out, &err), OP_OK);
	CHECK_EQ(op_filter(&out, &sums, &sum, &err), OP_OK);
	CHECK_STR(sketch_text(&sum), sketch_text(&b));
	op_model_free(&sum);
	op_model_free(&out);
	op_model_free(&a);
	op_model_free(&b);
}

TEST(span)
{
	static const struct sketch s[] = {
		{ .samples = "f 1", AT(100, 50) },
		{ .samples = "f 1@30 1@300", .type = "wall" },
		{ .samples = "f 1", .type = "none" },
		{ .samples = "f 1@30 1@300", AT(20, 0) },
	};
	struct op_range r = { 1, 2 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, 3, &err), OP_OK);
	CHECK(op_model_span(&m, &r));
	CHECK_EQ(r.from, 30);
	CHECK_EQ(r.to, 301);
	op_model_free(&m);
	sketch_one(&m, &s[2]);
	CHECK(!op_model_span(&m, &r));
	CHECK_EQ(r.from, 30);
	op_model_free(&m);
	sketch_one(&m, &s[3]);
	CHECK(op_model_span(&m, &r));
	CHECK_EQ(r.from, 20);
	CHECK_EQ(r.to, 301);
	op_model_free(&m);
}

TEST(each_alloc_fails)
{
	struct op_filter_opts o = { .types = "cpu,alloc,wall",
				    .focus = "h|f",
				    .ignore = "nothing",
				    .aggregate = true,
				    RANGE(1, 100) };
	struct op_model m = { 0 };
	struct op_err ok = { 0 };

	CHECK_EQ(sketch_model(&m, several, op_countof(several), &ok), OP_OK);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model out = { 0 };
		int code = op_filter(&m, &o, &out, &err);

		CHECK(!code || code == OP_ENOMEM);
		CHECK(op_alloc_failed() || !code);
		op_model_free(&out);
	}
	op_model_free(&m);
}

TEST_MAIN(filter_rows, types, no_orphans, payloads, bad_pattern,
	  all_is_normalise, focus_and_ignore_make_all, cut_and_merged,
	  aggregate_and_merge, merge_doubles, span, each_alloc_fails)
