// SPDX-License-Identifier: Apache-2.0
#include "agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* What a shell that is started so writes to a descriptor that it keeps. */
static void run(const char *script, char *const *env, char *out, size_t room)
{
	struct op_err err = { 0 };
	char text[256];
	int ends[2];
	size_t n = 0;
	ssize_t got;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	snprintf(text, sizeof(text), "exec >&%d; %s", ends[1], script);
	{
		const char *argv[] = { "/bin/sh", "-c", text, NULL };
		struct op_spawn s = { argv, env, &ends[1], 1 };

		CHECK_EQ(op_spawn(&s, &err), 0);
	}
	close(ends[1]);
	while ((got = read(ends[0], out + n, room - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = 0;
	close(ends[0]);
}

TEST(environment)
{
	char *const from[] = { "A=1", "LD_PRELOAD=/x.so", "B=two", NULL };
	struct op_err err = { 0 };
	char **env = op_spawn_env(from, &err);
	char out[200];

	CHECK(env && env[0] != from[0]);
	CHECK_STR(env[0], "A=1");
	CHECK_STR(env[1], "B=two");
	CHECK(!env[2]);
	env = op_spawn_env(NULL, &err);
	CHECK(env && !env[0]);
	env = op_spawn_env(from, &err);
	run("echo $A $B $LD_PRELOAD", env, out, sizeof(out));
	CHECK_STR(out, "1 two\n");
}

/* It is not a child of this process, and has a session of its own. */
TEST(no_child)
{
	char out[200], want[32];

	run("ps -o sid= -p $$ >/dev/null 2>&1; echo $PPID", environ, out,
	    sizeof(out));
	snprintf(want, sizeof(want), "%d\n", (int)getpid());
	CHECK(strcmp(out, want) != 0);
	CHECK_EQ(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	CHECK_EQ(errno, ECHILD);
}

/* Neither input, nor output, nor any other file of the program. */
TEST(descriptors)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD, 100);
	char out[200], script[100];

	snprintf(script, sizeof(script),
		 "[ ! -e /proc/self/fd/%d ] || echo open; "
		 "read x; echo \"$x.\"",
		 fd);
	run(script, environ, out, sizeof(out));
	CHECK_STR(out, ".\n");
	close(fd);
}

TEST(cannot)
{
	const char *argv[] = { "/none/such", NULL };
	struct op_spawn s = { argv, environ, NULL, 0 };
	struct op_err err = { 0 };

	CHECK_EQ(op_spawn(&s, &err), OP_EIO);
	CHECK_STR(err.text, "cannot run '/none/such': No such file or "
			    "directory");
	CHECK_EQ(waitpid(-1, NULL, WNOHANG | __WALL), -1);
}

TEST_MAIN(environment, no_child, descriptors, cannot)
