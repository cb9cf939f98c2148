// SPDX-License-Identifier: Apache-2.0
/* Threads of a running program, stopped at random moments, or one
 * instruction after the other. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "snap.h"

enum { STACK = 1 << 20, BELOW = 512 };

struct live {
	pid_t pid;
	uint64_t seed;
	struct snap snap;
	struct snap_part part;
	uint8_t *stack;
	char *maps_text;
	size_t maps_bytes;
};

static uint32_t random_below(struct live *l, uint32_t n)
{
	l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((l->seed >> 32) * n >> 32);
}

static void regs_of(const struct user_regs_struct *u, uint64_t *r)
{
	const uint64_t all[NR_REGS] = {
		u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi,
		u->rbp, u->rsp, u->r8,	u->r9,	u->r10, u->r11,
		u->r12, u->r13, u->r14, u->r15, u->rip,
	};

	memcpy(r, all, sizeof(all));
}

static size_t copy(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)at, n };
	ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

static void take_vdso(struct live *l)
{
	struct snap *s = &l->snap;

	for (size_t i = 0; i < s->nr_maps && !s->vdso; i++) {
		const struct snap_map *m = &s->maps[i];
		size_t n = (size_t)(m->end - m->start);
		uint8_t *p;

		if (strcmp(m->path, "[vdso]"))
			continue;
		p = malloc(n);
		s->vdso_bytes = p ? copy(l->pid, m->start, p, n) : 0;
		s->vdso = p;
	}
}

static bool take_maps(struct live *l)
{
	char path[64];
	char *text;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", l->pid);
	text = file_text(path, &n);
	if (!text || !n)
		return false;
	if (l->maps_text && n == l->maps_bytes &&
	    !memcmp(text, l->maps_text, n)) {
		free(text);
		return true;
	}
	free(l->maps_text);
	free(l->snap.maps);
	l->maps_text = text;
	l->maps_bytes = n;
	l->snap.maps = maps_parse(text, &l->snap.nr_maps);
	l->snap.maps_id++;
	take_vdso(l);
	return true;
}

/* Registers, maps and the stack of a thread that is stopped. */
static bool take(struct live *l, pid_t tid)
{
	struct user_regs_struct regs;
	const struct snap_map *m;
	uint64_t from;
	size_t n;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) || !take_maps(l))
		return false;
	regs_of(&regs, l->snap.regs);
	m = snap_map_at(&l->snap, regs.rsp);
	if (!m)
		return false;
	from = regs.rsp - BELOW;
	if (from < m->start)
		from = m->start;
	n = (size_t)(m->end - from);
	l->part.at = from;
	l->part.p = l->stack;
	l->part.n = copy(l->pid, from, l->stack, n < STACK ? n : STACK);
	l->snap.parts = &l->part;
	l->snap.nr_parts = 1;
	return l->part.n > 0;
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

	snprintf(path, sizeof(path), "/proc/%d/task", l->pid);
	dir = opendir(path);
	while (dir && nr < 256 && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			tids[nr++] = (pid_t)strtol(e->d_name, NULL, 10);
	if (dir)
		closedir(dir);
	/* Most work is in the first thread. */
	if (!nr || random_below(l, 2))
		return l->pid;
	return tids[random_below(l, nr)];
}

/* Stops a thread, looks at it and lets it go. False: it is gone. */
static bool look(struct live *l, bool *go_on)
{
	pid_t tid = some_thread(l);
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return waitpid(l->pid, &status, WNOHANG) == 0;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return false;
	if (status >> 16 == PTRACE_EVENT_STOP && take(l, tid))
		*go_on = compare(&l->snap);
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
	l.stack = malloc(STACK);
	while (l.stack && go_on && fruitless++ < 1000) {
		l.pid = start(argv, false);
		sleep_us(3000); /* past exec */
		while (go_on) {
			sleep_us(100 + random_below(&l, 1500));
			if (is_over(l.pid))
				break;
			if (!look(&l, &go_on))
				break;
			fruitless = 0;
		}
		end(l.pid);
	}
	return !go_on;
}

/* Runs to a random moment, then goes on instruction by instruction. */
static bool step_from(struct live *l, int nr_steps)
{
	bool go_on = true;
	int status;

	sleep_us(2000 + random_below(l, 40000));
	if (ptrace(PTRACE_SEIZE, l->pid, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, l->pid, NULL, NULL))
		return true;
	while (nr_steps-- && go_on) {
		int sig;

		if (waitpid(l->pid, &status, __WALL) != l->pid ||
		    !WIFSTOPPED(status))
			return true;
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (take(l, l->pid))
			go_on = compare(&l->snap);
		if (ptrace(PTRACE_SINGLESTEP, l->pid, NULL, (void *)(long)sig))
			return true;
	}
	return go_on;
}

bool step_run(int nr_stacks, unsigned int seed, char **argv)
{
	struct live l = { .seed = seed };
	bool go_on = true;
	int rounds = 0;

	l.stack = malloc(STACK);
	while (l.stack && go_on && rounds++ < nr_stacks) {
		l.pid = start(argv, false);
		go_on = step_from(&l, nr_stacks / 10 + 1);
		end(l.pid);
	}
	return !go_on;
}
