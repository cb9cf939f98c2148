// SPDX-License-Identifier: Apache-2.0
/* Products of sizes: whatever a small file makes of its parts, it takes no more
 * than its budget.
 *
 * Each shape is a model in which two sizes multiply. It is written in every
 * format that can hold it in few bytes, read again within a small budget, and
 * put to every use. The library is built so that it counts the blocks of code
 * that it runs: a loop that forgot to count its own work is found too. */
#include "base/budget.h"
#include "fmt/input.h"
#include "fmt/output.h"
#include "model/builder.h"
#include "model/check.h"
#include "model/content.h"
#include "model/diff.h"
#include "model/filter.h"
#include "model/merge.h"
#include "query/default_profile.h"
#include "query/difference.h"
#include "query/flame.h"
#include "query/lanes.h"
#include "query/lines.h"
#include "query/peek.h"
#include "query/series.h"
#include "query/top.h"
#include "test.h"

enum {
	PART = 200,	     /* of the usual budget */
	SMALL = 512 << 10,   /* what is larger is no attack */
	MANY = 3000,	     /* the two sizes */
	BLOCKS_A_STEP = 4,   /* of code, for a step that was counted */
	BLOCKS_A_BYTE = 400, /* for reading and writing, which is linear */
};

/* --- what is run --- */

void __sanitizer_cov_trace_pc(void);

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* --- shapes --- */

struct draft {
	struct op_builder b;
	uint32_t scope;
	struct op_id_vec ids;
	struct op_arena mem;
};

static struct op_view text(const char *fmt, uint32_t i)
{
	static char out[64];

	return op_view(out, (size_t)snprintf(out, sizeof(out), fmt, i));
}

static struct op_view long_text(void)
{
	static char out[8 * MANY];

	memset(out, 'n', sizeof(out));
	return op_view(out, sizeof(out));
}

static uint32_t profile(struct draft *d, const char *type)
{
	struct op_profile head = {
		.sample_type = { op_build_string(&d->b, op_view_z(type)),
				 op_build_string(&d->b, op_view_z("count")) },
		.time_ns = 1,
		.duration_ns = 1000000,
	};

	return op_build_profile(&d->b, d->scope, &head);
}

static struct op_line line(struct draft *d, struct op_view name)
{
	struct op_function fn = { .name = op_build_string(&d->b, name) };

	return (struct op_line){ .function = op_build_function(&d->b, &fn) };
}

static uint32_t place(struct draft *d, struct op_view name)
{
	struct op_line l = line(d, name);

	return op_build_location(&d->b, &(struct op_location){ 0 }, &l, 1);
}

static uint32_t stack(struct draft *d)
{
	return op_build_stack(&d->b, d->ids.p, (uint32_t)d->ids.n);
}

static void push(struct draft *d, uint32_t id)
{
	CHECK(op_vec_push(&d->mem, &d->ids, id));
}

static void add(struct draft *d, uint32_t profile, uint32_t stack, uint32_t set)
{
	struct op_identity id = { .stack = stack, .set = set };

	op_build_add(&d->b, profile, op_build_sample(&d->b, profile, id), 1);
}

static uint32_t attr_set(struct draft *d, const char *key, struct op_view value)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = value };
	uint32_t id = op_build_attr(&d->b, op_view_z(key), &v,
				    (struct op_view){ 0 }, NULL);

	return op_build_set(&d->b, &id, 1);
}

/* One location of many lines, many times in one stack. */
static void lines_x_depth(struct draft *d)
{
	static struct op_line lines[MANY];
	uint32_t id;

	for (uint32_t i = 0; i < MANY; i++)
		lines[i] = line(d, text("f%u", i % 7));
	id = op_build_location(&d->b, &(struct op_location){ 0 }, lines, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		push(d, id);
	add(d, profile(d, "cpu"), stack(d), 0);
}

/* A long name, many times in one stack. */
static void name_x_depth(struct draft *d)
{
	uint32_t id = place(d, long_text());

	for (uint32_t i = 0; i < MANY; i++)
		push(d, id);
	add(d, profile(d, "cpu"), stack(d), 0);
}

/* Many samples of one deep stack. */
static void samples_x_depth(struct draft *d)
{
	uint32_t p = profile(d, "cpu"), id;

	for (uint32_t i = 0; i < MANY; i++)
		push(d, place(d, text("f%u", i % 100)));
	id = stack(d);
	for (uint32_t i = 0; i < MANY; i++)
		add(d, p, id, attr_set(d, "thread.name", text("t%u", i)));
}

/* Stacks that each have one frame more than the one before. */
static void depth_x_depth(struct draft *d)
{
	uint32_t p = profile(d, "cpu"), id = place(d, op_view_z("f"));

	for (uint32_t i = 0; i < MANY / 2; i++) {
		push(d, id);
		add(d, p, stack(d), 0);
	}
}

/* Many profiles that share tables, each with one sample. */
static void profiles_x_stacks(struct draft *d)
{
	for (uint32_t i = 0; i < MANY; i++) {
		d->ids.n = 0;
		push(d, place(d, text("f%u", i)));
		add(d, profile(d, "cpu"), stack(d), 0);
	}
}

/* Many types, each with a sample of its own. */
static void types_x_samples(struct draft *d)
{
	char type[32];

	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(type, sizeof(type), "type%u", i);
		d->ids.n = 0;
		push(d, place(d, text("f%u", i)));
		add(d, profile(d, type), stack(d), 0);
	}
}

