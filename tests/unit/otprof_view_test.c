// SPDX-License-Identifier: Apache-2.0
/* The views of include/otprof.h: their numbers, and what they refuse. The views
 * themselves are tested in tests/unit/query. */
#include "test.h"

#include "base/arena.h"
#include "otprof.h"

enum { START = 1000 };

static bool is(struct otprof_str s, const char *want)
{
	return s.n == strlen(want) && !memcmp(s.p, want, s.n);
}

static uint32_t build_frame(struct otprof_builder *b, const char *name,
			    int64_t line)
{
	struct otprof_frame frame;

	OTPROF_INIT(&frame);
	frame.function = otprof_str(name);
	frame.file = otprof_str("shop.c");
	frame.line = line;
	return otprof_build_location(b, 0, &frame, 1);
}

static uint32_t build_label(struct otprof_builder *b, const char *key,
			    const char *value)
{
	struct otprof_attr attr = { .key = otprof_str(key),
				    .value = otprof_string(value) };

	return otprof_build_attrs(b, &attr, 1);
}

/* main calls parse, and runs itself; in two threads, and for 40 ns. */
static void build_cpu(struct otprof_builder *b, uint32_t scope)
{
	uint32_t up[] = { build_frame(b, "parse", 20),
			  build_frame(b, "main", 10) };
	uint32_t down[] = { build_frame(b, "main", 11) };
	struct otprof_identity deep = { 0, 0, 0 }, flat = { 0, 0, 0 };
	struct otprof_profile head;
	uint32_t cpu;

	OTPROF_INIT(&head);
	head.type = otprof_str("cpu");
	head.unit = otprof_str("nanoseconds");
	deep.stack = otprof_build_stack(b, up, 2);
	deep.attrs = build_label(b, "thread.name", "worker");
	flat.stack = otprof_build_stack(b, down, 1);
	flat.attrs = build_label(b, "thread.name", "idle");
	cpu = otprof_build_profile(b, scope, &head);
	otprof_build_observe(b, cpu, deep, 10, START);
	otprof_build_observe(b, cpu, deep, 10, START + 10);
	otprof_build_observe(b, cpu, flat, 5, START + 39);
}

static struct otprof *shop_new(struct otprof_err *err)
{
	struct otprof_builder *b;
	struct otprof *p = NULL;
	uint32_t scope;

	if (otprof_builder_new(0, &b, err))
		return NULL;
	scope = otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "test",
				   "1", NULL, 0);
	build_cpu(b, scope);
	otprof_builder_take(b, &p, err);
	otprof_builder_free(b);
	return p;
}

static struct otprof_view_opts opts_by(const char *by)
{
	struct otprof_view_opts o;

	OTPROF_INIT(&o);
	o.by = by;
	return o;
}

