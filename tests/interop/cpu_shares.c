// SPDX-License-Identifier: Apache-2.0
/* Work of four kinds, each in a function of its own, in turns of many times the
 * interval at which samples are taken: regular samples then have a small error.
 * The amount of work is fixed, so that two runs have the same shares.
 *
 *	cpu_shares TURNS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

enum { BYTES = 1 << 20, SIDE = 160 };

static unsigned char text[BYTES];
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static volatile unsigned long sink;

APART void hash_text(int times)
{
	unsigned int h = 2166136261;

	for (int k = 0; k < times; k++)
		for (int i = 0; i < BYTES; i++)
			h = (h ^ text[i]) * 16777619;
	sink += h;
}

APART void multiply(int times)
{
	for (int n = 0; n < times; n++)
		for (int i = 0; i < SIDE; i++)
			for (int k = 0; k < SIDE; k++)
				for (int j = 0; j < SIDE; j++)
					c[i][j] += a[i][k] * b[k][j];
	sink += (unsigned long)c[1][2];
}

APART void count_words(int times)
{
	unsigned long words = 0;
	int was_space = 1;

	for (int k = 0; k < times; k++)
		for (int i = 0; i < BYTES; i++) {
			int is_space = text[i] < 'c';

			words += was_space && !is_space;
			was_space = is_space;
		}
	sink += words;
}

APART void sieve(int times)
{
	static char composite[200000];
	const int most = sizeof(composite);

	for (int k = 0; k < times; k++) {
		memset(composite, 0, sizeof(composite));
		for (int i = 2; i < most; i++)
			for (int j = 2 * i; !composite[i] && j < most; j += i)
				composite[j] = 1;
	}
	sink += (unsigned long)composite[most - 1];
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;

	for (int i = 0; i < BYTES; i++)
		text[i] = (unsigned char)('a' + (i * 7919L >> 3) % 26);
	for (int i = 0; i < SIDE * SIDE; i++)
		a[i / SIDE][i % SIDE] = b[i % SIDE][i / SIDE] = i % 10;
	for (int i = 0; i < turns; i++) {
		hash_text(100);
		multiply(100);
		count_words(60);
		sieve(120);
	}
	printf("%lu\n", sink);
	return 0;
}
