// SPDX-License-Identifier: Apache-2.0
/* Telling reports from other bytes, and what records they have. */
#include "base/buf.h"
#include "fmt/format.h"
#include "test.h"

#define F (&op_format_simpleperf)
#define HEAD "SIMPLEPERF\1\0"

TEST(sniffed)
{
	CHECK_EQ(F->sniff(op_view(HEAD, 12)), 100);
	CHECK_EQ(F->sniff(op_view("SIMPLEPERF", 10)), 100);
	CHECK_EQ(F->sniff(op_view("SIMPLEPER", 9)), 0);
	CHECK_EQ(F->sniff(op_view("simpleperf\1\0", 12)), 0);
	CHECK_EQ(F->sniff(op_view("", 0)), 0);
}

static void add(void *ctx, struct op_view kind, uint64_t nr, uint64_t bytes)
{
	op_buf_printf(ctx, "%.*s %d %d\n", (int)kind.n, (const char *)kind.p,
		      (int)nr, (int)bytes);
}

/* What is counted in so many bytes of a report. */
static void check_info(const char *report, size_t n, const char *want)
{
	struct op_err err = { 0 };
	struct op_buf said = { .err = &err };

	CHECK_EQ(F->info(op_view(report, n), add, &said, &err), OP_OK);
	op_buf_byte(&said, 0);
	CHECK_STR((char *)said.p, want);
	op_buf_free(&said);
}

/* A record is its size, which counts too, and a message of one field. */
#define LOST "\4\0\0\0\x12\2\x08\1"
#define THREAD "\4\0\0\0\x22\2\x08\1"
#define END "\0\0\0\0"

TEST(counted)
{
	static const char report[] = HEAD LOST THREAD LOST END;

	check_info(report, sizeof(report) - 1,
		   "LostSituation 2 16\nThread 1 8\n");
	check_info(report, 12, "");
	/* As far as it can be read. */
	check_info(report, sizeof(report) - 7,
		   "LostSituation 1 8\nThread 1 8\n");
}

TEST(of_another_version)
{
	struct op_err err = { 0 };
	struct op_buf said = { .err = &err };

	CHECK(F->info(op_view("SIMPLEPERF\7\0", 12), add, &said, &err));
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK_EQ(said.n, 0);
	op_buf_free(&said);
}

TEST_MAIN(sniffed, counted, of_another_version)
