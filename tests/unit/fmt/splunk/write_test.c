// SPDX-License-Identifier: Apache-2.0
/* What is written, and that it is read again. */
#include "model/content.h"
#include "unit/fmt/splunk/splunk_fixture.h"

/* Each form and encoding. */
static const struct {
	const char *name;
	bool is_pprof;
	const char *settings[3];
} forms[] = {
	{ "text", false, { NULL } },
	{ "text 1.4", false, { "splunk-frames=1.4" } },
	{ "text JSON", false, { "logs-encoding=json" } },
	{ "pprof", true, { NULL } },
	{ "pprof JSON", true, { "logs-encoding=json" } },
};

/* Written and read again; false on failure. */
static bool again(const struct op_model *m, size_t form, struct op_model *out)
{
	struct op_err err = { 0 };
	struct op_buf buf = { .err = &err };

	*out = (struct op_model){ 0 };
	if (!splunk_write(m, forms[form].is_pprof, forms[form].settings, NULL,
			  &buf))
		splunk_read(out, op_view(buf.p, buf.n), NULL, NULL, &err);
	op_buf_free(&buf);
	if (err.code)
		TEST_FAIL("%s: %.100s", forms[form].name, err.text);
	return !err.code;
}

static const struct {
	const char *name;
	struct sketch s[3];
	size_t n;
} back_rows[] = {
	{ "looks at threads",
	  { { .samples = "main;work 1@1700000000000000000 "
			 "1@1700000000001000000 thread.name=a #1\n"
			 "main 1@1700000000000000001\n- 1@5",
	      .type = "samples",
	      .unit = "count",
	      .period = 10000000,
	      .period_unit = "nanoseconds",
	      .time_ns = 1700000000000000000,
	      .duration_ns = 2000000,
	      .scope = "mine",
	      .resource = "service.name=shop",
	      .attrs = "otprof.event.type=e k=v" } },
	  1 },
	{ "values with and without times",
	  { { .samples = "main;work 7\nmain 0" },
	    { .samples = "main 5@100 1@200 0@300 -4@400" } },
	  2 },
	{ "other types, of one scope and of others",
	  { { .samples = "a 1@5", .type = "samples", .unit = "count" },
	    { .samples = "a 64@5", .type = "alloc_space", .unit = "bytes" },
	    { .samples = "a 3@5",
	      .type = "x/y",
	      .unit = "z",
	      .scope = "other" } },
	  3 },
	{ "two of one type",
	  { { .samples = "a 1", .type = "wall" },
	    { .samples = "a 2", .type = "wall" } },
	  2 },
	{ "no samples", { { .type = "heap", .unit = "bytes" } }, 1 },
	{ "attributes of samples",
	  { { .samples = "a 1@5 thread.state=RUNNABLE thread.id=x k=v" } },
	  1 },
	{ "a scope of that name",
	  { { .samples = "a 1@5", .scope = "otel.profiling" } },
	  1 },
	{ "names that are odd",
	  { { .samples = "global.f;f(int);a.b(*c).d;unknown.x;- 1@5" } },
	  1 },
};

TEST(reads_back)
{
	for (size_t i = 0; i < op_countof(back_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m = { 0 }, back;

		CHECK(!sketch_model(&m, back_rows[i].s, back_rows[i].n, &err));
		for (size_t k = 0; k < op_countof(forms); k++) {
			if (!again(&m, k, &back))
				continue;
			if (strcmp(sketch_text(&m), sketch_text(&back)))
				TEST_FAIL("%s, %s: %s", back_rows[i].name,
					  forms[k].name, sketch_text(&back));
			op_model_free(&back);
		}
		op_model_free(&m);
	}
}

static void ids(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
	CHECK(!op_content_ids(m, &err));
}

static bool is_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	ids(a);
	ids(b);
	while (op_walk_next(a, &x))
		if (!op_walk_next(b, &y) ||
		    memcmp(x.profile->id, y.profile->id, 16))
			return false;
	return !op_walk_next(b, &y);
}

/* Random models of OTLP: written, read, and from then on the same. */
TEST(generated)
{
	static char text[WIRE_MAX];
	static struct wire w;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct op_model m, a, b;
		struct op_err err = { 0 };

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK(!wire_decode(&m, wire_view(&w), NULL, &err));
		for (size_t k = 0; k < op_countof(forms); k++) {
			if (!again(&m, k, &a))
				continue;
			if (again(&a, k, &b)) {
				if (!is_same(&a, &b))
					TEST_FAIL("seed %u, %s", seed,
						  forms[k].name);
				op_model_free(&b);
			}
			op_model_free(&a);
		}
		op_model_free(&m);
	}
}

