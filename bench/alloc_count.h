// SPDX-License-Identifier: Apache-2.0
/* bench/alloc_count.h: allocations of this program so far, by whom ever. */
#ifndef BENCH_ALLOC_COUNT_H
#define BENCH_ALLOC_COUNT_H

#include <stdint.h>

struct alloc_count {
	uint64_t calls, bytes;
};

extern struct alloc_count alloc_count;

#endif
