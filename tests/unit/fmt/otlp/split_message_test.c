// SPDX-License-Identifier: Apache-2.0
#include "fmt/otlp/split.h"

#include "fmt/logs/logs.h"
#include "fmt/otlp/otlp.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* What became of a message. */
struct taken {
	int nr;
	bool as_it_was;	    /* the same bytes in the same place */
	char text[2000];    /* of the last one */
	uint8_t ids[8][16]; /* of its profiles */
	uint32_t nr_ids;
	struct op_view in;
};

static int take(void *ctx, struct op_view message, struct op_err *err)
{
	struct taken *t = ctx;
	struct op_model m = { 0 };
	struct op_walk w = { 0 };

	t->nr++;
	t->as_it_was = message.p == t->in.p && message.n == t->in.n;
	t->nr_ids = 0;
	CHECK_EQ(op_otlp_decode(&m, message, NULL, err), OP_OK);
	snprintf(t->text, sizeof(t->text), "%s", sketch_text(&m));
	while (op_walk_next(&m, &w) && t->nr_ids < 8)
		if (w.profile->id_len)
			memcpy(t->ids[t->nr_ids++], w.profile->id, 16);
	op_model_free(&m);
	return err->code;
}

static int batch(const char *text, size_t max, struct taken *t,
		 struct op_err *err)
{
	static struct wire w;
	struct op_split_opts opts = { .max = max };

	wire_set(&w, text);
	*t = (struct taken){ .in = wire_view(&w) };
	*err = (struct op_err){ 0 };
	return op_split_message(wire_view(&w), &opts, take, t, err);
}

#define ID "7#000102030405060708090a0b0c0d0e0f "
#define ZERO_ID "7#00000000000000000000000000000000 "
#define TABLES "2{ " WIRE_ZERO_ROWS "6{ 1:1 2{ 1'v' } } 5'k' 7{} } "
#define PROFILE(p) "1{ 2{ 2{ " p "} } } "

enum fate { KEPT, MADE, NOTHING };

static const struct {
	const char *name, *text;
	enum fate fate;
} rows[] = {
	{ "values are in field 4 since v1.10", PROFILE("2{ 4[5] } " ID) TABLES,
	  KEPT },
	{ "a link is a number since v1.10", PROFILE("2{ 3:0 5<7> } " ID) TABLES,
	  KEPT },
	{ "the first sample does not say, the second does",
	  PROFILE("2{ 5<7> } 2{ 4[5] } " ID) TABLES, KEPT },
	{ "the id stands first", PROFILE(ID "2{ 4[5] } ") TABLES, KEPT },
	{ "of two ids the last counts", PROFILE(ID ZERO_ID "2{ 4[5] }") TABLES,
	  MADE },
	{ "attributes and times, in different number",
	  PROFILE("2{ 2[1] 5<7 8> } " ID) TABLES, KEPT },
	{ "attributes and times could be values, and are decoded",
	  PROFILE("2{ 2[1] 5<7> } " ID) TABLES, KEPT },
	{ "only times is the same in each", PROFILE("2{ 5<7> } " ID) TABLES,
	  KEPT },
	{ "no samples", PROFILE(ID) TABLES, KEPT },
	{ "no id", PROFILE("2{ 4[5] } ") TABLES, MADE },
	{ "an id of zeros", PROFILE("2{ 4[5] } " ZERO_ID) TABLES, MADE },
	{ "an empty id", PROFILE("2{ 4[5] } 7'' ") TABLES, MADE },
	{ "the second profile has none",
	  "1{ 2{ 2{ 2{ 4[5] } " ID "} 2{ 2{ 4[5] } } } } " TABLES, MADE },
	{ "v1.9: values in field 2", PROFILE("2{ 2[5] 3[1] } " ID) TABLES,
	  MADE },
	{ "v1.8: comments in field 7",
	  PROFILE("2{ 2[5] } 7[1] 8#00010203040506"
		  "0708090a0b0c0d0e0f ") TABLES,
	  MADE },
	{ "an empty message", "", NOTHING },
	{ "no profile", "1{ 2{ } } " TABLES, NOTHING },
};

TEST(what_is_ready_is_passed_on)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct taken t;
		struct op_err err;

		CHECK_EQ(batch(rows[i].text, 1000, &t, &err), OP_OK);
		CHECK_EQ(t.nr, rows[i].fate == NOTHING ? 0 : 1);
		CHECK_EQ(t.as_it_was, rows[i].fate == KEPT);
		CHECK(rows[i].fate == NOTHING || t.nr_ids);
		if (before != test_failed)
			fprintf(stderr, "  in row '%s' %s\n", rows[i].name,
				err.text);
	}
}

