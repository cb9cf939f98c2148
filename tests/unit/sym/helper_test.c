// SPDX-License-Identifier: Apache-2.0
#include "sym/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sym/demangle.h"
#include "test.h"
#include "write/bomb.h"
#include "write/folder.h"

static struct elf f;
static struct folder dir;
static char bomb[BOMB_NAME];

/* What became of each address: "name", "name|readable", "-" for no name, "!"
 * for one that was too costly; then l or n for what limits left out. */
static char told[2000];
static size_t nr_told;

static void hear(void *ctx, size_t i, enum op_helper_result result,
		 uint32_t flags, const struct op_sym_frame *frames, size_t nr)
{
	size_t n = strlen(told);

	(void)ctx;
	CHECK_EQ(i, nr_told);
	nr_told++;
	if (result == OP_HELPER_TOO_COSTLY)
		n += (size_t)snprintf(told + n, sizeof(told) - n, "!");
	else if (!nr)
		n += (size_t)snprintf(told + n, sizeof(told) - n, "-");
	else if (frames[0].name.n == strlen(bomb) && frames[0].name.n)
		n += (size_t)snprintf(told + n, sizeof(told) - n, "bomb");
	else
		n += (size_t)snprintf(told + n, sizeof(told) - n, "%.*s%s%.*s",
				      (int)frames[0].name.n, frames[0].name.p,
				      frames[0].readable.n ? "|" : "",
				      (int)frames[0].readable.n,
				      frames[0].readable.p);
	snprintf(told + n, sizeof(told) - n, "%s%s ",
		 flags & OP_ASK_NO_LINES ? ":l" : "",
		 flags & OP_ASK_NO_NAMES ? ":n" : "");
}

