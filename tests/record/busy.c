// SPDX-License-Identifier: Apache-2.0
/* tests/record/busy.c: spends CPU time in a known way.
 *
 *	busy split SECONDS		60, 30 and 10 % in three functions
 *	busy recurse DEPTH SECONDS	in a function at that depth
 *	busy signal SECONDS		in a signal handler
 *	busy fork SECONDS		in processes of a few milliseconds
 *
 * Work is counted, not timed, so that the shares hold whatever else runs. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

APART void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

/* What follows a call keeps it from becoming a jump. */
APART void sixty(void)
{
	work(600000);
	sink++;
}

APART void thirty(void)
{
	work(300000);
	sink++;
}

APART void ten(void)
{
	work(100000);
	sink++;
}

static void split(double seconds)
{
	while (cpu_s() < seconds) {
		sixty();
		thirty();
		ten();
	}
}

static double end;

APART void recurse(int depth)
{
	if (depth > 1)
		recurse(depth - 1);
	else
		while (cpu_s() < end)
			work(1000000);
	sink++;
}

APART void in_handler(int sig)
{
	(void)sig;
	while (cpu_s() < end)
		work(1000000);
	sink++;
}

APART void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

static void forks(double seconds)
{
	for (double spent = 0; spent < seconds; spent += 0.005) {
		pid_t pid = fork();

		if (!pid) {
			while (cpu_s() < 0.005)
				work(10000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "split";
	double seconds = argc > 2 ? strtod(argv[argc - 1], NULL) : 1;

	end = seconds;
	if (!strcmp(what, "recurse") && argc > 3) {
		recurse((int)strtol(argv[2], NULL, 10));
	} else if (!strcmp(what, "signal")) {
		signal(SIGUSR1, in_handler);
		interrupted();
	} else if (!strcmp(what, "fork")) {
		forks(seconds);
	} else if (!strcmp(what, "split")) {
		split(seconds);
	} else {
		fprintf(stderr, "busy: what is '%s'?\n", what);
		return 2;
	}
	return 0;
}
