// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_run.c: otprof run: runs a command with the agent inside, and shows
 * what its threads did.
 *
 * The agent of each process that the command starts writes a file of its own
 * into a temporary directory. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "fmt/input.h"
#include "record_out.h"
#include "record_view.h"

enum { EXIT_OURS = 125, EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };
enum { ROWS = 20, DEFAULT_MS = 10, WAIT_S = 30 };

struct run {
	const char *cmd;
	uint64_t interval_ms, rows;
	const char *to_format;
	struct record_out_opts to;
	struct record_out out;
	char dir[64];
	struct op_err *err;
};

static int option_parse(struct run *r, const struct op_cmd *cmd, int argc,
			char **argv)
{
	const struct op_opt opts[] = {
		{ OP_OPT_U64, 0, "interval", "MS",
		  "time between two stacks of a thread; default: 10",
		  &r->interval_ms },
		{ OP_OPT_U64, 'n', "rows", "N",
		  "show at most N rows; default: 20", &r->rows },
		{ OP_OPT_STRING, 'o', "output", "FILE",
		  "write the profile to FILE", &r->to.path },
		{ OP_OPT_OUTPUT_FORMAT, 't', "to", "FORMAT",
		  "format of FILE; default: by its ending, else otlp",
		  &r->to_format },
		{ 0 },
	};

	return op_opt_parse(cmd, opts, argc, argv, r->err);
}

static int options_check(struct run *r, int nr_words)
{
	if (!nr_words)
		return op_fail(r->err, OP_EUSAGE, "expected a command");
	if (!r->interval_ms || r->interval_ms > 3600 * 1000)
		return op_fail(r->err, OP_EUSAGE,
			       "--interval is between 1 and 3600000");
	if (r->to_format)
		r->to.format = op_format_wanted(r->to_format, r->err);
	else if (r->to.path)
		r->to.format = op_format_by_ending(r->to.path);
	if (!r->to.format)
		r->to.format = op_formats[0];
	if (!r->err->code && !r->to.format->write)
		return op_fail(r->err, OP_EUSAGE,
			       "%s files are only read, not written",
			       r->to.format->name);
	return r->err->code;
}

/* --- the agent --- */

/* Beside this program, or where it is installed. */
static int agent_find(char *out, size_t room, struct op_err *err)
{
	static const char *const places[] = { "", "/../lib" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n < 0)
		return op_fail_sys(err, "cannot read '/proc/self/exe'");
	self[n] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	for (size_t i = 0; i < op_countof(places); i++) {
		int used = snprintf(out, room, "%s%s/libotprof-agent.so", self,
				    places[i]);

		if ((size_t)used < room && !access(out, R_OK))
			return OP_OK;
	}
	return op_fail(err, OP_EIO,
		       "there is no libotprof-agent.so beside this program or "
		       "in its library directory");
}

static void preload(const char *agent)
{
	const char *old = getenv("LD_PRELOAD");
	char both[2 * PATH_MAX];

	snprintf(both, sizeof(both), "%s%s%s", agent, old && *old ? ":" : "",
		 old ? old : "");
	setenv("LD_PRELOAD", both, 1);
}

static int environment(struct run *r)
{
	char agent[PATH_MAX], self[PATH_MAX], number[24], output[128];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (agent_find(agent, sizeof(agent), r->err))
		return r->err->code;
	self[n > 0 ? n : 0] = 0;
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)r->interval_ms);
	snprintf(output, sizeof(output), "file:%s/%%p-%%t.otlp", r->dir);
	preload(agent);
	setenv("OTPROF_PROGRAM", self, 1);
	setenv("OTPROF_AGENT_OUTPUT", output, 1);
	setenv("OTPROF_AGENT_REPORT", "1", 1);
	setenv("SPLUNK_PROFILER_ENABLED", "true", 1);
	setenv("SPLUNK_PROFILER_CALL_STACK_INTERVAL", number, 1);
	return OP_OK;
}

/* --- the command --- */

static void child_exec(char **words)
{
	int error;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execvp(words[0], words);
	error = errno;
	cli_line("otprof run: cannot run '%s': %s", words[0], strerror(error));
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

/* Helpers are adopted by this process when their programs end. */
static void helpers_await(void)
{
	time_t end = time(NULL) + WAIT_S;
	const struct timespec nap = { 0, 5000000 };
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && time(NULL) < end)
		if (!pid)
			nanosleep(&nap, NULL);
}

static int command_run(struct run *r, char **words)
{
	int status = 0;
	pid_t pid;

	/* Ctrl-C is for the command. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid < 0)
		return op_fail_sys(r->err, "cannot start a process");
	if (!pid)
		child_exec(words);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	helpers_await();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* --- the result --- */

static void file_add(struct run *r, const char *path)
{
	struct cli_input_opts o = { .cmd = r->cmd, .timed = OP_TIMED_PACKED };
	struct op_input in;
	struct op_model m = { 0 };

	if (cli_open(&in, path, &o, r->err) ||
	    cli_read_open(&m, &in, path, &o, r->err))
		return;
	record_out_wait(&r->out, r->err);
	record_out_put(&r->out, &m, r->err);
}

static void files_add(struct run *r)
{
	DIR *d = opendir(r->dir);
	const struct dirent *e;
	char path[PATH_MAX];
	struct stat st;

	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", r->dir, e->d_name);
		/* One that is empty is of a process that ended at once. */
		if (!r->err->code && !stat(path, &st) && st.st_size)
			file_add(r, path);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(r->dir);
}

static void result_show(struct run *r)
{
	struct op_buf text = { .err = r->err };

	if (record_out_open(&r->out, &r->to, r->err))
		return;
	files_add(r);
	record_out_end(&r->out, r->err);
	if (!r->err->code && !r->to.path && r->out.has_sum &&
	    !record_view(&r->out.sum, r->rows ? r->rows : ROWS, &text, r->err))
		cli_put(stderr, op_view(text.p, text.n), r->err);
	if (!r->err->code && !r->out.has_sum && !r->to.path)
		op_fail(r->err, OP_EIO,
			"the command ended before its first "
			"sample");
	op_buf_free(&text);
}

int cmd_run(const struct op_cmd *cmd, int argc, char **argv, struct op_err *err)
{
	struct run r = { .cmd = cmd->name,
			 .interval_ms = DEFAULT_MS,
			 .to = { .cmd = cmd->name, .no_symbols = true },
			 .dir = "/tmp/otprof-run-XXXXXX",
			 .err = err };
	int first = option_parse(&r, cmd, argc, argv), rc;

	if (first < 0 || options_check(&r, argc - first))
		return first < 0 ? first : err->code;
	if (!mkdtemp(r.dir))
		return op_fail_sys(err, "cannot make a directory in '/tmp'");
	rc = environment(&r) ? EXIT_OURS : command_run(&r, argv + first);
	if (!err->code)
		result_show(&r);
	record_out_close(&r.out, err);
	if (err->code)
		cli_report(cmd->name, NULL, err);
	*err = (struct op_err){ 0 };
	return rc;
}
