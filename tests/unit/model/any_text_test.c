// SPDX-License-Identifier: Apache-2.0
#include "model/any_text.h"

#include "test.h"

static struct op_any text(const char *s)
{
	return (struct op_any){ .kind = OP_ANY_STRING, .bytes = op_view_z(s) };
}

/* JSON and plain text of a value. */
static void check(const struct op_any *v, const char *json, const char *plain)
{
	struct op_err err = { 0 };
	struct op_buf a = { .err = &err }, b = { .err = &err };
	struct op_json w = { .out = &a };
	struct op_model m = { 0 };

	op_any_json(&w, &m, v);
	op_buf_byte(&a, 0);
	op_any_plain(&b, &m, v);
	op_buf_byte(&b, 0);
	CHECK_STR((char *)a.p, json);
	CHECK_STR((char *)b.p, plain);
	op_buf_free(&a);
	op_buf_free(&b);
}

TEST(scalars)
{
	struct op_any none = { .kind = OP_ANY_NONE };
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	struct op_any least = { .kind = OP_ANY_INT, .num = INT64_MIN };
	struct op_any half = { .kind = OP_ANY_DOUBLE, .real = -1.5 };
	struct op_any bytes = { .kind = OP_ANY_BYTES,
				.bytes = op_view("\0\xff", 2) };
	struct op_any quote = text("a\"b\n"), empty = text("");

	check(&none, "null", "");
	check(&yes, "true", "true");
	check(&least, "-9223372036854775808", "-9223372036854775808");
	check(&half, "-1.5", "-1.5");
	check(&bytes, "\"00ff\"", "00ff");
	check(&quote, "\"a\\\"b\\u000a\"", "a\"b\n");
	check(&empty, "\"\"", "");
}

TEST(lists)
{
	struct op_any items[] = { text("x"),
				  { .kind = OP_ANY_INT, .num = 2 },
				  { .kind = OP_ANY_NONE } };
	struct op_any array = { .kind = OP_ANY_ARRAY, .n = 3, .array = items };
	struct op_any no_items = { .kind = OP_ANY_ARRAY };
	struct op_kv kvs[] = { { .key = op_view_z("k"), .value = array },
			       { .key = op_view_z(""), .value = no_items } };
	struct op_any map = { .kind = OP_ANY_KVLIST, .n = 2, .kvlist = kvs };
	static const char want[] = "{\"k\":[\"x\",2,null],\"\":[]}";

	check(&array, "[\"x\",2,null]", "[\"x\",2,null]");
	check(&no_items, "[]", "[]");
	check(&map, want, want);
}

TEST_MAIN(scalars, lists)