/* --- the records themselves --- */

static const struct sketch look = {
	.samples = "main;a.work 1@1700000000000000000 thread.name=w #7",
	.type = "samples",
	.unit = "count",
	.period = 10000000,
	.period_unit = "nanoseconds",
	.resource = "service.name=shop",
	.attrs = "otprof.event.type=e",
};

struct written {
	struct op_model m;
	struct op_buf buf;
	struct op_logs logs;
};

/* Writes a sketch and decodes the message; false on failure. */
static bool write_one(struct written *x, const struct sketch *s, bool is_pprof,
		      const char *setting, struct op_err *err)
{
	const char *const settings[] = { setting, NULL };

	sketch_one(&x->m, s);
	x->buf = (struct op_buf){ .err = err };
	x->logs = (struct op_logs){ 0 };
	splunk_write(&x->m, is_pprof, settings, NULL, &x->buf);
	if (!err->code)
		op_logs_decode(&x->logs, op_view(x->buf.p, x->buf.n), err);
	CHECK(!err->code);
	return !err->code;
}

static void written_free(struct written *x)
{
	op_logs_free(&x->logs);
	op_buf_free(&x->buf);
	op_model_free(&x->m);
}

static const struct op_any *attr(const struct op_log *r, const char *key)
{
	for (uint32_t i = 0; i < r->attrs.n; i++)
		if (op_view_is(r->attrs.p[i].key, key))
			return &r->attrs.p[i].value;
	return NULL;
}

static bool has_text(const struct op_log *r, const char *key, const char *text)
{
	const struct op_any *v = attr(r, key);

	return v && v->kind == OP_ANY_STRING && op_view_is(v->bytes, text);
}

static bool has_int(const struct op_log *r, const char *key, int64_t v)
{
	const struct op_any *a = attr(r, key);

	return a && a->kind == OP_ANY_INT && a->num == v;
}

/* What the conventions want of each record, of either form. */
static void check_record(const struct op_log_resource *res)
{
	const struct op_log_scope *s = &res->scopes[0];
	const struct op_log *r = &s->records[0];

	CHECK_EQ(res->head.attrs.n, 1);
	CHECK(op_view_is(res->head.attrs.p[0].key, "service.name"));
	CHECK(op_view_is(s->head.name, "otel.profiling"));
	CHECK(op_view_is(s->head.version, "0.1.0"));
	CHECK_EQ(s->nr_records, 1);
	CHECK(op_view_is(r->name, "otel.profiling"));
	CHECK(op_view_is(r->event_name, "otel.profiling"));
	CHECK_EQ(r->time_ns, 1700000000000000000);
	CHECK(has_text(r, "com.splunk.sourcetype", "otel.profiling"));
	CHECK(has_text(r, "profiling.data.type", "cpu"));
	CHECK_EQ(r->body.kind, OP_ANY_STRING);
}

TEST(text_record)
{
	struct op_err err = { 0 };
	struct written x;
	const struct op_log *r;

	if (!write_one(&x, &look, false, NULL, &err))
		return;
	check_record(&x.logs.resources[0]);
	r = &x.logs.resources[0].scopes[0].records[0];
	CHECK(has_text(r, "profiling.data.format", "text"));
	CHECK(has_int(r, "source.event.period", 10));
	CHECK(has_text(r, "source.event.name", "e"));
	CHECK_EQ(r->trace_id.n, 16);
	CHECK_EQ(r->span_id.n, 8);
	CHECK_EQ(r->attrs.n, 5);
	CHECK(op_view_is(r->body.bytes,
			 "\"w\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 "
			 "nid=0x0\n\n\tat a.work(unknown)\n"
			 "\tat global.main(unknown)\n"));
	written_free(&x);
}

TEST(text_record_of_1_4)
{
	struct op_err err = { 0 };
	struct written x;
	const struct op_log *r;

	if (!write_one(&x, &look, false, "splunk-frames=1.4", &err))
		return;
	check_record(&x.logs.resources[0]);
	r = &x.logs.resources[0].scopes[0].records[0];
	CHECK(op_view_is(r->body.bytes,
			 "\"w\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 "
			 "nid=0x0\n\n\tat a.work(unknown:0)\n"
			 "\tat main(unknown:0)\n"));
	written_free(&x);
}

