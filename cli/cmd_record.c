// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_record.c: otprof record: where processes spend CPU time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/time.h"
#include "cli.h"
#include "record/recorder.h"
#include "record_out.h"
#include "record_page.h"
#include "record_view.h"
#include "screen.h"

/* As env and others that run a command have it. */
enum { EXIT_OURS = 125, EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

enum { MAX_HERTZ = 10000, HERTZ_ALL = 19, HERTZ_SOME = 99, ROWS = 20 };
#define HERTZ_DEFAULT UINT64_MAX

/* A shorter recording says nothing of what otprof costs: it is mostly start and
 * end. */
enum { MIN_COST_NS = 500000000 };

enum { SHOW_NS = 1000000000, MAX_FILES = 1 << 20 };

struct record {
	struct op_recorder_opts rec;
	struct record_out_opts to;
	bool all;
	uint64_t hertz, rows;
	const char *events, *duration_text, *interval_text, *user, *cgroup;
	const char *comm, *age_text, *to_format;
	struct op_opt_list pids, headers, env;
	struct op_regex *comm_regex;
	uint64_t duration_ns, interval_ns; /* 0: none */

	struct op_arena mem;
	struct op_recorder *r;
	struct record_out out;
	int signals; /* a descriptor from which they are read */
	sigset_t before;
	int exec_error; /* a pipe from the child; -1: no command */
	int go;		/* a byte into it lets the child run */
	int status;	/* of the command, as waitpid() gives it */
	bool is_waited; /* it has ended, and status is known */
	bool not_run;	/* it could not be run; status says so */
	bool has_ended;
	bool has_screen;
	bool is_shown;	/* every second */
	bool is_viewed; /* on a page, every second */
	struct record_page page;
	uint64_t started_ns, window_ns, shown_ns, message_ns;
	char counts[200]; /* at the end of the last window */
	struct op_err *err;
};

/* --- options --- */

static int option_parse(struct record *c, const struct op_cmd *cmd, int argc,
			char **argv)
{
	const struct op_opt opts[] = {
		{ OP_OPT_FLAG, 'a', "all", NULL, "record all processes",
		  &c->all },
		{ OP_OPT_SETTING, 'p', "pid", "PID,...",
		  "record these processes and what they start", &c->pids },
		{ OP_OPT_STRING, 'e', "event", "cpu",
		  "what to record; only cpu so far", &c->events },
		{ OP_OPT_U64, 'F', "frequency", "HZ",
		  "samples per second of CPU time; default: 19 with --all, "
		  "else 99",
		  &c->hertz },
		{ OP_OPT_STRING, 'd', "duration", "TIME",
		  "stop after this time, such as 10 (seconds) or 5m",
		  &c->duration_text },
		{ OP_OPT_STRING, 'u', "user", "NAME",
		  "only processes of this user", &c->user },
		{ OP_OPT_STRING, 0, "cgroup", "PATH",
		  "only processes in this control group and those in it",
		  &c->cgroup },
		{ OP_OPT_STRING, 0, "comm", "REGEX",
		  "only threads whose name matches", &c->comm },
		{ OP_OPT_STRING, 0, "min-age", "TIME",
		  "only processes that run this long already", &c->age_text },
		{ OP_OPT_FLAG, 0, "user-only", NULL,
		  "leave out frames of the kernel", &c->rec.user_only },
		{ OP_OPT_FLAG, 0, "aggregate", NULL,
		  "record sums, without timestamps", &c->rec.is_aggregate },
		{ OP_OPT_FLAG, 0, "no-bpf", NULL,
		  "use perf events even if BPF programs could be used",
		  &c->rec.no_bpf },
		{ OP_OPT_SETTING, 0, "env", "NAME",
		  "report this environment variable of processes; repeatable",
		  &c->env },
		{ OP_OPT_FLAG, 0, "no-symbols", NULL,
		  "do not look up names of functions", &c->to.no_symbols },
		{ OP_OPT_STRING, 0, "symbol-path", "DIR:...",
		  "look for binaries and debug files here",
		  &c->to.symbol_path },
		{ OP_OPT_U64, 'n', "rows", "N",
		  "show at most N rows; default: 20", &c->rows },
		{ OP_OPT_STRING, 'o', "output", "FILE",
		  "write the recording to FILE", &c->to.path },
		{ OP_OPT_OUTPUT_FORMAT, 't', "to", "FORMAT",
		  "format of FILE; default: by its ending, else otlp",
		  &c->to_format },
		{ OP_OPT_FLAG, 0, "view", NULL,
		  "show the recording in the browser while it runs",
		  &c->is_viewed },
		{ OP_OPT_STRING, 0, "export", "URL",
		  "send the recording to this OTLP server", &c->to.url },
		{ OP_OPT_STRING, 0, "interval", "TIME",
		  "send or write a message this often; default: 10s",
		  &c->interval_text },
		{ OP_OPT_STRING, 0, "protocol", "grpc|http/protobuf|http/json",
		  "how to send; default: http/protobuf", &c->to.rpc.protocol },
		{ OP_OPT_STRING, 0, "compression", "none|gzip|zstd",
		  "of each message; default: none", &c->to.rpc.compression },
		{ OP_OPT_STRING, 0, "spool", "DIR",
		  "queue unsent messages here", &c->to.spool },
		{ 0 },
	};

	return op_opt_parse(cmd, opts, argc, argv, c->err);
}

/* "10" and "10s" are seconds. */
static int time_parse(struct record *c, const char *name, const char *text,
		      uint64_t *out)
{
	struct op_err why = { 0 };
	struct op_time t = { 0 };
	char relative[40];
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return OP_OK;
	if (n && n < 30)
		snprintf(relative, sizeof(relative), "+%s%s", text,
			 strspn(text, "0123456789.") == n ? "s" : "");
	if (!n || n >= 30 || op_time_parse(relative, &t, &why) || !t.ns)
		return op_fail(
			c->err, OP_EUSAGE,
			"--%s takes a time such as 10 or 5m, not '%.40s'", name,
			text);
	*out = t.ns;
	return OP_OK;
}

static int pids_parse(struct record *c)
{
	OP_VEC(pid_t) pids = { 0 };

	for (size_t i = 0; i < c->pids.list.n; i++) {
		const char *p = c->pids.list.p[i] + strlen("pid=");
		char *end;

		do {
			unsigned long pid = strtoul(p, &end, 10);

			if (end == p || (*end && *end != ',') || !pid ||
			    pid > INT32_MAX)
				return op_fail(c->err, OP_EUSAGE,
					       "--pid takes process IDs, not "
					       "'%.40s'",
					       p);
			if (kill((pid_t)pid, 0) && errno == ESRCH)
				return op_fail(c->err, OP_EUSAGE,
					       "there is no process %lu", pid);
			if (!op_vec_push(&c->mem, &pids, (pid_t)pid))
				return c->err->code;
			p = end + 1;
		} while (*end);
	}
	c->rec.pids = pids.p;
	c->rec.nr_pids = (uint32_t)pids.n;
	return OP_OK;
}

static int user_parse(struct record *c)
{
	struct passwd *pw;
	char *end;

	c->rec.uid = -1;
	if (!c->user)
		return OP_OK;
	pw = getpwnam(c->user);
	c->rec.uid = pw ? pw->pw_uid : strtol(c->user, &end, 10);
	if (!pw && (end == c->user || *end || c->rec.uid < 0))
		return op_fail(c->err, OP_EUSAGE, "there is no user '%.60s'",
			       c->user);
	return OP_OK;
}

/* The ID of a group of version 2 is the inode of its directory. */
static bool is_group(const char *path, uint64_t *id)
{
	struct statfs fs;
	struct stat st;

	if (statfs(path, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC ||
	    stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	*id = st.st_ino;
	return true;
}

/* Version 2 may be mounted beside version 1. */
static int cgroup_parse(struct record *c)
{
	static const char *const roots[] = { "/sys/fs/cgroup/",
					     "/sys/fs/cgroup/unified/", "" };
	char path[4096];

	if (!c->cgroup)
		return OP_OK;
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		snprintf(path, sizeof(path), "%s%s", roots[i], c->cgroup);
		if (is_group(path, &c->rec.cgroup))
			return OP_OK;
	}
	return op_fail(c->err, OP_EUSAGE,
		       "there is no control group '%.200s' of version 2",
		       c->cgroup);
}

static int events_check(const struct record *c)
{
	if (!c->events || !strcmp(c->events, "cpu"))
		return OP_OK;
	if (strstr(c->events, "offcpu") || strstr(c->events, "off-cpu"))
		return op_fail(c->err, OP_EUSAGE,
			       "-e offcpu is not supported yet: only cpu");
	return op_fail(c->err, OP_EUSAGE, "-e takes cpu, not '%.40s'",
		       c->events);
}

static int what_check(struct record *c, int nr_words)
{
	int nr = !!c->all + !!c->rec.nr_pids + !!nr_words;

	if (!nr && c->rec.uid < 0 && !c->rec.cgroup && !c->comm)
		return op_fail(c->err, OP_EUSAGE,
			       "expected -a, -p PID or -- COMMAND");
	if (nr > 1)
		return op_fail(c->err, OP_EUSAGE,
			       "-a, -p and a command are mutually exclusive");
	if (c->hertz == HERTZ_DEFAULT)
		c->hertz = c->rec.nr_pids || nr_words ? HERTZ_SOME : HERTZ_ALL;
	if (!c->hertz || c->hertz > MAX_HERTZ)
		return op_fail(c->err, OP_EUSAGE,
			       "--frequency is between 1 and %d", MAX_HERTZ);
	c->rec.hertz = (uint32_t)c->hertz;
	return OP_OK;
}

static int format_choose(struct record *c)
{
	if (c->to_format)
		c->to.format = op_format_wanted(c->to_format, c->err);
	else if (c->to.path)
		c->to.format = op_format_by_ending(c->to.path);
	if (!c->to.format)
		c->to.format = op_formats[0];
	if (!c->err->code && !c->to.format->write)
		return op_fail(c->err, OP_EUSAGE,
			       "%s files are only read, not written",
			       c->to.format->name);
	if (c->to_format && !c->to.path)
		return op_fail(c->err, OP_EUSAGE, "--to needs --output FILE");
	return c->err->code;
}

static void env_names(struct record *c)
{
	const char **names = op_new(&c->mem, const char *, c->env.list.n + 1);

	for (size_t i = 0; names && i < c->env.list.n; i++)
		names[i] = c->env.list.p[i] + strlen("env=");
	c->rec.env = names;
}

static int options_check(struct record *c, int nr_words)
{
	uint64_t age = 0;

	c->interval_ns = (uint64_t)10 * 1000000000;
	if (events_check(c) || pids_parse(c) || user_parse(c) ||
	    cgroup_parse(c) || what_check(c, nr_words) || format_choose(c) ||
	    time_parse(c, "duration", c->duration_text, &c->duration_ns) ||
	    time_parse(c, "interval", c->interval_text, &c->interval_ns) ||
	    time_parse(c, "min-age", c->age_text, &age))
		return c->err->code;
	c->rec.min_age_s = (double)age / 1e9;
	env_names(c);
	if (c->comm) {
		c->comm_regex = op_regex_new(c->comm, c->err);
		c->rec.comm = c->comm_regex;
	}
	/* Only what is shown needs no timestamps. */
	if (!c->to.path && !c->to.url && !c->is_viewed)
		c->rec.is_aggregate = true;
	return c->err->code;
}

/* --- the command --- */

static void child_run(struct record *c, int go, int error, char **words)
{
	int why;
	char byte;
	ssize_t n;

	cli_signals_restore();
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	/* Closed without a byte: there is no recording. */
	if (n != 1)
		_exit(EXIT_OURS);
	execvp(words[0], words);
	why = errno;
	if (write(error, &why, sizeof(why)) < 0)
		_exit(EXIT_OURS);
	_exit(why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

static int command_fork(struct record *c, char **words)
{
	int go[2], error[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		return op_fail(c->err, OP_EIO, "cannot make a pipe: %s",
			       strerror(errno));
	pid = fork();
	if (pid < 0)
		return op_fail(c->err, OP_EIO, "cannot start a process: %s",
			       strerror(errno));
	if (!pid) {
		close(go[1]);
		child_run(c, go[0], error[1], words);
	}
	close(go[0]);
	close(error[1]);
	c->go = go[1];
	c->exec_error = error[0];
	c->rec.command = pid;
	return OP_OK;
}

/* Lets it go, and waits until it runs the program. */
static int command_start(struct record *c, const char *name)
{
	int why;
	ssize_t n;

	if (write(c->go, "", 1) < 0)
		return op_fail(c->err, OP_EIO, "cannot start '%.200s': %s",
			       name, strerror(errno));
	close(c->go);
	do
		n = read(c->exec_error, &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	close(c->exec_error);
	if (n != sizeof(why))
		return OP_OK;
	waitpid(c->rec.command, &c->status, 0);
	c->not_run = c->is_waited = true;
	return op_fail(c->err, OP_EIO, "cannot run '%.200s': %s", name,
		       strerror(why));
}

/* --- what is said meanwhile --- */

/* Our own CPU time, that of the process that looks up names and that of the BPF
 * programs, in percent of the machine. */
static double own_cpu(struct record *c, const struct op_recorder_counts *n)
{
	struct rusage self;
	double all = (double)(cli_now_ns() - c->started_ns) *
		     (double)sysconf(_SC_NPROCESSORS_ONLN);
	double used;

	getrusage(RUSAGE_SELF, &self);
	used = ((double)self.ru_utime.tv_sec + (double)self.ru_stime.tv_sec) *
		       1e9 +
	       ((double)self.ru_utime.tv_usec + (double)self.ru_stime.tv_usec) *
		       1e3 +
	       (double)record_out_helper_us(&c->out) * 1e3;
	return all > 0 ? 100 * (used + (double)n->bpf_ns) / all : 0;
}

static void counts_text(struct record *c, char *out, size_t room)
{
	struct op_recorder_counts n = op_recorder_counts(c->r);
	double all = n.samples ? (double)n.samples : 1;
	double complete = n.samples ? (double)n.complete : 1;
	struct op_err full = { 0 };
	struct op_buf text = { .err = &full };

	op_buf_printf(&text, "%" PRIu64 " samples, %.8s%% of stacks complete, ",
		      n.samples, op_fixed_text(100 * complete / all, 1).s);
	op_buf_printf(&text, "%" PRIu64 " lost, ", n.lost);
	if (n.filtered)
		op_buf_printf(&text, "%" PRIu64 " filtered, ", n.filtered);
	if (n.foreign)
		op_buf_printf(&text, "%" PRIu64 " foreign, ", n.foreign);
	if (n.lost_events)
		op_buf_printf(&text, "%" PRIu64 " events of processes lost, ",
			      n.lost_events);
	op_buf_printf(&text, "%u process%s", n.processes,
		      n.processes == 1 ? "" : "es");
	if (cli_now_ns() - c->started_ns >= MIN_COST_NS)
		op_buf_printf(&text, ", %.8s%% of the CPUs used by otprof",
			      op_fixed_text(own_cpu(c, &n), 3).s);
	snprintf(out, room, "%.*s", (int)text.n, (const char *)text.p);
	op_buf_free(&text);
}

/* Each sample that BPF took was recorded, lost or left out on demand. */
static void counts_check(const struct record *c)
{
	struct op_recorder_counts n = op_recorder_counts(c->r);
	uint64_t known = n.samples + n.lost + n.filtered;

	if (n.has_bpf && known != n.taken)
		cli_line("otprof record: %" PRIu64 " samples were taken, but "
			 "%" PRIu64 " are accounted for",
			 n.taken, known);
}

static void screen_show(void *ctx, const struct op_model *sum,
			struct op_err *err)
{
	const struct record *c = ctx;
	struct op_buf text = { .err = err };
	uint32_t rows, columns;

	screen_size(&rows, &columns);
	op_buf_z(&text, "\033[H\033[2J");
	record_view(sum, rows > 6 ? rows - 5 : 1, &text, err);
	op_buf_printf(&text, "%s; q ends", c->counts);
	screen_draw(&text);
	op_buf_free(&text);
}

/* --- the loop --- */

static bool is_due(uint64_t since, uint64_t every)
{
	return cli_now_ns() - since >= every;
}

/* While the last window is not disposed of, this one goes on. */
static int window_end(struct record *c)
{
	struct op_model m;

	if (record_out_is_busy(&c->out))
		return OP_OK;
	/* Recordings run for long: a window is an input of its own. */
	cli_budget_next();
	c->window_ns = cli_now_ns();
	counts_text(c, c->counts, sizeof(c->counts));
	if (op_recorder_take(c->r, &m))
		return c->err->code;
	if (!m.nr_resources) {
		op_model_free(&m);
		return OP_OK;
	}
	record_out_part(&c->out,
			c->is_viewed && !c->has_ended &&
				!is_due(c->message_ns, c->interval_ns));
	if (!c->out.is_part)
		c->message_ns = c->window_ns;
	return record_out_put(&c->out, &m, c->err);
}

static void signals_read(struct record *c)
{
	struct signalfd_siginfo s;

	while (read(c->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo != SIGCHLD) {
			c->has_ended = true;
			/* Those of the terminal it gets anyway. */
			if (c->rec.command && s.ssi_code != SI_KERNEL)
				kill(c->rec.command, (int)s.ssi_signo);
		} else if (c->rec.command &&
			   waitpid(c->rec.command, &c->status, WNOHANG) ==
				   c->rec.command) {
			c->has_ended = c->is_waited = true;
		}
	}
}

static void show(struct record *c)
{
	char counts[sizeof(c->counts)];

	if (!c->is_shown || !is_due(c->shown_ns, SHOW_NS))
		return;
	c->shown_ns = cli_now_ns();
	if (c->has_screen) {
		window_end(c);
	} else {
		counts_text(c, counts, sizeof(counts));
		cli_status("%s", counts);
	}
}

/* Milliseconds until a time that is `every` after another, at most most. */
static int until(uint64_t since, uint64_t every, int most)
{
	uint64_t passed = cli_now_ns() - since;
	uint64_t ms = passed >= every ? 0 : (every - passed) / 1000000 + 1;

	return ms < (uint64_t)most ? (int)ms : most;
}

static int wait_ms(const struct record *c)
{
	int ms = op_recorder_wait_ms(c->r);

	if (c->duration_ns)
		ms = until(c->started_ns, c->duration_ns, ms);
	if (c->is_viewed)
		ms = until(c->window_ns, SHOW_NS, ms);
	return c->is_shown ? until(c->shown_ns, SHOW_NS, ms) : ms;
}

/* Whether the window is as long as it is to be. */
static bool window_is_due(const struct record *c)
{
	if (c->is_viewed)
		return is_due(c->window_ns, SHOW_NS);
	return record_out_streams(&c->out) &&
	       is_due(c->window_ns, c->interval_ns);
}

static void loop(struct record *c)
{
	while (!c->has_ended && !c->err->code) {
		struct pollfd p[] = {
			{ .fd = c->signals, .events = POLLIN },
			{ .fd = op_recorder_fd(c->r), .events = POLLIN },
			{ .fd = c->has_screen ? STDIN_FILENO : -1,
			  .events = POLLIN },
		};

		poll(p, 3, wait_ms(c));
		signals_read(c);
		if (p[2].revents) {
			int key = screen_key();

			c->has_ended |= key == 'q' || key == 3 ||
					key == SCREEN_END;
		}
		if (op_recorder_tick(c->r))
			break;
		if (c->duration_ns && is_due(c->started_ns, c->duration_ns))
			c->has_ended = true;
		if (window_is_due(c))
			window_end(c);
		show(c);
	}
}

/* From now on signals end the recording, not the program. */
static void signals_catch(struct record *c)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &c->before);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* --- begin and end --- */

static void answer_print(struct record *c)
{
	struct op_buf text = { .err = c->err };

	if (!c->to.path && !c->to.url && c->out.has_sum &&
	    !record_view(&c->out.sum, c->rows ? c->rows : ROWS, &text, c->err))
		/* Standard output is the command's. */
		cli_put(c->rec.command ? stderr : stdout,
			op_view(text.p, text.n), c->err);
	op_buf_free(&text);
}

static int finish(struct record *c)
{
	bool all_sent;

	op_recorder_stop(c->r);
	if (!record_out_wait(&c->out, c->err))
		window_end(c);
	/* From now on a signal ends the program. */
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	all_sent = record_out_end(&c->out, c->err);
	answer_print(c);
	cli_status_clear();
	if (!c->err->code) {
		cli_line("otprof record: %s", c->counts);
		counts_check(c);
	}
	return c->err->code ? c->err->code : !all_sent;
}

/* Without BPF each thread needs an open file per CPU. The command is not
 * concerned: it has been forked. */
static void files_raise(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	if (r.rlim_max < MAX_FILES) {
		struct rlimit more = { MAX_FILES, MAX_FILES };

		if (!setrlimit(RLIMIT_NOFILE, &more))
			return;
	}
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

static int page_open(struct record *c, char **words)
{
	char title[120];

	snprintf(title, sizeof(title), "recording%s%.80s", words ? " of " : "",
		 words ? words[0] : "");
	c->to.page = &c->page;
	return record_page_open(&c->page, title, &c->before, c->err);
}

static int run(struct record *c, char **words)
{
	/* First, so that the page has nothing of what follows. */
	if ((c->is_viewed && page_open(c, words)) ||
	    (words && command_fork(c, words)))
		return c->err->code;
	files_raise();
	if (!c->to.no_symbols)
		c->to.kept = c->rec.kept = op_kept_new(c->err);
	if (c->err->code || record_out_open(&c->out, &c->to, c->err) ||
	    op_recorder_open(&c->r, &c->rec, c->err) ||
	    op_recorder_start(c->r) || (words && command_start(c, words[0])))
		return c->err->code;
	c->started_ns = c->window_ns = c->shown_ns = c->message_ns =
		cli_now_ns();
	c->has_screen = !words && !c->to.path && !c->to.url && !c->is_viewed &&
			screen_can() && !screen_open(c->err);
	c->is_shown = c->has_screen || (!words && isatty(STDERR_FILENO));
	if (c->has_screen)
		c->out.opts.shown = screen_show;
	loop(c);
	record_out_wait(&c->out, c->err);
	c->out.opts.shown = NULL;
	if (c->has_screen)
		screen_close();
	return finish(c);
}

/* As a shell has it. A recording may end before its command, by a signal or
 * after its time. If the recording failed, the command is ended too: what it
 * would do is not recorded, and perf does the same. */
static int command_status(struct record *c, bool has_failed)
{
	if (has_failed && !c->is_waited)
		kill(c->rec.command, SIGTERM);
	while (!c->is_waited)
		c->is_waited = waitpid(c->rec.command, &c->status, 0) >= 0 ||
			       errno != EINTR;
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

int cmd_record(const struct op_cmd *cmd, int argc, char **argv,
	       struct op_err *err)
{
	struct record c = { .hertz = HERTZ_DEFAULT,
			    .err = err,
			    .mem.err = err,
			    .to.cmd = cmd->name,
			    .to.ctx = &c };
	int first = option_parse(&c, cmd, argc, argv);
	char **words = first >= 0 && first < argc ? argv + first : NULL;
	int rc = first;
	bool has_failed;

	if (first >= 0) {
		signals_catch(&c);
		rc = options_check(&c, argc - first) ? err->code :
						       run(&c, words);
		record_out_close(&c.out, err);
		op_recorder_close(c.r);
		op_kept_free(c.rec.kept);
		if (!err->code)
			record_page_wait(&c.page);
		record_page_close(&c.page);
	}
	op_regex_free(c.comm_regex);
	op_arena_free(&c.pids.mem);
	op_arena_free(&c.env.mem);
	op_arena_free(&c.mem);
	if (first < 0 || !words || err->code == OP_EUSAGE)
		return rc;
	has_failed = rc && !c.not_run;
	rc = c.rec.command ? command_status(&c, has_failed) : EXIT_OURS;
	if (has_failed)
		rc = EXIT_OURS;
	/* main() has statuses of its own for failures. */
	if (err->code)
		cli_report(cmd->name, NULL, err);
	*err = (struct op_err){ 0 };
	return rc;
}
