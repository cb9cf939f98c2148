// SPDX-License-Identifier: Apache-2.0
#include "query/top.h"

#include "model/builder.h"
#include "model/semconv.h"
#include "random.h"
#include "test.h"
#include "write/sketch.h"

/* Rows of the first profile as "flat cum text" lines, in their order. */
static void expect_rows(struct op_model m, const char *by_text,
			const char *text)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_group_by by;
	struct op_top t = { 0 };

	CHECK_EQ(op_group_by_parse(&by, by_text, &err), OP_OK);
	CHECK_EQ(op_top_build(&t, &m, m.resources[0].scopes[0].profiles, &by,
			      &err),
		 OP_OK);
	op_top_sort(&t, OP_TOP_FLAT);
	for (size_t i = 0; i < t.rows.n; i++) {
		const struct op_top_row *r = &t.rows.p[i];

		op_buf_printf(&out, "%lld %lld", (long long)r->flat,
			      (long long)r->cum);
		for (uint32_t k = 0; k < by.nr_labels; k++) {
			op_buf_byte(&out, ' ');
			op_buf_view(&out,
				    op_group_text(&t.groups, r->group, k));
		}
		op_buf_byte(&out, ' ');
		op_buf_view(&out, op_top_name(&t, r));
		op_buf_byte(&out, '\n');
	}
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, text);
	op_buf_free(&out);
	op_top_free(&t);
	op_model_free(&m);
}

static void expect(const struct sketch *s, size_t n, const char *by_text,
		   const char *text)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, n, &err), OP_OK);
	expect_rows(m, by_text, text);
}

/* A function that calls itself counts once; what has no stack has a row; other
 * types do not count, other resources do. */
TEST(functions)
{
	static const struct sketch s[] = {
		{ .samples = "main;f;f 5\nmain 2\n- 1" },
		{ .samples = "main 9", .type = "wall" },
		{ .samples = "main;g 3", .resource = "service.name=b" },
	};

	expect(s, op_countof(s), NULL,
	       "5 5 f\n3 3 g\n2 10 main\n1 1 (no stack)\n");
}

/* Values that are all 1 are left out, which makes no difference. Events add up,
 * even if they are said to be totals. */
TEST(states)
{
	static const struct sketch s[] = {
		{ .samples = "f 1@5 1@9\ng 1@3", .type = "inuse_space" },
		{ .samples = "f 1@5 1@9\ng 1@3",
		  .attrs = OP_ATTR_TEMPORALITY "=cumulative" },
		{ .samples = "f 1@5 1@9\ng 2@3",
		  .attrs = OP_ATTR_TEMPORALITY "=cumulative" },
	};

	expect(&s[0], 1, NULL, "1 1 f\n1 1 g\n");
	expect(&s[1], 1, NULL, "2 2 f\n1 1 g\n");
	expect(&s[2], 1, NULL, "2 2 f\n2 2 g\n");
}

TEST(labels)
{
	static const struct sketch s[] = {
		{ .samples = "main;f 5 thread.name=a\nmain 2 thread.name=b\n"
			     "main;g 4" },
	};

	expect(s, 1, "thread", "5 5 a \n4 4 (no thread) \n2 2 b \n");
	expect(s, 1, "thread,function",
	       "5 5 a f\n4 4 (no thread) g\n2 2 b main\n0 5 a main\n"
	       "0 4 (no thread) main\n");
}

