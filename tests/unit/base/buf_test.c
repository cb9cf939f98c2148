// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"

#include "base/arena.h"
#include "test.h"

static bool holds(const struct op_buf *b, const char *s)
{
	return op_view_is(op_view(b->p, b->n), s);
}

TEST(appends)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	uint8_t *p;

	op_buf_z(&b, "ab");
	op_buf_view(&b, op_view("cd\0e", 4));
	op_buf_byte(&b, 'f');
	op_buf_byte(&b, 0xff);
	op_buf_printf(&b, "%d-%s", -7, "x");
	op_buf_hex(&b, op_view("\x00\x9f\xff", 3));
	p = op_buf_add(&b, 2);
	CHECK(p);
	memcpy(p, "yz", 2);
	CHECK(op_view_eq(op_view(b.p, b.n),
			 op_view("abcd\0ef\xff-7-x009fffyz", 20)));
	CHECK_EQ(err.code, OP_OK);
	op_buf_free(&b);
}

TEST(empty_appends)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_buf_z(&b, "");
	op_buf_z(&b, NULL);
	op_buf_view(&b, (struct op_view){ 0 });
	op_buf_hex(&b, (struct op_view){ 0 });
	op_buf_printf(&b, "%s", "");
	CHECK_EQ(b.n, 0);
	op_buf_z(&b, "x");
	op_buf_z(&b, "");
	CHECK(holds(&b, "x"));
	CHECK_EQ(err.code, OP_OK);
	op_buf_free(&b);
}

/* Content survives every growth, whatever the size of an append. */
TEST(growth)
{
	static const size_t sizes[] = { 1, 7, 255, 256, 257, 4096, 100000 };

	for (size_t i = 0; i < op_countof(sizes); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		size_t wrong = 0;

		while (b.n < 300000) {
			uint8_t *p = op_buf_add(&b, sizes[i]);

			memset(p, (int)(b.n / sizes[i] & 0xff), sizes[i]);
		}
		for (size_t k = 0; k < b.n; k++)
			wrong += b.p[k] != (uint8_t)(k / sizes[i] + 1);
		CHECK_EQ(wrong, 0);
		CHECK(b.cap >= b.n && b.cap <= 4 * b.n);
		op_buf_free(&b);
	}
}

TEST(printf_of_any_length)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	for (int n = 0; n < 700; n++) {
		b.n = 0;
		op_buf_printf(&b, "%*d", n + 1, 5);
		CHECK_EQ(b.n, n + 1);
		CHECK_EQ(b.p[n], '5');
		op_buf_free(&b);
	}
	CHECK_EQ(err.code, OP_OK);
}

/* The limit is the most bytes, exactly, also where the memory is there
 * already. */
TEST(limit)
{
	static const struct {
		const char *name;
		size_t limit, first, second;
		int code;
		size_t n;
	} rows[] = {
		{ "none", 0, 1000, 100000, OP_OK, 101000 },
		{ "all at once", 100, 100, 0, OP_OK, 100 },
		{ "in two", 100, 60, 40, OP_OK, 100 },
		{ "one too many", 100, 101, 0, OP_ELIMIT, 0 },
		{ "one too many in two", 100, 60, 41, OP_ELIMIT, 60 },
		{ "one behind a full one", 100, 100, 1, OP_ELIMIT, 100 },
		{ "nothing behind a full one", 100, 100, 0, OP_OK, 100 },
		{ "of a capacity", 256, 256, 1, OP_ELIMIT, 256 },
		{ "between two capacities", 300, 256, 45, OP_ELIMIT, 256 },
		{ "up to it between two capacities", 300, 256, 44, OP_OK, 300 },
		{ "no such memory", 0, 0, SIZE_MAX, OP_ELIMIT, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .limit = rows[i].limit, .err = &err };
		int before = test_failed;

		op_buf_add(&b, rows[i].first);
		op_buf_add(&b, rows[i].second);
		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(b.n, rows[i].n);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_buf_free(&b);
	}
}

/* The NUL that printing leaves behind the text is not part of it. */
TEST(printf_at_the_limit)
{
	static const struct {
		const char *text;
		int code;
		size_t n;
	} rows[] = {
		{ "1234567", OP_OK, 7 },
		{ "12345678", OP_OK, 8 },
		{ "123456789", OP_ELIMIT, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .limit = 8, .err = &err };
		int before = test_failed;

		op_buf_printf(&b, "%s", rows[i].text);
		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(b.n, rows[i].n);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].text);
		op_buf_free(&b);
	}
}

/* After a failure the content stays and appends do nothing. */
TEST(quiet_after_failure)
{
	struct op_err err = { 0 };
	struct op_buf b = { .limit = 300, .err = &err };

	op_buf_z(&b, "kept");
	CHECK(!op_buf_add(&b, 400));
	CHECK_EQ(err.code, OP_ELIMIT);
	CHECK(strstr(err.text, "300 bytes"));
	op_buf_z(&b, "a");
	op_buf_byte(&b, 'b');
	op_buf_printf(&b, "c");
	op_buf_hex(&b, op_view_z("d"));
	CHECK(!op_buf_add(&b, 0));
	CHECK(!op_buf_reserve(&b, 0));
	CHECK(holds(&b, "kept"));
	op_buf_free(&b);
}

TEST(reserve)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	CHECK(op_buf_reserve(&b, 5000));
	CHECK_EQ(b.n, 0);
	op_alloc_fail_at(1);
	for (int i = 0; i < 5000; i++)
		op_buf_byte(&b, 'x');
	CHECK(!op_alloc_failed());
	CHECK_EQ(b.n, 5000);
	op_buf_free(&b);
}

TEST(free_and_again)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_buf_free(&b);
	op_buf_z(&b, "one");
	op_buf_free(&b);
	CHECK(!b.p && !b.n && !b.cap);
	op_buf_z(&b, "two");
	CHECK(holds(&b, "two"));
	op_buf_free(&b);
	op_buf_free(&b);
}

TEST(each_alloc_fails)
{
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		int i = 0;

		rounds = k;
		for (; i < 1000 && !err.code; i++)
			op_buf_printf(&b, "%03d", i);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(b.n, 3 * (i - (err.code != 0)));
		CHECK(!b.n || !memcmp(b.p, "000", 3));
		op_buf_free(&b);
	}
	CHECK(rounds > 4);
}

TEST_MAIN(appends, empty_appends, growth, printf_of_any_length, limit,
	  printf_at_the_limit, quiet_after_failure, reserve, free_and_again,
	  each_alloc_fails)
