// SPDX-License-Identifier: Apache-2.0
#include "fmt/viewer/frames.h"

#include "base/buf.h"
#include "model/builder.h"
#include "test.h"

/* A location of up to two functions, "" is none; the first is inlined. */
struct place {
	const char *functions[2];
	const char *file;    /* of the source */
	const char *mapping; /* file of the binary */
	uint64_t address;
	const char *note; /* an attribute; NULL: none */
};

static uint32_t location_make(struct op_builder *b, const struct place *p)
{
	struct op_location l = { .address = p->address };
	struct op_line lines[2] = { 0 };

	if (p->mapping) {
		struct op_mapping map = { 0 };

		map.filename = op_build_string(b, op_view_z(p->mapping));
		l.mapping = op_build_mapping(b, &map);
	}
	if (p->note) {
		struct op_any v = { .kind = OP_ANY_STRING,
				    .bytes = op_view_z(p->note) };
		uint32_t attr = op_build_attr(b, op_view_z("note"), &v,
					      (struct op_view){ 0 }, NULL);

		l.attrs = op_build_set(b, &attr, 1);
	}
	for (; l.nr_lines < 2 && p->functions[l.nr_lines]; l.nr_lines++) {
		struct op_function f = { 0 };

		f.name = op_build_string(b,
					 op_view_z(p->functions[l.nr_lines]));
		if (p->file)
			f.filename = op_build_string(b, op_view_z(p->file));
		f.start_line = p->file ? 7 : 0;
		lines[l.nr_lines].function = op_build_function(b, &f);
		lines[l.nr_lines].line = (int64_t)p->address;
	}
	return op_build_location(b, &l, lines, l.nr_lines);
}

/* A stack of n places, the leaf first, as its frames from the root on. */
static void check_frames(const struct place *places, uint32_t n,
			 const char *attr, const char *want)
{
	struct op_id_vec ids = { 0 };
	struct op_arena mem = { 0 };
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_model m = { 0 };
	struct op_frames f;
	struct op_builder b;
	uint32_t stack, locations[8];

	CHECK_EQ(op_builder_init(&b, &m, &err), OP_OK);
	for (uint32_t i = 0; i < n; i++)
		locations[i] = location_make(&b, &places[i]);
	stack = op_build_stack(&b, locations, n);
	CHECK_EQ(op_builder_finish(&b), OP_OK);
	CHECK_EQ(op_frames_init(&f, &m, &err), OP_OK);
	f.attr = attr;
	op_frames_stack(&f, stack, &mem, &ids);
	for (size_t i = 0; i < ids.n; i++) {
		const struct op_frame *row = &f.rows.p[ids.p[i]];
		struct op_view note = op_frame_attr(&f, ids.p[i]);

		op_buf_printf(&text, "%u:%.*s|%.*s|%d|%.*s\n", ids.p[i],
			      (int)row->name.n, (const char *)row->name.p,
			      (int)row->file.n, (const char *)row->file.p,
			      (int)row->line, (int)note.n,
			      (const char *)note.p);
	}
	op_buf_byte(&text, 0);
	CHECK_STR((char *)text.p, want);
	op_buf_free(&text);
	op_frames_fini(&f);
	op_arena_free(&mem);
	op_model_free(&m);
}

/* Rows are of functions, wherever in them a stack stands. */
TEST(functions)
{
	static const struct place places[] = {
		{ { "inner", "outer" }, "a.c", NULL, 3, NULL },
		{ { "main" }, "m.c", NULL, 1, NULL },
		{ { "main" }, "m.c", NULL, 2, NULL },
	};

	check_frames(places, 3, NULL,
		     "0:main|m.c|7|\n0:main|m.c|7|\n"
		     "1:outer|a.c|7|\n2:inner|a.c|7|\n");
}

/* Places without a name are called by the binary and the address. */
TEST(no_names)
{
	static const struct place places[] = {
		{ { NULL }, NULL, "/lib/libc.so", 0x10, NULL },
		{ { NULL }, NULL, NULL, 0x20, NULL },
		{ { "" }, NULL, "a", 0x30, NULL },
		{ { "main" }, NULL, "/bin/a", 1, NULL },
	};

	check_frames(places, 4, NULL,
		     "0:main|/bin/a|0|\n1:a+0x30|a|0|\n"
		     "2:0x20||0|\n3:libc.so+0x10|/lib/libc.so|0|\n");
	check_frames(NULL, 0, NULL, "0:" OP_FRAME_UNKNOWN "||0|\n");
}

/* An attribute tells functions apart, if it is asked for. */
TEST(attributes)
{
	static const struct place places[] = {
		{ { "f" }, NULL, NULL, 1, "jit" },
		{ { "f" }, NULL, NULL, 2, "interpreted" },
		{ { "f" }, NULL, NULL, 3, NULL },
	};

	check_frames(places, 3, "note",
		     "0:f||0|\n1:f||0|interpreted\n2:f||0|jit\n");
	check_frames(places, 3, "other", "0:f||0|\n0:f||0|\n0:f||0|\n");
	check_frames(places, 3, NULL, "0:f||0|\n0:f||0|\n0:f||0|\n");
}

TEST_MAIN(functions, no_names, attributes)
