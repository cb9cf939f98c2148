// SPDX-License-Identifier: Apache-2.0
/* Threads of a running program, stopped at random moments, or one
 * instruction after the other. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stopped.h"

struct live {
	struct stopped at;
	uint64_t seed;
};

static uint32_t random_below(struct live *l, uint32_t n)
{
	l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((l->seed >> 32) * n >> 32);
}

static void sleep_us(uint32_t us)
{
	struct timespec t = { 0, (long)us * 1000 };

	nanosleep(&t, NULL);
}

static pid_t start(char **argv, bool is_traced)
{
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	if (is_traced)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execvp(argv[0], argv);
	_exit(127);
}

/* A thread of the program, whichever. */
static pid_t some_thread(struct live *l)
{
	char path[64];
	pid_t tids[256];
	uint32_t nr = 0;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", l->at.pid);
	dir = opendir(path);
	while (dir && nr < 256 && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			tids[nr++] = (pid_t)strtol(e->d_name, NULL, 10);
	if (dir)
		closedir(dir);
	/* Most work is in the first thread. */
	if (!nr || random_below(l, 2))
		return l->at.pid;
	return tids[random_below(l, nr)];
}

/* Stops a thread, looks at it and lets it go. False: it is gone. */
static bool look(struct live *l, bool *go_on)
{
	pid_t tid = some_thread(l);
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return waitpid(l->at.pid, &status, WNOHANG) == 0;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	if (status >> 16 == PTRACE_EVENT_STOP && stopped_take(&l->at, tid))
		*go_on = compare(&l->at.snap);
	/* A signal that came in between is not to be lost. */
	ptrace(PTRACE_DETACH, tid, NULL,
	       (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
	return true;
}

static bool is_over(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == pid;
}

static void end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

bool live_run(int nr_stacks, unsigned int seed, char **argv)
{
	struct live l = { .seed = seed };
	bool go_on = true;
	int fruitless = 0;

	(void)nr_stacks;
	l.at.stack = malloc(STOPPED_STACK);
	while (l.at.stack && go_on && fruitless++ < 1000) {
		l.at.pid = start(argv, false);
		sleep_us(3000); /* past exec */
		while (go_on) {
			sleep_us(100 + random_below(&l, 1500));
			if (is_over(l.at.pid))
				break;
			if (!look(&l, &go_on))
				break;
			fruitless = 0;
		}
		end(l.at.pid);
	}
	return !go_on;
}

/* Runs to a random moment, then goes on instruction by instruction. */
static bool step_from(struct live *l, int nr_steps)
{
	bool go_on = true;
	int status;

	sleep_us(2000 + random_below(l, 40000));
	if (ptrace(PTRACE_SEIZE, l->at.pid, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, l->at.pid, NULL, NULL))
		return true;
	while (nr_steps-- && go_on) {
		int sig;

		if (waitpid(l->at.pid, &status, __WALL) != l->at.pid ||
		    !WIFSTOPPED(status))
			return true;
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (stopped_take(&l->at, l->at.pid))
			go_on = compare(&l->at.snap);
		if (ptrace(PTRACE_SINGLESTEP, l->at.pid, NULL,
			   (void *)(long)sig))
			return true;
	}
	return go_on;
}

bool step_run(int nr_stacks, unsigned int seed, char **argv)
{
	struct live l = { .seed = seed };
	bool go_on = true;
	int rounds = 0;

	l.at.stack = malloc(STOPPED_STACK);
	while (l.at.stack && go_on && rounds++ < nr_stacks) {
		l.at.pid = start(argv, false);
		go_on = step_from(&l, nr_stacks / 10 + 1);
		end(l.at.pid);
	}
	return !go_on;
}
