// SPDX-License-Identifier: Apache-2.0
#include "query/label_list.h"

#include "test.h"
#include "write/sketch.h"

static const struct sketch two[] = {
	{ .samples = "a 1 thread.name=t http.route=/a\n"
		     "b 1 thread.name=u http.route=/b #1\n"
		     "c 1 job=1",
	  .resource = "service.name=shop" },
	{ .samples = "a 1 size=7",
	  .type = "alloc",
	  .unit = "bytes",
	  .resource = "service.name=shop" },
};

static const char *listed(const struct op_label_list *l)
{
	static char text[400];
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < l->rows.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s:%u ",
				      (int)l->rows.p[i].name.n,
				      (const char *)l->rows.p[i].name.p,
				      l->rows.p[i].nr_values);
	return text;
}

TEST(labels)
{
	struct op_err err = { 0 };
	struct op_label_list all = { 0 }, cpu = { 0 }, keys = { 0 };
	struct op_model m = { 0 };
	const struct op_profile *like;

	CHECK_EQ(sketch_model(&m, two, 2, &err), OP_OK);
	like = m.resources[0].scopes[0].profiles;
	CHECK_EQ(op_label_list(&all, &m, NULL, &err), OP_OK);
	CHECK_STR(listed(&all), "service:1 thread:2 trace:1 span:1 "
				"http.route:2 job:1 size:1 ");
	CHECK_EQ(op_label_list(&cpu, &m, like, &err), OP_OK);
	CHECK_STR(listed(&cpu), "service:1 thread:2 trace:1 span:1 "
				"http.route:2 job:1 ");
	CHECK_EQ(op_label_keys(&keys, &m, like, &err), OP_OK);
	CHECK_STR(listed(&keys), "http.route:2 job:1 ");
	CHECK(!all.more);
	op_label_list_free(&all);
	op_label_list_free(&cpu);
	op_label_list_free(&keys);
	op_model_free(&m);
}

TEST(many)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct sketch s = { 0 };
	struct op_label_list l = { 0 };
	struct op_model m;

	for (int i = 0; i <= OP_MAX_LABEL_KEYS; i++)
		op_buf_printf(&text, "a 1 k%d=v\n", i);
	op_buf_byte(&text, 0);
	s.samples = (const char *)text.p;
	sketch_one(&m, &s);
	CHECK_EQ(op_label_list(&l, &m, NULL, &err), OP_OK);
	CHECK_EQ(l.rows.n, OP_MAX_LABEL_KEYS);
	CHECK(l.more);
	op_label_list_free(&l);
	op_model_free(&m);
	op_buf_free(&text);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_label_list l = { 0 };
		struct op_err err = { 0 };
		struct op_model m = { 0 };

		if (!sketch_model(&m, two, 2, &err) &&
		    op_label_list(&l, &m, NULL, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		op_label_list_free(&l);
		op_model_free(&m);
	}
}

TEST_MAIN(labels, many, oom)
