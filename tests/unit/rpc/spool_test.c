// SPDX-License-Identifier: Apache-2.0
#include "rpc/spool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc/spool_file.h"
#include "test.h"
#include "write/folder.h"

static const enum op_signal P = OP_SIGNAL_PROFILES, L = OP_SIGNAL_LOGS;

static struct op_spool *open_spool(const struct folder *f, uint64_t max)
{
	struct op_spool *s = NULL;
	struct op_err err = { 0 };

	CHECK_EQ(op_spool_open(f->path, max, &s, &err), OP_OK);
	CHECK_STR(err.text, "");
	if (!s)
		abort();
	return s;
}

/* Adds a text; gives how many had to go, or the code. Time goes on by three
 * seconds each time. */
static int add(struct op_spool *s, enum op_signal signal, const char *text)
{
	static uint64_t now_ns;
	struct op_err err = { 0 };
	uint64_t gone;

	now_ns += 3000000000;
	op_spool_add(s, signal, op_view_z(text), now_ns, &gone, &err);
	return err.code ? err.code : (int)gone;
}

/* Takes all messages of a signal, which are then gone: their texts. */
static const char *drain(struct op_spool *s, enum op_signal signal)
{
	static char out[400];
	struct op_spooled m;
	struct op_err err = { 0 };
	size_t n = 0;

	out[0] = 0;
	CHECK(op_spool_lock(s, &err));
	while (op_spool_take(s, signal, &m, &err)) {
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s ",
				      (int)m.bytes.n, (const char *)m.bytes.p);
		op_spool_done(s, &m, &err);
	}
	CHECK_STR(err.text, "");
	return out;
}

TEST(messages_come_back_in_order)
{
	struct folder f;
	struct op_spool *s;

	folder_make(&f);
	s = open_spool(&f, 10000);
	CHECK_EQ(add(s, P, "one"), 0);
	CHECK_EQ(add(s, L, "log"), 0);
	CHECK_EQ(add(s, P, ""), 0);
	CHECK_EQ(add(s, P, "three"), 0);
	CHECK_EQ(op_spool_size(s).nr, 4);
	CHECK_EQ(op_spool_size(s).nr_signal[P], 3);
	CHECK_EQ(op_spool_size(s).bytes, 11 + 4 * OP_SPOOL_HEADER);
	CHECK_STR(drain(s, P), "one  three ");
	CHECK_STR(drain(s, L), "log ");
	CHECK_EQ(op_spool_size(s).nr, 0);
	CHECK_EQ(folder_list(&f, "s"), 0);
	op_spool_close(s);
	folder_remove(&f);
}

/* Another process is another spool of the same folder. */
TEST(they_outlive_the_process)
{
	struct folder f;
	struct op_spool *s;

	folder_make(&f);
	s = open_spool(&f, 10000);
	add(s, P, "one");
	add(s, P, "two");
	op_spool_close(s);
	s = open_spool(&f, 10000);
	CHECK_EQ(op_spool_size(s).nr, 2);
	CHECK_STR(drain(s, P), "one two ");
	op_spool_close(s);
	folder_remove(&f);
}

TEST(only_one_sends)
{
	struct op_err err = { 0 };
	struct op_spool *a, *b;
	struct folder f;

	folder_make(&f);
	a = open_spool(&f, 10000);
	b = open_spool(&f, 10000);
	CHECK(op_spool_lock(a, &err));
	CHECK(op_spool_lock(a, &err));
	CHECK(!op_spool_lock(b, &err));
	CHECK_EQ(err.code, 0);
	CHECK_EQ(add(b, P, "of-b"), 0);
	CHECK_EQ(add(a, P, "of-a"), 0);
	op_spool_unlock(a);
	CHECK_STR(drain(b, P), "of-b of-a ");
	op_spool_look(a);
	CHECK_EQ(op_spool_size(a).nr, 0);
	CHECK(!op_spool_lock(a, &err));
	op_spool_close(b);
	CHECK(op_spool_lock(a, &err));
	op_spool_close(a);
	folder_remove(&f);
}

