// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the events of a chunk whose header is right: two bytes say where
 * types begin, two where constants do. So a fuzzer need not guess places that
 * all depend on each other. */
#include <stdlib.h>

#include "fuzz/jfr_prop.h"

enum { HEADER = 68, PLACES = 4 };

static void put(uint8_t *to, uint64_t v, int width)
{
	for (int i = width; i--; v >>= 8)
		to[i] = (uint8_t)v;
}

/* A place in the chunk, whatever the two bytes are. */
static uint64_t place(const uint8_t *p, size_t n)
{
	return HEADER + (size_t)(p[0] << 8 | p[1]) % n;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint8_t *file;

	if (n <= PLACES)
		return 0;
	n -= PLACES;
	file = calloc(1, HEADER + n);
	PROP(file);
	put(file, 0x464c5200, 4);
	put(file + 4, 2, 2);
	put(file + 8, HEADER + n, 8);
	put(file + 16, place(p + 2, n), 8);
	put(file + 24, place(p, n), 8);
	put(file + 32, 1700000000000000000, 8);
	put(file + 40, 1000000000, 8);
	put(file + 56, 1000000000, 8);
	file[67] = 1;
	memcpy(file + HEADER, p + PLACES, n);
	jfr_prop(op_view(file, HEADER + n));
	free(file);
	return 0;
}
