// SPDX-License-Identifier: Apache-2.0
#include "sym/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static const char *name_at(const struct op_jit *j, uint64_t at, uint64_t time)
{
	struct op_view v = op_jit_find(j, at, time);
	static char text[64];

	if (!v.n)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)v.n, v.p);
	return text;
}

TEST(perf_map)
{
	static const char text[] = "7f0000001000 100 first\n"
				   "0x7f0000002000 0x40 with a space\r\n"
				   "7f0000001080 20 newer inside\n"
				   "7f0000001000 10 newest\n"
				   "no line\n"
				   "7f0000003000\n"
				   "7f0000003000 10\n"
				   "7f0000003000 10 \n"
				   "7f0000003000 0 no size\n"
				   "ffffffffffffffff 2 past the end\n"
				   "11112222333344445 2 too long\n"
				   "\n"
				   "7f0000004000 10 cut o";
	static const struct {
		uint64_t at;
		const char *want;
	} rows[] = {
		{ 0x7f0000000fff, NULL },
		{ 0x7f0000001000, "newest" },
		{ 0x7f0000001010, "first" },
		{ 0x7f000000107f, "first" },
		{ 0x7f0000001080, "newer inside" },
		{ 0x7f00000010a0, "first" },
		{ 0x7f0000001100, NULL },
		{ 0x7f000000203f, "with a space" },
		{ 0x7f0000003000, NULL },
		{ 0x7f0000004000, NULL },
		{ UINT64_MAX, NULL },
	};
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_jit j = { .mem = &mem };

	CHECK_EQ(op_jit_perf_map(&j, op_view_z(text), &err), OP_OK);
	op_jit_finish(&j);
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(name_at(&j, rows[i].at, OP_JIT_NOW), rows[i].want);
	CHECK_EQ(j.codes.n, 4);
	CHECK_EQ(j.nr_skipped, 8);
	op_arena_free(&mem);
}

/* --- jitdump --- */

static uint8_t dump[4096];
static size_t dump_n;

static void u32(uint32_t v)
{
	memcpy(dump + dump_n, &v, 4);
	dump_n += 4;
}

static void u64(uint64_t v)
{
	memcpy(dump + dump_n, &v, 8);
	dump_n += 8;
}

static void dump_begin(void)
{
	dump_n = 0;
	memcpy(dump, "DTiJ", 4);
	dump_n = 4;
	u32(1);
	u32(40);
	u32(62);
	u32(0);
	u32(7);
	u64(1);
	u64(0);
}

static void load(uint64_t time, uint64_t at, uint64_t size, const char *name)
{
	size_t n = strlen(name) + 1;

	u32(0);
	u32((uint32_t)(56 + n + 4));
	u64(time);
	u32(7);
	u32(7);
	u64(at);
	u64(at);
	u64(size);
	u64(0);
	memcpy(dump + dump_n, name, n);
	dump_n += n;
	u32(0xc3c3c3c3);
}

static void moved(uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	u32(1);
	u32(64);
	u64(time);
	u32(7);
	u32(7);
	u64(to);
	u64(from);
	u64(to);
	u64(size);
	u64(0);
}

static void unknown(void)
{
	u32(99);
	u32(24);
	u64(0);
	u64(0);
}

static void dump_all(void)
{
	dump_begin();
	load(100, 0x1000, 0x100, "old");
	unknown();
	load(200, 0x1000, 0x80, "new");
	moved(300, 0x1000, 0x5000, 0x80);
	load(400, 0x9000, 0x10, "last");
}

TEST(jitdump)
{
	static const struct {
		uint64_t at, time;
		const char *want;
	} rows[] = {
		{ 0x1000, 99, NULL },		{ 0x1000, 100, "old" },
		{ 0x1000, 199, "old" },		{ 0x1000, 200, "new" },
		{ 0x10ff, 200, "old" },		{ 0x1000, OP_JIT_NOW, "new" },
		{ 0x5000, 299, NULL },		{ 0x5000, 300, "new" },
		{ 0x507f, OP_JIT_NOW, "new" },	{ 0x5080, OP_JIT_NOW, NULL },
		{ 0x9000, OP_JIT_NOW, "last" },
	};
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_jit j = { .mem = &mem };

	dump_all();
	CHECK_EQ(op_jit_dump(&j, op_view(dump, dump_n), &err), OP_OK);
	op_jit_finish(&j);
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(name_at(&j, rows[i].at, rows[i].time), rows[i].want);
	op_arena_free(&mem);
}

