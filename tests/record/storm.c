// SPDX-License-Identifier: Apache-2.0
/* tests/record/storm.c: does more of something than programs usually do.
 *
 *	storm spawn SECONDS RATE	that many processes a minute
 *	storm exec SECONDS		one that executes itself again and again
 *	storm maps SECONDS NUMBER	mappings of code, some of which change
 *	storm threads SECONDS NUMBER	threads, each of which does something
 *	storm load SECONDS LIBRARY...	loads and unloads libraries
 *
 * Prints one line with what it did. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now_s(void)
{
	return clock_s(CLOCK_MONOTONIC);
}

static void work(double seconds)
{
	double end = clock_s(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (clock_s(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 1000; i++)
			sink += (unsigned long)i;
}

static void pause_s(double seconds)
{
	struct timespec t = { (time_t)seconds,
			      (long)((seconds - (double)(time_t)seconds) *
				     1e9) };

	if (seconds > 0)
		nanosleep(&t, NULL);
}

static int fail(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	return 1;
}

static int spawn(double seconds, double rate)
{
	double begin = now_s();
	unsigned long nr = 0;

	while (now_s() - begin < seconds) {
		pid_t pid = fork();

		if (pid < 0)
			return fail("fork");
		if (!pid) {
			execl("/proc/self/exe", "storm", "short", NULL);
			_exit(fail("exec"));
		}
		waitpid(pid, NULL, 0);
		nr++;
		pause_s(begin + (double)nr * 60 / rate - now_s());
	}
	printf("%lu processes\n", nr);
	return 0;
}

/* How often it was executed, and when it began, are its arguments. */
static int again(double seconds, unsigned long nr, double begin)
{
	char times[32], since[32], all[32];

	work(0.002);
	if (now_s() - begin >= seconds) {
		printf("%lu programs\n", nr);
		return 0;
	}
	snprintf(all, sizeof(all), "%f", seconds);
	snprintf(times, sizeof(times), "%lu", nr + 1);
	snprintf(since, sizeof(since), "%f", begin);
	execl("/proc/self/exe", "storm", "exec", all, times, since, NULL);
	return fail("exec");
}

/* Every other page of a range, so that none are merged. */
static int maps(double seconds, size_t nr)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *base = mmap(NULL, 2 * nr * 4096, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	double begin = now_s();
	size_t made = 0, at;

	if (fd < 0 || base == MAP_FAILED)
		return fail("mmap");
	/* Gaps within one mapping would count twice. */
	munmap(base, 2 * nr * 4096);
	while (made < nr &&
	       mmap(base + 2 * made * 4096, 4096, PROT_READ | PROT_EXEC,
		    MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED)
		made++;
	for (at = 0; made && now_s() - begin < seconds; at++) {
		mmap(base + 2 * (at % made) * 4096, 4096, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_FIXED, fd, 0);
		work(0.001);
	}
	printf("%zu mappings, %zu replaced\n", made, at);
	return 0;
}

static double ends;

static void *thread(void *unused)
{
	while (now_s() < ends) {
		work(0.0003);
		pause_s(10);
	}
	return unused;
}

static int threads(double seconds, size_t nr)
{
	pthread_attr_t small;
	pthread_t last;
	size_t made = 0;

	ends = now_s() + seconds;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (made < nr && !pthread_create(&last, &small, thread, NULL))
		made++;
	printf("%zu threads\n", made);
	fflush(stdout);
	work(1);
	pause_s(ends - now_s());
	return 0;
}

static int load(double seconds, char **names)
{
	double begin = now_s();
	unsigned long nr = 0;

	while (now_s() - begin < seconds)
		for (char **name = names; *name; name++) {
			void *library = dlopen(*name, RTLD_NOW);
			void (*run)(void);

			if (!library) {
				fprintf(stderr, "storm: %s\n", dlerror());
				return 1;
			}
			*(void **)&run = dlsym(library, "run_part");
			if (run)
				run();
			dlclose(library);
			nr++;
		}
	printf("%lu libraries\n", nr);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
	const char *more = argc > 3 ? argv[3] : "0";

	if (!strcmp(what, "short")) {
		work(0.003);
		return 0;
	}
	if (!strcmp(what, "spawn"))
		return spawn(seconds, strtod(more, NULL));
	if (!strcmp(what, "exec"))
		return again(seconds, strtoul(more, NULL, 10),
			     argc > 4 ? strtod(argv[4], NULL) : now_s());
	if (!strcmp(what, "maps"))
		return maps(seconds, strtoul(more, NULL, 10));
	if (!strcmp(what, "threads"))
		return threads(seconds, strtoul(more, NULL, 10));
	if (!strcmp(what, "load") && argc > 3)
		return load(seconds, argv + 3);
	fprintf(stderr, "storm: what is '%s'?\n", what);
	return 2;
}
