// SPDX-License-Identifier: Apache-2.0
/* What an exporter costs that has sent once and then has nothing to do:
 * memory, and how often its thread wakes up.
 *
 * usage: idle ENDPOINT MESSAGE */
#include <otprof.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { GOAL_KB = 2048, SECONDS = 2 };

/* Memory that is no file, in KB. */
static long memory_kb(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	long sum = 0, kb;
	char line[200];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Anonymous: %ld", &kb) == 1)
			sum += kb;
	if (f)
		fclose(f);
	return sum;
}

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

static int fail(const struct otprof_err *err)
{
	fprintf(stderr, "idle: %s\n", err->text);
	return 1;
}

int main(int argc, char **argv)
{
	struct otprof_exporter_opts opts;
	struct otprof_exporter *e;
	struct otprof_err err = { 0 };
	struct otprof *p;
	long before, after, woke;

	if (argc != 3)
		return 2;
	if (otprof_open_file(argv[2], NULL, &p, &err))
		return fail(&err);
	before = memory_kb();
	OTPROF_INIT(&opts);
	opts.endpoint = argv[1];
	if (otprof_exporter_new(&opts, &e, &err) ||
	    otprof_exporter_send(e, p, &err) || !otprof_exporter_flush(e, 5000))
		return fail(&err);
	/* Until the threads rest: the watchdog looks once more. */
	usleep(500000);
	woke = switches();
	sleep(SECONDS);
	woke = switches() - woke - 1; /* but for our own sleep */
	after = memory_kb();
	printf("idle exporter: %ld KB, %ld wake-ups in %d s\n", after - before,
	       woke, SECONDS);
	printf("row|idle exporter, memory|%ld KB|-|-|<= %d KB|%s\n",
	       after - before, GOAL_KB,
	       after - before <= GOAL_KB ? "yes" : "NO");
	printf("row|idle exporter, wake-ups in %d s|%ld|-|-|0|%s\n", SECONDS,
	       woke, woke ? "NO" : "yes");
	otprof_exporter_free(e, 0);
	otprof_free(p);
	return 0;
}
