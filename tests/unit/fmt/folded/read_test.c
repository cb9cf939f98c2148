// SPDX-License-Identifier: Apache-2.0
/* Files of folded stacks: heads, settings, what lines share, limits. */
#include "folded_fixture.h"

TEST(seed)
{
	says("foo;bar;baz 100 region=us," LINK " 1687841528000000\n"
	     "foo;bar 200 region=us\n",
	     NULL,
	     PLAIN "\tfoo;bar;baz 100@1687841528000000000 region=us #1\n"
		   "profile samples/count\n"
		   "\tfoo;bar 200 region=us\n");
}

/* Whole numbers in the only way to write them are numbers. */
TEST(kinds)
{
	static const struct {
		const char *value;
		enum op_any_kind kind;
	} rows[] = {
		{ "0", OP_ANY_INT },
		{ "-1", OP_ANY_INT },
		{ "9223372036854775807", OP_ANY_INT },
		{ "-9223372036854775808", OP_ANY_INT },
		{ "9223372036854775808", OP_ANY_STRING },
		{ "-0", OP_ANY_STRING },
		{ "01", OP_ANY_STRING },
		{ "+1", OP_ANY_STRING },
		{ "1.0", OP_ANY_STRING },
		{ "-", OP_ANY_STRING },
		{ "", OP_ANY_STRING },
		{ "%31", OP_ANY_STRING },
		{ "true", OP_ANY_STRING },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		char text[80];
		struct op_err err;
		struct op_model m;

		snprintf(text, sizeof(text), "# otprof\na 1 k=%s\n",
			 rows[i].value);
		CHECK_EQ(read_with(&m, op_view_z(text), NULL, &err), OP_OK);
		if (m.dict.attrs[1].value.kind != rows[i].kind)
			TEST_FAIL("row %zu: kind %u", i,
				  m.dict.attrs[1].value.kind);
		op_model_free(&m);
	}
}

TEST(head)
{
	says("# otprof type=cpu unit=nano%20seconds period=5 "
	     "time=7 duration=8 period.type=x period.unit=y "
	     "id=0x07000000000000000000000000000000 later=1 x "
	     "profile.k=v scope.name=s resource.a=b "
	     "resource.n=5\n",
	     NULL,
	     "resource a=b n=5\nscope s\n"
	     "profile cpu/nano seconds period 5 7+8 id 7 k=v\n");
	/* One profile a head; places that are equal are one. */
	says("# otprof type=a resource.r=1\nx 1\n"
	     "# otprof type=b resource.r=1\nx 2\n"
	     "# otprof type=c resource.r=1 scope.name=s\nx 3\n"
	     "# otprof type=d resource.r=2 scope.name=s\n",
	     NULL,
	     "resource r=1\nscope \nprofile a/count\n\tx 1\n"
	     "profile b/count\n\tx 2\nscope s\nprofile c/count\n\tx 3\n"
	     "resource r=2\nscope s\nprofile d/count\n");
	/* With and without times. */
	says("# otprof id=01000000000000000000000000000000\n"
	     "a 1\na 1 5\n",
	     NULL,
	     "resource\nscope \nprofile samples/count id 1\n\ta 1\n"
	     "profile samples/count\n\ta @5\n");
}

TEST(as)
{
	says("a 1\n", "as=cpu/nanoseconds",
	     "resource\nscope \nprofile cpu/nanoseconds\n\ta 1\n");
	says("# otprof unit=bytes\na 1\n", "as=heap/x",
	     "resource\nscope \nprofile heap/bytes\n\ta 1\n");
	says("a 1\n", "as=x/", "resource\nscope \nprofile x/\n\ta 1\n");
}

/* Lines that share beginnings in every way. */
TEST(shared_prefixes)
{
	static const char *const stacks[] = {
		"a",	   "a;b",    "a;b;c", "a;bb",  "ab",	"a;b;cc",
		"a;b",	   "a",	     "b",     "a;b;c", "a;",	"a;;",
		"a;b;c;d", "a;b;c;", "a;b;",  "aa",    "a;b;c",
	};
	struct op_err err = { 0 };
	struct op_buf all = { .err = &err };
	struct op_model m;

	for (size_t i = 0; i < op_countof(stacks); i++)
		op_buf_printf(&all, "%s 1\n", stacks[i]);
	for (size_t i = 0; i < op_countof(stacks); i++)
		for (size_t k = 0; k < op_countof(stacks); k++)
			op_buf_printf(&all, "%s 1\n%s 1\n", stacks[i],
				      stacks[k]);
	op_buf_byte(&all, 0);
	read_with(&m, op_view(all.p, all.n - 1), NULL, &err);
	for (size_t i = 0; i < op_countof(stacks); i++) {
		struct op_model one;
		char text[80], line[80];
		const char *words;
		size_t n = 0;

		for (size_t k = 0; k < op_countof(stacks); k++)
			n += !strcmp(stacks[i], stacks[k]);
		n *= 1 + 2 * op_countof(stacks);
		snprintf(text, sizeof(text), "%s %zu\n", stacks[i], n);
		read_with(&one, op_view_z(text), NULL, &err);
		words = strchr(sketch_text(&one), '\t');
		snprintf(line, sizeof(line), "%s", words);
		CHECK(strstr(sketch_text(&m), line));
		op_model_free(&one);
	}
	op_model_free(&m);
	op_buf_free(&all);
}

