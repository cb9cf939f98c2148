// SPDX-License-Identifier: Apache-2.0
/* agent/agent.c: libotprof-agent.so: starts and stops the profiler of this
 * process.
 *
 * When it is off, nothing happens but a look at two variables. When it is on,
 * there are a thread, a signal handler and two memory files in this process; a
 * helper process does the rest. The agent never ends its host: what it
 * cannot do is reported once, and it stops. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/alloc.h"
#include "agent/config.h"
#include "agent/loads.h"
#include "agent/sampler.h"
#include "agent/seccomp.h"
#include "agent/spawn.h"
#include "otprof.h"

enum {
	DEFAULT_MS = 1000,
	START_NS = 100000000,
	READY_MS = 10000, /* how long the helper may take to start */
	STACK_BYTES = 256 << 10,
	ADDRESS_SPACE = 350 << 20, /* all of it, nearly all without memory */
	MAX_OUTPUT = 1024,
	MAX_PROGRAM = 4096,
};

enum state { NEVER, RUNNING, OVER };

static struct {
	pthread_mutex_t mu;
	enum state state;
	pid_t pid; /* in which it runs; a forked child has none */
	pthread_t thread;
	bool is_api;	 /* started by a call, which returns the error */
	bool has_filter; /* of seccomp, when it was started */
	sem_t has_begun; /* the thread has what it needs, or why not */
	struct op_err why_not;
	struct op_agent_config config;
	char output[MAX_OUTPUT], program[MAX_PROGRAM];
	char **env;
	struct stat stderr_at_start;
	struct op_sampler sampler;
	int channel, tables, alive[2];
	struct op_channel *shared;
	uint8_t *table_memory;
} agent = { .mu = PTHREAD_MUTEX_INITIALIZER,
	    .channel = -1,
	    .tables = -1,
	    .alive = { -1, -1 } };

/* --- messages ------------------------------------------------------------- */

/* A pipe that nobody reads, or a file past its limit, must not end the program:
 * the write fails, and the signal of this thread that says so is taken back. */