static int file_open(const char *name)
{
	int fd = open(folder_path(&dir, name), O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

/* Four functions of 16 bytes from 0x1000 on, the third one a bomb. */
static void functions(void)
{
	elf_symbol(&f, "first", 0x1000, 16, "gf");
	elf_symbol(&f, "_Z6secondv", 0x1010, 16, "gf");
	elf_symbol(&f, bomb[0] ? bomb : "third", 0x1020, 16, "gf");
	elf_symbol(&f, "fourth", 0x1030, 16, "gf");
	elf_finish(&f);
	folder_write(&dir, "binary", elf_view(&f));
}

static void binary_make(bool with_name_bomb)
{
	static const uint8_t code[64];

	*bomb = 0;
	if (with_name_bomb)
		bomb_name(bomb);
	elf_start(&f, true);
	elf_segment(&f, PT_LOAD, PF_R | PF_X, 0x1000,
		    elf_add(&f, ".text", SHT_PROGBITS, 0x1000,
			    op_view(code, sizeof(code))));
	functions();
}

static int ask(struct op_helper *h, struct op_helper_binary *b)
{
	static const uint64_t vaddrs[] = { 0x1000, 0x1011, 0x1020, 0x103f,
					   0x9999 };
	struct op_helper_question q = { .binary = b,
					.vaddrs = vaddrs,
					.nr = op_countof(vaddrs),
					.fn = hear };
	struct op_err err = { 0 };

	told[0] = 0;
	nr_told = 0;
	op_helper_ask(h, &q, &err);
	if (!err.code)
		CHECK_EQ(nr_told, op_countof(vaddrs));
	return err.code ? err.sys : 0;
}

/* Asks a helper about the binary, and ends it. */
static int ask_once(const char *program, struct op_helper_limits limits)
{
	struct op_helper h = { .program = program, .limits = limits };
	struct op_helper_binary b = { .fds = { file_open("binary"), -1, -1 } };
	int result = ask(&h, &b);

	op_helper_close(&h);
	close(b.fds[0]);
	/* No child stays behind. */
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	return result;
}

static bool can_demangle(void)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	bool can = op_demangle(op_view_z("_Z1fv"), &out);

	op_buf_free(&out);
	return can;
}

static const char *second(void)
{
	return can_demangle() ? "_Z6secondv|second()" : "_Z6secondv";
}

static void check_told(const char *form)
{
	char want[200];

	snprintf(want, sizeof(want), form, second());
	CHECK_STR(told, want);
}

#define NO_LIMITS ((struct op_helper_limits){ 0 })

/* A folder with a binary, and the program, or a reason to skip. */
static const char *begin(bool with_name_bomb)
{
	folder_make(&dir);
	binary_make(with_name_bomb);
	return getenv("OTPROF");
}

static void end(void)
{
	static const char *const names[] = { "binary", "fake" };

	for (size_t i = 0; i < op_countof(names); i++)
		unlink(folder_path(&dir, names[i]));
	folder_remove(&dir);
}

TEST(answers)
{
	const char *program = begin(false);

	if (!program)
		TEST_SKIP("OTPROF names no program");
	CHECK_EQ(ask_once(program, NO_LIMITS), 0);
	check_told("first %s third fourth - ");
	end();
}

/* One helper is asked about several binaries, and may die in between. */
TEST(again)
{
	const char *program = begin(false);
	struct op_helper h = { .program = program };
	struct op_helper_binary b = { .fds = { -1, -1, -1 } };
	siginfo_t info;

	if (!program)
		TEST_SKIP("OTPROF names no program");
	CHECK_EQ(ask(&h, &b), 0); /* the vdso */
	b = (struct op_helper_binary){ .fds = { file_open("binary"), -1, -1 } };
	CHECK_EQ(ask(&h, &b), 0);
	check_told("first %s third fourth - ");
	CHECK_EQ(h.nr_started, 1);
	/* One that died before it was asked did not die of the binary. */
	kill(h.pid, SIGKILL);
	CHECK(!waitid(P_PID, (id_t)h.pid, &info, WEXITED | WNOWAIT));
	CHECK_EQ(ask(&h, &b), 0);
	CHECK_EQ(h.nr_started, 2);
	check_told("first %s third fourth - ");
	op_helper_close(&h);
	close(b.fds[0]);
	end();
}

/* A name that takes for ever stays as it is; the others do not suffer. */
TEST(slow_name)
{
	const char *program = begin(true);
	struct op_helper h = { .program = program };
	struct op_err err = { 0 };
	bool was_slow = false;
	struct op_view v;

	if (!program)
		TEST_SKIP("OTPROF names no program");
	if (!can_demangle())
		TEST_SKIP("built without libiberty");
	CHECK_EQ(ask_once(program, NO_LIMITS), 0);
	check_told("first %s bomb:n fourth - ");
	v = op_helper_name(&h, op_view_z("_Z6secondv"), &was_slow, &err);
	CHECK(op_view_is(v, "second()") && !was_slow);
	v = op_helper_name(&h, op_view_z("plain"), &was_slow, &err);
	CHECK(!v.n && !was_slow);
	v = op_helper_name(&h, op_view_z(bomb), &was_slow, &err);
	CHECK(!v.n && was_slow);
	CHECK_EQ(err.code, OP_OK);
	op_helper_close(&h);
	end();
}

/* Where lines take too long, there are symbols. */
TEST(slow_lines)
{
	const char *program = begin(false);
	struct op_helper_limits limits = { .step_ms = 20 };

	if (!program)
		TEST_SKIP("OTPROF names no program");
	bomb_lines(&f);
	functions();
	CHECK_EQ(ask_once(program, limits), 0);
	if (!strstr(told, ":l"))
		TEST_SKIP("built without libdw");
	check_told("first:l %s:l third:l fourth:l -:l ");
	end();
}

/* Programs that are no helpers. */
TEST(fakes)
{
	static const char *const fakes[] = {
		"exit 0",
		"exec sleep 100",
		"kill -9 $$",
		"exec head -c 100000 /dev/urandom >&0",
		"exec cat /dev/zero >&0",
		/* 4 GiB are announced. */
		"printf '\\377\\377\\377\\377\\1\\0\\1\\0' >&0; sleep 100",
		/* Done before there was an answer. */
		"printf '\\0\\0\\0\\0\\2\\0\\0\\0' >&0; sleep 100",
		/* More frames than there are. */
		"printf '\\0\\0\\0\\0\\1\\0\\5\\0' >&0; sleep 100",
		"while :; do :; done",
	};
	struct op_helper_limits limits = { .wall_ms = 300, .total_ms = 200 };
	char text[200], path[200];

	begin(false);
	snprintf(path, sizeof(path), "%s", folder_path(&dir, "fake"));
	for (size_t i = 0; i < op_countof(fakes); i++) {
		snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", fakes[i]);
		folder_write(&dir, "fake", op_view_z(text));
		CHECK(!chmod(path, 0700));
		CHECK_EQ(ask_once(path, limits), 0);
		if (strcmp(told, "!:l !:l !:l !:l !:l ") &&
		    strcmp(told, "! ! ! ! ! "))
			TEST_FAIL("'%s' gave '%.60s'", fakes[i], told);
	}
	CHECK_EQ(ask_once("/nowhere/otprof", limits), ENOENT);
	end();
}

TEST_MAIN(answers, again, slow_name, slow_lines, fakes)
