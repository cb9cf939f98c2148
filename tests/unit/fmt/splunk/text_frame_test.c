// SPDX-License-Identifier: Apache-2.0
/* A frame as a line, in both grammars. */
#include "fmt/splunk/text_int.h"

#include "test.h"

#define OLD OP_SPLUNK_2021
#define NEW OP_SPLUNK_1_4

static const struct {
	enum op_splunk_frames how;
	const char *line, *function, *file;
	int64_t nr, column;
	bool is_range;
} reads_rows[] = {
	/* What both know. */
	{ OLD, "\tat a.B.f(B.java:12)", "a.B.f", "B.java", 12, 0, false },
	{ NEW, "\tat a.B.f(B.java:12)", "a.B.f", "B.java", 12, 0, false },
	{ OLD, "a.B.f(B.java:12)", "a.B.f", "B.java", 12, 0, false },
	{ NEW, "  a.B.f(B.java:12)  ", "a.B.f", "B.java", 12, 0, false },
	/* Ranges and columns of 2021. */
	{ OLD, "at a.f(b.js:3:9)", "a.f", "b.js", 3, 0, true },
	{ OLD, "at a.f(b.js:3 7)", "a.f", "b.js", 3, 7, false },
	{ OLD, "at a.f(b.js:3 7:8)", "a.f", "b.js", 3, 7, true },
	{ OLD, "at a.f(b.js:3:9 7:8)", "a.f", "b.js", 3, 7, true },
	{ OLD, "at a.f(b.js)", "a.f", "b.js", 0, 0, false },
	/* A column of 1.4. */
	{ NEW, "at a.f(b.js:3:9)", "a.f", "b.js", 3, 9, false },
	{ NEW, "at a.f(b.js:0:9)", "a.f", "b.js", 0, 9, false },
	{ NEW, "at a.f(b.js:3 7)", "a.f", "b.js:3 7", 0, 0, false },
	{ NEW, "at a.f(b.js)", "a.f", "b.js", 0, 0, false },
	/* Namespaces that say there is none. */
	{ OLD, "at global.f(unknown)", "f", "", 0, 0, false },
	{ OLD, "at unknown.f(a:1)", "f", "a", 1, 0, false },
	{ OLD, "at global.global.f(a:1)", "global.f", "a", 1, 0, false },
	{ OLD, "at global.(a:1)", "global.", "a", 1, 0, false },
	{ NEW, "at global.f(unknown:0)", "global.f", "", 0, 0, false },
	/* What Java says of code that has no line. */
	{ OLD, "at a.f(Native Method)", "a.f", "Native Method", 0, 0, false },
	{ NEW, "at a.f(A.java:-2)", "a.f", "A.java", 0, 0, false },
	/* From the right: colons, spaces and brackets in names. */
	{ NEW, "at f(int, A*)(x.cc:12)", "f(int, A*)", "x.cc", 12, 0, false },
	{ NEW, "at m.(*T).Run(t.go:5)", "m.(*T).Run", "t.go", 5, 0, false },
	{ NEW, "at f(C:\\P (x86)\\a.cs:7)", "f", "C:\\P (x86)\\a.cs", 7, 0,
	  false },
	{ NEW, "at f(node:internal/x:7:1)", "f", "node:internal/x", 7, 1,
	  false },
	{ OLD, "at a.f(C:\\a b.cs:7 3)", "a.f", "C:\\a b.cs", 7, 3, false },
	{ OLD, "at a.f(a 7)", "a.f", "a 7", 0, 0, false },
	/* Not quite a frame. */
	{ NEW, "at native", "native", "", 0, 0, false },
	{ NEW, "at f(x", "f(x", "", 0, 0, false },
	{ NEW, "at f)", "f)", "", 0, 0, false },
	{ NEW, "(a:1)", "unknown", "a", 1, 0, false },
	{ NEW, "at ()", "unknown", "", 0, 0, false },
	{ NEW, "at f(a:)", "f", "a:", 0, 0, false },
	{ NEW, "at f(:12)", "f", "", 12, 0, false },
	{ NEW, "at f(12)", "f", "12", 0, 0, false },
	{ NEW, "at f(a:1234567890123456789)", "f", "a:1234567890123456789", 0,
	  0, false },
	{ NEW, "at f(a:123456789012345678)", "f", "a", 123456789012345678, 0,
	  false },
};

