// SPDX-License-Identifier: Apache-2.0
#include "fmt/source.h"

#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

static struct op_source file_of(const char *text)
{
	struct op_source s = { .n = strlen(text),
			       .fd = memfd_create("source", 0) };

	CHECK_EQ(write(s.fd, text, s.n), s.n);
	return s;
}

TEST(of_memory_it_is_a_view)
{
	struct op_view all = op_view_z("a profile");
	struct op_source s = op_source(all);
	struct op_buf room = { 0 };
	struct op_err err = { 0 };
	struct op_view v = op_source_part(&s, 2, 7, &room, &err);

	CHECK(v.p == all.p + 2 && v.n == 7);
	CHECK(!room.p);
	CHECK_EQ(err.code, OP_OK);
}

TEST(of_a_file_it_is_in_the_room)
{
	struct op_source s = file_of("a profile");
	struct op_buf room = { 0 };
	struct op_err err = { 0 };
	struct op_view v = op_source_part(&s, 2, 7, &room, &err);

	CHECK(op_view_is(v, "profile") && v.p == room.p);
	v = op_source_part(&s, 0, 1, &room, &err);
	CHECK(op_view_is(v, "a") && v.p == room.p);
	v = op_source_part(&s, 0, 9, &room, &err);
	CHECK(op_view_is(v, "a profile") && v.p == room.p);
	CHECK_EQ(err.code, OP_OK);
	op_buf_free(&room);
	close(s.fd);
}

TEST(the_file_becomes_shorter)
{
	struct op_source s = file_of("a profile");
	struct op_buf room = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(ftruncate(s.fd, 4), 0);
	CHECK(!op_source_part(&s, 2, 7, &room, &err).n);
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK(err.has_at && err.at == 4);
	CHECK(strstr(err.text, "shorter"));
	op_buf_free(&room);
	close(s.fd);
}

TEST(the_file_cannot_be_read)
{
	struct op_source s = { .n = 8, .fd = -1 };
	struct op_buf room = { 0 };
	struct op_err err = { 0 };

	CHECK(!op_source_part(&s, 0, 8, &room, &err).n);
	CHECK_EQ(err.code, OP_EIO);
	op_buf_free(&room);
}

TEST_MAIN(of_memory_it_is_a_view, of_a_file_it_is_in_the_room,
	  the_file_becomes_shorter, the_file_cannot_be_read)
