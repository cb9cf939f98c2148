// SPDX-License-Identifier: Apache-2.0
#include "fmt/viewer/tracks.h"

#include "test.h"
#include "write/sketch.h"

/* A sketch and its tracks: NAME/ID LANE: FROM-TO ..., each on a line. */
static const struct {
	const char *name;
	struct sketch s;
	const char *want;
} rows[] = {
	{ "by thread, in order of time",
	  { .samples = "a 5@30 thread.id=1\nb 6@10 thread.id=1\n"
		       "c 7@20 thread.name=x\nd 1@40" },
	  "1 0: 10-16 30-35\nx 0: 20-27\n- 0: 40-41\n" },
	{ "without times, one behind the other",
	  { .samples = "a 5\nb 6\nc 0" },
	  "- 0: 0-5 5-11 11-11\n" },
	{ "points are pushed apart",
	  { .samples = "a 10@5 10@7 10@50" },
	  "- 0: 5-15 15-25 50-60\n" },
	{ "intervals are not",
	  { .samples = "a 10@5\nb 10@7\nc 10@16", .type = "off_cpu" },
	  "- 0: 5-15 16-26\n- 1: 7-17\n" },
	{ "some are stamped at their end",
	  { .samples = "a 10@50 60@55",
	    .type = "off_cpu",
	    .scope = "go.opentelemetry.io/ebpf-profiler" },
	  "- 0: 0-60\n- 1: 40-50\n" },
	{ "the end of time",
	  { .samples = "a 9@18446744073709551610" },
	  "- 0: 18446744073709551610-18446744073709551615\n" },
	{ "less than nothing", { .samples = "a -9\nb 4" }, "- 0: 0-4\n" },
};

static const char *text_of(const struct op_model *m, const struct op_tracks *t,
			   struct op_buf *out)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct op_track *row = &t->rows.p[i];
		struct op_view name = op_track_name(m, row);
		int64_t id;

		if (op_track_id(m, row, &id))
			op_buf_printf(out, "%lld", (long long)id);
		else if (name.n)
			op_buf_view(out, name);
		else
			op_buf_z(out, "-");
		op_buf_printf(out, " %u:", row->lane);
		for (size_t k = 0; k < row->spans.n; k++)
			op_buf_printf(out, " %llu-%llu",
				      (unsigned long long)row->spans.p[k].from,
				      (unsigned long long)row->spans.p[k].to);
		op_buf_z(out, "\n");
	}
	op_buf_byte(out, 0);
	return (const char *)out->p;
}

TEST(arranged)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_walk w = { 0 };
		struct op_tracks t;
		struct op_model m;

		sketch_one(&m, &rows[i].s);
		CHECK(op_walk_next(&m, &w));
		CHECK_EQ(op_tracks_init(&t, &m, &w, &err), OP_OK);
		if (strcmp(text_of(&m, &t, &out), rows[i].want))
			TEST_FAIL("%s: %.100s", rows[i].name, out.p);
		op_buf_free(&out);
		op_tracks_fini(&t);
		op_model_free(&m);
	}
}

/* Hundreds of intervals at once: the last lane takes the rest. */
TEST(lanes)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_walk w = { 0 };
	struct op_tracks t;
	struct op_model m;
	uint64_t total = 0;

	for (int i = 0; i < 300; i++)
		op_buf_printf(&text, "f%d 1000@%d\n", i, i);
	op_buf_byte(&text, 0);
	sketch_one(&m, &(struct sketch){ .samples = (const char *)text.p,
					 .type = "off_cpu" });
	op_walk_next(&m, &w);
	CHECK_EQ(op_tracks_init(&t, &m, &w, &err), OP_OK);
	CHECK_EQ(t.rows.n, 64);
	for (size_t i = 0; i < t.rows.n; i++)
		for (size_t k = 0; k < t.rows.p[i].spans.n; k++)
			total += t.rows.p[i].spans.p[k].to -
				 t.rows.p[i].spans.p[k].from;
	CHECK_EQ(total, 300 * 1000);
	op_tracks_fini(&t);
	op_model_free(&m);
	op_buf_free(&text);
}

TEST(base)
{
	struct op_model m;

	sketch_one(&m, &(struct sketch){ .samples = "a 1@1000 1@2000" });
	CHECK_EQ(op_tracks_base(&m), 0);
	op_model_free(&m);
	sketch_one(&m,
		   &(struct sketch){ .samples = "a 1@1700000000000000000" });
	CHECK_EQ(op_tracks_base(&m), 1700000000000000000);
	op_model_free(&m);
}

TEST_MAIN(arranged, lanes, base)