TEST(reads)
{
	for (size_t i = 0; i < op_countof(reads_rows); i++) {
		struct op_splunk_frame f;

		if (!op_splunk_frame_parse(op_view_z(reads_rows[i].line),
					   reads_rows[i].how, &f) ||
		    !op_view_is(f.function, reads_rows[i].function) ||
		    !op_view_is(f.file, reads_rows[i].file) ||
		    f.line != reads_rows[i].nr ||
		    f.column != reads_rows[i].column ||
		    f.is_range != reads_rows[i].is_range)
			TEST_FAIL("%s: %.*s (%.*s) %d %d", reads_rows[i].line,
				  (int)f.function.n, (const char *)f.function.p,
				  (int)f.file.n, (const char *)f.file.p,
				  (int)f.line, (int)f.column);
	}
}

TEST(no_frames)
{
	static const char *const rows[] = { "", "   ", "\t- locked <0x1>",
					    "- parking to wait for" };
	struct op_splunk_frame f;

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK(!op_splunk_frame_parse(op_view_z(rows[i]), NEW, &f));
	CHECK(op_splunk_is_frame(op_view_z("  at a.f(b:1)")));
	CHECK(!op_splunk_is_frame(op_view_z("a.f(b:1)")));
	CHECK(!op_splunk_is_frame(op_view_z("  at work")));
}

/* exact: it is read as it was; if not, something else is. */
static const struct {
	enum op_splunk_frames how;
	const char *function, *file;
	int64_t nr, column;
	bool exact;
	const char *line;
} writes_rows[] = {
	{ OLD, "a.B.f", "B.java", 12, 0, true, "\tat a.B.f(B.java:12)" },
	{ OLD, "a.B.f", "B.java", 12, 3, true, "\tat a.B.f(B.java:12 3)" },
	{ OLD, "a.B.f", "", 0, 0, true, "\tat a.B.f(unknown)" },
	{ OLD, "a.B.f", "", 12, 0, true, "\tat a.B.f(unknown:12)" },
	{ OLD, "a.B.f", "a", 0, 3, true, "\tat a.B.f(a:0 3)" },
	{ OLD, "a.B.f", "a 7", 0, 0, true, "\tat a.B.f(a 7)" },
	{ OLD, "a.B.f", "a:x", 7, 0, true, "\tat a.B.f(a:x:7)" },
	{ OLD, "main", "m.c", 1, 0, true, "\tat global.main(m.c:1)" },
	{ OLD, "global.f", "m", 1, 0, true, "\tat global.global.f(m:1)" },
	{ OLD, ".f", "m", 1, 0, true, "\tat global..f(m:1)" },
	{ NEW, "a.B.f", "B.java", 12, 0, true, "\tat a.B.f(B.java:12)" },
	{ NEW, "a.B.f", "B.java", 12, 3, true, "\tat a.B.f(B.java:12:3)" },
	{ NEW, "main", "", 0, 0, true, "\tat main(unknown:0)" },
	{ NEW, "f(int)", "a b(c).cc", 1, 0, true, "\tat f(int)(a b(c).cc:1)" },
	{ NEW, "f", "a:7", 12, 0, true, "\tat f(a:7:12:0)" },
	/* What stands in the way. */
	{ OLD, "a.B.f", "a:7", 0, 0, false, "\tat a.B.f(a_7)" },
	{ NEW, "a\nb", "c", 1, 0, false, "\tat a_b(c:1)" },
	{ NEW, "f", "a(b", 1, 0, false, "\tat f(a_b:1)" },
	{ NEW, " f", "a", 1, 0, false, "\tat _f(a:1)" },
	{ NEW, "", "a", 1, 0, false, "\tat unknown(a:1)" },
	{ NEW, "f", "a", -5, 0, false, "\tat f(a:0)" },
	{ NEW, "f", "unknown", 1, 0, false, "\tat f(unknown:1)" },
};

