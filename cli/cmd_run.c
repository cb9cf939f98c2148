// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_run.c: otprof run: runs a command with the agent inside, and shows
 * what its threads did.
 *
 * The agent of each process that the command starts writes a file of its own
 * into a temporary directory. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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
	bool has_memory;
	const char *to_format;
	struct record_out_opts to;
	struct record_out out;
	char dir[1024];
	uint32_t nr_files; /* of agents that had samples */
	uint32_t nr_cut;   /* of agents whose helper has not finished */
	struct op_err *err;
};

static int option_parse(struct run *r, const struct op_cmd *cmd, int argc,
			char **argv)
{
	const struct op_opt opts[] = {
		{ OP_OPT_U64, 0, "interval", "MS",
		  "time between two stacks of a thread; default: 10",
		  &r->interval_ms },
		{ OP_OPT_FLAG, 0, "memory", NULL,
		  "sample allocations, too, and what is in use",
		  &r->has_memory },
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
	if (r->to_format && !r->to.path)
		return op_fail(r->err, OP_EUSAGE, "--to needs --output");
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

/* Beside this program, in the library directory beside its own, or where it is
 * installed. */
static int agent_find(char *out, size_t room, struct op_err *err)
{
	static const char name[] = "libotprof-agent.so";
	static const char *const places[] = { "", "/../lib" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return op_fail_sys(err, "cannot read '/proc/self/exe'");
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < op_countof(places); i++) {
		int used = snprintf(out, room, "%s%s/%s", self, places[i],
				    name);

		if ((size_t)used < room && !access(out, R_OK))
			return OP_OK;
	}
	if (!access(OP_AGENT_LIBRARY, R_OK)) {
		snprintf(out, room, "%s", OP_AGENT_LIBRARY);
		return OP_OK;
	}
	return op_fail(err, OP_EIO,
		       "there is no %s beside this program or in its library "
		       "directory",
		       name);
}

/* Spaces and colons separate what is preloaded, so that a path with one of them
 * needs another name. */
static void preload(const struct run *r, const char *agent)
{
	const char *old = getenv("LD_PRELOAD");
	char both[2 * PATH_MAX], link[PATH_MAX];

	if (strpbrk(agent, " :")) {
		snprintf(link, sizeof(link), "%s/agent.so", r->dir);
		if (!symlink(agent, link))
			agent = link;
	}
	snprintf(both, sizeof(both), "%s%s%s", agent, old && *old ? ":" : "",
		 old ? old : "");
	setenv("LD_PRELOAD", both, 1);
}

/* Where agents write to. A comma or percent sign in its path would have a
 * meaning for them, and a space or colon for the loader. */
static int directory_make(struct run *r)
{
	const char *in = getenv("TMPDIR");

	if (!in || !*in || strpbrk(in, ",% :") || strlen(in) > 900)
		in = "/tmp";
	snprintf(r->dir, sizeof(r->dir), "%s/otprof-run-XXXXXX", in);
	if (!mkdtemp(r->dir))
		return op_fail_sys(r->err,
				   "cannot make a directory in '%.200s'", in);
	return OP_OK;
}

static int environment(struct run *r)
{
	char agent[PATH_MAX], self[PATH_MAX], number[24], output[1100];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (agent_find(agent, sizeof(agent), r->err))
		return r->err->code;
	self[n > 0 ? n : 0] = 0;
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)r->interval_ms);
	snprintf(output, sizeof(output), "file:%s/%%p-%%t.otlp", r->dir);
	preload(r, agent);
	setenv("OTPROF_PROGRAM", self, 1);
	setenv("OTPROF_AGENT_OUTPUT", output, 1);
	setenv("OTPROF_AGENT_REPORT", "1", 1);
	setenv("SPLUNK_PROFILER_ENABLED", "true", 1);
	if (r->has_memory)
		setenv("SPLUNK_PROFILER_MEMORY_ENABLED", "true", 1);
	setenv("SPLUNK_PROFILER_CALL_STACK_INTERVAL", number, 1);
	return OP_OK;
}

/* --- signals --- */

