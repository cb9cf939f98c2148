// SPDX-License-Identifier: Apache-2.0
/* The functions under names of their own, against those of the C library. */
#include "test.h"

#undef memcpy
#undef memmove
#undef memset
#define memcpy agent_memcpy
#define memmove agent_memmove
#define memset agent_memset
#include "agent/bytes_x86_64.c"

enum { ROOM = 80 };

static void fill(char *p)
{
	for (int i = 0; i < ROOM; i++)
		p[i] = (char)(i * 7 + 1);
}

TEST(copies)
{
	char from[ROOM], to[ROOM], want[ROOM];

	for (size_t n = 0; n < ROOM; n++) {
		fill(from);
		for (int i = 0; i < ROOM; i++)
			to[i] = want[i] = (char)-i;
		for (size_t i = 0; i < n; i++)
			want[i] = from[i];
		CHECK(agent_memcpy(to, from, n) == to);
		CHECK(!memcmp(to, want, ROOM));
	}
}

TEST(moves)
{
	char got[ROOM], from[ROOM], want[ROOM];

	fill(from);
	for (size_t a = 0; a < 40; a++)
		for (size_t b = 0; b < 40; b++)
			for (size_t n = 0; n <= 40; n += 5) {
				fill(got);
				fill(want);
				for (size_t i = 0; i < n; i++)
					want[a + i] = from[b + i];
				CHECK(agent_memmove(got + a, got + b, n) ==
				      got + a);
				CHECK(!memcmp(got, want, ROOM));
			}
}

TEST(sets)
{
	char got[ROOM], want[ROOM];

	for (size_t n = 0; n < ROOM; n++) {
		fill(got);
		fill(want);
		for (size_t i = 0; i < n; i++)
			want[i] = (char)0x1fe;
		CHECK(agent_memset(got, 0x1fe, n) == got);
		CHECK(!memcmp(got, want, ROOM));
	}
}

TEST_MAIN(copies, moves, sets)
