// SPDX-License-Identifier: Apache-2.0
/* cli/main.c: finds the command and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/closest.h"
#include "cli.h"
#include "completion.h"
#include "format_help.h"
#include "stack.h"
#include "sym/helper.h"
#include "symbol_helper.h"

static int cmd_help(const struct op_cmd *cmd, int argc, char **argv,
		    struct op_err *err);
static int cmd_version(const struct op_cmd *cmd, int argc, char **argv,
		       struct op_err *err);

static const struct op_cmd cmds[] = {
	{ "agent", "", "export the samples of a program; started by its agent",
	  cmd_agent },
	{ "check", "FILE...",
	  "validate profiles against the OTLP specification", cmd_check },
	{ "convert", "FILE...", "convert profiles to another format",
	  cmd_convert },
	{ "diff", "BEFORE AFTER", "compare two profiles", cmd_diff },
	{ "filter", "FILE...", "select a part of profiles", cmd_filter },
	{ "flame", "[FILE]...", "show a flame graph in the terminal",
	  cmd_flame },
	{ "list", "REGEX [FILE]...", "show values by source line of a function",
	  cmd_list },
	{ "merge", "FILE...", "merge profiles", cmd_merge },
	{ "peek", "REGEX [FILE]...",
	  "show the callers and callees of a function", cmd_peek },
	{ "record", "[-- COMMAND [ARGUMENT]...]",
	  "record where processes spend CPU time", cmd_record },
	{ "run", "-- COMMAND [ARGUMENT]...",
	  "run a command with a profiler of all its threads inside", cmd_run },
	{ "send", "FILE...", "send profiles to an OTLP server", cmd_send },
	{ "show", "FILE", "show the contents of a profile", cmd_show },
	{ "stat", "[FILE]...",
	  "show totals by type and label, and values over time", cmd_stat },
	{ "top", "[FILE]...",
	  "rank functions, threads or other labels by value", cmd_top },
	{ "tree", "[FILE]...", "show the call tree", cmd_tree },
	{ "view", "[FILE]...", "show profiles in the browser", cmd_view },
	{ "help", "[COMMAND | FORMAT | formats]",
	  "show help on a command or format, or list the formats", cmd_help },
	{ "version", "", "print the version", cmd_version },
	{ 0 },
};

static const struct op_cmd *find(const char *name)
{
	for (const struct op_cmd *c = cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void usage(FILE *to)
{
	cli_print(to, "usage: otprof COMMAND [OPTION]... [ARGUMENT]...\n"
		      "\n"
		      "A toolkit for OpenTelemetry profiles.\n"
		      "\n"
		      "commands:\n");
	for (const struct op_cmd *c = cmds; c->name; c++)
		cli_print(to, "  %-10s %s\n", c->name, c->summary);
	cli_print(to, "\nRun 'otprof COMMAND --help' for its options.\n");
}

static int cmd_help(const struct op_cmd *cmd, int argc, char **argv,
		    struct op_err *err)
{
	static char help[] = "--help";
	const char *shell = NULL;
	const struct op_opt opts[] = {
		{ OP_OPT_STRING, 0, "completion", "bash|zsh|fish",
		  "print a script that completes command lines", &shell },
		{ 0 },
	};
	int first = op_opt_parse(cmd, opts, argc, argv, err);
	const struct op_cmd *about;

	if (first < 0)
		return first;
	if (shell)
		return completion_print(cmds, shell, err);
	if (first == argc) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[first], "formats")) {
		format_list_print();
		return 0;
	}
	about = find(argv[first]);
	if (!about && op_format_named(argv[first])) {
		format_help_print(op_format_named(argv[first]));
		return 0;
	}
	if (!about)
		return op_fail(err, OP_EUSAGE,
			       "no command or format is called '%s'",
			       argv[first]);
	argv[0] = argv[first];
	argv[1] = help;
	return about->run(about, 2, argv, err);
}

static int cmd_version(const struct op_cmd *cmd, int argc, char **argv,
		       struct op_err *err)
{
	static const struct op_opt opts[] = { { 0 } };
	int first = op_opt_parse(cmd, opts, argc, argv, err);

	if (first < 0)
		return first;
	cli_print(stdout, "otprof " OTPROF_VERSION "\n");
	return 0;
}

static int unknown(const char *name)
{
	struct op_closest c = { .wanted = op_view_z(name) };

	for (const struct op_cmd *cmd = cmds; cmd->name; cmd++)
		op_closest_offer(&c, op_view_z(cmd->name));
	if (c.best.n)
		cli_line("otprof: unknown command '%s'; did you mean '%.*s'?",
			 name, (int)c.best.n, (const char *)c.best.p);
	else
		cli_line("otprof: unknown command '%s'; see 'otprof help'",
			 name);
	return 2;
}

/* Input files are not mapped, but binaries with symbols are. */
static void on_sigbus(int sig)
{
	(void)sig;
	cli_end("a binary shrank while its symbols were read");
}

/* --- signals --- */

/* What is ignored is ignored after exec, too: commands that this program starts
 * would see a closed pipe as an error of write() instead of ending, and those
 * that nohup or a shell protects from Ctrl-C would lose that. */
static const int ours[] = { SIGPIPE, SIGXFSZ, SIGBUS, SIGINT,
			    SIGQUIT, SIGTERM, SIGHUP, SIGXCPU };
static struct sigaction found[op_countof(ours)];

static void signals_save(void)
{
	for (size_t i = 0; i < op_countof(ours); i++)
		sigaction(ours[i], NULL, &found[i]);
}

void cli_signals_restore(void)
{
	for (size_t i = 0; i < op_countof(ours); i++)
		sigaction(ours[i], &found[i], NULL);
}

/* Whether the reader of a pipe has closed it. */
static bool is_closed(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
}

/* As in `otprof top | head`: the reader has enough. */
static void die_of_sigpipe(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

/* A file or connection that we open must not take the place of standard output
 * or error where who started us closed it: all messages would go there. What is
 * opened instead cannot be read or written either. */
static void standard_files_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null",
				   O_CLOEXEC | (fd ? O_RDONLY : O_WRONLY));
}

static int command(int argc, char **argv)
{
	struct op_err err = { 0 };
	const struct op_cmd *cmd;
	int result;

	standard_files_hold();
	signals_save();
	/* A closed pipe and a file past its limit (ulimit -f) must not end the
	 * program before it has cleaned up. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGBUS, on_sigbus);
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], OP_HELPER_ARG))
		return symbol_helper();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		cmd = find("help");
	else if (!strcmp(argv[1], "--version"))
		cmd = find("version");
	else
		cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	cli_budget_begin();
	result = cmd->run(cmd, argc - 1, argv + 1, &err);
	/* A full disk is detected here, not in printf(). */
	if (!err.code && (fflush(stdout) || ferror(stdout)))
		op_fail_sys(&err, "cannot write the output");
	if (err.code && err.sys == EPIPE && is_closed(STDOUT_FILENO))
		die_of_sigpipe();
	if (err.code)
		return cli_report(cmd->name, NULL, &err);
	return result > 0 ? result : 0;
}

int main(int argc, char **argv)
{
	return cli_stack_is_small() ? cli_stack_run(command, argc, argv) :
				      command(argc, argv);
}
