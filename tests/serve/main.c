// SPDX-License-Identifier: Apache-2.0
/* serve DIR SCRIPT: runs the server of serve.h until it is told to stop by a
 * signal, or its parent ends. The port is in DIR/port when it is ready.
 *
 * serve --port PORT DIR SCRIPT: the same, on this port.
 *
 * serve --pipe DIR SCRIPT: one connection on standard input and output.
 *
 * serve --http2: whether it has that. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "serve/serve.h"

static char *script_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;

	if (!f || getdelim(&text, &n, 0, f) < 0) {
		perror(path);
		exit(2);
	}
	fclose(f);
	return text;
}

static void port_write(const char *dir, int port)
{
	char path[PATH_MAX], temp[PATH_MAX + 8];
	FILE *f;

	snprintf(path, sizeof(path), "%s/port", dir);
	snprintf(temp, sizeof(temp), "%s.new", path);
	f = fopen(temp, "w");
	if (!f || fprintf(f, "%d\n", port) < 0 || fclose(f) ||
	    rename(temp, path)) {
		perror(path);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	bool is_pipe = argc == 4 && !strcmp(argv[1], "--pipe");
	bool has_port = argc == 5 && !strcmp(argv[1], "--port");
	struct serve *s;
	sigset_t set;
	char *script;
	int sig;

	if (argc == 2 && !strcmp(argv[1], "--http2"))
		return !serve_has_http2();
	if (argc != 3 && !is_pipe && !has_port) {
		fputs("usage: serve [--pipe|--port PORT] DIR SCRIPT\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	script = script_read(argv[argc - 1]);
	s = serve_start_at(script, argv[argc - 2],
			   has_port ? (int)strtol(argv[2], NULL, 10) : 0);
	if (is_pipe) {
		serve_pipe(s, STDIN_FILENO, STDOUT_FILENO);
	} else {
		port_write(argv[argc - 2], serve_port(s));
		sigwait(&set, &sig);
	}
	serve_stop(s);
	free(script);
	return 0;
}
