// SPDX-License-Identifier: Apache-2.0
/* tests/agent/library.c: what a program loads and unloads. */
#include <stdlib.h>

enum { MANY = 20000 };

int in_library(int n)
{
	volatile int sum = 0;

	free(malloc(1000));
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

/* So many addresses that it takes a while to load, before the loader makes
 * them read-only. */
const void *const many[MANY] = { [0 ... MANY - 1] = (const void *)in_library };