static const int passed[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
/* Who gets them; 0: it has ended. Then the first one ends the waiting for what
 * it has started. */
static volatile sig_atomic_t command, is_hurried;

static void pass_on(int sig, siginfo_t *info, void *uc)
{
	(void)uc;
	if (!command)
		is_hurried = 1;
	/* Those of the terminal it gets anyway. */
	else if (info->si_code != SI_KERNEL)
		kill((pid_t)command, sig);
}

/* Ignored signals (nohup) stay ignored. */
static void signals_begin(struct sigaction before[])
{
	const struct sigaction act = { .sa_sigaction = pass_on,
				       .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < op_countof(passed); i++)
		if (!sigaction(passed[i], NULL, &before[i]) &&
		    before[i].sa_handler != SIG_IGN)
			sigaction(passed[i], &act, NULL);
}

static void signals_end(const struct sigaction before[])
{
	for (size_t i = 0; i < op_countof(passed); i++)
		sigaction(passed[i], &before[i], NULL);
}

/* --- the command --- */

static void child_exec(char **words, int error, const sigset_t *mask)
{
	int why;

	cli_signals_restore();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(words[0], words);
	why = errno;
	if (write(error, &why, sizeof(why)) < 0)
		_exit(EXIT_OURS);
	_exit(EXIT_NOT_RUN);
}

/* Why the command could not be run; false: it was. The pipe ends without a word
 * when a program is executed. */
static bool exec_failed(struct run *r, const char *name, int error, int *rc)
{
	int why = 0;
	ssize_t n;

	do
		n = read(error, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	close(error);
	if (n != sizeof(why))
		return false;
	command = 0;
	*rc = why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
	op_fail(r->err, OP_EIO, "cannot run '%.200s': %s", name, strerror(why));
	return true;
}

/* Helpers are adopted by this process when their programs end, as are programs
 * that go on without the command. */
static void helpers_await(void)
{
	time_t end = time(NULL) + WAIT_S;
	const struct timespec nap = { 0, 5000000 };
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && time(NULL) < end &&
	       !is_hurried)
		if (!pid)
			nanosleep(&nap, NULL);
}

static int command_await(pid_t pid)
{
	siginfo_t info;
	int status = 0;

	/* While it is not waited for, nobody else has its ID. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) &&
	       errno == EINTR)
		;
	command = 0;
	waitpid(pid, &status, 0);
	helpers_await();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static int command_run(struct run *r, char **words)
{
	struct sigaction before[op_countof(passed)];
	sigset_t held, mask;
	int error[2], rc;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (pipe2(error, O_CLOEXEC)) {
		op_fail_sys(r->err, "cannot make a pipe");
		return EXIT_OURS;
	}
	sigemptyset(&held);
	for (size_t i = 0; i < op_countof(passed); i++)
		sigaddset(&held, passed[i]);
	sigprocmask(SIG_BLOCK, &held, &mask);
	pid = fork();
	if (!pid)
		child_exec(words, error[1], &mask);
	if (pid < 0) {
		op_fail_sys(r->err, "cannot start a process");
		return EXIT_OURS;
	}
	command = (sig_atomic_t)pid;
	signals_begin(before);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(error[1]);
	if (!exec_failed(r, words[0], error[0], &rc))
		rc = command_await(pid);
	signals_end(before);
	return rc;
}

/* --- a command without samples --- */

/* The file that execvp() has run; false: there is none. */
static bool command_path(const char *name, char *out, size_t room)
{
	const char *p = getenv("PATH");

	if (strchr(name, '/'))
		return (size_t)snprintf(out, room, "%s", name) < room;
	for (; p; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL) {
		int n = (int)strcspn(p, ":");

		if ((size_t)snprintf(out, room, "%.*s/%s", n, p, name) < room &&
		    !access(out, X_OK))
			return true;
	}
	return false;
}

/* Who preloads. */
enum loader { LOADER_UNKNOWN, LOADER_NONE, LOADER_MUSL, LOADER_OTHER };

static enum loader loader_named(const uint8_t *name, size_t n)
{
	return memmem(name, n, "ld-musl", strlen("ld-musl")) ? LOADER_MUSL :
							       LOADER_OTHER;
}

static enum loader loader_of(const char *path)
{
	union {
		uint8_t bytes[4096];
		Elf64_Ehdr head;
	} u;
	const Elf64_Ehdr *h = &u.head;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, u.bytes, sizeof(u.bytes));

	if (fd >= 0)
		close(fd);
	if (n < (ssize_t)sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_phentsize != sizeof(Elf64_Phdr))
		return LOADER_UNKNOWN;
	for (uint32_t i = 0; i < h->e_phnum; i++) {
		uint64_t at = h->e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr p;

		if (at > (size_t)n - sizeof(p))
			return LOADER_UNKNOWN;
		memcpy(&p, u.bytes + at, sizeof(p));
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_offset > (size_t)n ||
		    p.p_filesz > (size_t)n - p.p_offset)
			return LOADER_UNKNOWN;
		return loader_named(u.bytes + p.p_offset, p.p_filesz);
	}
	return LOADER_NONE;
}