TEST(what_is_broken_is_an_error)
{
	struct taken t;
	struct op_err err;

	CHECK_EQ(batch("1{ 2{ 2{ 2{ 4[5] } =3a10 } } } " TABLES, 1000, &t,
		       &err),
		 OP_EFORMAT);
	CHECK(err.has_at);
	CHECK_EQ(t.nr, 0);
	CHECK_EQ(batch(PROFILE("2{ 1:9 4[5] } ") TABLES, 1000, &t, &err),
		 OP_EFORMAT);
	CHECK_EQ(t.nr, 0);
}

/* The same again is a repeat to a receiver, and one profile of two that are
 * equal is not. */
TEST(ids_follow_from_the_content)
{
	static const char one[] = PROFILE("2{ 4[5] } ") TABLES;
	static const char two[] =
		"1{ 2{ 2{ 2{ 4[5] } } 2{ 2{ 4[5] } } } } " TABLES;
	struct taken a, b;
	struct op_err err;

	CHECK_EQ(batch(one, 1000, &a, &err), OP_OK);
	CHECK_EQ(batch(one, 1000, &b, &err), OP_OK);
	CHECK(!memcmp(a.ids[0], b.ids[0], 16));
	CHECK_EQ(batch(two, 1000, &b, &err), OP_OK);
	CHECK_EQ(b.nr_ids, 2);
	CHECK(!memcmp(a.ids[0], b.ids[0], 16));
	CHECK(memcmp(b.ids[0], b.ids[1], 16));
	CHECK_EQ(batch(two, 1000, &a, &err), OP_OK);
	CHECK(!memcmp(a.ids, b.ids, 32));
}

/* A model stays as it is. */
TEST(models)
{
	const struct sketch s = { .samples = "a;b 3\n", .resource = "x=y" };
	struct op_split_opts opts = { .max = 1000 };
	struct taken t = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	sketch_one(&m, &s);
	CHECK_EQ(op_split_model(&m, &opts, take, &t, &err), OP_OK);
	CHECK_EQ(t.nr, 1);
	CHECK_EQ(t.nr_ids, 1);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].id_len, 0);
	CHECK(strstr(t.text, "a;b 3") != NULL);
	op_model_free(&m);
}

/* A payload goes with its profile, or is told to be left out. */
static char notes[400];

static void note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(notes, sizeof(notes), "%s", text);
}

TEST(payloads)
{
	static const char text[] = PROFILE(
		"2{ 4[5] } 9'pprof' 10'0123456789012345678901234567890"
		"123456789012345678901234567890123456789' ") TABLES;
	struct op_split_opts opts = { .max = 100, .note = note };
	static struct wire w;
	struct taken t = { 0 };
	struct op_err err = { 0 };

	wire_set(&w, text);
	CHECK_EQ(op_split_message(wire_view(&w), &opts, take, &t, &err), OP_OK);
	CHECK_EQ(t.nr, 1);
	CHECK_STR(notes, "1 profiles were sent without their original payload, "
			 "to keep within 100 bytes");
}

/* --- other formats --- */

static int logs_count(void *ctx, struct op_view message, struct op_err *err)
{
	struct op_logs l = { 0 };
	uint32_t *nr = ctx;

	CHECK(message.n <= 3000);
	CHECK_EQ(op_logs_decode(&l, message, err), OP_OK);
	for (uint32_t i = 0; i < l.nr_resources; i++)
		for (uint32_t k = 0; k < l.resources[i].nr_scopes; k++)
			*nr += l.resources[i].scopes[k].nr_records;
	op_logs_free(&l);
	return err->code;
}

/* Text takes much more room than OTLP, and is cut until it fits. */
TEST(logs_are_cut_too)
{
	static char text[20000];
	struct sketch s = { .samples = text };
	struct op_split_opts opts = { .max = 3000,
				      .note = note,
				      .format = &op_format_splunk_text };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	uint32_t nr = 0;
	size_t n = 0;

	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "main;f%d;g%d 1@%d 1@%d\n", i % 7, i, i,
				      i + 1);
	notes[0] = 0;
	sketch_one(&m, &s);
	CHECK_EQ(op_split_model(&m, &opts, logs_count, &nr, &err), OP_OK);
	CHECK_EQ(nr, 400);
	CHECK_STR(notes, "");
	op_model_free(&m);
}

/* What does not fit however small it is cut is reported. */
TEST(logs_that_do_not_fit)
{
	const struct sketch s = { .samples = "a 1@1\n" };
	struct op_split_opts opts = { .max = 150,
				      .note = note,
				      .format = &op_format_splunk_text };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	uint32_t nr = 0;

	notes[0] = 0;
	sketch_one(&m, &s);
	CHECK_EQ(op_split_model(&m, &opts, logs_count, &nr, &err), OP_OK);
	CHECK_EQ(nr, 0);
	CHECK(strstr(notes, "dropped") != NULL);
	op_model_free(&m);
}

TEST_MAIN(what_is_ready_is_passed_on, what_is_broken_is_an_error,
	  ids_follow_from_the_content, models, payloads, logs_are_cut_too,
	  logs_that_do_not_fit)
