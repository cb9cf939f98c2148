// SPDX-License-Identifier: Apache-2.0
#include "rpc/retry.h"

#include "test.h"
#include "write/wire.h"

static const uint64_t second = 1000000000;

/* --- which --- */

static bool is_retried(int status)
{
	return status == 429 || (status >= 502 && status <= 504);
}

TEST(http_statuses)
{
	CHECK_EQ(op_http_verdict(0), OP_VERDICT_RETRY);
	for (int status = 100; status < 700; status++) {
		enum op_verdict want = OP_VERDICT_REFUSED;

		if (status < 200 || is_retried(status))
			want = OP_VERDICT_RETRY;
		else if (status / 100 == 2)
			want = OP_VERDICT_DONE;
		if (op_http_verdict(status) != want)
			TEST_FAIL("status %d", status);
	}
}

static const struct {
	int code;
	const char *name;
	enum op_verdict verdict;
} codes[] = {
	{ 0, "OK", OP_VERDICT_DONE },
	{ 1, "CANCELLED", OP_VERDICT_RETRY },
	{ 2, "UNKNOWN", OP_VERDICT_REFUSED },
	{ 3, "INVALID_ARGUMENT", OP_VERDICT_REFUSED },
	{ 4, "DEADLINE_EXCEEDED", OP_VERDICT_RETRY },
	{ 5, "NOT_FOUND", OP_VERDICT_REFUSED },
	{ 6, "ALREADY_EXISTS", OP_VERDICT_REFUSED },
	{ 7, "PERMISSION_DENIED", OP_VERDICT_REFUSED },
	{ 8, "RESOURCE_EXHAUSTED", OP_VERDICT_REFUSED },
	{ 9, "FAILED_PRECONDITION", OP_VERDICT_REFUSED },
	{ 10, "ABORTED", OP_VERDICT_RETRY },
	{ 11, "OUT_OF_RANGE", OP_VERDICT_RETRY },
	{ 12, "UNIMPLEMENTED", OP_VERDICT_REFUSED },
	{ 13, "INTERNAL", OP_VERDICT_REFUSED },
	{ 14, "UNAVAILABLE", OP_VERDICT_RETRY },
	{ 15, "DATA_LOSS", OP_VERDICT_RETRY },
	{ 16, "UNAUTHENTICATED", OP_VERDICT_REFUSED },
	{ 17, NULL, OP_VERDICT_REFUSED },
	{ -1, NULL, OP_VERDICT_REFUSED },
	{ 1000, NULL, OP_VERDICT_REFUSED },
};

TEST(grpc_codes)
{
	for (size_t i = 0; i < op_countof(codes); i++) {
		int code = codes[i].code;
		enum op_verdict with_delay = code == 8 ? OP_VERDICT_RETRY :
							 codes[i].verdict;

		CHECK_EQ(op_grpc_verdict(code, false), codes[i].verdict);
		CHECK_EQ(op_grpc_verdict(code, true), with_delay);
		CHECK_STR(op_grpc_name(code), codes[i].name);
	}
}

/* --- when --- */

enum { NOW = 784111777 }; /* Sun, 06 Nov 1994 08:49:37 GMT */

static const struct {
	const char *text;
	bool is_good;
	uint64_t seconds;
} afters[] = {
	{ "0", true, 0 },
	{ "7", true, 7 },
	{ "007", true, 7 },
	{ "3600", true, 3600 },
	{ "4294967295", true, UINT32_MAX },
	{ "4294967296", true, UINT32_MAX },
	{ "99999999999999999999999999999", true, UINT32_MAX },
	{ "Sun, 06 Nov 1994 08:49:47 GMT", true, 10 },
	{ "Sunday, 06-Nov-94 08:49:47 GMT", true, 10 },
	{ "Sun Nov  6 08:49:47 1994", true, 10 },
	{ "Sun Nov 06 08:49:47 1994", true, 10 },
	{ "Mon, 07 Nov 1994 08:49:37 GMT", true, 86400 },
	{ "Sun, 06 Nov 1994 08:49:36 GMT", true, 0 },
	{ "Thu, 01 Jan 1970 00:00:00 GMT", true, 0 },
	{ "Fri, 31 Dec 9999 23:59:59 GMT", true, UINT32_MAX },
	{ "Saturday, 06-Nov-04 08:49:37 GMT", true, 315619200 },
	{ "", false, 0 },
	{ " 7", false, 0 },
	{ "-7", false, 0 },
	{ "+7", false, 0 },
	{ "7s", false, 0 },
	{ "7.5", false, 0 },
	{ "soon", false, 0 },
	{ "Sun, 06 Nov 1994 08:49:37", false, 0 },
	{ "Sun, 06 Nov 1994 08:49:37 GMT and more", false, 0 },
	{ "Sun, 06 Nof 1994 08:49:37 GMT", false, 0 },
	{ "Sun, 36 Nov 1994 08:49:37 GMT", false, 0 },
	{ "Sun, 06 Nov 1994 24:49:37 GMT", false, 0 },
	{ "Sun, -6 Nov 1994 08:49:37 GMT", false, 0 },
	{ "Sun, 06 Nov 1994 08:49:37 CET", false, 0 },
	{ "Sun, 06 Nov 1969 08:49:37 GMT", false, 0 },
};

