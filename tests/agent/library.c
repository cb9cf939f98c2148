// SPDX-License-Identifier: Apache-2.0
/* tests/agent/library.c: what a program loads and unloads. */
int in_library(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
