// SPDX-License-Identifier: Apache-2.0
/* bench/agent_load.c: a program to be profiled from inside: so many threads
 * that run, and so many that sleep most of the time. Prints the CPU time of
 * each, as "cpu NAME SECONDS".
 *
 *	agent_load SECONDS BUSY IDLE [MS-TO-SLEEP] */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int is_over;
static long nap_ms = 100;

static __attribute__((noinline)) unsigned long step(int depth)
{
	unsigned long sum = 0;

	if (depth)
		return step(depth - 1) + 1;
	for (volatile int i = 0; i < 10000; i++)
		sum++;
	return sum;
}

static void *busy(void *arg)
{
	pthread_setname_np(pthread_self(), "busy");
	while (!is_over)
		step(20);
	return arg;
}

static void *idle(void *arg)
{
	const struct timespec t = { 0, nap_ms * 1000000 };

	pthread_setname_np(pthread_self(), "idle");
	while (!is_over) {
		nanosleep(&t, NULL);
		step(20);
	}
	return arg;
}

static void cpu_times(void)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	char path[300], name[32];
	double ns;
	FILE *f;

	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 e->d_name);
		f = fopen(path, "r");
		if (!f || !fgets(name, sizeof(name), f))
			continue;
		fclose(f);
		name[strcspn(name, "\n")] = 0;
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat",
			 e->d_name);
		f = fopen(path, "r");
		if (!f || fscanf(f, "%lf", &ns) != 1)
			continue;
		fclose(f);
		printf("cpu %s %.6f\n", name, ns / 1e9);
	}
	if (d)
		closedir(d);
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL,
								10) :
					  1;
	int nr_busy = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
	int nr_idle = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
	pthread_t *t = calloc((size_t)(nr_busy + nr_idle), sizeof(*t));
	pthread_attr_t attr;

	if (argc > 4)
		nap_ms = strtol(argv[4], NULL, 10);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (int i = 0; i < nr_busy + nr_idle; i++)
		pthread_create(&t[i], &attr, i < nr_busy ? busy : idle, NULL);
	for (time_t end = time(NULL) + (time_t)seconds; time(NULL) < end;)
		sleep(1);
	cpu_times();
	is_over = 1;
	for (int i = 0; i < nr_busy + nr_idle; i++)
		pthread_join(t[i], NULL);
	return 0;
}
