// SPDX-License-Identifier: Apache-2.0
#include "write/locale.h"

#include <fcntl.h>
#include <locale.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "write/folder.h"

static const char source[] = "LC_NUMERIC\n"
			     "decimal_point \"%s\"\n"
			     "thousands_sep \"<U002E>\"\n"
			     "grouping 3;3\n"
			     "END LC_NUMERIC\n"
			     "LC_CTYPE\n"
			     "copy \"POSIX\"\n"
			     "END LC_CTYPE\n"
			     "LC_COLLATE\n"
			     "copy \"POSIX\"\n"
			     "END LC_COLLATE\n";

static const char name[] = "xx_XX.UTF-8";

/* Without a word: what matters is what is there afterwards. */
static void run(char *const *argv)
{
	posix_spawn_file_actions_t quiet;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	if (!posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ))
		waitpid(pid, NULL, 0);
	posix_spawn_file_actions_destroy(&quiet);
}

bool locale_set(const char *point)
{
	char in[FOLDER_PATH + 100], out[FOLDER_PATH + 100], text[400];
	char *const make[] = { "localedef", "-c",    "-i", in,
			       "-f",	    "UTF-8", out,  NULL };
	struct folder f;
	bool ok;

	folder_make(&f);
	snprintf(text, sizeof(text), source, point);
	folder_write(&f, "source", op_view_z(text));
	snprintf(in, sizeof(in), "%s", folder_path(&f, "source"));
	snprintf(out, sizeof(out), "%s", folder_path(&f, name));
	run(make);
	setenv("LOCPATH", f.path, 1);
	ok = setlocale(LC_ALL, name);
	unsetenv("LOCPATH");
	/* What is loaded stays so. */
	run((char *const[]){ "rm", "-rf", f.path, NULL });
	return ok;
}
