// SPDX-License-Identifier: Apache-2.0
#include "query/frame_origins.h"

#include "test.h"
#include "write/sketch.h"

/* The first string that is called so; stops at none. */
static uint32_t string_named(const struct op_model *m, const char *name)
{
	uint32_t i = 0;

	while (!op_view_is(op_string(m, i), name))
		i++;
	return i;
}

/* Names of functions have all parts, those of files no module. */
TEST(parts)
{
	static const struct {
		unsigned int parts;
		const char *name, *module, *file;
	} rows[] = {
		{ OP_FRAME_FUNCTION, "f", "m", "s" },
		{ OP_FRAME_FILE, "s", "", "s" },
		{ OP_FRAME_MODULE, "m", "m", "" },
	};
	struct sketch s = { .samples = "m;s;f 1" };
	struct op_model m;

	sketch_one(&m, &s);
	m.dict.functions[m.dict.nr[OP_FUNCTIONS] - 1].filename = string_named(
		&m, "s");
	m.dict.mappings[0].filename = string_named(&m, "m");
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_frame_names n = { 0 };
		struct op_frame_origin *o;
		uint32_t name;

		CHECK_EQ(op_frame_names_init(&n, &m, rows[i].parts, &err),
			 OP_OK);
		o = op_frame_origins(&n, &m, rows[i].parts, &mem);
		name = op_text_put(&n.texts, op_view_z(rows[i].name), &err);
		CHECK(op_view_is(o[name].module, rows[i].module));
		CHECK(op_view_is(o[name].file, rows[i].file));
		op_frame_names_free(&n);
		op_arena_free(&mem);
	}
	op_model_free(&m);
}

TEST_MAIN(parts)
