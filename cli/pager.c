// SPDX-License-Identifier: Apache-2.0
/* cli/pager.c: standard output becomes a pipe to the pager at the first line
 * that is printed, so that a command that fails before starts none. */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Of a shell: the command cannot be run, or is not found. */
enum { NOT_RUN = 126 };

static struct {
	const char *command; /* NULL: none is wanted */
	int terminal;	     /* what standard output was; while it runs */
	pid_t pid;	     /* 0: it is not running */
} pager;

static const char *variable(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

void pager_want(bool option)
{
	/* Where less is not installed, nothing is better than no output. */
	static const char usual[] =
		"if command -v less >/dev/null; then exec less; fi; exec cat";
	const char *own = variable("OTPROF_PAGER");

	pager.command = NULL;
	if (!isatty(STDOUT_FILENO) || (!option && !own))
		return;
	pager.command = own ? own : variable("PAGER");
	if (!pager.command)
		pager.command = usual;
}

/* Runs the command with a pipe as its input; -1: it cannot be run. */
static pid_t run(const char *command, int in)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	pid_t pid = -1;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	if (posix_spawn(&pid, "/bin/sh", &files, &attr, argv, environ))
		pid = -1;
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

void pager_begin(void)
{
	int ends[2], terminal;
	pid_t pid;

	if (!pager.command || pager.pid || pipe2(ends, O_CLOEXEC))
		return;
	/* Leave at once if all fits, show colours, do not clear the screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	fflush(stdout);
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	pid = terminal < 0 ? -1 : run(pager.command, ends[0]);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		pager.terminal = terminal;
		pager.pid = pid;
		/* They are for the pager, which has the terminal. */
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	} else if (terminal >= 0) {
		close(terminal);
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_end(struct op_err *err)
{
	bool left;
	int status = 0;

	if (!pager.pid)
		return;
	left = fflush(stdout) && errno == EPIPE;
	left |= err->code && err->sys == EPIPE;
	if (left) {
		*err = (struct op_err){ 0 };
		__fpurge(stdout);
		clearerr(stdout);
	}
	dup2(pager.terminal, STDOUT_FILENO);
	close(pager.terminal);
	while (waitpid(pager.pid, &status, 0) < 0 && errno == EINTR)
		;
	pager.pid = 0;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (!err->code && WIFEXITED(status) && WEXITSTATUS(status) >= NOT_RUN)
		op_fail(err, OP_EIO, "cannot run the pager '%.100s'",
			pager.command);
	pager.command = NULL;
}

int pager_terminal(void)
{
	if (pager.pid)
		return pager.terminal;
	return isatty(STDOUT_FILENO) ? STDOUT_FILENO : -1;
}
