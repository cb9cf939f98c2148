// SPDX-License-Identifier: Apache-2.0
/* fmt/toy/toy.c: counted functions, a line of text each:
 *
 *	toy 1
 *	12 parse
 */
#include "fmt/format.h"
#include "model/builder.h"

static const char head[] = "toy 1\n";

static int toy_sniff(struct op_view in)
{
	size_t n = sizeof(head) - 1;

	return in.n >= n && !memcmp(in.p, head, n) ? 100 : 0;
}

/* The value before the first space of a line, and the name behind it. */
static bool line_split(struct op_view line, int64_t *value,
		       struct op_view *name)
{
	const uint8_t *space = memchr(line.p, ' ', line.n);
	int64_t v = 0;

	if (!space || space == line.p || space - line.p > 18)
		return false;
	for (const uint8_t *p = line.p; p < space; p++) {
		if (*p < '0' || *p > '9')
			return false;
		v = v * 10 + (*p - '0');
	}
	*value = v;
	*name = op_view(space + 1, (size_t)(line.p + line.n - space - 1));
	return true;
}

static uint32_t stack_of(struct op_builder *b, struct op_view name)
{
	struct op_function f = { .name = op_build_string(b, name) };
	struct op_line line = { .function = op_build_function(b, &f) };
	struct op_location row = { 0 };
	uint32_t location = op_build_location(b, &row, &line, 1);

	return op_build_stack(b, &location, 1);
}

static void lines_read(struct op_view in, struct op_builder *b,
		       uint32_t profile)
{
	size_t at = sizeof(head) - 1;

	while (at < in.n && !b->err->code) {
		const uint8_t *end = memchr(in.p + at, '\n', in.n - at);
		size_t n = end ? (size_t)(end - in.p) - at : in.n - at;
		struct op_identity id = { 0 };
		struct op_view name;
		int64_t value;

		if (!line_split(op_view(in.p + at, n), &value, &name)) {
			op_fail_at(b->err, OP_EFORMAT, at,
				   "expected a number and a name");
			return;
		}
		id.stack = stack_of(b, name);
		op_build_add(b, profile, op_build_sample(b, profile, id),
			     value);
		at += n + 1;
	}
}

static int toy_read(struct op_view in, const struct op_read_opts *opts,
		    op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };
	static const struct op_resource resource;
	static const struct op_scope scope;
	struct op_profile top = { 0 };
	struct op_builder b;

	if (!toy_sniff(in))
		return op_fail_at(err, OP_EFORMAT, 0, "no 'toy 1' line");
	op_builder_init(&b, &m, err);
	top.sample_type.type = op_build_string(&b, op_view_z("samples"));
	top.sample_type.unit = op_build_string(&b, op_view_z("count"));
	lines_read(in, &b,
		   op_build_profile(&b,
				    op_build_scope(&b,
						   op_build_resource(
							   &b, &resource, NULL),
						   &scope, NULL),
				    &top));
	if (op_builder_finish(&b)) {
		op_model_free(&m);
		return err->code;
	}
	return fn(ctx, &m, err);
}

const struct op_format op_format_toy = {
	.name = "toy",
	.summary = "counted functions, text",
	.endings = { ".toy" },
	.copies = true,
	.sniff = toy_sniff,
	.read = toy_read,
};
