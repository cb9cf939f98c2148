// SPDX-License-Identifier: Apache-2.0
#include "sym/go_table.h"

#include "sym/binary.h"
#include "test.h"
#include "write/go.h"

static struct elf f;

static bool open_it(struct op_go_table *t)
{
	struct op_err err = { 0 };
	struct op_elf e;

	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	return op_go_table_open(t, &e);
}

/* "name file:line" of each frame. */
static const char *frames_at(const struct op_go_table *t, uint64_t vaddr)
{
	static char text[512];
	struct op_line_frame at[OP_LINES_MAX];
	size_t nr = op_go_table_find(t, vaddr, at, OP_LINES_MAX), n = 0;

	*text = 0;
	for (size_t i = 0; i < nr && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%s%s %s:%lld", i ? ", " : "", at[i].name,
				      at[i].file ? at[i].file : "?",
				      (long long)at[i].line);
	return text;
}

/* With trees of inlined calls, and where they are not known. */
static const struct {
	uint64_t vaddr;
	const char *want, *without;
} places[] = {
	{ 0xfff, "", "" },
	{ 0x1000, "main.main /src/main.go:10", "main.main /src/main.go:10" },
	{ 0x100c, "main.main /src/main.go:11", "main.main /src/main.go:11" },
	{ 0x1010, "main.twice /src/twice.go:20, main.main /src/main.go:11",
	  "main.main /src/main.go:0" },
	{ 0x1014,
	  "main.once /src/twice.go:30, main.twice /src/twice.go:21, "
	  "main.main /src/main.go:11",
	  "main.main /src/main.go:0" },
	{ 0x1018, "main.twice /src/twice.go:20, main.main /src/main.go:11",
	  "main.main /src/main.go:0" },
	{ 0x1020, "main.main /src/main.go:12", "main.main /src/main.go:12" },
	{ 0x103f, "main.main /src/main.go:12", "main.main /src/main.go:12" },
	{ 0x1040, "main.other /src/main.go:50", "main.other /src/main.go:50" },
	{ 0x105f, "main.other /src/main.go:50", "main.other /src/main.go:50" },
	{ 0x1060, "", "" },
	{ UINT64_MAX, "", "" },
};

static void check_places(const struct go_program *g, bool has_trees)
{
	struct op_go_table t;

	go_write(&f, g);
	CHECK(open_it(&t));
	CHECK_EQ(t.version, g->version);
	for (size_t i = 0; i < op_countof(places); i++)
		CHECK_STR(frames_at(&t, places[i].vaddr),
			  has_trees ? places[i].want : places[i].without);
}

TEST(versions)
{
	for (int v = OP_GO_1_2; v <= OP_GO_1_20; v++)
		for (int how = 0; how < 4; how++) {
			struct go_program g = { .version = v,
						.is_32 = how & 1,
						.no_sections = how & 2 };

			check_places(&g, v >= OP_GO_1_18);
		}
}

/* Since 1.26 only the module data says where the code is, which may be in
 * relocations. */
TEST(module)
{
	for (int v = OP_GO_1_18; v <= OP_GO_1_20; v++) {
		struct go_program g = { .version = v, .no_text = true };
		struct op_go_table t;

		check_places(&g, true);
		g.is_moved = true;
		check_places(&g, true);
		g.no_sections = true;
		check_places(&g, true);
		g.no_module = true;
		go_write(&f, &g);
		CHECK(!open_it(&t));
		CHECK_STR(frames_at(&t, 0x1000), "");
		g.no_text = false;
		check_places(&g, false);
	}
}

/* Fewer frames than there are: the outermost is the last, without a line that
 * is not its own. */
TEST(room)
{
	struct go_program g = { .version = OP_GO_1_20 };
	struct op_line_frame at[2];
	struct op_go_table t;

	go_write(&f, &g);
	CHECK(open_it(&t));
	CHECK_EQ(op_go_table_find(&t, 0x1014, at, 0), 0);
	CHECK_EQ(op_go_table_find(&t, 0x1014, at, 1), 1);
	CHECK_STR(at[0].name, "main.main");
	CHECK_EQ(at[0].line, 0);
	CHECK_EQ(at[0].function_line, 9);
	CHECK_EQ(op_go_table_find(&t, 0x1014, at, 2), 2);
	CHECK_STR(at[0].name, "main.once");
	CHECK_EQ(at[0].function_line, 29);
	CHECK_STR(at[1].name, "main.main");
}

/* Any byte of the table may be anything: no name is outside of the file. */
TEST(lies)
{
	struct go_program g = { .version = OP_GO_1_2 };
	struct op_go_table t;

	for (; g.version <= OP_GO_1_20; g.version++)
		for (size_t at = 64;; at++) {
			struct op_line_frame out[OP_LINES_MAX];

			go_write(&f, &g);
			if (at >= f.head.e_shoff)
				break;
			f.p[at] ^= 0xff;
			if (!open_it(&t))
				continue;
			for (uint64_t pc = 0x1000; pc < 0x1060; pc += 4) {
				size_t nr = op_go_table_find(&t, pc, out,
							     OP_LINES_MAX);

				CHECK(!nr || out[nr - 1].name);
			}
		}
}

TEST(no_table)
{
	struct op_go_table t;

	elf_start(&f, true);
	elf_add(&f, ".gopclntab", SHT_PROGBITS, GO_TABLE, op_view("\xf1", 1));
	elf_finish(&f);
	CHECK(!open_it(&t));
	CHECK_STR(frames_at(&t, 0x1000), "");
}

/* A symbol of the linker names the outermost function. */
TEST(in_binary)
{
	struct go_program g = { .version = OP_GO_1_20 };
	struct op_sym_frame out[4];
	struct op_err err = { 0 };
	struct op_binary b = { 0 };

	go_write(&f, &g);
	CHECK_EQ(op_elf_open(&b.elfs[OP_BINARY_MAIN], elf_view(&f), &err),
		 OP_OK);
	b.is_vdso = true; /* in memory */
	CHECK_EQ(op_binary_load(&b, &err), OP_OK);
	CHECK_EQ(op_binary_frames(&b, 0x1010, out, 4), 2);
	CHECK(op_view_is(out[0].name, "main.twice"));
	CHECK(op_view_is(out[0].file, "/src/twice.go"));
	CHECK(op_view_is(out[1].name, "main.main"));
	CHECK_EQ(out[1].line, 11);
	CHECK_EQ(op_binary_frames(&b, 0x2000, out, 4), 0);
	op_binary_close(&b);
}

TEST_MAIN(versions, module, room, lies, no_table, in_binary)