/* What is cut off gives what was there before. */
TEST(jitdump_cut)
{
	dump_all();
	for (size_t n = 0; n < dump_n; n++) {
		uint8_t *copy = malloc(n + 1);
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_jit j = { .mem = &mem };

		memcpy(copy, dump, n);
		CHECK_EQ(op_jit_dump(&j, op_view(copy, n), &err),
			 n < 40 ? OP_EFORMAT : OP_OK);
		op_jit_finish(&j);
		CHECK(n < 200 || name_at(&j, 0x1000, 100));
		CHECK(!name_at(&j, 0x9000, OP_JIT_NOW));
		op_arena_free(&mem);
		free(copy);
	}
}

TEST(jitdump_lies)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_jit j = { .mem = &mem };
	uint32_t v = 0;

	dump_begin();
	load(1, 1, UINT64_MAX, "past the end");
	load(1, 0x1000, 16, "");
	moved(2, 0x7777, 0x8888, 8);
	memcpy(dump + 8, &v, 4);
	CHECK_EQ(op_jit_dump(&j, op_view(dump, dump_n), &err), OP_EFORMAT);
	CHECK_EQ(err.at, 8);
	err = (struct op_err){ 0 };
	v = 40;
	memcpy(dump + 8, &v, 4);
	CHECK_EQ(op_jit_dump(&j, op_view(dump, dump_n), &err), OP_OK);
	CHECK_EQ(j.codes.n, 0);
	CHECK_EQ(j.nr_skipped, 3);
	v = 0; /* a record of no bytes */
	memcpy(dump + 44, &v, 4);
	CHECK_EQ(op_jit_dump(&j, op_view(dump, dump_n), &err), OP_OK);
	op_arena_free(&mem);
}

TEST(without_memory)
{
	dump_all();
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_jit j = { .mem = &mem };

		op_jit_dump(&j, op_view(dump, dump_n), &err);
		op_jit_perf_map(&j, op_view_z("1 1 a\n"), &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_arena_free(&mem);
	}
}

/* --- files --- */

static char folder[64];

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	CHECK(f);
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void make(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK(!mkdir(path, 0700));
}

static int try_map(const struct op_jit_place *at)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err, .limit = 1 << 20 };

	op_jit_map_read(at, &out);
	op_buf_free(&out);
	return err.sys;
}

/* It began 6000 seconds after 1970: another time is another process, and a file
 * from before is that of another one. */
static void check_start(struct op_jit_place *at)
{
	char path[100];
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW },
				     { .tv_sec = 6001 } };

	at->since_ns = UINT64_C(6001500000000);
	CHECK_EQ(try_map(at), 0);
	at->since_ns = UINT64_C(6003000000000);
	CHECK_EQ(try_map(at), ESRCH);
	at->since_ns = UINT64_C(5997000000000);
	CHECK_EQ(try_map(at), ESRCH);
	at->since_ns = 0;
	snprintf(path, sizeof(path), "%s/42/root/tmp/perf-7.map", folder);
	CHECK(!utimensat(AT_FDCWD, path, times, 0));
	CHECK_EQ(try_map(at), 0);
	times[1].tv_sec = 5997;
	CHECK(!utimensat(AT_FDCWD, path, times, 0));
	CHECK_EQ(try_map(at), ESTALE);
}

/* A process that has number 42 here and 7 in its container, and began 1000
 * seconds after the machine. */
