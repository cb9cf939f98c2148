// SPDX-License-Identifier: Apache-2.0
/* cli/browser.c: opens an address in the user's browser. */
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* Not ended by Ctrl-C, and silent. */
static void run(const char *url)
{
	static const char own[] = "exec $BROWSER \"$1\"";
	static const char usual[] = "exec xdg-open \"$1\"";
	int null = open("/dev/null", O_RDWR);

	setsid();
	if (null < 0)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	/* The shell splits $BROWSER at spaces; it does not evaluate it. */
	execl("/bin/sh", "sh", "-c", is_set("BROWSER") ? own : usual, "sh", url,
	      (char *)NULL);
	_exit(1);
}

/* A child of a child, so that nobody has to wait for it. */
bool browser_open(const char *url)
{
	int status;
	pid_t pid;

	if (!is_set("BROWSER") && !is_set("DISPLAY") &&
	    !is_set("WAYLAND_DISPLAY"))
		return false;
	pid = fork();
	if (pid < 0)
		return false;
	if (!pid) {
		pid = fork();
		if (!pid)
			run(url);
		_exit(pid < 0);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}
