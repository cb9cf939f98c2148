// SPDX-License-Identifier: Apache-2.0
/* tests/cli/agent_memory_new.cc: what a program in C++ allocates; see
 * agent_memory.c. */
#include <cstddef>
#include <new>
#include <vector>

#define APART __attribute__((noinline, noclone))

extern "C" {
extern void *volatile kept;
void said(const char *site, size_t size, long allocated, long left);
void rest(size_t size);
void new_blocks(void);
}

struct thing {
	char bytes[6000];
};

struct alignas(256) aligned_thing {
	char bytes[8192];
};

namespace shop
{

APART void new_things()
{
	const long nr = 40000;

	for (long i = 0; i < nr; i++) {
		thing *p = new thing;

		kept = p;
		if (i % 4)
			delete p;
		rest(sizeof(thing));
	}
	said("shop::new_things", sizeof(thing), nr, nr / 4);
}

APART void new_arrays()
{
	const long nr = 200, bytes = 1 << 20;

	for (long i = 0; i < nr; i++) {
		char *p = new char[bytes];

		kept = p;
		delete[] p;
		rest(bytes);
	}
	said("shop::new_arrays", bytes, nr, 0);
}

APART void new_aligned()
{
	const long nr = 20000;

	for (long i = 0; i < nr; i++) {
		aligned_thing *p = new aligned_thing;

		kept = p;
		delete p;
		rest(sizeof(aligned_thing));
	}
	said("shop::new_aligned", sizeof(aligned_thing), nr, 0);
}

APART void vectors()
{
	const long nr = 50000, bytes = 4096;

	for (long i = 0; i < nr; i++) {
		std::vector<char> v(bytes);

		kept = v.data();
		rest(bytes);
	}
	said("shop::vectors", bytes, nr, 0);
}

}

void new_blocks(void)
{
	shop::new_things();
	shop::new_arrays();
	shop::new_aligned();
	shop::vectors();
}