TEST(retry_after)
{
	for (size_t i = 0; i < op_countof(afters); i++) {
		struct op_view text = op_view_z(afters[i].text);
		uint64_t delay = 42;
		bool is_good = op_retry_after(text, NOW, &delay);

		if (is_good != afters[i].is_good ||
		    delay != (is_good ? afters[i].seconds * second : 42))
			TEST_FAIL("'%s': %d, %llu", afters[i].text, is_good,
				  (unsigned long long)delay);
	}
}

#define TYPE "1'type.googleapis.com/google.rpc.RetryInfo'"

static const struct {
	const char *status;
	bool is_found;
	uint64_t ns;
} infos[] = {
	{ "1:8 2'later' 3{" TYPE "2{1{1:3}}}", true, 3000000000 },
	{ "3{" TYPE "2{1{1:3 2:500000000}}}", true, 3500000000 },
	{ "3{2{1{2:7}}" TYPE "}", true, 7 },
	{ "3{1'x/google.rpc.Help' 2{1{1:9}}} 3{" TYPE "2{1{1:3}}}", true,
	  3000000000 },
	{ "3{" TYPE "2{1{}}}", true, 0 },
	{ "3{" TYPE "2{1{1:99999999999}}}", true, 4294967295000000000 },
	{ "", false, 0 },
	{ "1:8 2'later'", false, 0 },
	{ "3{" TYPE "}", false, 0 },
	{ "3{" TYPE "2{}}", false, 0 },
	{ "3{" TYPE "2{1{1:-1}}}", false, 0 },
	{ "3{" TYPE "2{1{1:1 2:-1}}}", false, 0 },
	{ "3{" TYPE "2{1{2:1000000000}}}", false, 0 },
	{ "3{1'type.googleapis.com/google.rpc.BadRequest' 2{1{1:3}}}", false,
	  0 },
	{ "3{1'RetryInfo' 2{1{1:3}}}", false, 0 },
	{ "3{" TYPE "2{1{1:3}}} =ff", false, 0 },
	{ "3{" TYPE "2{=0aff}}", false, 0 },
};

TEST(retry_info)
{
	for (size_t i = 0; i < op_countof(infos); i++) {
		struct wire w = { 0 };
		uint64_t ns = 42;
		bool is_found;

		wire_set(&w, infos[i].status);
		is_found = op_retry_info(wire_view(&w), &ns);
		if (is_found != infos[i].is_found ||
		    ns != (is_found ? infos[i].ns : 42))
			TEST_FAIL("'%s': %d, %llu", infos[i].status, is_found,
				  (unsigned long long)ns);
	}
}

/* --- backoff --- */

/* Each wait lies around its base, and they differ from seed to seed. */
TEST(backoff_grows)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint64_t seed = 0; seed < 200; seed++) {
		struct op_backoff b = { .random = seed,
					.most_ns = 3600 * second };
		uint64_t base = second, wait = 0;

		for (int i = 0; i < 15; i++) {
			CHECK(op_backoff_next(&b, 0, &wait));
			CHECK(wait >= base / 2 && wait <= base + base / 2);
			base += base / 2;
			if (base > 30 * second)
				base = 30 * second;
		}
		low = wait < low ? wait : low;
		high = wait > high ? wait : high;
	}
	CHECK(low < 17 * second && high > 43 * second);
}

TEST(backoff_ends)
{
	struct op_backoff b = { .random = 1 };
	uint64_t wait, all = 0;
	int tries = 0;

	while (op_backoff_next(&b, 0, &wait)) {
		all += wait;
		tries++;
	}
	CHECK(all <= 300 * second && all >= 250 * second);
	CHECK(tries > 8 && tries < 40);
	CHECK_EQ(b.spent_ns, all);
}

TEST(backoff_asked)
{
	struct op_backoff b = { .most_ns = 100 * second };
	uint64_t wait = 0;

	CHECK(op_backoff_next(&b, 10 * second, &wait));
	CHECK_EQ(wait, 10 * second);
	CHECK_EQ(b.next_ns, 15 * second);
	CHECK(op_backoff_next(&b, 40 * second, &wait));
	CHECK_EQ(wait, 30 * second);
	CHECK_EQ(b.next_ns, 30 * second);
	CHECK(op_backoff_next(&b, 1, &wait));
	CHECK_EQ(wait, second * 3 / 10);
	CHECK(op_backoff_next(&b, UINT64_MAX, &wait));
	CHECK_EQ(wait, 30 * second);
	CHECK(op_backoff_next(&b, 20 * second, &wait));
	CHECK(!op_backoff_next(&b, 10 * second, &wait));
	CHECK(op_backoff_next(&b, 9 * second, &wait));
}

TEST_MAIN(http_statuses, grpc_codes, retry_after, retry_info, backoff_grows,
	  backoff_ends, backoff_asked)