/* Many resources, each with a profile of its own. */
static void resources_x_stacks(struct draft *d)
{
	struct op_scope scope = { 0 };

	for (uint32_t i = 0; i < MANY / 2; i++) {
		struct op_kv kv = { .key = op_view_z("service.name"),
				    .value = { .kind = OP_ANY_STRING,
					       .bytes = text("s%u", i) } };
		struct op_resource head = { .attrs = { &kv, 1 } };

		d->scope = op_build_scope(&d->b,
					  op_build_resource(&d->b, &head, NULL),
					  &scope, NULL);
		d->ids.n = 0;
		push(d, place(d, text("f%u", i)));
		add(d, profile(d, "cpu"), stack(d), 0);
	}
}

/* One set of many attributes, of many samples. */
static void attrs_x_samples(struct draft *d)
{
	uint32_t p = profile(d, "cpu"), set;

	for (uint32_t i = 0; i < MANY; i++) {
		struct op_any v = { .kind = OP_ANY_INT, .num = i };

		push(d, op_build_attr(&d->b, text("key%u", i), &v,
				      (struct op_view){ 0 }, NULL));
	}
	set = op_build_set(&d->b, d->ids.p, (uint32_t)d->ids.n);
	for (uint32_t i = 0; i < MANY; i++) {
		d->ids.n = 0;
		push(d, place(d, text("f%u", i)));
		add(d, p, stack(d), set);
	}
}

/* A long value, of a set that many samples have. */
static void value_x_samples(struct draft *d)
{
	uint32_t p = profile(d, "cpu");
	uint32_t set = attr_set(d, "thread.name", long_text());

	for (uint32_t i = 0; i < MANY; i++) {
		d->ids.n = 0;
		push(d, place(d, text("f%u", i)));
		add(d, p, stack(d), set);
	}
}

/* Many addresses in a module of a long name. */
static void module_x_addresses(struct draft *d)
{
	struct op_mapping map = { .start = 4096,
				  .limit = 1 << 20,
				  .filename = op_build_string(&d->b,
							      long_text()) };
	uint32_t p = profile(d, "cpu");
	uint32_t m = op_build_mapping(&d->b, &map);

	for (uint32_t i = 0; i < MANY; i++) {
		struct op_location l = { .address = 4096 + i, .mapping = m };

		d->ids.n = 0;
		push(d, op_build_location(&d->b, &l, NULL, 0));
		add(d, p, stack(d), 0);
	}
}

/* Observations of many samples that take turns. */
static void times_x_depth(struct draft *d)
{
	uint32_t p = profile(d, "cpu"), sample[2];

	for (uint32_t i = 0; i < MANY; i++)
		push(d, place(d, text("f%u", i % 100)));
	for (uint32_t i = 0; i < op_countof(sample); i++) {
		struct op_identity id;

		d->ids.n -= 1;
		id = (struct op_identity){ .stack = stack(d) };
		sample[i] = op_build_sample(&d->b, p, id);
	}
	for (uint32_t i = 0; i < MANY; i++)
		op_build_observe(&d->b, p, sample[i % op_countof(sample)], 1,
				 1000 + 10 * i);
}

static const struct {
	const char *name;
	void (*make)(struct draft *d);
} shapes[] = {
	{ "lines x depth", lines_x_depth },
	{ "name x depth", name_x_depth },
	{ "samples x depth", samples_x_depth },
	{ "depth x depth", depth_x_depth },
	{ "profiles x stacks", profiles_x_stacks },
	{ "types x samples", types_x_samples },
	{ "resources x stacks", resources_x_stacks },
	{ "attributes x samples", attrs_x_samples },
	{ "value x samples", value_x_samples },
	{ "module x addresses", module_x_addresses },
	{ "times x depth", times_x_depth },
};