static void write_unharmed(const char *line, size_t n)
{
	const struct timespec no_time = { 0 };
	sigset_t both, before, waiting;

	sigemptyset(&both);
	sigaddset(&both, SIGPIPE);
	sigaddset(&both, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &both, &before);
	sigpending(&waiting);
	if (write(STDERR_FILENO, line, n) < 0 &&
	    (errno == EPIPE || errno == EFBIG) &&
	    !sigismember(&waiting, errno == EPIPE ? SIGPIPE : SIGXFSZ))
		while (sigtimedwait(&both, NULL, &no_time) < 0 &&
		       errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* One line on standard error, in one call; if that is still what it was, and
 * not by now a file of the program. */
static void say(const char *text)
{
	const struct stat *before = &agent.stderr_at_start;
	char line[320];
	int n = snprintf(line, sizeof(line), "otprof agent: %.280s\n", text);
	struct stat now;

	if (fstat(STDERR_FILENO, &now) || now.st_dev != before->st_dev ||
	    now.st_ino != before->st_ino)
		return;
	write_unharmed(line, (size_t)n);
}

static void say_err(const struct op_err *err)
{
	char text[280];

	snprintf(text, sizeof(text), "%.200s%s%.70s", err->text,
		 err->sys ? ": " : "", err->sys ? strerror(err->sys) : "");
	say(text);
}

/* Programs with more privileges than their user ignore what he sets. */
static const char *variable(const char *name)
{
	return secure_getenv(name);
}

/* --- memory --------------------------------------------------------------- */

static int memory_file(const char *name, size_t bytes, struct op_err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return op_fail_sys(err, "cannot create a memory file"), -1;
	if (ftruncate(fd, (off_t)bytes) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		op_fail_sys(err, "cannot resize a memory file");
	return fd;
}

static void *memory_map(int fd, size_t bytes, int protection,
			struct op_err *err)
{
	void *p = err->code ? MAP_FAILED :
			      mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		return p;
	op_fail_sys(err, "cannot map a memory file");
	return NULL;
}

static int channel_open(struct op_err *err)
{
	agent.channel = memory_file("otprof-channel", sizeof(*agent.shared),
				    err);
	agent.tables = memory_file("otprof-tables", OP_CHANNEL_TABLES, err);
	agent.shared = memory_map(agent.channel, sizeof(*agent.shared),
				  PROT_READ | PROT_WRITE, err);
	agent.table_memory = memory_map(agent.tables, OP_CHANNEL_TABLES,
					PROT_READ, err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, agent.alive))
		op_fail_sys(err, "cannot create a socket for the helper");
	if (err->code)
		return err->code;
	agent.channel = op_file_high(agent.channel);
	agent.tables = op_file_high(agent.tables);
	agent.alive[0] = op_file_high(agent.alive[0]);
	agent.alive[1] = op_file_high(agent.alive[1]);
	agent.shared->version = OP_CHANNEL_VERSION;
	agent.shared->bytes = sizeof(*agent.shared);
	return OP_OK;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void files_close(void)
{
	close_one(&agent.channel);
	close_one(&agent.tables);
	close_one(&agent.alive[0]);
	close_one(&agent.alive[1]);
}

/* The memory of samples stays: a late handler may be writing to it. */
static void channel_close(void)
{
	if (agent.shared)
		munmap(agent.shared, sizeof(*agent.shared));
	agent.shared = NULL;
	files_close();
}

/* --- the helper ----------------------------------------------------------- */

static int helper_start(struct op_err *err)
{
	char pid[16], sampler[16], channel[16], tables[16], alive[16];
	char interval[24], snapshot[24];
	const int fds[] = { agent.channel, agent.tables, agent.alive[1] };
	const char *argv[] = {
		agent.config.program,
		"agent",
		"--pid",
		pid,
		"--sampler",
		sampler,
		"--channel",
		channel,
		"--tables",
		tables,
		"--alive",
		alive,
		"--interval",
		interval,
		"--memory",
		agent.config.memory == OP_AGENT_ON ? "1" : "0",
		"--snapshot-interval",
		snapshot,
		*agent.output ? "--output" : NULL,
		agent.output,
		NULL,
	};
	struct op_spawn s = { argv, agent.env, fds, op_countof(fds) };

	snprintf(pid, sizeof(pid), "%d", (int)agent.pid);
	snprintf(sampler, sizeof(sampler), "%ld", syscall(SYS_gettid));
	snprintf(channel, sizeof(channel), "%d", agent.channel);
	snprintf(tables, sizeof(tables), "%d", agent.tables);
	snprintf(alive, sizeof(alive), "%d", agent.alive[1]);
	snprintf(interval, sizeof(interval), "%llu",
		 (unsigned long long)agent.config.interval_ms);
	snprintf(snapshot, sizeof(snapshot), "%llu",
		 (unsigned long long)agent.config.snapshot_ms);
	if (op_spawn(&s, err))
		return err->code;
	close_one(&agent.alive[1]);
	close_one(&agent.channel);
	close_one(&agent.tables);
	return OP_OK;
}

/* It reads the maps of this process first. */
static int helper_await(struct op_err *err)
{
	const struct timespec nap = { 0, 1000000 };
	char byte;

	for (int i = 0; i < READY_MS; i++) {
		uint32_t state = __atomic_load_n(&agent.shared->state,
						 __ATOMIC_ACQUIRE);

		if (state == OP_CHANNEL_READY)
			return OP_OK;
		if (state == OP_CHANNEL_FAILED)
			return op_fail(err, OP_EIO, "%.180s",
				       agent.shared->message);
		if (!recv(agent.alive[0], &byte, 1, MSG_DONTWAIT))
			return op_fail(err, OP_EIO,
				       "the helper '%.120s' has ended",
				       agent.config.program);
		nanosleep(&nap, NULL);
	}
	return op_fail(err, OP_EIO, "the helper '%.120s' does not answer",
		       agent.config.program);
}

/* --- the thread ----------------------------------------------------------- */

/* A program that ends at once needs no helper; but what it allocates first is
 * not to be missed. */
static bool is_short(void)
{
	struct timespec t = { 0, START_NS };
	uint64_t ms = agent.config.interval_ms;

	if (agent.config.memory == OP_AGENT_ON)
		return false;
	if (agent.config.snapshot_ms && agent.config.snapshot_ms < ms)
		ms = agent.config.snapshot_ms;
	if (ms && ms * 1000000 < START_NS)
		t.tv_nsec = (long)ms * 1000000;
	nanosleep(&t, NULL);
	return __atomic_load_n(&agent.state, __ATOMIC_ACQUIRE) == OVER;
}

/* Its numbers may be those of another PID namespace, in which this process has
 * another ID, and its ID is of another process. */
static int proc_check(struct op_err *err)
{
	char text[24];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		op_fail_sys(err, "cannot read '/proc/self/stat'");
	close_one(&fd);
	if (n < 0)
		return err->code;
	text[n] = 0;
	if (strtol(text, NULL, 10) != (long)agent.pid)
		return op_fail(err, OP_EUSAGE,
			       "/proc is not that of this PID namespace");
	return OP_OK;
}

static int begin(struct op_err *err)
{
	struct op_sampler_opts o = {
		.interval_ns = agent.config.interval_ms * 1000000,
		.snapshot_ns = agent.config.snapshot_ms * 1000000,
		.snapshot_max = agent.config.snapshot_max,
		.channel = agent.shared,
		.tables = agent.table_memory,
		.alive = agent.alive[0],
		.has_memory = agent.config.memory == OP_AGENT_ON,
	};
	uint64_t word = 1, copy = 0;

	if (!op_memory_copy((uintptr_t)&word, &copy, sizeof(copy)))
		return op_fail_sys(err, "process_vm_readv is not allowed here");
	if (proc_check(err) || helper_start(err) || helper_await(err))
		return err->code;
	return op_sampler_open(&agent.sampler, &o, err);
}

/* The thread has descriptors of its own, if the kernel allows it (Linux 5.9):
 * the program may close its own, or expect the lowest number to be free. It has
 * a root of its own, too: after chroot() there is still /proc, and setns() does
 * not fail because another thread has the same root. A seccomp filter may end
 * who tries that. */
static void separate(void)
{
	enum { UNSHARE = 1 << 1 }; /* CLOSE_RANGE_UNSHARE */

	if (!agent.has_filter)
		unshare(CLONE_FS);
	if (syscall(SYS_close_range, STDERR_FILENO + 1u, ~0u, UNSHARE))
		return;
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
}

/* Among threads that always run, the sampler gets a CPU when it is time for a
 * round if the kernel knows that it needs one for a moment only (Linux 6.12;
 * older ones ignore it). */
static void ask_for_short_slices(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t slice_ns, deadline, period;
	} a = { 0 };

	if (syscall(SYS_sched_getattr, 0L, &a, sizeof(a), 0L) ||
	    a.policy != SCHED_OTHER)
		return;
	a.slice_ns = 100000;
	syscall(SYS_sched_setattr, 0L, &a, 0L);
}

static bool prepare(struct op_err *err)
{
	separate();
	if (!channel_open(err))
		return true;
	channel_close();
	return false;
}

static void sample(struct op_err *err)
{
	if (is_short() || begin(err))
		return;
	ask_for_short_slices();
	op_sampler_run(&agent.sampler, err);
}

static void *run(void *arg)
{
	struct op_err err = { 0 };
	bool is_ready;

	(void)arg;
	pthread_setname_np(pthread_self(), "otprof-agent");
	is_ready = prepare(&err);
	agent.why_not = err;
	sem_post(&agent.has_begun);
	if (is_ready)
		sample(&err);
	/* Descriptors that the program has closed may be its own now. */
	if (!agent.sampler.threads.are_files_foreign)
		files_close();
	op_sampler_close(&agent.sampler);
	if (err.code && (is_ready || !agent.is_api))
		say_err(&err);
	return NULL;
}

/* It gets none of the signals of the program. The API waits until it has begun;
 * a program that is being loaded does not, which takes its time on a machine
 * that is busy. */
static int thread_start(struct op_err *err)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sem_init(&agent.has_begun, 0, 0);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&agent.thread, &attr, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (rc)
		return op_fail(err, OP_EIO, "cannot start a thread: %s",
			       strerror(rc));
	while (agent.is_api && sem_wait(&agent.has_begun))
		;
	if (!agent.is_api || !agent.why_not.code)
		return OP_OK;
	pthread_join(agent.thread, NULL);
	*err = agent.why_not;
	return err->code;
}

/* --- start and stop ------------------------------------------------------- */

static void configure(const struct otprof_agent_opts *opts, bool is_api)
{
	struct op_agent_config *c = &agent.config;

	c->interval_ms = DEFAULT_MS;
	c->program = OP_AGENT_PROGRAM;
	if (opts && opts->interval_ms)
		c->interval_ms = opts->interval_ms;
	if (opts && opts->has_memory)
		c->memory = OP_AGENT_ON;
	if (opts && opts->output)
		snprintf(agent.output, sizeof(agent.output), "%s",
			 opts->output);
	op_agent_config_read(c, variable, say);
	snprintf(agent.program, sizeof(agent.program), "%s", c->program);
	c->program = agent.program;
	/* Snapshots can be on alone. */
	if (c->enabled == OP_AGENT_OFF ||
	    (c->enabled == OP_AGENT_UNSET && !is_api))
		c->interval_ms = 0;
}

/* The environment says no, or the setting is a thing of the past. */
static int check(const struct otprof_agent_opts *opts, struct op_err *err)
{
	if (agent.state == OVER)
		return op_fail(
			err, OP_EUSAGE,
			"the agent was stopped and cannot be started again");
	if (!agent.config.interval_ms && !agent.config.snapshot_ms)
		return op_fail(err, OP_EUSAGE,
			       "SPLUNK_PROFILER_ENABLED turns the agent off");
	if (agent.config.interval_ms > OP_AGENT_MAX_MS)
		return op_fail(err, OP_EUSAGE,
			       "the interval is longer than an hour");
	if (opts && opts->output && strlen(opts->output) >= MAX_OUTPUT)
		return op_fail(err, OP_EUSAGE, "the output is too long");
	if (!op_memory_has_room(ADDRESS_SPACE))
		return op_fail(err, OP_EUSAGE,
			       "the limit of address space (ulimit -v) is too "
			       "low for a profiler: it needs 350 MiB, and "
			       "takes an eighth of what is left at most");
	return OP_OK;
}

static int start(const struct otprof_agent_opts *opts, bool is_api,
		 struct op_err *err)
{
	if (agent.state == RUNNING && agent.pid == getpid())
		return OP_OK;
	if (opts && opts->sz != sizeof(*opts))
		return op_fail(err, OP_EUSAGE,
			       "the options have the size of another version");
	fstat(STDERR_FILENO, &agent.stderr_at_start);
	configure(opts, is_api);
	if (check(opts, err))
		return err->code;
	agent.has_filter = op_seccomp_has_filter();
	if (agent.has_filter && op_seccomp_check(err)) {
		agent.state = OVER;
		return err->code;
	}
	agent.pid = getpid();
	memset(&agent.sampler, 0, sizeof(agent.sampler));
	agent.env = op_spawn_env(environ, err);
	op_loads_init();
	agent.is_api = is_api;
	if (agent.env && !op_handler_open(agent.config.signal, err))
		thread_start(err);
	agent.state = err->code ? OVER : RUNNING;
	return err->code;
}

static void tell(const struct op_err *from, struct otprof_err *to)
{
	if (!to || to->code)
		return;
	to->code = from->code;
	to->sys = from->sys;
	snprintf(to->text, sizeof(to->text), "%s%s%s", from->text,
		 from->sys ? ": " : "", from->sys ? strerror(from->sys) : "");
}

OTPROF_API int otprof_agent_start(const struct otprof_agent_opts *opts,
				  struct otprof_err *err)
{
	struct op_err why = { 0 };

	pthread_mutex_lock(&agent.mu);
	start(opts, true, &why);
	pthread_mutex_unlock(&agent.mu);
	tell(&why, err);
	return why.code;
}

OTPROF_API void otprof_agent_stop(void)
{
	pthread_mutex_lock(&agent.mu);
	if (agent.state == RUNNING && agent.pid == getpid()) {
		__atomic_store_n(&agent.state, OVER, __ATOMIC_RELEASE);
		op_sampler_stop(&agent.sampler);
		pthread_join(agent.thread, NULL);
	}
	agent.state = OVER;
	pthread_mutex_unlock(&agent.mu);
}

/* Programs that fail if they have another thread, since they change their user,
 * capabilities or user namespace, and then execute what they are to start. That
 * has an agent of its own. */
static bool is_launcher(void)
{
	static const char *const names[] = { "setpriv", "unshare", "nsenter",
					     "capsh", "bwrap" };

	for (size_t i = 0; i < op_countof(names); i++)
		if (!strcmp(program_invocation_short_name, names[i]))
			return true;
	return false;
}

static void say_at_load(const char *text)
{
	fstat(STDERR_FILENO, &agent.stderr_at_start);
	say(text);
}

__attribute__((constructor)) static void loaded(void)
{
	struct op_err err = { 0 };
	enum op_agent_switch all = op_agent_switch(variable, say_at_load);
	enum op_agent_switch some = op_agent_snapshot_switch(variable,
							     say_at_load);

	if ((all != OP_AGENT_ON && some != OP_AGENT_ON) || is_launcher())
		return;
	pthread_mutex_lock(&agent.mu);
	if (start(NULL, false, &err))
		say_err(&err);
	pthread_mutex_unlock(&agent.mu);
}

/* The helper has the samples of threads already, but what was allocated since
 * the last round is still in this process. */
__attribute__((destructor)) static void unloaded(void)
{
	if (agent.state == RUNNING && agent.pid == getpid())
		op_allocs_flush();
}
