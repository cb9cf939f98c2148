// SPDX-License-Identifier: Apache-2.0
/* agent/spawn.c: starts the helper of a program.
 *
 * Neither fork() nor posix_spawn(): the first copies the page tables of the
 * program and runs its handlers, and the child of the second is seen by a
 * program that waits for any child. clone() with an exit signal of 0 makes a
 * child that is not; the helper is the child of that child. Both borrow the
 * memory of this thread, which waits until they execute or end. */
#include "agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK = 64 << 10, /* of each of the two */
	CLOEXEC = 1 << 2, /* CLOSE_RANGE_CLOEXEC */
};

struct job {
	const struct op_spawn *s;
	uint8_t *stacks;
	int error;
};

static bool is_passed(const char *variable)
{
	return strncmp(variable, "LD_PRELOAD=", strlen("LD_PRELOAD="));
}

char **op_spawn_env(char *const *from, struct op_err *err)
{
	size_t nr = 1, bytes = 0;
	char **to, *text;

	for (char *const *v = from; v && *v; v++, nr++)
		bytes += strlen(*v) + 1;
	to = mmap(NULL, nr * sizeof(*to) + bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED) {
		op_fail_sys(err, "no memory for the environment");
		return NULL;
	}
	text = (char *)(to + nr);
	nr = 0;
	for (char *const *v = from; v && *v; v++)
		if (is_passed(*v)) {
			to[nr++] = text;
			text = stpcpy(text, *v) + 1;
		}
	return to;
}

/* Nothing of the program stays open in the helper: a socket would go on to
 * listen, and who reads its output would wait for the helper. */
static void keep_files(const struct op_spawn *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	/* Some programs close even this one on exec; a file of the helper would
	 * take its place. */
	if (fcntl(STDERR_FILENO, F_SETFD, 0) && null >= 0)
		dup2(null, STDERR_FILENO);
	if (syscall(SYS_close_range, 3u, ~0u, CLOEXEC))
		for (int fd = 3; fd < 4096; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	for (size_t i = 0; i < s->nr_fds; i++)
		fcntl(s->fds[i], F_SETFD, 0);
}

static int helper_exec(void *arg)
{
	struct job *j = arg;
	sigset_t none;

	setsid();
	keep_files(j->s);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(j->s->argv[0], (char *const *)j->s->argv, j->s->env);
	j->error = errno;
	_exit(1);
}

static int middle(void *arg)
{
	struct job *j = arg;

	if (clone(helper_exec, j->stacks + 2 * STACK, CLONE_VM | CLONE_VFORK,
		  j) < 0)
		j->error = errno;
	_exit(0);
}

int op_spawn(const struct op_spawn *s, struct op_err *err)
{
	size_t bytes = 2 * STACK + sizeof(struct job);
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct job *j = (void *)(memory + 2 * STACK);
	sigset_t all, before;
	pid_t pid;
	int error;

	if (memory == MAP_FAILED)
		return op_fail_sys(err, "no memory to start the helper");
	j->s = s;
	j->stacks = memory;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(middle, memory + STACK, CLONE_VM | CLONE_VFORK, j);
	error = pid < 0 ? errno : j->error;
	if (pid > 0)
		waitpid(pid, NULL, (int)__WCLONE);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(memory, bytes);
	if (error)
		return op_fail(err, OP_EIO, "cannot run '%.120s': %s",
			       s->argv[0], strerror(error));
	return OP_OK;
}
