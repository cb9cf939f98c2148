// SPDX-License-Identifier: Apache-2.0
#include "fmt/folded/folded_int.h"
#include "random.h"
#include "test.h"

static const struct {
	const char *raw, *escaped;
	bool first; /* the first byte is escaped in any case */
} rows[] = {
	{ "", "", false },
	{ "main", "main", false },
	{ "main", "%6Dain", true },
	{ "a b", "a%20b", false },
	{ "100%", "100%25", false },
	{ "a,b=c;d", "a%2Cb%3Dc;d", false },
	{ "\x01\x1f\x7f", "%01%1F%7F", false },
	{ "\xc3\xa9", "\xc3\xa9", false }, /* UTF-8 stays */
};

TEST(encoded)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		op_folded_encode(&out, op_view_z(rows[i].raw), rows[i].first,
				 ",=");
		op_buf_byte(&out, 0);
		CHECK_STR((char *)out.p, rows[i].escaped);
		op_buf_free(&out);
	}
}

TEST(decoded)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_arena mem = { 0 };
		const uint8_t *at = NULL;
		struct op_view v;

		CHECK(op_folded_decode(&mem, op_view_z(rows[i].escaped), &v,
				       &at));
		CHECK(op_view_is(v, rows[i].raw));
		op_arena_free(&mem);
	}
}

TEST(broken)
{
	static const struct {
		const char *text;
		size_t at;
	} bad[] = { { "%", 0 },	   { "ab%2", 2 },  { "%zz", 0 },
		    { "%20%", 3 }, { "a%2 0", 1 }, { "%%20", 0 } };

	for (size_t i = 0; i < op_countof(bad); i++) {
		struct op_view in = op_view_z(bad[i].text), v;
		struct op_arena mem = { 0 };
		const uint8_t *at = NULL;

		CHECK(!op_folded_decode(&mem, in, &v, &at));
		CHECK_EQ(at - in.p, bad[i].at);
		op_arena_free(&mem);
	}
}

/* Any bytes come back as they were. */
TEST(round_trip)
{
	uint64_t seed = 1;

	for (int i = 0; i < 1000; i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_arena mem = { 0 };
		const uint8_t *at = NULL;
		uint8_t bytes[20];
		struct op_view v, in = op_view(bytes, (size_t)i % 20);

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)random_next(&seed);
		op_folded_encode(&out, in, i & 1, ",=");
		CHECK(op_folded_decode(&mem, op_view(out.p, out.n), &v, &at));
		CHECK(op_view_eq(v, in));
		op_arena_free(&mem);
		op_buf_free(&out);
	}
}

/* Text that looks like a whole number is told from one. */
TEST(attributes)
{
	static const struct {
		const char *key;
		struct op_any v;
		const char *want;
	} attrs[] = {
		{ "n", { .kind = OP_ANY_INT, .num = -5 }, "n=-5" },
		{ "a b", { .kind = OP_ANY_BOOL, .flag = true }, "a%20b=true" },
		{ "d", { .kind = OP_ANY_DOUBLE, .real = 1.5 }, "d=1.5" },
		{ "none", { .kind = OP_ANY_NONE }, "none=" },
		{ OP_FOLDED_TRACE, { .kind = OP_ANY_INT, .num = 1 }, NULL },
	};
	struct op_model m = { 0 };

	for (size_t i = 0; i < op_countof(attrs); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		op_folded_put_attr(&out, &m, op_view_z(attrs[i].key),
				   &attrs[i].v);
		op_buf_byte(&out, 0);
		/* A key of ours cannot be another's. */
		if (attrs[i].want)
			CHECK_STR((char *)out.p, attrs[i].want);
		else
			CHECK_EQ(out.p[0], '%');
		op_buf_free(&out);
	}
}

TEST_MAIN(encoded, decoded, broken, round_trip, attributes)
