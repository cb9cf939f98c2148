// SPDX-License-Identifier: Apache-2.0
#include "sym/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/binary.h"
#include "test.h"
#include "write/elf.h"

static struct elf f;
static char folder[64];

static const char *at(const char *name)
{
	static char path[4][200];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s%s", folder, name);
	return path[turn];
}

static void write_bytes(const char *name, struct op_view v)
{
	FILE *out = fopen(at(name), "w");

	CHECK(out);
	if (out) {
		fwrite(v.p, 1, v.n, out);
		fclose(out);
	}
}

/* A library with a build id of two bytes (NULL: none), one symbol and maybe a
 * link to a debug file. */
static void library(const char *name, const char *id, const char *symbol,
		    const char *link)
{
	static const uint8_t code[64];
	uint8_t section[64] = { 0 };
	size_t n;

	elf_start(&f, true);
	elf_segment(&f, PT_LOAD, PF_R | PF_X, 0x1000,
		    elf_add(&f, ".text", SHT_PROGBITS, 0x1000,
			    op_view(code, sizeof(code))));
	if (id)
		elf_build_id(&f, op_view_z(id));
	if (symbol)
		elf_symbol(&f, symbol, 0x1000, 64, "gf");
	if (link) {
		n = (strlen(link) + 4) / 4 * 4;
		memcpy(section, link, strlen(link));
		section[n] = 1; /* a sum that no file has */
		elf_add(&f, ".gnu_debuglink", SHT_PROGBITS, 0,
			op_view(section, n + 4));
	}
	elf_finish(&f);
	write_bytes(name, elf_view(&f));
}

static void begin(void)
{
	static const char *const folders[] = {
		"/bin",		  "/bin/.debug",       "/dbg",
		"/dbg/.build-id", "/dbg/.build-id/61", "/root",
		"/root/bin"
	};

	snprintf(folder, sizeof(folder), "/tmp/otprof-find-XXXXXX");
	CHECK(mkdtemp(folder));
	for (size_t i = 0; i < op_countof(folders); i++)
		CHECK(!mkdir(at(folders[i]), 0700));
	library("/bin/a", "abc", "in_path", NULL);
	library("/bin/other", "xyz", "other", NULL);
	library("/bin/none", NULL, "no_id", NULL);
	library("/root/bin/a", "abc", "in_root", NULL);
	library("/dbg/.build-id/61/6263", "abc", "in_ids", NULL);
	library("/dbg/.build-id/61/6264.debug", "abd", "debug", NULL);
	library("/bin/stripped", "abd", NULL, NULL);
	library("/bin/linked", "abe", NULL, "l.debug");
	library("/bin/l.debug", "xyz", "of another build", NULL);
	library("/bin/.debug/l.debug", "abe", "linked", NULL);
	library("/bin/self", NULL, NULL, "self");
	library("/bin/slash", NULL, NULL, "../x");
	CHECK(!symlink(at("/bin/other"), at("/root/bin/out")));
	CHECK(!mkfifo(at("/bin/pipe"), 0600));
	write_bytes("/bin/text", op_view_z("text"));
	write_bytes("/bin/empty", op_view_z(""));
}

static void end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_EQ(system(command), 0);
}

/* The symbol that a binary has, by its files. */
static const char *symbol(struct op_binary *b)
{
	struct op_sym_frame frame[4];
	static char text[32];

	if (!op_binary_is_open(b) || !op_binary_frames(b, 0x1000, frame, 4))
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)frame[0].name.n,
		 frame[0].name.p);
	return text;
}

static const struct {
	const char *name;
	const char *path; /* from the folder on; NULL: [vdso] */
	const char *gnu;  /* what the profile says */
	const char *root; /* from the folder on; NULL: none */
	uint64_t time_ns;
	enum op_find_status status;
	const char *symbol;
} places[] = {
	{ "path", "/bin/a", "616263", NULL, 0, OP_FIND_OK, "in_path" },
	{ "no build named", "/bin/a", "", NULL, 0, OP_FIND_UNCHECKED,
	  "in_path" },
	{ "newer than the profile", "/bin/a", "", NULL, 1, OP_FIND_CHANGED,
	  NULL },
	{ "newer but the same", "/bin/a", "616263", NULL, 1, OP_FIND_OK,
	  "in_path" },
	{ "another build", "/bin/other", "414243", NULL, 0, OP_FIND_OTHER_BUILD,
	  NULL },
	{ "no build id left", "/bin/none", "414243", NULL, 0,
	  OP_FIND_OTHER_BUILD, NULL },
	{ "another build, but by id", "/bin/other", "616263", NULL, 0,
	  OP_FIND_OK, "in_ids" },
	{ "by id alone", "/bin/gone", "616263", NULL, 0, OP_FIND_OK, "in_ids" },
	{ "its debug file alone", "/bin/gone", "616264", NULL, 0, OP_FIND_OK,
	  "debug" },
	{ "gone", "/bin/gone", "414243", NULL, 0, OP_FIND_NO_FILE, NULL },
	{ "no folder", "/bin/a/b", "414243", NULL, 0, OP_FIND_NO_FILE, NULL },
	{ "a folder", "/bin", "414243", NULL, 0, OP_FIND_BROKEN, NULL },
	{ "text", "/bin/text", "", NULL, 0, OP_FIND_BROKEN, NULL },
	{ "empty", "/bin/empty", "", NULL, 0, OP_FIND_BROKEN, NULL },
	{ "root", "/a", "616263", "/bin", 0, OP_FIND_OK, "in_path" },
	{ "out of the root", "/../bin/a", "616263", "/root", 0, OP_FIND_OK,
	  "in_root" },
	{ "past the root", "/../../bin/other", "78797a", "/root", 0,
	  OP_FIND_NO_FILE, NULL },
	{ "a link out of the root", "/bin/out", "78797a", "/root", 0,
	  OP_FIND_NO_FILE, NULL },
	{ "a pipe", "/./bin/pipe", "", NULL, 0, OP_FIND_BROKEN, NULL },
	{ "deleted", "/bin/a (deleted)", "", NULL, 0, OP_FIND_CHANGED, NULL },
	{ "deleted but the same", "/bin/a (deleted)", "616263", NULL, 0,
	  OP_FIND_OK, "in_path" },
	{ "debug file by id", "/bin/stripped", "616264", NULL, 0, OP_FIND_OK,
	  "debug" },
	{ "debug file by link", "/bin/linked", "616265", NULL, 0, OP_FIND_OK,
	  "linked" },
	{ "a link to itself", "/bin/self", "", NULL, 0, OP_FIND_UNCHECKED,
	  NULL },
	{ "a link out of its folder", "/bin/slash", "", NULL, 0,
	  OP_FIND_UNCHECKED, NULL },
	{ "an id that is no id", "/bin/gone", "61/../62", NULL, 0,
	  OP_FIND_NO_FILE, NULL },
};

