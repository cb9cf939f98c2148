// SPDX-License-Identifier: Apache-2.0
/* The unit tests' harness. A test program is functions and one TEST_MAIN:
 *
 *	TEST(rows) { CHECK_EQ(1 + 1, 2); }
 *	TEST(oom) { EACH_ALLOC_FAILS(k) { ... } }
 *	TEST_MAIN(rows, oom)
 *
 * It prints "ok FILE/NAME", "not ok FILE/NAME: first failed check" or "skip
 * FILE/NAME: why" a case and tells of every failed check on stderr. Arguments
 * pick cases by name.
 */
#ifndef OP_TESTS_TEST_H
#define OP_TESTS_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

static int test_failed;		 /* checks that failed so far */
static char test_why[200];	 /* the first of this case */
static const char *test_skipped; /* why this case cannot be run */

#define TEST(name) static void name(void)

#define TEST_FAIL(...)                                                     \
	do {                                                               \
		if (!test_why[0])                                          \
			snprintf(test_why, sizeof(test_why), __VA_ARGS__); \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);            \
		fprintf(stderr, __VA_ARGS__);                              \
		fputc('\n', stderr);                                       \
		test_failed++;                                             \
	} while (0)

/* Ends a case that cannot be run here. */
#define TEST_SKIP(why)              \
	do {                        \
		test_skipped = why; \
		return;             \
	} while (0)

#define CHECK(cond)                                                \
	do {                                                       \
		if (!(cond))                                       \
			TEST_FAIL("line %d: %s", __LINE__, #cond); \
	} while (0)

/* Integers, compared as 64 bits. */
#define CHECK_EQ(a, b)                                                       \
	do {                                                                 \
		long long a_ = (long long)(a), b_ = (long long)(b);          \
		if (a_ != b_)                                                \
			TEST_FAIL("line %d: %s is %lld, not %lld", __LINE__, \
				  #a, a_, b_);                               \
	} while (0)

/* Strings; NULL equals only NULL. */
#define CHECK_STR(a, b)                                                      \
	do {                                                                 \
		const char *a_ = (a), *b_ = (b);                             \
		if (a_ != b_ && (!a_ || !b_ || strcmp(a_, b_)))              \
			TEST_FAIL("line %d: %s is \"%.40s\", not \"%.40s\"", \
				  __LINE__, #a, a_ ? a_ : "(null)",          \
				  b_ ? b_ : "(null)");                       \
	} while (0)

/* Runs its body with the k-th allocation failing, for k = 1, 2, ... up to and
 * with the round in which there were fewer than k. */
#define EACH_ALLOC_FAILS(k) for (long k = 1; test_alloc_round(k); k++)

static inline bool test_alloc_round(long k)
{
	bool again = k == 1 || op_alloc_failed();

	op_alloc_fail_at(again ? k : 0);
	return again;
}

/* Runs one case. name begins a list "a, b, ..."; file is its __FILE__. */
static inline void test_case(void (*run)(void), const char *file,
			     const char *name, char **only)
{
	const char *dir = strstr(file, "tests/");
	const char *end = strstr(file, "_test.c");
	size_t n = strcspn(name, ", ");
	char id[200];

	file = dir ? strchr(dir, '/') + 1 : file;
	file += strncmp(file, "unit/", 5) ? 0 : 5;
	snprintf(id, sizeof(id), "%.*s/%.*s",
		 (int)(end ? (size_t)(end - file) : strlen(file)), file, (int)n,
		 name);
	while (*only && (strlen(*only) != n || memcmp(*only, name, n)))
		if (!*++only)
			return;
	test_why[0] = 0;
	test_skipped = NULL;
	run();
	op_alloc_fail_at(0);
	if (test_why[0])
		printf("not ok %s: %s\n", id, test_why);
	else if (test_skipped)
		printf("skip %s: %s\n", id, test_skipped);
	else
		printf("ok %s\n", id);
	fflush(stdout);
}

#define TEST_MAIN(...)                                                        \
	int main(int argc, char **argv)                                       \
	{                                                                     \
		static void (*const tests[])(void) = { __VA_ARGS__ };         \
		const char *name = #__VA_ARGS__;                              \
		(void)argc;                                                   \
		for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) { \
			test_case(tests[i], __FILE__, name, argv + 1);        \
			name += strcspn(name, ",");                           \
			name += strspn(name, ", ");                           \
		}                                                             \
		return test_failed != 0;                                      \
	}

#endif
