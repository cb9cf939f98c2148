// SPDX-License-Identifier: Apache-2.0
/* tests/record/storm_part.c: a library that storm loads; there are several, and
 * all but PART is the same in them. */
static volatile unsigned long sink;

void run_part(void);

void run_part(void)
{
	for (unsigned long i = 0; i < 200000; i++)
		sink += i * PART;
}