static void shape_make(size_t i, struct op_model *m)
{
	struct op_err err = { 0 };
	struct draft d = { 0 };
	struct op_resource none = { 0 };
	struct op_scope scope = { 0 };

	op_builder_init(&d.b, m, &err);
	d.scope = op_build_scope(&d.b, op_build_resource(&d.b, &none, NULL),
				 &scope, NULL);
	shapes[i].make(&d);
	CHECK_EQ(op_builder_finish(&d.b), OP_OK);
	op_arena_free(&d.mem);
}

/* --- uses --- */

struct sink {
	struct op_sink sink;
	struct op_buf *buf; /* NULL: nobody wants it */
};

static int sink_write(struct op_sink *s, struct op_view v, struct op_err *err)
{
	struct op_buf *buf = ((struct sink *)s)->buf;

	if (buf)
		op_buf_view(buf, v);
	return err->code;
}

static void use_write(const struct op_model *m, const struct op_format *f,
		      struct op_buf *buf, struct op_err *err)
{
	struct op_writing how = { .format = f, .pack = OP_PACK_NONE };
	struct sink s = { .sink.write = sink_write, .buf = buf };

	op_write(m, &how, &s.sink, err);
}

static void use_top(struct op_model *m, struct op_err *err)
{
	struct op_flame f = { .names_only = true };
	struct op_walk w = { 0 };
	uint32_t n;

	while (!err->code && op_walk_next(m, &w))
		if (!op_flame_build(&f, m, w.profile, err))
			op_flame_top(&f, &n, err);
	op_flame_free(&f);
}

static void use_tree(struct op_model *m, struct op_err *err)
{
	struct op_flame f = { .origins = true };
	struct op_walk w = { 0 };

	while (!err->code && op_walk_next(m, &w))
		op_flame_build(&f, m, w.profile, err);
	op_flame_free(&f);
}

static void use_check(struct op_model *m, struct op_err *err)
{
	struct op_check_opts opts = { .most = 20 };
	struct op_check_result result = { 0 };

	op_check(m, &opts, NULL, NULL, &result, err);
}

static void use_ids(struct op_model *m, struct op_err *err)
{
	op_content_ids(m, err);
}

static void use_merge(struct op_model *m, struct op_err *err)
{
	struct op_model out = { 0 }, *both[] = { m, m };

	op_merge(both, 2, &out, err);
	op_model_free(&out);
}

static void use_filter(struct op_model *m, struct op_err *err)
{
	struct op_filter_opts opts = { .focus = "f1", .aggregate = true };
	struct op_model out = { 0 };

	op_filter(m, &opts, &out, err);
	op_model_free(&out);
}

static void use_diff(struct op_model *m, struct op_err *err)
{
	struct op_diff_opts opts = { 0 };
	struct op_model out = { 0 };

	op_diff(m, m, &opts, &out, err);
	op_model_free(&out);
}

/* --- views of one type --- */

static void by_all(struct op_group_by *by, struct op_err *err)
{
	op_group_by_parse(by, "thread,line,module", err);
}

static void use_top_by(struct op_model *m, struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_group_by by;
	struct op_top t = { 0 };

	by_all(&by, err);
	if (like)
		op_top_build(&t, m, like, &by, err);
	op_top_free(&t);
}

static void use_tree_by(struct op_model *m, struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_flame f = { .inverted = true };
	struct op_group_by by;

	by_all(&by, err);
	if (like)
		op_flame_build_by(&f, m, like, &by, err);
	op_flame_free(&f);
}

static void use_peek(struct op_model *m, struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_regex *re = op_regex_new("f", err);
	struct op_peek p = { 0 };

	if (like && re)
		op_peek_build(&p, m, like, OP_FRAME_FUNCTION, re, err);
	op_regex_free(re);
	op_peek_free(&p);
}

static void use_lines(struct op_model *m, struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_regex *re = op_regex_new("f", err);
	struct op_lines l = { 0 };

	if (like && re)
		op_lines_build(&l, m, like, re, err);
	op_regex_free(re);
	op_lines_free(&l);
}

