// SPDX-License-Identifier: Apache-2.0
/* cli/output.c: the output file, and its removal when a signal ends the
 * program.
 *
 * There is one such file at a time. A signal handler finds its temporary name
 * here, removes it and lets the signal take effect. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "fmt/output.h"

/* Empty: there is none. Changed only while the signals are blocked. */
static char temp[PATH_MAX + 16];

static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU };

void cli_output_drop(void)
{
	if (temp[0])
		unlink(temp);
}

static void on_stop(int sig)
{
	cli_output_drop();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < op_countof(stops); i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Ignored signals (nohup) stay ignored. */
static void handle(void)
{
	struct sigaction act = { .sa_handler = on_stop };

	for (size_t i = 0; i < op_countof(stops); i++) {
		struct sigaction old;

		if (!sigaction(stops[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(stops[i], &act, NULL);
	}
}

int cli_output_open(struct op_output *out, const char *path, struct op_err *err)
{
	sigset_t before;

	block(&before);
	if (!op_output_open(out, path, err) && out->temp) {
		snprintf(temp, sizeof(temp), "%s", out->temp);
		handle();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err->code;
}

int cli_output_close(struct op_output *out, struct op_err *err)
{
	sigset_t before;

	block(&before);
	op_output_close(out, err);
	temp[0] = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err->code;
}
