// SPDX-License-Identifier: Apache-2.0
/* What the decoder of logs takes, of today and of older releases, and what it
 * refuses. */
#include "unit/fmt/logs/logs_fixture.h"

static const struct op_kv *attr(const struct op_log *r, const char *key)
{
	for (uint32_t i = 0; i < r->attrs.n; i++)
		if (op_view_is(r->attrs.p[i].key, key))
			return &r->attrs.p[i];
	TEST_FAIL("there is no %s", key);
	return &r->attrs.p[0];
}

static void check_values(const struct op_log *r)
{
	CHECK_EQ(attr(r, "s")->value.kind, OP_ANY_STRING);
	CHECK_EQ(attr(r, "b")->value.flag, true);
	CHECK_EQ(attr(r, "i")->value.num, -5);
	CHECK(attr(r, "d")->value.real == 1.5);
	CHECK_EQ(attr(r, "a")->value.n, 2);
	CHECK(op_view_is(attr(r, "a")->value.array[1].bytes, "x"));
	CHECK_EQ(attr(r, "m")->value.kvlist[0].value.num, 2);
	CHECK_EQ(attr(r, "y")->value.bytes.n, 2);
}

TEST(every_field)
{
	struct op_err err = { 0 };
	const struct op_log_scope *s;
	const struct op_log *r;
	static struct wire w;
	struct op_logs l;
	uint8_t *copy;

	wire_set(&w, LOGS_FULL);
	copy = logs_decode(&l, wire_view(&w), &err);
	CHECK_EQ(err.code, OP_OK);
	CHECK_EQ(l.nr_resources, 1);
	CHECK(op_view_is(l.resources[0].head.schema_url, "v"));
	CHECK_EQ(l.resources[0].head.attrs.n, 1);
	CHECK_EQ(l.resources[0].head.nr_entities, 1);
	s = &l.resources[0].scopes[0];
	CHECK(op_view_is(s->head.name, "otel.profiling"));
	CHECK(op_view_is(s->head.version, "0.1.0"));
	CHECK(op_view_is(s->head.schema_url, "u"));
	CHECK_EQ(s->nr_records, 1);
	r = &s->records[0];
	CHECK_EQ(r->time_ns, 1700000000000000001);
	CHECK_EQ(r->observed_ns, 1700000000000000002);
	CHECK_EQ(r->severity, 9);
	CHECK_EQ(r->flags, 1);
	CHECK_EQ(r->dropped_attrs, 3);
	CHECK(op_view_is(r->severity_text, "INFO"));
	CHECK(op_view_is(r->name, "name"));
	CHECK(op_view_is(r->event_name, "event"));
	CHECK(op_view_is(r->body.bytes, "body"));
	CHECK_EQ(r->trace_id.n, 16);
	CHECK_EQ(r->span_id.n, 8);
	CHECK_EQ(copy[r->at - copy], 0x09);
	check_values(r);
	op_logs_free(&l);
	op_heap_free(copy);
}

#define RECORD "2{ 5{ 1'x' } }"

/* How many scopes and records there are, and what the scope is called. */
static const struct {
	const char *name, *text;
	uint32_t resources, scopes, records;
	const char *scope;
} takes_rows[] = {
	{ "nothing", "", 0, 0, 0, "" },
	{ "a resource alone", "1{ 1{} }", 1, 0, 0, "" },
	{ "a scope without records", "1{ 2{ 1{ 1'a' } } }", 1, 1, 0, "a" },
	{ "today's", "1{ 2{ 1{ 1'a' } " RECORD RECORD " } }", 1, 1, 2, "a" },
	{ "a library in field 1000", "1{ 1000{ 1{ 1'a' } " RECORD " } }", 1, 1,
	  1, "a" },
	{ "field 1000 beside scopes does not count",
	  "1{ 1000{ 1{ 1'b' } } 2{ 1{ 1'a' } } }", 1, 1, 0, "a" },
	{ "unknown fields",
	  "7:1 8{} 1{ 9'x' 2{ 1{ 1'a' 8@1 } 2{ 13:1 99'x' } 9%1 } }", 1, 1, 1,
	  "a" },
	{ "another wire type", "1{ 2{ 1{ 1'a' } 2{ 1:5 5:7 9@1 } } }", 1, 1, 1,
	  "a" },
	{ "two messages behind one another are one",
	  "1{ 2{ 1{ 1'a' } " RECORD " } } 1{ 2{ } }", 2, 1, 1, "a" },
};