static void use_difference(struct op_model *m, struct op_err *err)
{
	struct op_difference d = { 0 };

	op_difference_build(&d, m, m, true, err);
	op_difference_free(&d);
}

static void use_series(struct op_model *m, struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_series_opts opts = { .nr_columns = 100 };
	struct op_group_by by;
	struct op_series s = { 0 };

	op_group_by_parse(&by, "process,thread,a", err);
	if (like)
		op_series_build(&s, m, like, &by, &opts, err);
	op_series_free(&s);
}

static void use_lanes(struct op_model *m, struct op_err *err)
{
	struct op_lanes_opts opts = { .like = op_default_profile(m),
				      .nr_columns = 100 };
	struct op_lane_cell cells[100];
	struct op_arena scratch = { 0 };
	struct op_lanes l = { 0 };

	if (opts.like)
		op_lanes_build(&l, m, &opts, err);
	for (uint32_t i = 0; i < l.lanes.n && !err->code; i++)
		op_lane_cells(&l, i, &scratch, cells, err);
	op_arena_free(&scratch);
	op_lanes_free(&l);
}

static const struct {
	const char *name;
	void (*run)(struct op_model *m, struct op_err *err);
} uses[] = {
	{ "top", use_top },
	{ "tree", use_tree },
	{ "check", use_check },
	{ "ids", use_ids },
	{ "merge", use_merge },
	{ "filter", use_filter },
	{ "diff", use_diff },
	{ "top by labels", use_top_by },
	{ "tree by labels", use_tree_by },
	{ "peek", use_peek },
	{ "lines", use_lines },
	{ "difference", use_difference },
	{ "series", use_series },
	{ "lanes", use_lanes },
};

/* --- all of it --- */

struct
try {
	const char *shape, *use;
	const struct op_format *from;
	struct op_view file;
};

/* What was made must be a result, or a sentence that names the option. */
static void judge(const struct try *t, const struct op_budget *b,
		  const struct op_err *err)
{
	uint64_t most = op_budget_work(b) * BLOCKS_A_STEP +
			b->input * BLOCKS_A_BYTE;

	if (blocks > most)
		TEST_FAIL("%s of %s, %s: %llu blocks, most %llu (%zu bytes)",
			  t->shape, t->from->name, t->use,
			  (unsigned long long)blocks, (unsigned long long)most,
			  t->file.n);
	if (b->peak > 0 && (uint64_t)b->peak > op_budget_memory(b))
		TEST_FAIL("%s of %s, %s: %lld bytes of memory", t->shape,
			  t->from->name, t->use, (long long)b->peak);
	if (err->code != OP_ELIMIT && err->code &&
	    !strstr(err->text, "--budget"))
		TEST_FAIL("%s of %s, %s: %.90s", t->shape, t->from->name,
			  t->use, err->text);
}

static void try_use(struct try *t, const struct op_format *to, size_t use)
{
	struct op_budget b = { .times = 1, .part = PART };
	struct op_budget *before = op_budget_use(&b);
	struct op_read_opts opts = { .threads = 1 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_input_opts in_opts = { .format = t->from };
	struct op_input in;

	blocks = 0;
	t->use = to ? to->name : uses[use].name;
	if (!op_input_memory(&in, t->file, &in_opts, &err) &&
	    !op_input_read(&in, &opts, &m, &err)) {
		if (to)
			use_write(&m, to, NULL, &err);
		else
			uses[use].run(&m, &err);
		op_model_free(&m);
	}
	judge(t, &b, &err);
	op_budget_use(before);
}

static void shape_test(size_t i)
{
	struct op_model m = { 0 };

	shape_make(i, &m);
	for (size_t from = 0; op_formats[from]; from++) {
		const struct op_format *f = op_formats[from];
		struct op_err err = { 0 };
		struct op_buf file = { .limit = SMALL, .err = &err };
		struct try t = { shapes[i].name, NULL, f, { 0 } };

		if (f->write && f->read)
			use_write(&m, f, &file, &err);
		t.file = op_view(file.p, file.n);
		for (size_t k = 0; t.file.n && !err.code && op_formats[k]; k++)
			if (op_formats[k]->write)
				try_use(&t, op_formats[k], 0);
		for (size_t k = 0;
		     t.file.n && !err.code && k < op_countof(uses); k++)
			try_use(&t, NULL, k);
		op_buf_free(&file);
	}
	op_model_free(&m);
}

TEST(products)
{
	for (size_t i = 0; i < op_countof(shapes); i++)
		shape_test(i);
}

TEST_MAIN(products)
