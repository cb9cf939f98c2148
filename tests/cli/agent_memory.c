// SPDX-License-Identifier: Apache-2.0
/* tests/cli/agent_memory.c: a program of which is known what it allocates, for
 * the test of allocations, tests/cli/agent_memory.sh, which compiles it with
 * and without agent_memory_new.cc. Each function allocates blocks of one size;
 * what it keeps is in use at the end. It rests now and then, so that the agent
 * can take the samples that wait. Prints:
 *
 *	FUNCTION SIZE ALLOCATED KEPT
 *
 * where a function that grows a block has a line for each size. */
#define _GNU_SOURCE
#include <glob.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

enum { THREAD_NR = 20000, THREAD_BYTES = 7000 };

void *volatile kept;
/* Of agent_memory_new.cc, if that is linked. */
__attribute__((weak)) void new_blocks(void);
void said(const char *site, size_t size, long allocated, long left);
void rest(size_t size);

/* Whether the agent has begun: it keeps a file of each thread open, in its own
 * table of descriptors if it has one. */
static int has_begun(void)
{
	char to[300];
	int found = 0;
	glob_t g;

	if (glob("/proc/self/task/*/fd/*", 0, NULL, &g))
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		ssize_t n = readlink(g.gl_pathv[i], to, sizeof(to) - 1);

		to[n > 0 ? n : 0] = 0;
		found |= strstr(to, "/syscall") != NULL;
	}
	globfree(&g);
	return found;
}

/* --- sites --- */

void said(const char *site, size_t size, long allocated, long left)
{
	printf("%s %zu %ld %ld\n", site, size, allocated, left);
}

/* A while after each 64 MiB, which is 128 samples. */
void rest(size_t size)
{
	enum { EACH = 64 << 20, US = 10000 };
	static size_t bytes;

	bytes += size;
	if (bytes < EACH)
		return;
	bytes = 0;
	usleep(US);
}

/* Blocks that are far smaller than the mean distance of samples. */
APART void small_blocks(void)
{
	enum { NR = 4000000, BYTES = 100 };

	for (long i = 0; i < NR; i++) {
		kept = malloc(BYTES);
		free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, 0);
}

/* Some of them are left. */
APART void kept_blocks(void)
{
	enum { NR = 40000, EACH = 4, BYTES = 10000 };

	for (long i = 0; i < NR; i++) {
		kept = malloc(BYTES);
		if (i % EACH)
			free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, NR / EACH);
}

/* Larger than the mean: nearly all are sampled. They are not touched. */
APART void large_blocks(void)
{
	enum { NR = 200, BYTES = 1 << 20 };

	for (long i = 0; i < NR; i++) {
		kept = malloc(BYTES);
		if (i % 2)
			free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, NR / 2);
}

APART void zeroed_blocks(void)
{
	enum { NR = 100000, EACH = 8, BYTES = 3000 };

	for (long i = 0; i < NR; i++) {
		kept = calloc(BYTES / EACH, EACH);
		free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, 0);
}

/* What realloc() makes larger is an allocation of the new size; the old one is
 * not in use any more. */
APART void grown_blocks(void)
{
	enum { NR = 50, BYTES = 2 << 20, MORE = 3 << 20 };

	for (long i = 0; i < NR; i++) {
		void *volatile p = malloc(BYTES);

		kept = realloc(p, MORE);
		rest(BYTES + MORE);
	}
	said(__func__, BYTES, NR, 0);
	said(__func__, MORE, NR, NR);
}

APART void aligned_blocks(void)
{
	enum { NR = 20000, BYTES = 8192, TO = 64 };

	for (long i = 0; i < NR; i++) {
		void *p = NULL;

		switch (i % 3) {
		case 0:
			p = aligned_alloc(TO, BYTES);
			break;
		case 1:
			if (posix_memalign(&p, TO, BYTES))
				p = NULL;
			break;
		default:
			p = memalign(TO, BYTES);
			break;
		}
		kept = p;
		free(p);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, 0);
}

/* In whole pages. */
APART void page_blocks(void)
{
	enum { NR = 20000, BYTES = 8192 };

	for (long i = 0; i < NR; i++) {
		kept = i % 2 ? valloc(BYTES) : pvalloc(BYTES);
		free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, 0);
}

/* What the C library allocates for its caller. */
APART void copied_text(void)
{
	enum { NR = 20000, BYTES = 5000 };
	static char text[BYTES];

	memset(text, 'x', sizeof(text) - 1);
	for (long i = 0; i < NR; i++) {
		kept = strdup(text);
		free(kept);
		rest(BYTES);
	}
	said(__func__, BYTES, NR, 0);
}

/* Of one thread; another one, main(), frees them. */
APART void *thread_blocks(void *arg)
{
	void **list = arg;

	for (long i = 0; i < THREAD_NR; i++) {
		list[i] = malloc(THREAD_BYTES);
		rest(THREAD_BYTES);
	}
	return arg;
}

static void in_thread(void)
{
	static void *list[THREAD_NR];
	pthread_t t;

	pthread_create(&t, NULL, thread_blocks, list);
	pthread_join(t, NULL);
	for (long i = 0; i < THREAD_NR; i++)
		free(list[i]);
	said("thread_blocks", THREAD_BYTES, THREAD_NR, 0);
}

int main(void)
{
	for (int i = 0; i < 2000 && !has_begun(); i++)
		usleep(10000);
	small_blocks();
	kept_blocks();
	large_blocks();
	zeroed_blocks();
	grown_blocks();
	aligned_blocks();
	page_blocks();
	copied_text();
	in_thread();
	if (new_blocks)
		new_blocks();
	return 5;
}