TEST(tree)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by("thread,function");
	struct otprof_tree_info info;
	const struct otprof_tree_node *n;
	struct otprof_tree *t = NULL;

	OTPROF_INIT(&info);
	CHECK_EQ(otprof_tree_new(p, NULL, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_tree_info(t, &info, &err), OTPROF_OK);
	CHECK(is(info.type, "cpu") && is(info.unit, "nanoseconds"));
	CHECK_EQ(info.total, 25);
	CHECK_EQ(info.nr_nodes, 3);
	CHECK_EQ(info.nodes->cum, 25);
	CHECK(!info.nodes->name.n && !info.nodes->depth);
	n = OTPROF_AT(info.nodes, 1);
	CHECK(is(n->name, "main") && n->depth == 1 && !n->parent);
	CHECK_EQ(n->flat, 5);
	CHECK_EQ(n->cum, 25);
	n = OTPROF_AT(info.nodes, 2);
	CHECK(is(n->name, "parse") && n->depth == 2 && n->parent == 1);
	CHECK_EQ(n->flat, 20);
	otprof_tree_free(t);
	CHECK_EQ(otprof_tree_new(p, &o, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_tree_info(t, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_nodes, 6);
	n = OTPROF_AT(info.nodes, 4);
	CHECK(is(n->name, "idle") && n->depth == 1 && !n->parent);
	n = OTPROF_AT(info.nodes, 5);
	CHECK(is(n->name, "main") && n->depth == 2 && n->parent == 4);
	otprof_tree_free(t);
	o = opts_by(NULL);
	o.inverted = 1;
	CHECK_EQ(otprof_tree_new(p, &o, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_tree_info(t, &info, &err), OTPROF_OK);
	n = OTPROF_AT(info.nodes, 1);
	CHECK(is(n->name, "parse") && n->cum == 20);
	otprof_tree_free(t);
	otprof_tree_free(NULL);
	otprof_free(p);
}

TEST(peek)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by(NULL);
	struct otprof_peek_info info;
	struct otprof_peek *k = NULL;

	OTPROF_INIT(&info);
	o.match = "^parse$";
	CHECK_EQ(otprof_peek_new(p, &o, &k, &err), OTPROF_OK);
	CHECK_EQ(otprof_peek_info(k, &info, &err), OTPROF_OK);
	CHECK_EQ(info.total, 25);
	CHECK_EQ(info.nr_rows, 1);
	CHECK(is(info.rows->name, "parse") && info.rows->flat == 20);
	CHECK_EQ(info.rows->nr_callers, 1);
	CHECK(is(info.rows->callers->name, "main"));
	CHECK_EQ(info.rows->callers->value, 20);
	CHECK_EQ(info.rows->nr_callees, 0);
	otprof_peek_free(k);
	o.match = "nosuch";
	CHECK_EQ(otprof_peek_new(p, &o, &k, &err), OTPROF_OK);
	CHECK_EQ(otprof_peek_info(k, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 0);
	otprof_peek_free(k);
	CHECK_EQ(otprof_peek_new(p, NULL, &k, &err), OTPROF_OK);
	CHECK_EQ(otprof_peek_info(k, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 2);
	CHECK(is(OTPROF_AT(info.rows, 1)->name, "parse"));
	otprof_peek_free(k);
	otprof_free(p);
}

TEST(lines)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_lines_info info;
	struct otprof_lines *l = NULL;

	OTPROF_INIT(&info);
	CHECK_EQ(otprof_lines_new(p, NULL, &l, &err), OTPROF_OK);
	CHECK_EQ(otprof_lines_info(l, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 2);
	CHECK(is(info.rows->function, "main") && is(info.rows->file, "shop.c"));
	CHECK_EQ(info.rows->cum, 25);
	CHECK_EQ(info.rows->nr_lines, 2);
	CHECK_EQ(info.rows->lines->line, 10);
	CHECK_EQ(info.rows->lines->cum, 20);
	CHECK_EQ(OTPROF_AT(info.rows->lines, 1)->line, 11);
	CHECK_EQ(OTPROF_AT(info.rows->lines, 1)->flat, 5);
	otprof_lines_free(l);
	otprof_free(p);
}

TEST(totals)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by("thread");
	const struct otprof_total *last;
	struct otprof_totals_info info;
	struct otprof_totals *t = NULL;

	OTPROF_INIT(&info);
	CHECK_EQ(otprof_totals_new(p, &o, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_totals_info(t, &info, &err), OTPROF_OK);
	CHECK_EQ(info.total, 25);
	CHECK_EQ(info.nr_rows, 2);
	CHECK_EQ(info.nr_labels, 1);
	CHECK(is(info.rows->labels[0], "worker"));
	CHECK_EQ(info.rows->value, 20);
	CHECK_EQ(info.rows->nr_samples, 1);
	CHECK_EQ(info.rows->nr_observations, 2);
	CHECK_EQ(info.rows->from_unix_nano, START);
	last = OTPROF_AT(info.rows, 1);
	CHECK(is(last->labels[0], "idle") && last->value == 5);
	CHECK_EQ(last->to_unix_nano, START + 40);
	otprof_totals_free(t);
	CHECK_EQ(otprof_totals_new(p, NULL, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_totals_info(t, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 1);
	CHECK_EQ(info.rows->value, 25);
	otprof_totals_free(t);
	otprof_free(p);
}

TEST(series)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by("thread");
	struct otprof_series_info info;
	struct otprof_series *s = NULL;

	OTPROF_INIT(&info);
	o.step_nano = 10;
	CHECK_EQ(otprof_series_new(p, &o, &s, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_info(s, &info, &err), OTPROF_OK);
	CHECK_EQ(info.from_unix_nano, START);
	CHECK_EQ(info.to_unix_nano, START + 40);
	CHECK_EQ(info.nr_buckets, 4);
	CHECK_EQ(info.nr_rows, 2);
	CHECK(is(info.rows->labels[0], "worker"));
	CHECK_EQ(info.rows->cells[1].value, 10);
	CHECK_EQ(info.rows->cells[1].nr_observations, 1);
	CHECK_EQ(OTPROF_AT(info.rows, 1)->cells[3].value, 5);
	otprof_series_free(s);
	o.max_rows = 1;
	CHECK_EQ(otprof_series_new(p, &o, &s, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_info(s, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 2);
	CHECK(!OTPROF_AT(info.rows, 1)->labels);
	CHECK_EQ(OTPROF_AT(info.rows, 1)->value, 5);
	otprof_series_free(s);
	CHECK_EQ(otprof_series_new(p, NULL, &s, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_info(s, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_buckets, 40); /* none is below a nanosecond */
	otprof_series_free(s);
	o = opts_by(NULL);
	o.from_unix_nano = START + 5;
	o.to_unix_nano = START + 20;
	o.nr_steps = 1;
	CHECK_EQ(otprof_series_new(p, &o, &s, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_info(s, &info, &err), OTPROF_OK);
	CHECK_EQ(info.rows->cells[0].value, 10);
	CHECK_EQ(info.nr_outside, 2);
	otprof_series_free(s);
	otprof_free(p);
}

TEST(heatmap)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by(NULL);
	struct otprof_heatmap_info info;
	struct otprof_heatmap *h = NULL;

	OTPROF_INIT(&info);
	o.step_nano = 20;
	o.nr_steps = 2;
	CHECK_EQ(otprof_heatmap_new(p, &o, &h, &err), OTPROF_OK);
	CHECK_EQ(otprof_heatmap_info(h, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_columns, 2);
	CHECK_EQ(info.nr_rows, 2);
	CHECK_EQ(info.cells[0].value, 10);
	CHECK_EQ(info.cells[1].value, 10);
	CHECK_EQ(info.cells[2].value, 0);
	CHECK_EQ(info.cells[3].value, 5);
	CHECK_EQ(info.max_value, 10);
	otprof_heatmap_free(h);
	otprof_free(p);
}

TEST(lanes)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by(NULL);
	struct otprof_lanes_info info;
	struct otprof_lanes *l = NULL;

	OTPROF_INIT(&info);
	o.nr_steps = 2;
	CHECK_EQ(otprof_lanes_new(p, &o, &l, &err), OTPROF_OK);
	CHECK_EQ(otprof_lanes_info(l, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_buckets, 2);
	CHECK_EQ(info.nr_rows, 2);
	CHECK(is(info.rows->thread, "worker"));
	CHECK_EQ(info.rows->busy_nano, 20);
	CHECK_EQ(info.rows->nr_states, 1);
	CHECK(!info.rows->states->waits);
	CHECK_EQ(info.rows->states->nr_points, 2);
	CHECK_EQ(info.rows->states->points[0], 2);
	CHECK_EQ(OTPROF_AT(info.rows, 1)->states->points[1], 1);
	otprof_lanes_free(l);
	otprof_free(p);
}

/* A wait of 30 ns, and no point. */
TEST(lanes_intervals)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b;
	struct otprof_profile head;
	struct otprof_identity id = { 0, 0, 0 };
	struct otprof_lanes_info info;
	struct otprof_lanes *l = NULL;
	struct otprof *p = NULL;
	uint32_t scope, wait;

	OTPROF_INIT(&head);
	OTPROF_INIT(&info);
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	scope = otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "test",
				   "1", NULL, 0);
	head.type = otprof_str("off_cpu");
	head.unit = otprof_str("nanoseconds");
	wait = otprof_build_profile(b, scope, &head);
	id.attrs = build_label(b, "thread.name", "worker");
	otprof_build_observe(b, wait, id, 30, START);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	otprof_builder_free(b);
	CHECK_EQ(otprof_lanes_new(p, NULL, &l, &err), OTPROF_OK);
	CHECK_EQ(otprof_lanes_info(l, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 1);
	CHECK_EQ(info.rows->states->nr_intervals, 1);
	CHECK_EQ(info.rows->states->intervals[0].from_unix_nano, START);
	CHECK_EQ(info.rows->states->intervals[0].to_unix_nano, START + 30);
	otprof_lanes_free(l);
	otprof_free(p);
}

/* Of a state the last counts, wherever it is. */
TEST(states)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b;
	struct otprof_profile head;
	struct otprof_identity id = { 0, 0, 0 };
	struct otprof_totals_info info;
	struct otprof_totals *t = NULL;
	struct otprof *p = NULL;
	uint32_t scope;

	OTPROF_INIT(&head);
	OTPROF_INIT(&info);
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	scope = otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "test",
				   "1", NULL, 0);
	head.type = otprof_str("inuse_space");
	head.unit = otprof_str("bytes");
	for (int i = 1; i <= 2; i++) {
		head.time_unix_nano = (uint64_t)i * START;
		otprof_build_add(b, otprof_build_profile(b, scope, &head), id,
				 100 * i);
	}
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	otprof_builder_free(b);
	CHECK_EQ(otprof_totals_new(p, NULL, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_totals_info(t, &info, &err), OTPROF_OK);
	CHECK(is(info.type, "inuse_space") && info.total == 200);
	otprof_totals_free(t);
	otprof_free(p);
}

/* One wrong call, which leaves out as it is. */
#define REFUSED(view, o, code_, part)                                       \
	do {                                                                \
		struct otprof_err err_ = { 0 };                             \
		struct otprof_##view *x_ = NULL;                            \
                                                                            \
		CHECK_EQ(otprof_##view##_new(p, (o), &x_, &err_), (code_)); \
		CHECK(!x_ && strstr(err_.text, (part)));                    \
	} while (0)

TEST(wrong_calls)
{
	struct otprof_err err = { 0 };
	struct otprof *p = shop_new(&err);
	struct otprof_view_opts o = opts_by("function");

	REFUSED(totals, &o, OTPROF_EUSAGE, "labels of samples");
	REFUSED(series, &o, OTPROF_EUSAGE, "labels of samples");
	REFUSED(heatmap, &o, OTPROF_EUSAGE, "cannot be grouped");
	REFUSED(lanes, &o, OTPROF_EUSAGE, "cannot be grouped");
	REFUSED(lines, &o, OTPROF_EUSAGE, "cannot be grouped");
	o.by = "thread,function";
	REFUSED(peek, &o, OTPROF_EUSAGE, "parts of frames");
	o.by = "";
	REFUSED(tree, &o, OTPROF_EUSAGE, "");
	o = opts_by(NULL);
	o.match = "(";
	REFUSED(peek, &o, OTPROF_EUSAGE, "");
	REFUSED(lines, &o, OTPROF_EUSAGE, "");
	o.type = "nope";
	REFUSED(tree, &o, OTPROF_EFORMAT, "of type nope");
	o.type = NULL;
	o.from_unix_nano = 5;
	REFUSED(series, &o, OTPROF_EUSAGE, "needs an end");
	o.to_unix_nano = 5;
	REFUSED(heatmap, &o, OTPROF_EUSAGE, "is empty");
	o.sz = 0;
	REFUSED(tree, &o, OTPROF_EUSAGE, "");
	otprof_free(p);
}

/* Without times there is nothing over time. */
TEST(no_times)
{
	struct otprof_err err = { 0 };
	struct otprof_filter_opts f;
	struct otprof_series_info info;
	struct otprof_series *s = NULL;
	struct otprof_lanes_info lanes;
	struct otprof_lanes *l = NULL;
	struct otprof *p = shop_new(&err), *sum = NULL;

	OTPROF_INIT(&f);
	OTPROF_INIT(&info);
	OTPROF_INIT(&lanes);
	f.aggregate = 1;
	CHECK_EQ(otprof_filter(p, &f, &sum, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_new(sum, NULL, &s, &err), OTPROF_OK);
	CHECK_EQ(otprof_series_info(s, &info, &err), OTPROF_OK);
	CHECK_EQ(info.nr_rows, 0);
	CHECK_EQ(info.nr_untimed, 2);
	CHECK_EQ(info.total, 25);
	otprof_series_free(s);
	CHECK_EQ(otprof_lanes_new(sum, NULL, &l, &err), OTPROF_OK);
	CHECK_EQ(otprof_lanes_info(l, &lanes, &err), OTPROF_OK);
	CHECK_EQ(lanes.nr_rows, 0);
	otprof_lanes_free(l);
	otprof_free(sum);
	otprof_free(p);
}

/* One view, made and freed. */
#define MADE(view)                                       \
	do {                                             \
		struct otprof_##view *x_ = NULL;         \
                                                         \
		otprof_##view##_new(p, NULL, &x_, &err); \
		CHECK(err.code || x_);                   \
		otprof_##view##_free(x_);                \
	} while (0)

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct otprof_err err = { 0 };
		struct otprof *p = shop_new(&err);

		if (p) {
			MADE(tree);
			MADE(peek);
			MADE(lines);
			MADE(totals);
			MADE(series);
			MADE(heatmap);
			MADE(lanes);
		}
		CHECK(!err.code || err.code == OTPROF_ENOMEM);
		otprof_free(p);
	}
}

TEST_MAIN(tree, peek, lines, totals, series, heatmap, lanes, lanes_intervals,
	  states, wrong_calls, no_times, each_alloc_fails)