TEST(text_allocation)
{
	static const struct sketch s = { .samples = "a 64@5",
					 .type = "alloc_space",
					 .unit = "bytes" };
	struct op_err err = { 0 };
	struct written x;
	const struct op_log *r;

	if (!write_one(&x, &s, false, NULL, &err))
		return;
	r = &x.logs.resources[0].scopes[0].records[0];
	CHECK(has_text(r, "profiling.data.type", "allocation"));
	CHECK(has_int(r, "memory.allocated", 64));
	CHECK(!attr(r, "otprof.value"));
	written_free(&x);
}

TEST(pprof_record)
{
	struct op_err err = { 0 };
	struct written x;
	const struct op_log *r;

	if (!write_one(&x, &look, true, NULL, &err))
		return;
	check_record(&x.logs.resources[0]);
	r = &x.logs.resources[0].scopes[0].records[0];
	CHECK(has_text(r, "profiling.data.format", "pprof-gzip-base64"));
	CHECK(has_text(r, "profiling.instrumentation.source", "continuous"));
	CHECK(has_int(r, "profiling.data.total.frame.count", 2));
	CHECK(!r->trace_id.n);
	CHECK(r->body.bytes.n > 4 && !memcmp(r->body.bytes.p, "H4sI", 4));
	written_free(&x);
}

/* A kind of data each, and only one of a resource is CPU data. */
static const struct {
	const char *type, *unit, *data;
} data_rows[] = {
	{ "cpu", "nanoseconds", "cpu" },
	{ "wall", "ns", "cpu" },
	{ "samples", "count", "cpu" },
	{ "alloc_space", "bytes", "allocation" },
	{ "alloc_objects", "count", "alloc_objects/count" },
	{ "samples", "x", "samples/x" },
};

TEST(kinds_of_data)
{
	for (size_t i = 0; i < op_countof(data_rows); i++) {
		const struct sketch s = { .samples = "a 1@5",
					  .type = data_rows[i].type,
					  .unit = data_rows[i].unit };
		struct op_err err = { 0 };
		struct written x;

		if (!write_one(&x, &s, false, NULL, &err))
			return;
		CHECK(has_text(&x.logs.resources[0].scopes[0].records[0],
			       "profiling.data.type", data_rows[i].data));
		written_free(&x);
	}
}

TEST(counted_once)
{
	static const struct sketch s[] = {
		{ .samples = "a 5@5" },
		{ .samples = "a 1@5", .type = "samples", .unit = "count" },
	};
	struct op_err err = { 0 };
	struct op_buf buf = { .err = &err };
	struct op_model m = { 0 };
	struct op_logs l = { 0 };

	CHECK(!sketch_model(&m, s, op_countof(s), &err));
	CHECK(!splunk_write(&m, false, NULL, NULL, &buf));
	CHECK(!op_logs_decode(&l, op_view(buf.p, buf.n), &err));
	CHECK_EQ(l.resources[0].nr_scopes, 2);
	CHECK(has_text(&l.resources[0].scopes[0].records[0],
		       "profiling.data.type", "cpu/nanoseconds"));
	CHECK(has_text(&l.resources[0].scopes[1].records[0],
		       "profiling.data.type", "cpu"));
	op_logs_free(&l);
	op_buf_free(&buf);
	op_model_free(&m);
}

static const struct {
	int64_t period;
	const char *unit;
	int64_t ms; /* 0: none */
} period_rows[] = {
	{ 10000000, "nanoseconds", 10 },
	{ 10101010, "ns", 10 },
	{ 1600000, "ns", 2 },
	{ 1000, "ns", 1 },
	{ 20000, "microseconds", 20 },
	{ 1, "seconds", 1000 },
	{ 524288, "bytes", 0 },
	{ 0, "ns", 0 },
	{ INT64_MAX, "seconds", 0 },
};

TEST(periods)
{
	for (size_t i = 0; i < op_countof(period_rows); i++) {
		const struct sketch s = { .samples = "a 1@5",
					  .period = period_rows[i].period,
					  .period_unit = period_rows[i].unit };
		struct op_err err = { 0 };
		struct written x;
		const struct op_log *r;

		if (!write_one(&x, &s, false, NULL, &err))
			return;
		r = &x.logs.resources[0].scopes[0].records[0];
		CHECK(period_rows[i].ms ? has_int(r, "source.event.period",
						  period_rows[i].ms) :
					  !attr(r, "source.event.period"));
		written_free(&x);
	}
}

/* --- messages --- */

