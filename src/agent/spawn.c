// SPDX-License-Identifier: Apache-2.0
/* agent/spawn.c: starts the helper of a program.
 *
 * Neither fork() nor posix_spawn(): the first copies the page tables of the
 * program and runs its handlers, and the child of the second is seen by a
 * program that waits for any child. clone() with an exit signal of 0 makes a
 * child that is not; the helper is the child of that child. Both borrow the
 * memory of this thread, which waits until they execute or end. They call the
 * kernel directly: a sanitizer would think that the program does what they do.
 */
#include "agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK = 64 << 10, /* of each of the two */
	CLOEXEC = 1 << 2, /* CLOSE_RANGE_CLOEXEC */
};

/* clone() under its other name, which ThreadSanitizer does not replace: its own
 * clone() takes the memory of the child for a copy, and breaks locks of the
 * program. */
extern int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

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

static long flags_set(int fd, long flags)
{
	return syscall(SYS_fcntl, (long)fd, (long)F_SETFD, flags);
}

/* Nothing of the program stays open in the helper: a socket would go on to
 * listen, and who reads its output would wait for the helper. */
static void keep_files(const struct op_spawn *s)
{
	long null = syscall(SYS_openat, (long)AT_FDCWD, "/dev/null",
			    O_RDWR | O_CLOEXEC, 0L);

	if (null >= 0) {
		syscall(SYS_dup2, null, (long)STDIN_FILENO);
		syscall(SYS_dup2, null, (long)STDOUT_FILENO);
	}
	/* Some programs close even this one on exec; a file of the helper would
	 * take its place. */
	if (flags_set(STDERR_FILENO, 0) && null >= 0)
		syscall(SYS_dup2, null, (long)STDERR_FILENO);
	if (syscall(SYS_close_range, 3u, ~0u, CLOEXEC))
		for (int fd = 3; fd < 4096; fd++)
			flags_set(fd, FD_CLOEXEC);
	for (size_t i = 0; i < s->nr_fds; i++)
		flags_set(s->fds[i], 0);
}

static int helper_exec(void *arg)
{
	struct job *j = arg;
	const uint64_t none = 0;

	syscall(SYS_setsid);
	keep_files(j->s);
	syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &none, NULL,
		sizeof(none));
	syscall(SYS_execve, j->s->argv[0], j->s->argv, j->s->env);
	j->error = errno;
	syscall(SYS_exit_group, 1L);
	return 1;
}

static int middle(void *arg)
{
	struct job *j = arg;

	if (__clone(helper_exec, j->stacks + 2 * STACK, CLONE_VM | CLONE_VFORK,
		    j) < 0)
		j->error = errno;
	syscall(SYS_exit_group, 0L);
	return 0;
}

/* What the process adopts is its child, and seen by it. So it adopts nothing
 * while the helper becomes an orphan. PID 1 adopts all the same. */
static pid_t middle_start(struct job *j)
{
	int adopts = 0;
	pid_t pid;

	prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0L, 0L, 0L);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0L, 0L, 0L, 0L);
	pid = __clone(middle, j->stacks + STACK, CLONE_VM | CLONE_VFORK, j);
	if (pid > 0)
		waitpid(pid, NULL, (int)__WCLONE);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
	return pid;
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
	pid = middle_start(j);
	error = pid < 0 ? errno : j->error;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(memory, bytes);
	if (error)
		return op_fail(err, OP_EIO, "cannot run '%.120s': %s",
			       s->argv[0], strerror(error));
	return OP_OK;
}
