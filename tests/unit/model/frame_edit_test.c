// SPDX-License-Identifier: Apache-2.0
#include "model/frame_edit.h"

#include "model/filter.h"
#include "test.h"
#include "write/sketch.h"

static const struct {
	const char *samples;
	struct op_frame_edit edit;
	const char *text; /* what is left */
} rows[] = {
	{ "a;b;c 1", { .hide = "^b$" }, "\ta;c 1\n" },
	{ "a;b;c 1", { .hide = "^[abc]$" }, "\t- 1\n" },
	{ "a;b 1\na;c;b 2", { .hide = "c" }, "\ta;b 3\n" },
	{ "a;b;c;b 1", { .show_from = "^b$" }, "\tb;c;b 1\n" },
	{ "a;b;c;b 1", { .show_from = "^a$" }, "\ta;b;c;b 1\n" },
	{ "a;b 1\nc 2", { .show_from = "^b$" }, "\tb 1\n" },
	{ "a;f;f;f;b 1", { .collapse = true }, "\ta;f;b 1\n" },
	{ "a;f;b;f 1", { .collapse = true }, "\ta;f;b;f 1\n" },
	{ "a;f;b;f 1", { .collapse = true, .hide = "^b$" }, "\ta;f 1\n" },
	{ "a;b;c 1", { .hide = "^c$", .show_from = "^b$" }, "\tb 1\n" },
	{ "- 1", { .hide = "a", .collapse = true }, "\t- 1\n" },
};

TEST(edits_stacks)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };
		struct op_filter_opts o = { .edit = rows[i].edit };
		struct op_err err = { 0 };
		struct op_model m, out = { 0 };
		const char *text;
		int before = test_failed;

		sketch_one(&m, &s);
		CHECK_EQ(op_filter(&m, &o, &out, &err), OP_OK);
		text = strchr(sketch_text(&out), '\t');
		CHECK_STR(text ? text : "", rows[i].text);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].samples);
		op_model_free(&out);
		op_model_free(&m);
	}
}

TEST_MAIN(edits_stacks)
