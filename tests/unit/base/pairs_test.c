// SPDX-License-Identifier: Apache-2.0
#include "base/pairs.h"

#include <stdio.h>

#include "test.h"

/* What a list says: key:value, a line each. */
static void text_of(const struct op_pairs *pairs, char *out, size_t cap)
{
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < pairs->n; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s:%s\n",
				      pairs->p[i].key, pairs->p[i].value);
}

static const struct {
	const char *text, *want;
} good[] = {
	{ "", "" },
	{ "a=1", "a:1\n" },
	{ "a=1,b=2", "a:1\nb:2\n" },
	{ " a = 1 ,\tb\t=\t2 ", "a:1\nb:2\n" },
	{ ",a=1,, ,b=2,", "a:1\nb:2\n" },
	{ "a=", "a:\n" },
	{ "a=b=c", "a:b=c\n" },
	{ "a=x y", "a:x y\n" },
	{ "a%3Db=%2C%20", "a=b:, \n" },
	{ "a=1,a=2", "a:1\na:2\n" },
};

TEST(lists)
{
	for (size_t i = 0; i < op_countof(good); i++) {
		struct op_pairs pairs = { 0 };
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		char said[200];

		CHECK_EQ(op_pairs_read(&pairs, &mem, good[i].text, &err),
			 OP_OK);
		text_of(&pairs, said, sizeof(said));
		CHECK_STR(said, good[i].want);
		op_arena_free(&mem);
	}
}

static const struct {
	const char *text;
	uint64_t at;
	const char *want;
} bad[] = {
	{ "a", 0, "'=' is missing" },	 { "a=1, b", 5, "'=' is missing" },
	{ "=1", 0, "a key is missing" }, { "a=1, =2", 5, "a key is missing" },
	{ "a=%", 2, "bad escape" },	 { "a=%2", 2, "bad escape" },
	{ "a=1%zz", 3, "bad escape" },	 { "%00=1", 0, "bad escape" },
};

TEST(refused)
{
	for (size_t i = 0; i < op_countof(bad); i++) {
		struct op_pairs pairs = { 0 };
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };

		CHECK_EQ(op_pairs_read(&pairs, &mem, bad[i].text, &err),
			 OP_EUSAGE);
		CHECK_STR(err.text, bad[i].want);
		CHECK_EQ(err.at, bad[i].at);
		op_arena_free(&mem);
	}
}

/* What is read comes behind what is there. */
TEST(appended)
{
	struct op_pairs pairs = { 0 };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	char said[200];

	op_pairs_read(&pairs, &mem, "a=1", &err);
	op_pairs_read(&pairs, &mem, "b=2", &err);
	text_of(&pairs, said, sizeof(said));
	CHECK_STR(said, "a:1\nb:2\n");
	op_arena_free(&mem);
}

TEST(each_allocation_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_pairs pairs = { 0 };
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };

		CHECK_EQ(op_pairs_read(&pairs, &mem, "a=1,b=2", &err),
			 op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_arena_free(&mem);
	}
}

TEST_MAIN(lists, refused, appended, each_allocation_fails)