TEST(takes)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(takes_rows); i++) {
		struct op_err err = { 0 };
		struct op_logs l;
		uint8_t *copy;

		wire_set(&w, takes_rows[i].text);
		copy = logs_decode(&l, wire_view(&w), &err);
		if (err.code || l.nr_resources != takes_rows[i].resources ||
		    (l.nr_resources &&
		     l.resources[0].nr_scopes != takes_rows[i].scopes))
			TEST_FAIL("%s: %.100s", takes_rows[i].name, err.text);
		else if (takes_rows[i].scopes) {
			const struct op_log_scope *s = l.resources[0].scopes;

			if (s->nr_records != takes_rows[i].records ||
			    !op_view_is(s->head.name, takes_rows[i].scope))
				TEST_FAIL("%s", takes_rows[i].name);
		}
		op_logs_free(&l);
		op_heap_free(copy);
	}
}

static const struct {
	const char *name, *text;
	int code;
	const char *why;
} refuses_rows[] = {
	{ "cut off", "1{ 2{ 2{ =0aff7f } } }", OP_EFORMAT,
	  "16383 bytes declared, but only 0 are left" },
	{ "a group", "1{ ^=0b }", OP_EFORMAT, NULL },
	{ "a string by id: there is no table", "1{ 2{ 2{ 5{ 8:^1 } } } }",
	  OP_EFORMAT, NULL },
	{ "a key by id", "1{ 1{ 1{ 3:^1 } } }", OP_EFORMAT, NULL },
};

TEST(refuses)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(refuses_rows); i++) {
		struct op_err err = { 0 };
		struct op_logs l;
		uint8_t *copy;

		wire_set(&w, refuses_rows[i].text);
		copy = logs_decode(&l, wire_view(&w), &err);
		if (err.code != refuses_rows[i].code)
			TEST_FAIL("%s: code %d", refuses_rows[i].name,
				  err.code);
		else if (!err.has_at || err.at > w.n)
			TEST_FAIL("%s: no place", refuses_rows[i].name);
		if (refuses_rows[i].why)
			CHECK_STR(err.text, refuses_rows[i].why);
		op_logs_free(&l);
		op_heap_free(copy);
	}
}

TEST(values_too_deep)
{
	static char text[2000] = "1{2{2{5{";
	static struct wire w;
	struct op_err err = { 0 };
	struct op_logs l;
	uint8_t *copy;

	for (int i = 0; i < 70; i++)
		strncat(text, "5{1{", sizeof(text) - strlen(text) - 1);
	for (int i = 0; i < 140; i++)
		strncat(text, "}", sizeof(text) - strlen(text) - 1);
	strncat(text, "}}}}", sizeof(text) - strlen(text) - 1);
	wire_set(&w, text);
	copy = logs_decode(&l, wire_view(&w), &err);
	CHECK_EQ(err.code, OP_ELIMIT);
	op_logs_free(&l);
	op_heap_free(copy);
}

TEST(oom)
{
	static struct wire w;

	wire_set(&w, LOGS_FULL);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_logs l;
		uint8_t *copy = logs_decode(&l, wire_view(&w), &err);

		CHECK(!err.code || err.code == OP_ENOMEM);
		op_logs_free(&l);
		op_heap_free(copy);
	}
}

TEST_MAIN(every_field, takes, refuses, values_too_deep, oom)