TEST(the_oldest_goes)
{
	const uint64_t max = 3 * (OP_SPOOL_HEADER + 3);
	struct op_spooled m;
	struct op_err err = { 0 };
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	s = open_spool(&f, max);
	CHECK_EQ(add(s, P, "aaa"), 0);
	CHECK_EQ(add(s, L, "bbb"), 0);
	CHECK_EQ(add(s, P, "ccc"), 0);
	CHECK_EQ(add(s, P, "ddd"), 1);
	CHECK_EQ(folder_list(&f, "s"), 3);
	/* What is being sent does not go. */
	CHECK(op_spool_lock(s, &err));
	CHECK(op_spool_take(s, L, &m, &err));
	CHECK_EQ(add(s, P, "eeeeeeeeeeeee"), 2);
	op_spool_return(s, &m);
	CHECK_STR(drain(s, L), "bbb ");
	CHECK_STR(drain(s, P), "eeeeeeeeeeeee ");
	CHECK_EQ(add(s, P,
		     "this is more than there may be in the spool, which "
		     "has only so many bytes in all: about one hundred"),
		 OP_ELIMIT);
	op_spool_close(s);
	folder_remove(&f);
}

TEST(each_has_its_turn)
{
	struct op_err err = { 0 };
	struct op_spooled m;
	struct op_spool *s;
	struct folder f;
	char order[8] = "";

	folder_make(&f);
	s = open_spool(&f, 10000);
	add(s, P, "a");
	add(s, P, "b");
	add(s, L, "x");
	add(s, P, "c");
	op_spool_lock(s, &err);
	for (int i = 0; i < 7; i++) {
		CHECK(op_spool_take(s, P, &m, &err));
		order[i] = (char)m.bytes.p[0];
		op_spool_return(s, &m);
	}
	order[7] = 0;
	CHECK_STR(order, "abcabca");
	op_spool_close(s);
	folder_remove(&f);
}

/* --- damage --- */

static const struct {
	const char *name;
	size_t at;  /* of a byte that is changed */
	size_t cut; /* bytes from the end */
	const char *why;
} damages[] = {
	{ "nothing at all", 0, 1000, "it is truncated" },
	{ "only the header", 0, 5, "it is truncated" },
	{ "a byte too few", 0, 1, "it is truncated" },
	{ "magic", 1, 0, "not a spool file" },
	{ "version", 9, 0, "unsupported version" },
	{ "signal", 12, 0, "wrong checksum" },
	{ "length", 16, 0, "it is truncated" },
	{ "checksum", 24, 0, "wrong checksum" },
	{ "message", 33, 0, "wrong checksum" },
};

static void damage(const struct folder *f, const char *name, size_t at,
		   size_t cut)
{
	uint8_t bytes[200];
	size_t n = folder_read(f, name, bytes, sizeof(bytes));

	bytes[at] ^= at ? 4 : 0;
	folder_write(f, name, op_view(bytes, cut < n ? n - cut : 0));
}

TEST(damaged_files_are_set_aside)
{
	for (size_t i = 0; i < op_countof(damages); i++) {
		int before = test_failed;
		struct op_err err = { 0 };
		struct op_spooled m;
		struct op_spool *s;
		struct folder f;

		folder_make(&f);
		s = open_spool(&f, 10000);
		add(s, P, "first");
		CHECK_EQ(folder_list(&f, ".profiles"), 1);
		damage(&f, f.names[0], damages[i].at, damages[i].cut);
		add(s, P, "second");
		CHECK(op_spool_lock(s, &err));
		CHECK(!op_spool_take(s, P, &m, &err));
		CHECK_EQ(err.code, OP_EFORMAT);
		CHECK(strstr(err.text, damages[i].why) != NULL);
		CHECK(strstr(err.text, ".bad") != NULL);
		CHECK_STR(drain(s, P), "second ");
		CHECK_EQ(folder_list(&f, ".bad"), 1);
		if (before != test_failed)
			fprintf(stderr, "  in row '%s': %s\n", damages[i].name,
				err.text);
		op_spool_close(s);
		folder_remove(&f);
	}
}

