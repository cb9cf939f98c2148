// SPDX-License-Identifier: Apache-2.0
#include "sym/kept.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/find.h"
#include "test.h"
#include "write/elf.h"

static struct op_err err;

/* A hash of 32 digits. */
static struct op_view hash(uint32_t i)
{
	static char text[33];

	snprintf(text, sizeof(text), "%032x", i);
	return op_view(text, 32);
}

static int file(const void *p, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, p, n), n);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static bool has(struct op_kept *k, uint32_t i)
{
	int fd = op_kept_open(k, hash(i));

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST(users)
{
	struct op_kept *k = op_kept_new(&err);
	int a = file("a", 1), b = file("b", 1), c = file("c", 1);

	CHECK(!has(k, 1));
	CHECK(op_kept_put(k, hash(1), a));
	CHECK(op_kept_put(k, hash(2), b));
	CHECK(op_kept_put(k, hash(1), c)); /* the same file again */
	CHECK(is_open(a) && is_open(b) && !is_open(c));
	CHECK_EQ(op_kept_nr(k), 2);
	op_kept_gone(k, hash(1));
	op_kept_window(k);
	op_kept_window(k);
	CHECK(has(k, 1) && has(k, 2));
	op_kept_gone(k, hash(1));
	op_kept_gone(k, hash(1)); /* once more than there were */
	CHECK(has(k, 1));
	op_kept_window(k); /* its last samples are in this window */
	CHECK(has(k, 1));
	op_kept_window(k);
	CHECK(!has(k, 1) && has(k, 2));
	CHECK(!is_open(a));
	op_kept_free(k);
	CHECK(!is_open(b));
	op_kept_free(NULL);
}

/* One that comes back is not closed. */
TEST(back_again)
{
	struct op_kept *k = op_kept_new(&err);

	CHECK(op_kept_put(k, hash(1), file("a", 1)));
	op_kept_gone(k, hash(1));
	op_kept_window(k);
	CHECK(op_kept_put(k, hash(1), file("a", 1)));
	op_kept_window(k);
	op_kept_window(k);
	CHECK(has(k, 1));
	op_kept_free(k);
}

TEST(limit)
{
	struct op_kept *k = op_kept_new(&err);
	int more = file("x", 1);

	for (uint32_t i = 0; i < OP_KEPT_MAX; i++)
		CHECK(op_kept_put(k, hash(i), file("a", 1)));
	CHECK(!op_kept_put(k, hash(1000), more));
	CHECK(!is_open(more));
	CHECK(!has(k, 1000));
	op_kept_gone(k, hash(7));
	op_kept_window(k);
	op_kept_gone(k, hash(5));
	CHECK(op_kept_put(k, hash(1000), file("x", 1)));
	CHECK(has(k, 1000) && has(k, 5) && !has(k, 7));
	CHECK_EQ(op_kept_nr(k), OP_KEPT_MAX);
	op_kept_free(k);
}

TEST(no_hash)
{
	struct op_kept *k = op_kept_new(&err);

	CHECK(!op_kept_put(k, op_view("", 0), file("a", 1)));
	CHECK(!op_kept_put(k, op_view("abc", 3), file("a", 1)));
	CHECK_EQ(op_kept_open(k, op_view("", 0)), -1);
	op_kept_gone(k, op_view("abc", 3));
	CHECK_EQ(op_kept_nr(k), 0);
	op_kept_free(k);
}

/* The file is used only if it has the build ID of the profile. */
TEST(found)
{
	static struct elf f;
	struct op_kept *k = op_kept_new(&err);
	struct op_find how = { .root = "", .dirs = "", .kept = k };
	struct op_wanted w = { .path = op_view_z("/none/such"),
			       .ids = { .gnu = op_view_z("aabbccdd"),
					.htlhash = op_view_z("00000000000000"
							     "00000000000000"
							     "0001") } };
	struct op_found out;

	elf_start(&f, true);
	elf_build_id(&f, op_view("\xaa\xbb\xcc\xdd", 4));
	elf_finish(&f);
	CHECK_EQ(op_find_binary(&how, &w, &out), OP_FIND_NO_FILE);
	CHECK(op_kept_put(k, hash(1), file(elf_view(&f).p, elf_view(&f).n)));
	CHECK_EQ(op_find_binary(&how, &w, &out), OP_FIND_OK);
	CHECK(out.is_kept);
	CHECK_STR(out.path, "");
	op_found_close(&out);
	w.ids.gnu = op_view_z("aabbccde");
	CHECK_EQ(op_find_binary(&how, &w, &out), OP_FIND_OTHER_BUILD);
	CHECK(!out.is_kept);
	op_kept_gone(k, hash(1));
	op_kept_window(k);
	op_kept_window(k);
	CHECK(op_kept_put(k, hash(1), file("no ELF file", 11)));
	CHECK_EQ(op_find_binary(&how, &w, &out), OP_FIND_BROKEN);
	op_kept_free(k);
}

TEST(without_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_kept *kept;

		err = (struct op_err){ 0 };
		kept = op_kept_new(&err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(!kept, op_alloc_failed());
		op_kept_free(kept);
	}
}

TEST_MAIN(users, back_again, limit, no_hash, found, without_memory)