TEST(writes)
{
	for (size_t i = 0; i < op_countof(writes_rows); i++) {
		const struct op_splunk_frame f = {
			.function = op_view_z(writes_rows[i].function),
			.file = op_view_z(writes_rows[i].file),
			.line = writes_rows[i].nr,
			.column = writes_rows[i].column,
		};
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		CHECK_EQ(op_splunk_frame_write(&f, writes_rows[i].how, &out),
			 writes_rows[i].exact);
		op_buf_byte(&out, 0);
		CHECK_STR((const char *)out.p, writes_rows[i].line);
		op_buf_free(&out);
	}
}

/* A name, how its frame is written, and whether it is read as that name. */
static const struct {
	const char *name, *line;
	bool exact;
} scope_rows[] = {
	{ "f", "global.f", true },
	{ "shop::Cart::add(int)", "shop::Cart.add(int)", true },
	{ "Cart::add(int) const", "::Cart.add(int) const", true },
	{ "log(char const*, ...)", "global.log(char const*, ...)", true },
	{ "(anonymous namespace)::f()", "::(anonymous namespace).f()", true },
	{ "a::(anonymous namespace)::f(a::b)",
	  "a::(anonymous namespace).f(a::b)", true },
	{ "std::map<a::b, c>::find(d)", "std::map<a::b, c>.find(d)", true },
	{ "T::operator()(int)", "::T.operator()(int)", true },
	{ "a::operator<<(b&)", "::a.operator<<(b&)", true },
	{ "operator<(a::b)", "global.operator<(a::b)", true },
	{ "main::{lambda(int)#1}::operator()(int) const",
	  "main::{lambda(int)#1}.operator()(int) const", true },
	{ "<a::B as c::D>::e", "::<a::B as c::D>.e", true },
	{ "a::f<b -> c>", "::a.f<b -> c>", true },
	/* The type that a template returns is left out. */
	{ "long a::each<int>(int)", "::a.each<int>(int)", false },
	/* Copies that compilers make are no namespaces; those of Go are. */
	{ "parse.part.0", "global.parse.part.0", true },
	{ "parse.cold", "global.parse.cold", true },
	{ "main.(*T).Run", "main.(*T).Run", true },
	{ "a.b::c", "::a.b.c", true },
	{ "a::", "global.a::", true },
	{ "::a", "global.::a", true },
};

TEST(scopes)
{
	for (size_t i = 0; i < op_countof(scope_rows); i++) {
		struct op_splunk_frame f = {
			.function = op_view_z(scope_rows[i].name),
			.file = op_view_z("m.cc"),
		};
		struct op_splunk_frame back;
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		char want[128];
		bool exact = op_splunk_scope_split(&f);

		exact &= op_splunk_frame_write(&f, OLD, &out);
		CHECK_EQ(exact, scope_rows[i].exact);
		op_buf_byte(&out, 0);
		snprintf(want, sizeof(want), "\tat %s(m.cc)",
			 scope_rows[i].line);
		CHECK_STR((const char *)out.p, want);
		CHECK(op_splunk_frame_parse(op_view(out.p, out.n - 1), OLD,
					    &back));
		if (exact) {
			CHECK(op_view_eq(back.scope, f.scope));
			CHECK(op_view_eq(back.function, f.function));
		}
		op_buf_free(&out);
	}
}

TEST(address)
{
	struct op_splunk_frame f = { .function = op_view_z("0x10"),
				     .file = op_view_z("libx.so"),
				     .is_address = true };
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	CHECK(op_splunk_frame_write(&f, OLD, &out));
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, "\tat unknown.0x10(libx.so)");
	op_buf_free(&out);
}

TEST(oom)
{
	const struct op_splunk_frame f = { .function = op_view_z("a\nb"),
					   .file = op_view_z("(") };

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		op_splunk_frame_write(&f, NEW, &out);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_buf_free(&out);
	}
}

TEST_MAIN(reads, no_frames, writes, scopes, address, oom)
