// SPDX-License-Identifier: Apache-2.0
#include "agent/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "test.h"

/* Two pages, of which the second cannot be read. */
static uint8_t *half_readable(void)
{
	uint8_t *p = mmap(NULL, 2 * OP_MEMORY_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK_EQ(mprotect(p + OP_MEMORY_PAGE, OP_MEMORY_PAGE, PROT_NONE), 0);
	return p;
}

TEST(copy)
{
	uint8_t *p = half_readable(), out[16] = { 0 };

	memset(p + OP_MEMORY_PAGE - 16, 7, 16);
	CHECK(op_memory_copy((uintptr_t)p + OP_MEMORY_PAGE - 16, out, 16));
	CHECK_EQ(out[15], 7);
	CHECK(!op_memory_copy((uintptr_t)p + OP_MEMORY_PAGE - 8, out, 16));
	CHECK(!op_memory_copy(0, out, 1));
	CHECK(!op_memory_copy(UINT64_MAX - 3, out, 8));
	munmap(p, 2 * OP_MEMORY_PAGE);
}

TEST(numbers)
{
	static struct op_memory m;
	_Alignas(OP_MEMORY_PAGE) static uint8_t pages[2 * OP_MEMORY_PAGE];
	uint64_t v;

	for (int i = 0; i < 2 * OP_MEMORY_PAGE; i++)
		pages[i] = (uint8_t)i;
	op_memory_reset(&m);
	CHECK(op_memory_read(&m, (uintptr_t)pages + 1, 8, &v));
	CHECK_EQ(v, 0x0807060504030201);
	CHECK(op_memory_read(&m, (uintptr_t)pages + 8, 8, &v));
	CHECK_EQ(v, 0x0f0e0d0c0b0a0908);
	CHECK(op_memory_read(&m, (uintptr_t)pages + 255, 1, &v));
	CHECK_EQ(v, 255);
	/* Over the border of two pages. */
	CHECK(op_memory_read(&m, (uintptr_t)pages + OP_MEMORY_PAGE - 4, 8, &v));
	CHECK_EQ(v, 0x03020100fffefdfc);
}

TEST(pages_are_kept_until_reset)
{
	static struct op_memory m;
	static volatile uint64_t word = 1;
	uint64_t v;

	op_memory_reset(&m);
	CHECK(op_memory_read(&m, (uintptr_t)&word, 8, &v) && v == 1);
	word = 2;
	CHECK(op_memory_read(&m, (uintptr_t)&word, 8, &v) && v == 1);
	op_memory_reset(&m);
	CHECK(op_memory_read(&m, (uintptr_t)&word, 8, &v) && v == 2);
}

TEST(not_readable)
{
	static struct op_memory m;
	uint8_t *p = half_readable();
	uint64_t v;

	op_memory_reset(&m);
	CHECK(!op_memory_read(&m, (uintptr_t)p + OP_MEMORY_PAGE - 4, 8, &v));
	CHECK(op_memory_read(&m, (uintptr_t)p + OP_MEMORY_PAGE - 8, 8, &v));
	CHECK(!op_memory_read(&m, (uintptr_t)p + OP_MEMORY_PAGE, 8, &v));
	CHECK(!op_memory_read(&m, 0, 8, &v));
	CHECK(!op_memory_read(&m, UINT64_MAX - 3, 8, &v));
	munmap(p, 2 * OP_MEMORY_PAGE);
}

/* Of what a limit leaves an eighth. */
TEST(room)
{
	struct rlimit before, limit;

	CHECK(op_memory_has_room(UINT64_MAX));
	CHECK_EQ(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)1 << 46;
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	CHECK(op_memory_has_room((uint64_t)1 << 40));
	CHECK(!op_memory_has_room((uint64_t)1 << 43));
	limit.rlim_cur = 4096;
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	CHECK(!op_memory_has_room(1));
	CHECK_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

TEST_MAIN(copy, numbers, pages_are_kept_until_reset, not_readable, room)
