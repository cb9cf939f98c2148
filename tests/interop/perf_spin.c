// SPDX-License-Identifier: Apache-2.0
/* What perf records: three threads in trees of calls, as long as asked for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile int is_over;
static volatile unsigned int sink;

__attribute__((noinline)) static unsigned int work(unsigned int x)
{
	for (int i = 0; i < 500; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static unsigned int node(int depth, unsigned int x);

#define SIDE(name, odd)                                                      \
	__attribute__((noinline)) static unsigned int name(int depth,        \
							   unsigned int x)   \
	{                                                                    \
		unsigned int r = depth ? node(depth - 1, x * odd) : work(x); \
		return r ^ odd;                                              \
	}
SIDE(left, 3)
SIDE(middle, 5)
SIDE(right, 7)

__attribute__((noinline)) static unsigned int node(int depth, unsigned int x)
{
	unsigned int r;

	if (x % 7 < 3)
		r = left(depth, x);
	else
		r = x % 7 < 5 ? middle(depth, x) : right(depth, x);
	return r + 1;
}

static void *run(void *arg)
{
	unsigned int x = (unsigned int)(size_t)arg;

	while (!is_over) {
		x = x * 69069 + 1;
		sink += node(4 + (int)(x >> 16) % 16, x >> 3);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec time = { argc > 1 ? (time_t)strtol(argv[1], NULL, 10) :
					    1,
				 0 };
	pthread_t threads[3];

	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	nanosleep(&time, NULL);
	is_over = 1;
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