static void none_explain(const char *name, struct op_err *err)
{
	const char *why = "the command ended before its first sample";
	char path[PATH_MAX];
	struct stat st;

	if (command_path(name, path, sizeof(path)) && !stat(path, &st)) {
		if (st.st_mode & (S_ISUID | S_ISGID))
			why = "the command is set-user-ID or set-group-ID: "
			      "nothing can be preloaded to it";
		else if (loader_of(path) == LOADER_NONE)
			why = "the command is linked statically: nothing can "
			      "be preloaded to it; see otprof record";
		else if (loader_of(path) == LOADER_MUSL)
			why = "the command uses musl, and the agent needs "
			      "glibc; see otprof record";
	}
	op_fail(err, OP_EIO, "%s", why);
}

/* --- the result --- */

/* A file has its own name when it is complete, and another one until then:
 * PID-TID.otlp.XXXXXX. */
static bool is_cut(const char *name)
{
	return !op_view_ends(op_view_z(name), ".otlp");
}

static void cut_tell(struct run *r, const char *name)
{
	char text[160];

	r->nr_cut++;
	snprintf(text, sizeof(text),
		 "the helper of process %.*s has not finished: its last "
		 "samples, of up to 10 s, are missing",
		 (int)strspn(name, "0123456789"), name);
	cli_warn(r->cmd, NULL, text);
}

static void file_add(struct run *r, const char *path)
{
	struct cli_input_opts o = { .cmd = r->cmd, .timed = OP_TIMED_PACKED };
	struct op_input in;
	struct op_model m = { 0 };

	if (cli_open(&in, path, &o, r->err) ||
	    cli_read_open(&m, &in, path, &o, r->err))
		return;
	r->nr_files++;
	record_out_wait(&r->out, r->err);
	record_out_put(&r->out, &m, r->err);
}

static void file_take(struct run *r, const char *name, const char *path)
{
	uint32_t nr_before = r->nr_files;
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return;
	if (is_cut(name))
		cut_tell(r, name);
	/* One that is empty is of a process that ended at once. */
	if (!st.st_size || r->err->code)
		return;
	file_add(r, path);
	/* It may end within a message. */
	if (is_cut(name) && r->nr_files == nr_before)
		*r->err = (struct op_err){ 0 };
}

static void files_add(struct run *r)
{
	DIR *d = opendir(r->dir);
	const struct dirent *e;
	char path[PATH_MAX];

	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", r->dir, e->d_name);
		file_take(r, e->d_name, path);
		unlink(path);
	}
	if (d)
		closedir(d);
}

static void result_show(struct run *r, const char *name)
{
	struct op_buf text = { .err = r->err };

	files_add(r);
	if (!r->nr_files && r->nr_cut)
		op_fail(r->err, OP_EIO, "there are no samples");
	else if (!r->nr_files)
		none_explain(name, r->err);
	if (r->err->code)
		return;
	record_out_end(&r->out, r->err);
	if (!r->err->code && !r->to.path && r->out.has_sum &&
	    !record_view(&r->out.sum, r->rows ? r->rows : ROWS, &text, r->err))
		cli_put(stderr, op_view(text.p, text.n), r->err);
	op_buf_free(&text);
}

int cmd_run(const struct op_cmd *cmd, int argc, char **argv, struct op_err *err)
{
	struct run r = { .cmd = cmd->name,
			 .interval_ms = DEFAULT_MS,
			 .to = { .cmd = cmd->name, .no_symbols = true },
			 .err = err };
	int first = option_parse(&r, cmd, argc, argv), rc = EXIT_OURS;

	if (first < 0 || options_check(&r, argc - first))
		return first < 0 ? first : err->code;
	if (!directory_make(&r) && !environment(&r) &&
	    !record_out_open(&r.out, &r.to, err))
		rc = command_run(&r, argv + first);
	if (!err->code) {
		result_show(&r, argv[first]);
		if (err->code && r.nr_files)
			rc = EXIT_OURS;
	}
	rmdir(r.dir);
	record_out_close(&r.out, err);
	if (err->code)
		cli_report(cmd->name, NULL, err);
	*err = (struct op_err){ 0 };
	return rc;
}