/* Frames without a function are their module, in brackets. */
TEST(modules)
{
	static const char *const modules[] = { "/lib/libx.so", "[vdso]", "" };
	struct op_err err = { 0 };
	struct op_builder b;
	struct op_model m = { 0 };
	uint32_t scope, profile;

	op_builder_init(&b, &m, &err);
	scope = op_build_scope(
		&b, op_build_resource(&b, &(struct op_resource){ 0 }, NULL),
		&(struct op_scope){ 0 }, NULL);
	profile = op_build_profile(&b, scope, &(struct op_profile){ 0 });
	for (uint32_t i = 0; i < op_countof(modules); i++) {
		struct op_mapping mapping = {
			.filename = op_build_string(&b, op_view_z(modules[i])),
		};
		struct op_location row = {
			.address = 16,
			.mapping = op_build_mapping(&b, &mapping),
		};
		uint32_t location = op_build_location(&b, &row, NULL, 0);
		struct op_identity id = {
			.stack = op_build_stack(&b, &location, 1),
		};

		op_build_add(&b, profile, op_build_sample(&b, profile, id),
			     3 - i);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
	expect_rows(m, NULL, "3 3 [libx.so]\n2 2 [vdso]\n1 1 <unknown>\n");
}

/* --- random models against a plain count --- */

enum { NR_NAMES = 5, NR_THREADS = 3, NR_SAMPLES = 30 };

/* Locations of one to three frames, stacks of up to eight of them. */
static void random_model(struct op_model *m, uint64_t *x)
{
	static const char names[] = "abcde", threads[] = "xyz";
	struct op_err err = { 0 };
	struct op_profile head = { 0 };
	struct op_builder b;
	uint32_t locations[6], ids[8], scope, profile;

	op_builder_init(&b, m, &err);
	for (uint32_t i = 0; i < op_countof(locations); i++) {
		struct op_location row = { .address = i + 1 };
		struct op_line lines[3] = { 0 };
		uint32_t n = random_below(x, 3) ? 1 : 1 + random_below(x, 3);

		for (uint32_t k = 0; k < n; k++) {
			const char *name = names + random_below(x, NR_NAMES);
			struct op_function f = {
				.name = op_build_string(
					&b, op_view((const uint8_t *)name, 1)),
			};

			lines[k].function = op_build_function(&b, &f);
		}
		locations[i] = op_build_location(&b, &row, lines, n);
	}
	scope = op_build_scope(
		&b, op_build_resource(&b, &(struct op_resource){ 0 }, NULL),
		&(struct op_scope){ 0 }, NULL);
	profile = op_build_profile(&b, scope, &head);
	for (int i = 0; i < NR_SAMPLES; i++) {
		const char *thread = threads + random_below(x, NR_THREADS);
		struct op_any v = {
			.kind = OP_ANY_STRING,
			.bytes = op_view((const uint8_t *)thread, 1),
		};
		uint32_t n = random_below(x, 9), sample;
		uint32_t attr = op_build_attr(&b, op_view_z("thread.name"), &v,
					      (struct op_view){ 0 }, NULL);

		for (uint32_t k = 0; k < n; k++)
			ids[k] = locations[random_below(x,
							op_countof(locations))];
		sample = op_build_sample(
			&b, profile,
			(struct op_identity){
				.stack = op_build_stack(&b, ids, n),
				.set = op_build_set(&b, &attr, 1),
			});
		op_build_add(&b, profile, sample, 1 + random_below(x, 9));
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

/* Whether a sample is of the group of a row. */
static bool is_of_group(const struct op_top *t, const struct op_model *m,
			uint32_t set, const struct op_top_row *row)
{
	const struct op_attr *a = op_set_find(m, set, "thread.name");

	return !t->by.nr_labels ||
	       op_view_eq(op_any_text(m, &a->value),
			  op_group_text(&t->groups, row->group, 0));
}

/* flat and cum of a row, frame by frame. */
static void count(const struct op_top *t, const struct op_model *m,
		  const struct op_top_row *row, int64_t sums[2])
{
	const struct op_profile *p = m->resources[0].scopes[0].profiles;
	const struct op_dict *d = &m->dict;
	struct op_view name = op_top_name(t, row);

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_ids locs = op_list(&d->stacks, p->stack[i]);
		bool is_in = !locs.n && op_view_is(name, "(no stack)");
		bool is_leaf = is_in;

		if (!is_of_group(t, m, p->set[i], row))
			continue;
		for (uint32_t k = 0; k < locs.n; k++) {
			const struct op_location *l = &d->locations[locs.p[k]];

			for (uint32_t f = 0; f < l->nr_lines; f++) {
				uint32_t id =
					d->lines[l->first_line + f].function;
				bool is_it = op_view_eq(
					op_string(m, d->functions[id].name),
					name);

				is_in |= is_it;
				is_leaf |= is_it && !k && !f;
			}
		}
		sums[0] += is_leaf ? op_sample_total(p, i) : 0;
		sums[1] += is_in ? op_sample_total(p, i) : 0;
	}
}

static void check_rows(const struct op_model *m, const char *by_text)
{
	struct op_err err = { 0 };
	struct op_group_by by;
	struct op_top t = { 0 };
	int64_t flat = 0;

	CHECK_EQ(op_group_by_parse(&by, by_text, &err), OP_OK);
	CHECK_EQ(op_top_build(&t, m, m->resources[0].scopes[0].profiles, &by,
			      &err),
		 OP_OK);
	for (size_t i = 0; i < t.rows.n; i++) {
		int64_t sums[2] = { 0 };

		count(&t, m, &t.rows.p[i], sums);
		CHECK_EQ(t.rows.p[i].flat, sums[0]);
		CHECK_EQ(t.rows.p[i].cum, sums[1]);
		flat += t.rows.p[i].flat;
	}
	CHECK_EQ(flat, t.total);
	op_top_free(&t);
}

TEST(random_models)
{
	uint64_t x = 1;

	for (int round = 0; round < 300; round++) {
		struct op_model m = { 0 };

		random_model(&m, &x);
		check_rows(&m, "function");
		check_rows(&m, "thread,function");
		op_model_free(&m);
	}
}

TEST_MAIN(functions, states, labels, modules, random_models)
