// SPDX-License-Identifier: Apache-2.0
/* cli/main.c: finds the command, and is the one place that prints errors. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "base/budget.h"

static int cmd_help(const struct op_cmd *cmd, int argc, char **argv,
		    struct op_err *err);
static int cmd_version(const struct op_cmd *cmd, int argc, char **argv,
		       struct op_err *err);

static const struct op_cmd cmds[] = {
	{ "check", "FILE...", "say whether profiles keep the rules of OTLP",
	  cmd_check },
	{ "convert", "FILE...", "read profiles and write them in one format",
	  cmd_convert },
	{ "diff", "BEFORE AFTER", "show what changed from one file to another",
	  cmd_diff },
	{ "filter", "FILE...", "write a part of profiles", cmd_filter },
	{ "merge", "FILE...", "join profiles of the same kind", cmd_merge },
	{ "send", "FILE...", "send profiles to a server of OTLP", cmd_send },
	{ "show", "FILE", "show what is in a file", cmd_show },
	{ "help", "[COMMAND | formats]", "explain a command or the formats",
	  cmd_help },
	{ "version", "", "print the version", cmd_version },
};

static const struct op_cmd *find(const char *name)
{
	for (size_t i = 0; i < op_countof(cmds); i++)
		if (!strcmp(cmds[i].name, name))
			return &cmds[i];
	return NULL;
}

static void usage(FILE *to)
{
	fputs("usage: otprof COMMAND [OPTION]... [ARGUMENT]...\n"
	      "\n"
	      "The toolkit for OpenTelemetry profiles.\n"
	      "\n"
	      "commands:\n",
	      to);
	for (size_t i = 0; i < op_countof(cmds); i++)
		fprintf(to, "  %-10s %s\n", cmds[i].name, cmds[i].summary);
	fputs("\n'otprof COMMAND --help' lists a command's options.\n", to);
}

static void formats(void)
{
	puts("formats:");
	for (size_t i = 0; op_formats[i]; i++)
		printf("  %-14s %s%s\n", op_formats[i]->name,
		       op_formats[i]->summary,
		       !op_formats[i]->write ? " (read only)" :
		       !op_formats[i]->read  ? " (write only)" :
					       "");
	puts("\ngzip, zstd and lz4 around any of them are unpacked.");
}

static int cmd_help(const struct op_cmd *cmd, int argc, char **argv,
		    struct op_err *err)
{
	static char help[] = "--help";
	const struct op_cmd *about;

	(void)cmd;
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "formats")) {
		formats();
		return 0;
	}
	about = find(argv[1]);
	if (!about)
		return op_fail(err, OP_EUSAGE, "no command '%s'", argv[1]);
	if (about->run == cmd_help || about->run == cmd_version) {
		printf("usage: otprof %s %s\n\n%s\n", about->name, about->args,
		       about->summary);
		return 0;
	}
	argv[0] = argv[1];
	argv[1] = help;
	return about->run(about, 2, argv, err);
}

static int cmd_version(const struct op_cmd *cmd, int argc, char **argv,
		       struct op_err *err)
{
	(void)cmd, (void)argc, (void)argv, (void)err;
	puts("otprof " OTPROF_VERSION);
	return 0;
}

int cli_report(const char *cmd, const char *file, const struct op_err *err)
{
	fflush(stdout);
	fprintf(stderr, "otprof %s: ", cmd);
	if (file)
		fprintf(stderr, "%s: ", file);
	fputs(err->text, stderr);
	if (err->sys)
		fprintf(stderr, ": %s", strerror(err->sys));
	if (err->has_at)
		fprintf(stderr, " (at byte %llu)", (unsigned long long)err->at);
	if (err->code == OP_EUSAGE)
		fprintf(stderr, "; see 'otprof %s --help'", cmd);
	fputc('\n', stderr);
	return err->code == OP_EUSAGE ? 2 : 1;
}

void cli_warn(const char *cmd, const char *file, const char *text)
{
	fflush(stdout);
	fprintf(stderr, "otprof %s: %s%swarning: %s\n", cmd, file ? file : "",
		file ? ": " : "", text);
}

void cli_progress(int done, int all, const char *file)
{
	if (all < 2 || !isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	if (file)
		fprintf(stderr, "%d of %d: %.60s", done + 1, all, file);
	fflush(stderr);
}

int cli_flush(struct op_buf *out)
{
	if (op_work(out->n, out->err))
		return out->err->code;
	if (out->n && fwrite(out->p, 1, out->n, stdout) != out->n)
		op_fail_sys(out->err, "cannot write the output");
	out->n = 0;
	return out->err->code;
}

static int unknown(const char *name)
{
	fprintf(stderr, "otprof: no command '%s'; see 'otprof help'\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	struct op_err err = { 0 };
	const struct op_cmd *cmd;
	int result;

	/* A closed pipe and a file past its limit (ulimit -f) are errors like
	 * any other, not a silent death. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
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
	/* A full disk shows up here, not in printf(). */
	if (!err.code && (fflush(stdout) || ferror(stdout)))
		op_fail_sys(&err, "cannot write the output");
	if (err.code)
		return cli_report(cmd->name, NULL, &err);
	return result > 0 ? result : 0;
}
