// SPDX-License-Identifier: Apache-2.0
/* child.h: what may end its process runs in one of its own. */
#ifndef TESTS_CHILD_H
#define TESTS_CHILD_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Runs fn in a child; gives how that ended, and what it wrote to stderr. */
static inline int child_run(void (*fn)(const void *ctx), const void *ctx,
			    char *said, size_t cap)
{
	ssize_t n = 0, got;
	int ends[2], status = -1;
	pid_t pid;

	CHECK_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		fn(ctx);
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + n, cap - 1 - (size_t)n)) > 0)
		n += got;
	said[n] = 0;
	close(ends[0]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static inline bool child_aborted(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
