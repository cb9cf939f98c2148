// SPDX-License-Identifier: Apache-2.0
#include "query/lines.h"

#include "model/builder.h"
#include "test.h"

struct frame {
	const char *name, *file;
	int64_t line;
};

static uint32_t put_location(struct op_builder *b, const struct frame *f)
{
	struct op_function fn = {
		.name = op_build_string(b, op_view_z(f->name)),
		.filename = op_build_string(b, op_view_z(f->file)),
	};
	struct op_line line = { .line = f->line,
				.function = op_build_function(b, &fn) };
	struct op_location l = { 0 };

	return op_build_location(b, &l, &line, 1);
}

/* Stacks of up to three frames, leaf first. */
static void lines_model(struct op_model *m)
{
	static const struct {
		struct frame frames[3];
		int64_t value;
	} rows[] = {
		{ { { "f", "a.c", 10 }, { "m", "a.c", 3 } }, 5 },
		{ { { "f", "a.c", 12 }, { "f", "a.c", 10 }, { "m", "a.c", 4 } },
		  2 },
		{ { { "f", "b.c", 7 } }, 1 },
		{ { { "g", "a.c", 0 }, { "f", "a.c", 10 } }, 4 },
	};
	struct op_err err = { 0 };
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	struct op_builder b;
	uint32_t p;

	*m = (struct op_model){ 0 };
	op_builder_init(&b, m, &err);
	p = op_build_profile(
		&b,
		op_build_scope(&b, op_build_resource(&b, &resource, NULL),
			       &scope, NULL),
		&head);
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_identity id = { 0 };
		uint32_t locs[3], n = 0;

		for (; n < 3 && rows[i].frames[n].name; n++)
			locs[n] = put_location(&b, &rows[i].frames[n]);
		id.stack = op_build_stack(&b, locs, n);
		op_build_add(&b, p, op_build_sample(&b, p, id), rows[i].value);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

static void expect(const char *pattern, const char *text)
{
	struct op_err err = { 0 };
	struct op_regex *re = op_regex_new(pattern, &err);
	struct op_buf out = { .err = &err };
	struct op_lines l = { 0 };
	struct op_model m;

	lines_model(&m);
	CHECK_EQ(op_lines_build(&l, &m, m.resources[0].scopes[0].profiles, re,
				&err),
		 OP_OK);
	CHECK_EQ(l.total, 12);
	CHECK_EQ(l.nr_names, 3);
	for (size_t i = 0; i < l.functions.n; i++) {
		const struct op_lines_function *f = &l.functions.p[i];

		op_buf_view(&out, f->name);
		op_buf_byte(&out, ' ');
		op_buf_view(&out, f->file);
		op_buf_printf(&out, " %lld/%lld:", (long long)f->flat,
			      (long long)f->cum);
		for (uint32_t k = 0; k < f->nr_rows; k++) {
			const struct op_lines_row *r =
				&l.rows.p[f->first_row + k];

			op_buf_printf(&out, " %lld %lld/%lld",
				      (long long)r->line, (long long)r->flat,
				      (long long)r->cum);
		}
		op_buf_byte(&out, '\n');
	}
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, text);
	op_buf_free(&out);
	op_regex_free(re);
	op_lines_free(&l);
	op_model_free(&m);
}

TEST(lines)
{
	expect("^f$", "f a.c 7/11: 10 5/11 12 2/2\nf b.c 1/1: 7 1/1\n");
	expect("m|g", "m a.c 0/7: 3 0/5 4 0/2\ng a.c 4/4: 0 4/4\n");
	expect("none", "");
}

TEST_MAIN(lines)
