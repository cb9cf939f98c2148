// SPDX-License-Identifier: Apache-2.0
#include "sym/tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "write/folder.h"

static struct op_tables tables;
static struct op_err err;

/* This program, which has a table. */
static int self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* A copy of it as a file of its own. */
static int copy(const struct folder *f, const char *name)
{
	int from = self(), to;
	static char bytes[1 << 16];
	ssize_t n;

	to = open(folder_path(f, name), O_RDWR | O_CREAT | O_TRUNC, 0600);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		CHECK(write(to, bytes, (size_t)n) == n);
	close(from);
	return to;
}

static void begin(size_t max_bytes)
{
	tables = (struct op_tables){ .max_bytes = max_bytes };
	err = (struct op_err){ 0 };
}

TEST(shared)
{
	const struct op_file_table *a, *b;
	const struct op_rule *rule;
	struct op_unwind_table checked;
	int fd = self();

	begin(64 << 20);
	a = op_tables_get_fd(&tables, fd, &err);
	b = op_tables_get_fd(&tables, fd, &err);
	CHECK(a && a == b && a->block.n);
	CHECK_EQ(a->nr_users, 2);
	CHECK_EQ(tables.nr_made, 1);
	CHECK(!op_unwind_table_open(&checked, a->block, &err));
	CHECK_EQ(op_unwind_find(&a->table, a->table.head->base, &rule),
		 OP_FOUND);
	op_tables_share(a);
	op_tables_put(&tables, a);
	op_tables_put(&tables, a);
	op_tables_put(&tables, b);
	op_tables_put(&tables, NULL);
	/* Without users it is still there. */
	CHECK(op_tables_get_fd(&tables, fd, &err) == a);
	CHECK_EQ(tables.nr_made, 1);
	op_tables_fini(&tables);
	close(fd);
}

/* With room for two: the one that was not used longest goes. */
TEST(limit)
{
	const struct op_file_table *a, *b, *c;
	struct folder f;
	int fds[3];
	size_t each;

	folder_make(&f);
	fds[0] = copy(&f, "a");
	fds[1] = copy(&f, "b");
	fds[2] = copy(&f, "c");
	begin(64 << 20);
	a = op_tables_get_fd(&tables, fds[0], &err);
	CHECK(a && a->block.n);
	each = tables.bytes;
	op_tables_put(&tables, a);
	tables.max_bytes = 2 * each + each / 2;
	b = op_tables_get_fd(&tables, fds[1], &err);
	op_tables_put(&tables, b);
	CHECK(op_tables_get_fd(&tables, fds[0], &err) == a);
	op_tables_put(&tables, a);
	c = op_tables_get_fd(&tables, fds[2], &err);
	CHECK(c && c->block.n);
	CHECK_EQ(tables.bytes, 2 * each);
	CHECK(op_tables_get_fd(&tables, fds[0], &err) == a);
	CHECK_EQ(tables.nr_made, 3);
	/* Both have users: there is no room for a third. */
	b = op_tables_get_fd(&tables, fds[1], &err);
	CHECK(b && !b->block.n);
	CHECK_EQ(tables.nr_refused, 1);
	CHECK(tables.bytes <= tables.max_bytes);
	CHECK_EQ(err.code, 0);
	op_tables_fini(&tables);
	CHECK_EQ(tables.bytes, 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	folder_remove(&f);
}

/* A file that was written anew has another table; one that is no binary has
 * none, which is remembered. */
TEST(changed)
{
	const struct op_file_table *a, *b;
	struct folder f;
	int fd;

	folder_make(&f);
	fd = copy(&f, "a");
	begin(64 << 20);
	a = op_tables_get_fd(&tables, fd, &err);
	CHECK(a && a->block.n);
	CHECK(!ftruncate(fd, 10));
	b = op_tables_get_fd(&tables, fd, &err);
	CHECK(b && b != a && !b->block.n);
	CHECK(op_tables_get_fd(&tables, fd, &err) == b);
	CHECK_EQ(err.code, 0);
	close(fd);
	CHECK(!op_tables_get_fd(&tables, fd, &err) && err.code == OP_EIO);
	err.code = 0;
	fd = open(f.path, O_RDONLY | O_CLOEXEC);
	CHECK(!op_tables_get_fd(&tables, fd, &err) && err.code == OP_EUSAGE);
	close(fd);
	op_tables_fini(&tables);
	folder_remove(&f);
}

/* Files that come and go take no memory for ever. */
static bool nothing(void *arg, struct op_arena *mem, struct op_elf *out)
{
	(void)arg;
	(void)mem;
	(void)out;
	return false;
}

TEST(memory_stays)
{
	begin(20000);
	for (uint64_t i = 0; i < 20000; i++) {
		struct op_file_key key = { .ino = i };
		const struct op_file_table *a = op_tables_get(
			&tables, &key, nothing, NULL, &err);

		CHECK(a && !a->block.n);
		op_tables_put(&tables, a);
		CHECK(tables.bytes <= 20000);
	}
	CHECK(tables.rows.n < 300);
	CHECK(tables.mem.used < 100000);
	op_tables_fini(&tables);
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_file_key key = { .ino = 1 };
		const struct op_file_table *a;

		begin(1 << 20);
		a = op_tables_get(&tables, &key, nothing, NULL, &err);
		CHECK_EQ(!a, op_alloc_failed());
		CHECK_EQ(err.code, a ? 0 : OP_ENOMEM);
		op_tables_fini(&tables);
	}
}

TEST_MAIN(shared, limit, changed, memory_stays, each_alloc_fails)