/* Records of many megabytes are several messages of which none is large. */
TEST(messages_end)
{
	enum { NR = 5000 };
	struct op_err err = { 0 };
	struct op_buf buf = { .err = &err };
	struct op_builder b;
	struct op_model m = { 0 }, back;
	struct op_profile head = { 0 };
	struct op_logs l = { 0 };
	uint32_t profile, sample;

	CHECK(!op_builder_init(&b, &m, &err));
	profile = op_build_profile(
		&b,
		op_build_scope(&b,
			       op_build_resource(&b, &(struct op_resource){ 0 },
						 NULL),
			       &(struct op_scope){ 0 }, NULL),
		&head);
	sample = op_build_sample(&b, profile, (struct op_identity){ 0 });
	for (uint64_t i = 0; i < NR; i++)
		op_build_observe(&b, profile, sample, 1, i + 1);
	CHECK(!op_builder_finish(&b));
	CHECK(!splunk_write(&m, false, NULL, NULL, &buf));
	CHECK(!op_logs_decode(&l, op_view(buf.p, buf.n), &err));
	CHECK(l.nr_resources > 1);
	CHECK(!splunk_read(&back, op_view(buf.p, buf.n), NULL, NULL, &err));
	CHECK_EQ(back.nr_resources, 1);
	CHECK_EQ(op_profile_observations(back.resources[0].scopes[0].profiles),
		 NR);
	op_logs_free(&l);
	op_model_free(&back);
	op_buf_free(&buf);
	op_model_free(&m);
}

/* --- what is told --- */

static const struct {
	const char *name;
	struct sketch s;
	bool is_pprof;
	const char *told; /* the last; "" none */
} told_rows[] = {
	{ "nothing",
	  { .samples = "a 1@5", .type = "samples", .unit = "count" },
	  false,
	  "" },
	{ "nothing of pprof either",
	  { .samples = "a 1@5", .type = "samples", .unit = "count" },
	  true,
	  "" },
	{ "values",
	  { .samples = "a 2@5", .type = "samples", .unit = "count" },
	  false,
	  "receivers other than otprof will not see values of stacks other "
	  "than 1" },
	{ "types",
	  { .samples = "a 1@5", .type = "x", .unit = "y" },
	  true,
	  "receivers other than otprof will not see types other than samples "
	  "and allocated bytes" },
	{ "a period",
	  { .samples = "a 1@5", .period = 5, .period_unit = "ns" },
	  false,
	  "receivers other than otprof will not see periods of less than a "
	  "millisecond" },
	{ "a name with a meaning of its own",
	  { .samples = "a 1@5 otprof.value=x" },
	  false,
	  "splunk-text cannot hold attributes with reserved names" },
	{ "names with brackets", { .samples = "a(b 1@5" }, false, "" },
	{ "odd names of threads",
	  { .samples = "a 1@5 thread.name=a\rb" },
	  false,
	  "splunk-text cannot hold some characters of names" },
};

TEST(tells)
{
	for (size_t i = 0; i < op_countof(told_rows); i++) {
		struct splunk_told told = { "", 0 };
		struct op_err err = { 0 };
		struct op_buf buf = { .err = &err };
		struct op_model m;

		sketch_one(&m, &told_rows[i].s);
		CHECK(!splunk_write(&m, told_rows[i].is_pprof, NULL, &told,
				    &buf));
		if (strcmp(told.text, told_rows[i].told))
			TEST_FAIL("%s: %s", told_rows[i].name, told.text);
		op_buf_free(&buf);
		op_model_free(&m);
	}
}

TEST(settings)
{
	static const char *const bad[] = { "logs-encoding=xml",
					   "splunk-frames=9" };
	struct op_model m;

	sketch_one(&m, &look);
	for (size_t i = 0; i < op_countof(bad); i++) {
		const char *const settings[] = { bad[i], NULL };
		struct op_err err = { 0 };
		struct op_buf buf = { .err = &err };

		CHECK_EQ(splunk_write(&m, true, settings, NULL, &buf),
			 OP_EUSAGE);
		op_buf_free(&buf);
	}
	op_model_free(&m);
}

TEST(oom)
{
	struct op_model m;

	sketch_one(&m, &look);
	for (size_t k = 0; k < op_countof(forms); k++) {
		EACH_ALLOC_FAILS(at) {
			struct op_err err = { 0 };
			struct op_buf buf = { .err = &err };
			struct splunk_told told = { "", 0 };

			splunk_write(&m, forms[k].is_pprof, forms[k].settings,
				     &told, &buf);
			CHECK(!err.code || err.code == OP_ENOMEM);
			op_buf_free(&buf);
		}
	}
	op_model_free(&m);
}

TEST_MAIN(reads_back, generated, text_record, text_record_of_1_4,
	  text_allocation, pprof_record, kinds_of_data, counted_once, periods,
	  messages_end, tells, settings, oom)
