// SPDX-License-Identifier: Apache-2.0
#include "model/label.h"

#include "test.h"
#include "write/sketch.h"

static const struct {
	const char *label, *sample, *text; /* NULL: it has none */
} texts[] = {
	{ "thread", "f 1 thread.name=main", "main" },
	{ "thread", "f 1 thread.id=7", "7" },
	{ "thread", "f 1 thread=old", "old" },
	{ "thread", "f 1", NULL },
	{ "state", "f 1 thread.state=sleeping", "sleeping" },
	{ "service", "f 1 service.name=shop", "shop" },
	{ "process", "f 1 process.executable.name=java", "java" },
	{ "class", "f 1 jfr.class=byte[]", "byte[]" },
	{ "quality", "f 1 perf.stack.end=lost", "lost" },
	{ "http.route", "f 1 http.route=/cart", "/cart" },
	{ "http.route", "f 1 http.method=GET", NULL },
};

TEST(finds_the_attributes_of_a_label)
{
	for (size_t i = 0; i < op_countof(texts); i++) {
		struct sketch s = { .samples = texts[i].sample };
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		int before = test_failed;
		struct op_attr_source source;
		struct op_model m;

		sketch_one(&m, &s);
		source = (struct op_attr_source){
			.set = m.resources[0].scopes[0].profiles[0].set[0]
		};
		CHECK_EQ(
			op_label_text(&out, &m,
				      op_label_named(op_view_z(texts[i].label)),
				      source),
			texts[i].text != NULL);
		CHECK(op_view_is(op_view(out.p, out.n), texts[i].text));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", texts[i].sample);
		op_buf_free(&out);
		op_model_free(&m);
	}
}

TEST(a_thread_with_a_number_has_both)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_any name = { .kind = OP_ANY_STRING,
			       .bytes = op_view_z("main") };
	struct op_any id = { .kind = OP_ANY_INT, .num = 12 };
	struct op_kv kv[] = { { .key = op_view_z("thread.name"),
				.value = name },
			      { .key = op_view_z("thread.id"), .value = id } };
	struct op_kvs kvs = { kv, 2 };
	struct op_attr_source source = { .kvs = &kvs };
	struct sketch s = { .samples = "f 1" };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK(op_label_text(&out, &m, op_label_named(op_view_z("thread")),
			    source));
	CHECK(op_view_is(op_view(out.p, out.n), "main (12)"));
	op_buf_free(&out);
	op_model_free(&m);
}

TEST(a_stack_that_was_not_cut_has_no_quality)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	struct op_kv kv = { .key = op_view_z("jfr.stack.truncated"),
			    .value = yes };
	struct op_kvs kvs = { &kv, 1 };
	struct op_attr_source source = { .kvs = &kvs };
	struct op_label l = op_label_named(op_view_z("quality"));
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct sketch s = { .samples = "f 1" };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK(op_label_text(&out, &m, l, source));
	CHECK(op_view_is(op_view(out.p, out.n), "truncated"));
	kv.value.flag = false;
	CHECK(!op_label_text(&out, &m, l, source));
	op_buf_free(&out);
	op_model_free(&m);
}

static const struct {
	const char *label;
	bool exists;
	const char *closest;
} names[] = {
	{ "function", true, "" },
	{ "type", true, "" },
	{ "thread", true, "" },
	{ "thread.name", true, "" },
	{ "host.name", true, "" },
	{ "state", false, NULL },
	{ "thred.name", false, "thread.name" },
	{ "hostname", false, "host.name" },
	{ "modul", false, "module" },
	{ "trace", false, NULL },
	{ "nothing.like.it", false, "" },
};

TEST(knows_which_labels_there_are)
{
	struct sketch s = { .samples = "f 1 thread.name=main",
			    .resource = "host.name=a" };
	struct op_model m;

	sketch_one(&m, &s);
	for (size_t i = 0; i < op_countof(names); i++) {
		struct op_closest c;
		int before = test_failed;

		CHECK_EQ(op_label_exists(
				 &m, op_label_named(op_view_z(names[i].label)),
				 &c),
			 names[i].exists);
		if (!names[i].exists && names[i].closest)
			CHECK(op_view_is(c.best, names[i].closest));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", names[i].label);
	}
	op_model_free(&m);
}

static const struct {
	const char *attrs, *event;
} events[] = {
	{ NULL, "" },
	{ "otprof.event.type=jdk.Park", "jdk.Park" },
	{ "perf.event=cycles", "cycles" },
	{ "event_type=x", "x" },
	{ "eventual=x", "" },
};

TEST(finds_the_event_of_a_profile)
{
	for (size_t i = 0; i < op_countof(events); i++) {
		struct sketch s = { .samples = "f 1",
				    .attrs = events[i].attrs };
		struct op_model m;

		sketch_one(&m, &s);
		CHECK(op_view_is(
			op_profile_event(&m, m.resources[0].scopes[0].profiles),
			events[i].event));
		op_model_free(&m);
	}
}

TEST_MAIN(finds_the_attributes_of_a_label, a_thread_with_a_number_has_both,
	  a_stack_that_was_not_cut_has_no_quality, knows_which_labels_there_are,
	  finds_the_event_of_a_profile)
