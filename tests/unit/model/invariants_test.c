// SPDX-License-Identifier: Apache-2.0
/* A model that breaks an invariant ends the program, and says which. */
#include "model/invariants.h"

#include "child.h"
#include "model/builder.h"

static void build(struct op_model *m)
{
	static const struct op_resource no_resource;
	static const struct op_scope no_scope;
	static const struct op_profile no_profile;
	struct op_err err = { 0 };
	struct op_function fn = { 0 };
	struct op_line line = { .line = 3 };
	struct op_location loc = { .nr_lines = 1 };
	struct op_builder b;
	uint32_t id, frame;

	op_builder_init(&b, m, &err);
	id = op_build_resource(&b, &no_resource, NULL);
	id = op_build_scope(&b, id, &no_scope, NULL);
	id = op_build_profile(&b, id, &no_profile);
	fn.name = op_build_string(&b, op_view_z("main"));
	line.function = op_build_function(&b, &fn);
	frame = op_build_location(&b, &loc, &line, 1);
	op_build_observe(
		&b, id,
		op_build_sample(&b, id,
				(struct op_identity){
					.stack = op_build_stack(&b, &frame, 1),
				}),
		1, 1000);
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

static struct op_profile *profile(struct op_model *m)
{
	return &m->resources[0].scopes[0].profiles[0];
}

static void no_row_0(struct op_model *m)
{
	m->dict.nr[OP_LINKS] = 0;
}

static void no_empty_set(struct op_model *m)
{
	m->dict.sets.nr = 0;
}

static void string_past(struct op_model *m)
{
	m->dict.functions[1].name = m->dict.nr[OP_STRINGS];
}

static void line_past(struct op_model *m)
{
	m->dict.locations[1].first_line = UINT32_MAX;
}

static void frame_past(struct op_model *m)
{
	m->dict.stacks.items[0] = m->dict.nr[OP_LOCATIONS];
}

static void stack_past(struct op_model *m)
{
	profile(m)->stack[0] = m->dict.stacks.nr;
}

static void more_times(struct op_model *m)
{
	static uint32_t values[] = { 0, 1 }, times[] = { 0, 2 };

	profile(m)->value_at = values;
	profile(m)->time_at = times;
}

static void assert_all(const void *m)
{
	op_model_assert(m);
}

TEST(breaks)
{
	static const struct {
		void (*make)(struct op_model *m);
		const char *want;
	} rows[] = {
		{ no_row_0, "!(m->dict.nr[t])" },
		{ no_empty_set, "!(m->dict.sets.nr)" },
		{ string_past, "name < nr_strings" },
		{ line_past, "l->first_line <= d->nr_lines" },
		{ frame_past, "highest(ids.p" },
		{ stack_past, "highest(p->stack" },
		{ more_times, "values == times" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_model m = { 0 };
		char said[256];

		build(&m);
		op_model_assert(&m);
		rows[i].make(&m);
		CHECK(child_aborted(
			child_run(assert_all, &m, said, sizeof(said))));
		if (!strstr(said, rows[i].want)) {
			CHECK(false);
			fprintf(stderr, "  '%s' is not in '%s'\n", rows[i].want,
				said);
		}
		op_model_free(&m);
	}
}

TEST_MAIN(breaks)