TEST(other_namespace)
{
	static const char map[] = "1000 10 a\n2000 10 b\n";
	struct op_jit_place at = { .proc = folder, .pid = 42 };
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err, .limit = 1 << 20 };
	char text[100];

	snprintf(folder, sizeof(folder), "/tmp/otprof-jit-XXXXXX");
	CHECK(mkdtemp(folder));
	make("42");
	make("42/root");
	make("42/root/tmp");
	put("42/status", "Name:\tx\nPid:\t42\nNSpid:\t42\t7\nVmPeak:\t1 kB\n");
	snprintf(text, sizeof(text),
		 "42 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "
		 "%ld 20\n",
		 1000 * sysconf(_SC_CLK_TCK));
	put("42/stat", text);
	put("stat", "cpu 1 2\nbtime 5000\nprocesses 3\n");
	put("42/root/tmp/perf-7.map", map);
	CHECK_EQ(op_jit_map_read(&at, &out), OP_OK);
	CHECK(op_view_is(op_view(out.p, out.n), map));
	out.n = 0;
	out.limit = 15;
	at.before_ns = UINT64_C(6000000000000);
	CHECK_EQ(op_jit_map_read(&at, &out), OP_OK);
	CHECK_EQ(out.n, 15);
	at.before_ns = UINT64_C(5998000000000);
	CHECK_EQ(op_jit_map_read(&at, &out), OP_EIO);
	CHECK_EQ(err.sys, ESRCH);
	err = (struct op_err){ 0 };
	at.before_ns = 0;
	check_start(&at);
	put("42/status", "Name:\tx\n");
	CHECK_EQ(op_jit_map_read(&at, &out), OP_EIO);
	CHECK_EQ(err.sys, ENOENT);
	op_buf_free(&out);
	snprintf(text, sizeof(text), "rm -r %s", folder);
	CHECK_EQ(system(text), 0);
}

static int read_map(struct op_jit_place at)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err, .limit = 1 << 20 };
	int code = op_jit_map_read(&at, &out);

	CHECK(code ? out.n == 0 : out.n == 9);
	op_buf_free(&out);
	return code ? err.sys : 0;
}

/* Everybody may make files in /tmp, and whoever made one chooses the names. */
TEST(trust)
{
	struct op_jit_place at = { .proc = folder, .tmp = folder, .pid = 43 };
	char path[100], text[300];

	snprintf(folder, sizeof(folder), "/tmp/otprof-jit-XXXXXX");
	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf-43.map", folder);
	CHECK_EQ(read_map(at), ENOENT);
	put("perf-43.map", "10 10 ab\n");
	CHECK(!chmod(path, 0644));
	CHECK_EQ(read_map(at), 0);
	CHECK(!chmod(path, 0664));
	CHECK_EQ(read_map(at), EPERM);
	CHECK(!chmod(path, 0646));
	CHECK_EQ(read_map(at), EPERM);
	CHECK(!chmod(path, 0644));
	/* Another user's is his word about his own processes only. */
	if (!chown(path, 12345, 12345)) {
		CHECK_EQ(read_map(at), EPERM);
		make("43");
		make("43/root");
		make("43/root/tmp");
		snprintf(text, sizeof(text), "mv %s %s/43/root/tmp/", path,
			 folder);
		CHECK_EQ(system(text), 0);
		CHECK_EQ(read_map(at), EPERM);
		snprintf(text, sizeof(text), "%s/43", folder);
		CHECK(!chown(text, 12345, 12345));
		CHECK_EQ(read_map(at), 0);
	}
	put("perf-44.map", "10 10 ab\n");
	/* Of a process that is gone, and started later than the file. */
	at.pid = 44;
	CHECK_EQ(read_map(at), 0);
	at.since_ns = (uint64_t)time(NULL) * 1000000000;
	CHECK_EQ(read_map(at), 0);
	at.since_ns += UINT64_C(60000000000);
	CHECK_EQ(read_map(at), ESTALE);
	at.since_ns = 0;
	snprintf(path, sizeof(path), "%s/perf-45.map", folder);
	CHECK(!symlink("perf-44.map", path));
	at.pid = 45;
	CHECK_EQ(read_map(at), EINVAL);
	snprintf(path, sizeof(path), "%s/perf-46.map", folder);
	CHECK(!mkfifo(path, 0600));
	at.pid = 46;
	CHECK_EQ(read_map(at), EINVAL);
	snprintf(text, sizeof(text), "rm -r %s", folder);
	CHECK_EQ(system(text), 0);
}

TEST_MAIN(perf_map, jitdump, jitdump_cut, jitdump_lies, without_memory,
	  other_namespace, trust)
