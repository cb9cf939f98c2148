// SPDX-License-Identifier: Apache-2.0
/* tests/cli/agent_prog.c: a program of which is known what its threads do, for
 * the tests of the agent. tests/cli/agent.sh compiles it.
 *
 *	agent_prog run SECONDS      main sleeps; "busy" burns in a span, "idle"
 *	                            waits for a mutex, in none
 *	agent_prog deep SECONDS     sleeps under 1,500 frames
 *	agent_prog status           prints what the process has
 *	agent_prog late SECONDS     turns the variable on at run time
 *	agent_prog api OUTPUT       starts the agent by its API, if it is there
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <otprof.h>

#define APART __attribute__((noinline, noclone))

/* OTEP 4947: the context of a thread. */
struct __attribute__((packed)) record {
	uint8_t trace[16], span[8];
	uint8_t valid, flags;
	uint16_t attr_bytes;
};

__attribute__((visibility(
	"default"))) __thread struct record *volatile otel_thread_ctx_v1;

static volatile unsigned long sink;
static volatile int stop;

static void nap(double seconds)
{
	struct timespec t = { (time_t)seconds, 0 };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
	sink++; /* so that this is no jump */
}

APART void burn(void)
{
	while (!stop)
		for (int i = 0; i < 100000; i++)
			sink++;
}

static void *busy(void *arg)
{
	struct record r = { .valid = 1 };

	memset(r.trace, 0xab, sizeof(r.trace));
	memset(r.span, 0xcd, sizeof(r.span));
	pthread_setname_np(pthread_self(), "busy");
	otel_thread_ctx_v1 = &r;
	burn();
	otel_thread_ctx_v1 = NULL;
	return arg;
}

static void *idle(void *arg)
{
	pthread_setname_np(pthread_self(), "idle");
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return arg;
}

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

/* So long, from when the agent has begun if it is to. */
APART void snooze(double seconds)
{
	for (int i = 0; i < 2000 && getenv("PROG_AWAITS"); i++) {
		if (has_begun())
			break;
		nap(0.01);
	}
	nap(seconds);
	sink++;
}

static void run(double seconds)
{
	pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
	pthread_t a, b;

	pthread_mutex_lock(&mu);
	pthread_create(&a, NULL, busy, NULL);
	pthread_create(&b, NULL, idle, &mu);
	snooze(seconds);
	stop = 1;
	pthread_mutex_unlock(&mu);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

APART void deep(int n, double seconds)
{
	if (n)
		deep(n - 1, seconds);
	else
		snooze(seconds);
	sink++;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

static int status(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	printf("threads %d\n", entries("/proc/self/task"));
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "SigCgt", 6))
			fputs(line, stdout);
	fclose(f);
	printf("files %d\n", entries("/proc/self/fd"));
	return 0;
}

static int api(const char *output)
{
	int (*start)(const struct otprof_agent_opts *, struct otprof_err *);
	void (*end)(void);
	struct otprof_agent_opts o = { .sz = sizeof(o),
				       .interval_ms = 20,
				       .output = output };
	struct otprof_err err = { 0 };

	*(void **)&start = dlsym(RTLD_DEFAULT, "otprof_agent_start");
	*(void **)&end = dlsym(RTLD_DEFAULT, "otprof_agent_stop");
	if (!start || !end)
		return 3;
	o.sz--;
	printf("other size: %d\n", start(&o, NULL));
	o.sz++;
	printf("start: %d %s\n", start(&o, &err), err.text);
	printf("again: %d\n", start(&o, NULL));
	run(0.5);
	end();
	err = (struct otprof_err){ 0 };
	printf("after stop: %d %s\n", start(&o, &err), err.text);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "run";
	double seconds = argc > 2 ? atof(argv[2]) : 1;

	if (!strcmp(what, "run"))
		run(seconds);
	else if (!strcmp(what, "deep"))
		deep(1500, seconds);
	else if (!strcmp(what, "status"))
		return status();
	else if (!strcmp(what, "api"))
		return api(argc > 2 ? argv[2] : NULL);
	else if (!strcmp(what, "late") &&
		 !setenv("SPLUNK_PROFILER_ENABLED", "true", 1))
		run(seconds);
	else
		return 2;
	return 5;
}
