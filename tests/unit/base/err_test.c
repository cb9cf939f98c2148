// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"

#include <errno.h>

#include "test.h"

TEST(records)
{
	struct op_err err = { 0 };

	CHECK_EQ(op_fail(&err, OP_EFORMAT, "row %d of %s", 3, "it"),
		 OP_EFORMAT);
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK(!strcmp(err.text, "row 3 of it"));
	CHECK(!err.has_at);
	CHECK_EQ(err.sys, 0);
}

/* Byte 0 is a place too: has_at tells it from none. */
TEST(records_a_place)
{
	struct op_err err = { 0 };

	CHECK_EQ(op_fail_at(&err, OP_ELIMIT, 0, "x"), OP_ELIMIT);
	CHECK(err.has_at);
	CHECK_EQ(err.at, 0);
	err = (struct op_err){ 0 };
	op_fail_at(&err, OP_EFORMAT, UINT64_MAX, "y");
	CHECK(err.at == UINT64_MAX);
}

TEST(records_errno)
{
	static const struct {
		const char *name;
		int sys, code;
	} rows[] = {
		{ "no such file", ENOENT, OP_EIO },
		{ "no access", EACCES, OP_EIO },
		{ "memory is not the input's fault", ENOMEM, OP_ENOMEM },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		int before = test_failed;

		errno = rows[i].sys;
		CHECK_EQ(op_fail_sys(&err, "%s", "a file"), rows[i].code);
		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(err.sys, rows[i].sys);
		CHECK(!strcmp(err.text, "a file"));
		CHECK(!err.has_at);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* Whatever kind comes second, nothing of the first changes. */
TEST(first_failure_wins)
{
	struct op_err err = { 0 }, was;

	op_fail_at(&err, OP_EFORMAT, 12, "first");
	was = err;
	errno = ENOENT;
	CHECK_EQ(op_fail(&err, OP_ENOMEM, "second"), OP_EFORMAT);
	CHECK_EQ(op_fail_at(&err, OP_ELIMIT, 99, "third"), OP_EFORMAT);
	CHECK_EQ(op_fail_sys(&err, "fourth"), OP_EFORMAT);
	CHECK(!memcmp(&err, &was, sizeof(err)));
	err = (struct op_err){ 0 };
	op_fail(&err, OP_EUSAGE, "first");
	op_fail_at(&err, OP_EFORMAT, 3, "second");
	CHECK(!err.has_at);
	CHECK_EQ(err.at, 0);
}

TEST(long_text_is_cut)
{
	struct op_err err = { 0 };
	char text[500];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	op_fail(&err, OP_EFORMAT, "%s", text);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
	CHECK_EQ(err.code, OP_EFORMAT);
}

TEST_MAIN(records, records_a_place, records_errno, first_failure_wins,
	  long_text_is_cut)