TEST(deep)
{
	enum { DEPTH = 5000 };
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_model m;

	for (int i = 0; i < DEPTH; i++)
		op_buf_printf(&text, "%sf%d", i ? ";" : "", i);
	op_buf_z(&text, " 1\nf0;f1;x 2\n");
	op_buf_byte(&text, 0);
	CHECK_EQ(read_with(&m, op_view(text.p, text.n - 1), NULL, &err), OP_OK);
	CHECK_EQ(m.dict.nr[OP_STACKS], 3);
	CHECK_EQ(op_list(&m.dict.stacks, 1).n, DEPTH);
	for (uint32_t i = 0; i < DEPTH; i++) {
		uint32_t leaf_first = op_list(&m.dict.stacks, 1).p[i];

		CHECK_EQ(leaf_first, DEPTH - i);
	}
	CHECK_EQ(op_list(&m.dict.stacks, 2).n, 3);
	op_model_free(&m);
	op_buf_free(&text);
}

TEST(settings_refused)
{
	static const char *const rows[] = { "as=cpu", "as=", "as=/ns" };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err;
		struct op_model m;

		CHECK_EQ(read_with(&m, op_view_z("a 1\n"), rows[i], &err),
			 OP_EUSAGE);
	}
}

TEST(most_attributes)
{
	for (int n = 128; n <= 129; n++) {
		struct op_err err = { 0 };
		struct op_buf text = { .err = &err };
		struct op_model m;

		op_buf_z(&text, "a 1 ");
		for (int i = 0; i < n; i++)
			op_buf_printf(&text, "%sk%d=v", i ? "," : "", i);
		op_buf_byte(&text, 0);
		CHECK_EQ(read_with(&m, op_view(text.p, text.n - 1), NULL, &err),
			 n == 128 ? OP_OK : OP_ELIMIT);
		op_model_free(&m);
		op_buf_free(&text);
	}
}

TEST(sniff)
{
	static const struct {
		const char *text;
		int score;
	} rows[] = {
		{ "# otprof\n", 95 },
		{ "# otprof type=x\nbroken", 95 },
		{ "a;b 1\n", 60 },
		{ "# x\n\na;b 1\na 2", 60 },
		{ "a;b 1\nbroken\n", 60 },
		{ "a;b 1\nbroken\nbroken\n", 0 },
		{ "broken\na;b 1\n", 0 },
		{ "[unknown];b 1\n", 60 },
		{ "a;b 5 k=v\n", 60 },
		{ "a;b 99999999999999999999\n", 60 },
		{ "a 1\nb 2\n", 30 },
		{ "a 1\nbroken\n", 0 },
		{ "", 0 },
		{ "# x\n", 0 },
		{ "{closure};b 1\n", 60 },
		{ "[0];b 1\n", 60 },
		{ "{\"a;b\": 1\n", 0 },
		{ "{ 1\n", 0 },
		{ "[1, 2\n", 0 },
		{ "[ 1\n, 2\n", 0 },
		{ "[{\"a;b\": 1\n", 0 },
		{ "\n\x04\x08\x01\x10\x02;x 1\n", 0 },
		{ "a;b\x01 1\n", 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int score = op_format_folded.sniff(op_view_z(rows[i].text));

		if (score != rows[i].score)
			TEST_FAIL("row %zu: %d", i, score);
	}
	CHECK(op_format_sniff(op_view_z("a;b 1\n")) == &op_format_folded);
	CHECK(op_format_sniff(op_view_z("\na;b 1\n")) == &op_format_folded);
}

static const char everything[] =
	"# otprof type=cpu unit=ns period.type=a period.unit=b period=5 "
	"profile.k=%20v scope.name=s resource.a=%20b\n"
	"main;a%3B 5 k=v%20,n=1," LINK "\n"
	"main;a%3B;\xff 5 k=w 17\n"
	"main;a%3B;\xff 6 k=w 18\n"
	"# otprof resource.a=c\n"
	"x 1\n";

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err;
		struct op_model m;

		if (read_with(&m, op_view_z(everything), NULL, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		op_model_free(&m);
	}
}

TEST(quota)
{
	for (size_t quota = 1; quota < 1 << 20; quota *= 2) {
		struct op_read_opts opts = { .mem_quota = quota };
		struct op_err err = { 0 };
		struct op_model m = { 0 };

		if (op_format_folded.read(op_view_z(everything), &opts, keep,
					  &m, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		op_model_free(&m);
	}
}

TEST_MAIN(seed, kinds, head, as, shared_prefixes, deep, settings_refused,
	  most_attributes, sniff, oom, quota)
