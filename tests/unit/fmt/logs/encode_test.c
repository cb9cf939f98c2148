// SPDX-License-Identifier: Apache-2.0
/* What is read is written again, byte for byte where it was in order. */
#include "unit/fmt/logs/logs_fixture.h"

static const struct {
	const char *name, *text, *result; /* NULL: as it was */
} rows[] = {
	{ "nothing", "", NULL },
	{ "every field", LOGS_FULL, NULL },
	{ "zeros are left out",
	  "1{ 1{} 2{ 1{ 1'' } 2{ 1@0 2:0 3'' 5{} 7:0 8%0 9# } 3'' } 3'' }",
	  "1{ 2{ 2{} } }" },
	{ "a value that is zero stays", "1{ 2{ 2{ 5{ 3:0 } } } }", NULL },
	{ "a severity below 0", "1{ 2{ 2{ 2:-1 } } }", NULL },
	{ "libraries become scopes", "1{ 1000{ 1{ 1'a' } 2{ 4'n' } } }",
	  "1{ 2{ 1{ 1'a' } 2{ 4'n' } } }" },
	{ "unknown fields are left out", "1{ 2{ 2{ 3'a' 99:1 } } } 5'x'",
	  "1{ 2{ 2{ 3'a' } } }" },
	{ "ids of any length", "1{ 2{ 2{ 9#0102 10#03 } } }", NULL },
	{ "what is no UTF-8", "1{ 2{ 2{ 3#ff } } }",
	  "1{ 2{ 2{ 3#efbfbd } } }" },
};

TEST(there_and_back)
{
	static struct wire in, want;

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_logs l;
		uint8_t *copy;

		wire_set(&in, rows[i].text);
		wire_set(&want, rows[i].result ? rows[i].result : rows[i].text);
		copy = logs_decode(&l, wire_view(&in), &err);
		op_logs_encode(&l, NULL, &out);
		if (err.code ||
		    !op_view_eq(op_pbw_result(&out), wire_view(&want)))
			TEST_FAIL("%s: %.100s", rows[i].name, err.text);
		op_pbw_free(&out);
		op_logs_free(&l);
		op_heap_free(copy);
	}
}

/* Strings of a model stand where they are referred to. */
TEST(strings_of_a_model)
{
	struct op_view strings[] = { { 0 }, op_view_z("key"), op_view_z("v") };
	const struct op_model m = { .dict.strings = strings };
	struct op_kv kv = { .key_id = 1,
			    .value = { .kind = OP_ANY_STRING_ID } };
	struct op_log record = { .attrs = { &kv, 1 } };
	struct op_log_scope scope = { .records = &record, .nr_records = 1 };
	struct op_log_resource resource = { .scopes = &scope, .nr_scopes = 1 };
	const struct op_logs l = { .resources = &resource, .nr_resources = 1 };
	struct op_err err = { 0 };
	struct op_pbw out = { .err = &err };
	static struct wire want;

	kv.value.string_id = 2;
	op_logs_encode(&l, &m, &out);
	wire_set(&want, "1{ 2{ 2{ 6{ 1'key' 2{ 1'v' } } } } }");
	CHECK(op_view_eq(op_pbw_result(&out), wire_view(&want)));
	op_pbw_free(&out);
}

TEST(oom)
{
	static struct wire in;
	struct op_err none = { 0 };
	struct op_logs l;
	uint8_t *copy;

	wire_set(&in, LOGS_FULL);
	copy = logs_decode(&l, wire_view(&in), &none);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };

		op_logs_encode(&l, NULL, &out);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_pbw_free(&out);
	}
	op_logs_free(&l);
	op_heap_free(copy);
}

TEST_MAIN(there_and_back, strings_of_a_model, oom)