/* They count as well, and go first. */
TEST(damaged_files_are_bounded)
{
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	folder_write(&f, "0000000000000001-00000000.profiles.bad",
		     op_view_z("this was damaged, and takes some of the room"));
	s = open_spool(&f, 2 * OP_SPOOL_HEADER + 10);
	CHECK_EQ(folder_list(&f, ".bad"), 1);
	CHECK_EQ(add(s, P, "aaa"), 0);
	CHECK_EQ(add(s, P, "bbb"), 0);
	CHECK_EQ(folder_list(&f, ".bad"), 0);
	CHECK_STR(drain(s, P), "aaa bbb ");
	op_spool_close(s);
	folder_remove(&f);
}

/* What a killed process left is removed, unless it is still being written. */
TEST(left_over)
{
	struct op_spool *s;
	struct folder f;
	int fd;

	folder_make(&f);
	folder_write(&f, "0000000000000001-00000000.profiles.tmp",
		     op_view_z("ab"));
	folder_write(&f, "0000000000000002-00000000.logs.tmp", op_view_z("ab"));
	folder_write(&f, "notes.tmp", op_view_z("not ours"));
	folder_write(&f, "0000000000000002-00000000.metrics", op_view_z("no"));
	fd = open(folder_path(&f, "0000000000000002-00000000.logs.tmp"),
		  O_RDONLY | O_CLOEXEC);
	CHECK_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
	s = open_spool(&f, 10000);
	CHECK_EQ(folder_list(&f, ""), 3);
	close(fd);
	op_spool_look(s);
	CHECK_EQ(folder_list(&f, ""), 2);
	CHECK_EQ(op_spool_size(s).nr, 0);
	op_spool_close(s);
	folder_remove(&f);
}

/* --- what the system refuses --- */

TEST(full_disk)
{
	struct rlimit old, small;
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	s = open_spool(&f, 10000);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = OP_SPOOL_HEADER + 2;
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_EQ(add(s, P, "abcdef"), OP_EIO); /* as ENOSPC would be */
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK_EQ(folder_list(&f, ""), 0);
	CHECK_EQ(op_spool_size(s).bytes, 0);
	CHECK_EQ(add(s, P, "abcdef"), 0);
	CHECK_STR(drain(s, P), "abcdef ");
	op_spool_close(s);
	folder_remove(&f);
}

TEST(no_such_folder)
{
	struct op_spool *s = NULL;
	struct op_err err = { 0 };
	struct folder f;

	folder_make(&f);
	folder_write(&f, "file", op_view_z(""));
	CHECK_EQ(op_spool_open(folder_path(&f, "file"), 1, &s, &err), OP_EIO);
	CHECK(strstr(err.text, "cannot open the spool") != NULL);
	err = (struct op_err){ 0 };
	CHECK_EQ(op_spool_open(folder_path(&f, "no/such"), 1, &s, &err),
		 OP_EIO);
	CHECK(!s);
	s = open_spool(&f, 10000);
	folder_remove(&f);
	CHECK_EQ(add(s, P, "a"), OP_EIO);
	err = (struct op_err){ 0 };
	CHECK(!op_spool_lock(s, &err));
	CHECK_EQ(err.code, OP_EIO);
	op_spool_close(s);
}

/* Somebody took it away. */
TEST(gone)
{
	struct op_err err = { 0 };
	struct op_spooled m;
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	s = open_spool(&f, 10000);
	add(s, P, "a");
	add(s, P, "b");
	CHECK(op_spool_lock(s, &err));
	folder_list(&f, ".profiles");
	unlink(folder_path(&f, f.names[0]));
	CHECK(op_spool_take(s, P, &m, &err));
	CHECK_EQ(m.bytes.p[0], 'b');
	unlink(folder_path(&f, f.names[1]));
	op_spool_done(s, &m, &err);
	CHECK_EQ(err.code, 0);
	CHECK_EQ(op_spool_size(s).nr, 0);
	op_spool_close(s);
	folder_remove(&f);
}

