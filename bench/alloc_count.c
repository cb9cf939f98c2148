// SPDX-License-Identifier: Apache-2.0
/* bench/alloc_count.c: what a program asks of the heap.
 *
 * The C library's functions, counted. A block that grows is an allocation of
 * its new size. */
#include "alloc_count.h"

#include <stddef.h>
#include <stdint.h>

struct alloc_count alloc_count;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t nr, size_t n);
void *__libc_realloc(void *p, size_t n);

static void count(size_t n)
{
	alloc_count.calls++;
	alloc_count.bytes += n;
}

void *malloc(size_t n)
{
	count(n);
	return __libc_malloc(n);
}

void *calloc(size_t nr, size_t n)
{
	count(nr * n);
	return __libc_calloc(nr, n);
}

void *realloc(void *p, size_t n)
{
	count(n);
	return __libc_realloc(p, n);
}