TEST(each_place)
{
	begin();
	for (size_t i = 0; i < op_countof(places); i++) {
		struct op_find find = { .dirs = at("/dbg") };
		struct op_wanted w = { .ids.gnu = op_view_z(places[i].gnu),
				       .time_ns = places[i].time_ns };
		struct op_err err = { 0 };
		struct op_binary b;
		const char *got;

		w.path = op_view_z(at(places[i].path));
		if (places[i].root) {
			w.path = op_view_z(places[i].path);
			find.root = at(places[i].root);
		}
		op_binary_find_all(&b, &find, &w);
		if (op_binary_is_open(&b))
			CHECK_EQ(op_binary_load(&b, &err), OP_OK);
		got = symbol(&b);
		if (b.status != places[i].status)
			TEST_FAIL("%s: status %d", places[i].name,
				  (int)b.status);
		if (!got != !places[i].symbol ||
		    (got && strcmp(got, places[i].symbol)))
			TEST_FAIL("%s: symbol %s", places[i].name,
				  got ? got : "none");
		op_binary_close(&b);
	}
	end();
}

/* A library that shares DWARF with others: a path, a NUL, a build id. */
static void shares(const char *name, const char *link, size_t n)
{
	elf_start(&f, true);
	elf_build_id(&f, op_view_z("abf"));
	elf_add(&f, ".gnu_debugaltlink", SHT_PROGBITS, 0, op_view(link, n));
	elf_finish(&f);
	write_bytes(name, elf_view(&f));
}

TEST(shared_dwarf)
{
	static const struct {
		const char *name, *link;
		size_t n;
		bool is_found;
	} rows[] = {
		{ "beside it", "a\0abc", 5, true },
		{ "from the root", "/bin/a\0abc", 10, true },
		{ "another build", "a\0abX", 5, false },
		{ "by its id", "none\0abd", 8, true },
		{ "out of the root", "../../../bin/a\0abc", 18, true },
		{ "a pipe", "pipe\0xyz", 8, false },
		{ "no id", "a\0", 2, false },
		{ "no end", "a", 1, false },
	};

	begin();
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_find find = { .root = folder, .dirs = at("/dbg") };
		struct op_wanted w = { .path = op_view_z("/bin/shares"),
				       .ids.gnu = op_view_z("616266") };
		struct op_found main, alt;
		bool is_found;

		shares("/bin/shares", rows[i].link, rows[i].n);
		CHECK_EQ(op_find_binary(&find, &w, &main), OP_FIND_OK);
		is_found = op_find_alt(&find, &main, &alt);
		if (is_found != rows[i].is_found)
			TEST_FAIL("%s", rows[i].name);
		if (is_found)
			op_found_close(&alt);
		op_found_close(&main);
	}
	end();
}

/* Names that are no files, whatever lies there. */
TEST(no_files)
{
	static const char *const names[] = { "",
					     "[heap]",
					     "[vdso]",
					     "//anon",
					     "/memfd:x (deleted)",
					     "/dev/null",
					     "anon_inode:[perf_event]",
					     "relative" };

	for (size_t i = 0; i < op_countof(names); i++) {
		struct op_find find = { .dirs = "/nowhere" };
		struct op_wanted w = { .path = op_view_z(names[i]) };
		struct op_binary b;

		op_binary_find(&b, &find, &w);
		if (op_binary_is_open(&b))
			TEST_FAIL("'%s' is opened", names[i]);
		op_binary_close(&b);
	}
}

TEST(without_memory)
{
	begin();
	EACH_ALLOC_FAILS(k) {
		struct op_find find = { .dirs = at("/dbg") };
		struct op_wanted w = { .path = op_view_z(at("/bin/stripped")),
				       .ids.gnu = op_view_z("616264") };
		struct op_err err = { 0 };
		struct op_binary b;

		op_binary_find_all(&b, &find, &w);
		CHECK_EQ(b.status, OP_FIND_OK);
		op_binary_load(&b, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_binary_close(&b);
	}
	end();
}

TEST_MAIN(each_place, shared_dwarf, no_files, without_memory)