TEST(sync_what_was_added)
{
	struct op_err err = { 0 };
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	s = open_spool(&f, 10000);
	add(s, P, "a");
	add(s, P, "b");
	drain(s, P);
	add(s, P, "c");
	CHECK_EQ(op_spool_sync(s, &err), OP_OK);
	CHECK_EQ(op_spool_sync(s, &err), OP_OK);
	op_spool_close(s);
	folder_remove(&f);
}

TEST(many)
{
	struct op_spool *s;
	struct folder f;
	char text[8], want[400] = "";

	folder_make(&f);
	s = open_spool(&f, 20 * (OP_SPOOL_HEADER + 2));
	for (int i = 10; i < 99; i++) {
		snprintf(text, sizeof(text), "%d", i);
		CHECK_EQ(add(s, P, text), i < 30 ? 0 : 1);
	}
	for (int i = 79; i < 99; i++)
		snprintf(want + strlen(want), 8, "%d ", i);
	CHECK_STR(drain(s, P), want);
	op_spool_close(s);
	folder_remove(&f);
}

TEST(no_memory)
{
	struct folder f;

	folder_make(&f);
	EACH_ALLOC_FAILS(k) {
		struct op_spool *s = NULL;
		struct op_spooled m;
		struct op_err err = { 0 };
		uint64_t gone;

		if (!op_spool_open(f.path, 10000, &s, &err) &&
		    !op_spool_add(s, P, op_view_z("a"), 5, &gone, &err) &&
		    op_spool_lock(s, &err) && op_spool_take(s, P, &m, &err))
			op_spool_done(s, &m, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_spool_close(s);
	}
	folder_remove(&f);
}

/* --- what others put there --- */

#define NAME "18a3f2c1d4e5b6a7-1c0ffee5.profiles"

/* Makes one file of the spool in a way that only a stranger would. */
static void plant_pipe(const struct folder *f)
{
	CHECK(!mkfifo(folder_path(f, NAME), 0600));
}

static void plant_pipe_left_over(const struct folder *f)
{
	CHECK(!mkfifo(folder_path(f, NAME ".tmp"), 0600));
}

static void plant_pipe_damaged(const struct folder *f)
{
	CHECK(!mkfifo(folder_path(f, NAME ".bad"), 0600));
}

static void plant_link(const struct folder *f)
{
	folder_write(f, "elsewhere", op_view_z("x"));
	CHECK(!symlink("elsewhere", folder_path(f, NAME)));
}

static void plant_hard_link(const struct folder *f)
{
	char other[FOLDER_PATH + 80];

	folder_write(f, "elsewhere", op_view_z("x"));
	snprintf(other, sizeof(other), "%s", folder_path(f, "elsewhere"));
	CHECK(!link(other, folder_path(f, NAME)));
}

static void plant_open_file(const struct folder *f)
{
	folder_write(f, NAME, op_view_z("x"));
	CHECK(!chmod(folder_path(f, NAME), 0620));
}

static void plant_folder(const struct folder *f)
{
	CHECK(!mkdir(folder_path(f, NAME), 0700));
}

static void plant_owned(const struct folder *f)
{
	folder_write(f, NAME, op_view_z("x"));
	CHECK(!chown(folder_path(f, NAME), 65534, 65534));
}

static const struct {
	void (*plant)(const struct folder *f);
	const char *what;
	bool wants_root;
} planted[] = {
	{ plant_pipe, NAME " is not a regular file", false },
	{ plant_pipe_left_over, NAME ".tmp is not a regular file", false },
	{ plant_pipe_damaged, NAME ".bad is not a regular file", false },
	{ plant_link, NAME " is not a regular file", false },
	{ plant_hard_link, NAME " is a hard link", false },
	{ plant_open_file, NAME " is writable by other users", false },
	{ plant_folder, NAME " is not a regular file", false },
	{ plant_owned, NAME " is another user's", true },
};

/* They are told of once, are not sent and do not keep the others back. */
TEST(files_of_others)
{
	for (size_t i = 0; i < op_countof(planted); i++) {
		struct op_spool *s;
		struct folder f;
		char what[100];
		uint64_t nr = 0;

		if (planted[i].wants_root && geteuid())
			continue;
		folder_make(&f);
		planted[i].plant(&f);
		s = open_spool(&f, 10000);
		CHECK(op_spool_found_foreign(s, what, sizeof(what), &nr));
		CHECK_STR(what, planted[i].what);
		CHECK_EQ(nr, 1);
		CHECK_EQ(op_spool_size(s).nr, 0);
		add(s, P, "mine");
		CHECK_STR(drain(s, P), "mine ");
		CHECK(!op_spool_found_foreign(s, what, sizeof(what), &nr));
		op_spool_close(s);
		folder_remove(&f);
	}
}

/* A file that is changed after the spool was listed. */
TEST(a_file_becomes_a_pipe)
{
	struct op_err err = { 0 };
	struct op_spooled m;
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	s = open_spool(&f, 10000);
	add(s, P, "one");
	CHECK(op_spool_lock(s, &err));
	CHECK_EQ(folder_list(&f, ".profiles"), 1);
	CHECK(!unlink(folder_path(&f, f.names[0])));
	CHECK(!mkfifo(folder_path(&f, f.names[0]), 0600));
	CHECK(!op_spool_take(s, P, &m, &err));
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK(strstr(err.text, "not a regular file") != NULL);
	op_spool_close(s);
	folder_remove(&f);
}

TEST(a_lock_of_others)
{
	struct op_err err = { 0 };
	struct op_spool *s;
	struct folder f;

	folder_make(&f);
	CHECK(!symlink("planted", folder_path(&f, "lock")));
	s = open_spool(&f, 10000);
	CHECK(!op_spool_lock(s, &err));
	CHECK_STR(err.text, "the file 'lock' cannot be used: it is a symbolic "
			    "link");
	CHECK(access(folder_path(&f, "planted"), F_OK));
	CHECK(!unlink(folder_path(&f, "lock")));
	CHECK(!mkfifo(folder_path(&f, "lock"), 0600));
	err = (struct op_err){ 0 };
	CHECK(!op_spool_lock(s, &err));
	CHECK_STR(err.text, "the file 'lock' cannot be used: it is not a "
			    "regular file");
	op_spool_close(s);
	folder_remove(&f);
}

static void check_refused(const char *path, const char *why)
{
	struct op_spool *s = NULL;
	struct op_err err = { 0 };

	CHECK(op_spool_open(path, 10000, &s, &err));
	CHECK(strstr(err.text, why) != NULL);
	CHECK(!s);
}

TEST(folders_of_others)
{
	char path[FOLDER_PATH + 80];
	struct folder f;

	folder_make(&f);
	CHECK(!chmod(f.path, 0770));
	check_refused(f.path, "its mode is 770, but should be 700");
	CHECK(!chmod(f.path, 01777));
	check_refused(f.path, "other users can write to the spool");
	CHECK(!chmod(f.path, 0755));
	CHECK(!symlink(".", folder_path(&f, "link")));
	snprintf(path, sizeof(path), "%s", folder_path(&f, "link"));
	check_refused(path, "is a symbolic link");
	snprintf(path, sizeof(path), "%s", folder_path(&f, "link//"));
	check_refused(path, "is a symbolic link");
	if (!geteuid()) {
		CHECK(!chown(f.path, 65534, 65534));
		check_refused(f.path, "belongs to another user");
		CHECK(!chown(f.path, 0, 0));
	}
	folder_remove(&f);
}

TEST_MAIN(messages_come_back_in_order, they_outlive_the_process, only_one_sends,
	  the_oldest_goes, each_has_its_turn, damaged_files_are_set_aside,
	  damaged_files_are_bounded, left_over, full_disk, no_such_folder, gone,
	  sync_what_was_added, many, no_memory, files_of_others,
	  a_file_becomes_a_pipe, a_lock_of_others, folders_of_others)
