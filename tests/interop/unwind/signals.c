// SPDX-License-Identifier: Apache-2.0
/* Works, and is interrupted by a handler on a stack of its own that works
 * too: for stacks that go through signal frames, and through the vDSO. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile long sink;

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static long work(int n)
{
	char text[100];
	int v[200];

	for (int i = 0; i < 200; i++)
		v[i] = (i * 7919 + n) % 1009;
	qsort(v, 200, sizeof(v[0]), by_value);
	snprintf(text, sizeof(text), "%d %f", v[3], n * .5);
	return v[7] + (long)strlen(text);
}

__attribute__((noinline)) static long deep(int n)
{
	return n ? deep(n - 1) + work(n) : 0;
}

static void on_alarm(int sig)
{
	struct timespec t;

	for (int i = 0; i < 20; i++)
		sink = sink + work(i + sig);
	clock_gettime(CLOCK_MONOTONIC, &t);
}

int main(void)
{
	struct sigaction action = { .sa_flags = SA_RESTART | SA_ONSTACK };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	action.sa_handler = on_alarm;
	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 2000000; i++) {
		struct timespec t;

		sink = sink + deep(i % 30);
		for (int k = 0; k < 50; k++)
			clock_gettime(CLOCK_MONOTONIC, &t);
		sink = sink + t.tv_nsec;
	}
	return 0;
}
