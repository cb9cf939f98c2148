// SPDX-License-Identifier: Apache-2.0
/* tests/agent/torture.c: programs that are hard to profile from inside. Each
 * checks itself: it exits with 0 if nothing went wrong.
 *
 *	torture WHAT SECONDS [ARGUMENT] */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static double end_s;
static const char *argument, *self;
static __thread volatile unsigned long sink;
static volatile int is_over;
static int nr_errors;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int is_time(void)
{
	return now_s() < end_s;
}

static void bad(const char *what)
{
	fprintf(stderr, "torture: %s (errno %d)\n", what, errno);
	__atomic_add_fetch(&nr_errors, 1, __ATOMIC_RELAXED);
}

APART void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

static void *busy(void *arg)
{
	while (is_time())
		work(100000);
	return arg;
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	if (pthread_create(&t, &attr, fn, NULL)) {
		bad("no thread");
		exit(1);
	}
	return t;
}

/* --- calls that a signal would end ---------------------------------------- */

/* Counted, so that the share of those that fail is known. */
static unsigned long nr_calls;

static int is_next_call(void)
{
	__atomic_add_fetch(&nr_calls, 1, __ATOMIC_RELAXED);
	return is_time();
}

static void *in_epoll(void *arg)
{
	int fd = epoll_create1(0);
	struct epoll_event e;

	while (is_next_call())
		if (epoll_wait(fd, &e, 1, 100) < 0)
			bad("epoll_wait");
	return arg;
}

static void *in_sleep(void *arg)
{
	const struct timespec t = { 0, 100000000 };

	while (is_next_call())
		if (nanosleep(&t, NULL))
			bad("nanosleep");
	return arg;
}

static void *in_select(void *arg)
{
	while (is_next_call()) {
		struct timeval t = { 0, 100000 };

		if (select(0, NULL, NULL, NULL, &t))
			bad("select");
	}
	return arg;
}

static void *in_poll(void *arg)
{
	while (is_next_call())
		if (poll(NULL, 0, 100))
			bad("poll");
	return arg;
}

static void *in_sem(void *arg)
{
	sem_t s;

	sem_init(&s, 0, 0);
	while (is_next_call()) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 100000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (!sem_timedwait(&s, &t) || errno != ETIMEDOUT)
			bad("sem_timedwait");
	}
	return arg;
}

static int fed[2];

static void *in_read(void *arg)
{
	char byte;

	while (is_next_call())
		if (read(fed[0], &byte, 1) != 1)
			bad("read");
	return arg;
}

static void *feed(void *arg)
{
	while (is_time())
		if (usleep(30000) || write(fed[1], "x", 1) != 1)
			bad("usleep and write");
	return arg;
}

static void eintr(void)
{
	pthread_t t[7];

	if (pipe(fed))
		bad("pipe");
	t[0] = start(in_epoll);
	t[1] = start(in_sleep);
	t[2] = start(in_select);
	t[3] = start(in_sem);
	t[4] = start(in_poll);
	t[5] = start(in_read);
	t[6] = start(feed);
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
	printf("%lu calls\n", nr_calls);
}

/* --- libraries, threads --------------------------------------------------- */

static void *loads(void *arg)
{
	int (*fn)(int);

	while (is_time()) {
		void *lib = dlopen(argument, RTLD_NOW);

		if (!lib) {
			bad(dlerror());
			break;
		}
		*(void **)&fn = dlsym(lib, "in_library");
		for (int i = 0; i < 20; i++)
			sink += (unsigned long)fn(1000);
		dlclose(lib);
	}
	return arg;
}

static void dl(void)
{
	pthread_t t[] = { start(loads), start(loads), start(busy) };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
}

static void *at_once(void *arg)
{
	sink++;
	return arg;
}

static void *storm(void *arg)
{
	while (is_time())
		pthread_join(start(at_once), NULL);
	return arg;
}

static void threads(void)
{
	pthread_t t[] = { start(storm), start(storm), start(busy) };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
}

/* --- allocations ---------------------------------------------------------- */

enum { BLOCKS = 64 };

static void block_check(const unsigned char *p, size_t n, unsigned char is)
{
	if (p && (p[0] != is || p[n / 2] != is || p[n - 1] != is))
		bad("a block has other bytes");
}

/* Blocks of many sizes, in a thread that ends soon. */
static void *allocate(void *arg)
{
	unsigned char *p[BLOCKS] = { NULL };
	size_t n[BLOCKS] = { 0 };
	unsigned int random = (unsigned int)(uintptr_t)&p | 1;

	for (int i = 0; i < 20000; i++) {
		int k = (int)((random = random * 1103515245 + 12345) >> 16) %
			BLOCKS;

		block_check(p[k], n[k], (unsigned char)k);
		if (i % 3) {
			free(p[k]);
			p[k] = NULL;
		}
		n[k] = 1 + (random >> 8) % (i % 50 ? 4096 : 200000);
		p[k] = i % 3 ? malloc(n[k]) : realloc(p[k], n[k]);
		memset(p[k], k, n[k]);
	}
	for (int k = 0; k < BLOCKS; k++) {
		block_check(p[k], n[k], (unsigned char)k);
		free(p[k]);
	}
	return arg;
}

static void *allocates(void *arg)
{
	while (is_time())
		pthread_join(start(allocate), NULL);
	return arg;
}

static void alloc(void)
{
	pthread_t t[] = { start(allocates), start(allocates), start(busy) };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
}

/* --- processes ------------------------------------------------------------ */

/* A child that hangs is killed by its alarm. */
static void child(int i)
{
	void *lib;

	alarm(20);
	switch (i % 3) {
	case 0:
		lib = dlopen(argument, RTLD_NOW);
		_exit(lib && !dlclose(lib) ? 0 : 3);
	case 1:
		work(10000);
		exit(0);
	default:
		execl("/bin/true", "true", (char *)NULL);
		_exit(4);
	}
}

static void *forks(void *arg)
{
	int status;

	for (int i = 0; is_time(); i++) {
		pid_t pid = fork();

		if (!pid)
			child(i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			bad("a child");
	}
	return arg;
}

/* Nobody but our children is seen. */
static void fork_storm(void)
{
	pthread_t t[] = { start(forks), start(forks), start(busy) };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
	if (waitpid(-1, NULL, __WALL | WNOHANG) != -1 || errno != ECHILD)
		bad("a foreign child");
}

/* A child that goes on without exec, and has threads of its own. */
static void fork_only(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pthread_join(start(busy), NULL);
		exit(nr_errors != 0);
	}
	busy(NULL);
	if (waitpid(pid, &status, 0) != pid || status)
		bad("the child");
}

/* A program that adopts orphans, and waits for all children. */
static void reaper(void)
{
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	busy(NULL);
	pid = fork();
	if (!pid)
		_exit(0);
	alarm(20);
	if (wait(NULL) != pid || wait(NULL) != -1 || errno != ECHILD)
		bad("a foreign child");
	/* One of its own orphans. */
	pid = fork();
	if (!pid) {
		if (!fork())
			usleep(10000);
		_exit(0);
	}
	if (wait(NULL) < 0 || wait(NULL) < 0)
		bad("an orphan is gone");
}

/* A program in place of another, again and again. */
static void exec_chain(void)
{
	char left[32];
	double until = now_s() + 0.03;

	start(busy);
	while (now_s() < until)
		work(1000);
	if (!is_time())
		return;
	snprintf(left, sizeof(left), "%.3f", end_s - now_s());
	execl(self, self, "exec", left, (char *)NULL);
	bad("exec");
}

/* --- signals -------------------------------------------------------------- */

static void *all_blocked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	return busy(arg);
}

static void block(void)
{
	pthread_t t[] = { start(all_blocked), start(all_blocked), start(busy) };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		pthread_join(t[i], NULL);
}

/* A program that blocks all signals, and takes those that come. Nobody sends
 * one. */
static void await_signals(void)
{
	const struct timespec t = { 0, 1000000 };
	double from = now_s() + (end_s - now_s()) / 2;
	struct signalfd_siginfo info;
	sigset_t all;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	while (now_s() < from)
		work(100000);
	while (is_time()) {
		work(1000000);
		if (read(fd, &info, sizeof(info)) == sizeof(info) ||
		    sigtimedwait(&all, NULL, &t) > 0)
			bad("a signal that nobody has sent");
	}
}

static volatile int nr_prof;

static void on_prof(int sig)
{
	(void)sig;
	nr_prof++;
}

static void own_sigprof(void)
{
	struct sigaction a = { .sa_handler = on_prof, .sa_flags = SA_RESTART };
	struct itimerval t = { { 0, 10000 }, { 0, 10000 } };
	clock_t before = clock();
	double cpu;

	sigaction(SIGPROF, &a, NULL);
	setitimer(ITIMER_PROF, &t, NULL);
	busy(NULL);
	cpu = (double)(clock() - before) / CLOCKS_PER_SEC;
	if (nr_prof < cpu * 50 || nr_prof > cpu * 110)
		bad("its own profiler has too few or too many signals");
}

/* Resets every signal that somebody handles, which is the agent. */
static void take(void)
{
	double until = now_s() + (end_s - now_s()) / 2;
	struct sigaction now, none = { .sa_handler = SIG_DFL };
	int nr = 0;

	while (now_s() < until)
		work(100000);
	for (int i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP && i != 32 && i != 33 &&
		    !sigaction(i, NULL, &now) && (now.sa_flags & SA_SIGINFO)) {
			sigaction(i, &none, NULL);
			nr++;
		}
	if (nr != 1)
		bad("not one handler");
	busy(NULL);
}

static sigjmp_buf back;

static void on_segv(int sig)
{
	(void)sig;
	work(1000);
	siglongjmp(back, 1);
}

APART void overflow(volatile char *p)
{
	volatile char room[4096];

	room[0] = p ? p[0] : 0;
	if (!is_over)
		overflow(room);
	room[1] = 1;
}

static void *overflows(void *arg)
{
	static __thread char room[16384];
	stack_t s = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction a = { .sa_handler = on_segv, .sa_flags = SA_ONSTACK };

	sigaltstack(&s, NULL);
	sigaction(SIGSEGV, &a, NULL);
	while (is_time())
		if (!sigsetjmp(back, 1))
			overflow(NULL);
	return arg;
}

static void altstack(void)
{
	pthread_t t = start(busy);

	pthread_join(start(overflows), NULL);
	pthread_join(t, NULL);
}

/* --- limits --------------------------------------------------------------- */

static int forbid(unsigned int call, unsigned int action)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(*f), f };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_TSYNC, &p);
}

static int agent_start(void)
{
	int (*fn)(const void *opts, void *err);

	*(void **)&fn = dlsym(RTLD_DEFAULT, "otprof_agent_start");
	return fn ? fn(NULL, NULL) : -1;
}

/* A filter that refuses calls: before the agent starts or, with an argument,
 * later. */
static void seccomp(void)
{
	pthread_t t = start(busy);
	double until = now_s() + (end_s - now_s()) / 2;

	while (argument && now_s() < until)
		work(100000);
	if (forbid(SYS_process_vm_readv, SECCOMP_RET_ERRNO | EPERM) ||
	    forbid(SYS_execve, SECCOMP_RET_ERRNO | EPERM))
		bad("seccomp");
	if (!argument)
		agent_start();
	pthread_join(t, NULL);
}

/* The filter ends who makes a call that the agent needs; which, says the
 * argument. The agent is started afterwards: by a function, and if programs can
 * still be executed, by the next one. */
static void seccomp_kill(void)
{
	const unsigned int call = argument ? SYS_execve : SYS_process_vm_readv;

	if (forbid(call, SECCOMP_RET_KILL_PROCESS))
		bad("seccomp");
	else if (!agent_start())
		bad("the agent has started");
	busy(NULL);
	if (argument)
		return;
	setenv("SPLUNK_PROFILER_ENABLED", "true", 1);
	execl(self, self, "busy", "0.3", (char *)NULL);
	bad("exec");
}

APART void deep(int depth)
{
	if (depth > 1)
		deep(depth - 1);
	else
		busy(NULL);
	sink++;
}

static void recursion(void)
{
	deep(argument ? (int)strtol(argument, NULL, 10) : 3000);
}

static void *idle(void *arg)
{
	const struct timespec t = { 0, 50000000 };

	while (!is_over)
		nanosleep(&t, NULL);
	return arg;
}

static void *idle_for_long(void *arg)
{
	while (!is_over)
		usleep(900000);
	return arg;
}

static void many(int nr, void *(*fn)(void *))
{
	pthread_t t[nr];

	for (int i = 0; i < nr; i++)
		t[i] = start(fn);
	busy(NULL);
	is_over = 1;
	for (int i = 0; i < nr; i++)
		pthread_join(t[i], NULL);
}

static void idle_1000(void)
{
	many(1000, idle_for_long);
}

static void few_files(void)
{
	struct rlimit r = { 32, 32 };

	setrlimit(RLIMIT_NOFILE, &r);
	many(100, idle);
	for (int i = 0; i < 10; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			bad("no descriptor is left");
}

/* A program that closes every descriptor, and then has files of its own. With
 * an argument the agent has the same descriptors, as before Linux 5.9. */
static void files(void)
{
	char name[] = "torture-XXXXXX", text[64];
	double until = now_s() + (end_s - now_s()) / 2;
	int first = -1;

	if (argument && (forbid(SYS_close_range, SECCOMP_RET_ERRNO | ENOSYS) ||
			 agent_start()))
		bad("seccomp");
	while (now_s() < until)
		work(100000);
	for (int fd = 3; fd < 2048; fd++)
		close(fd);
	first = mkstemp(name);
	unlink(name);
	if (write(first, "what it wrote", 13) != 13)
		bad("write");
	while (dup(first) >= 0 && dup(first) < 1000)
		;
	busy(NULL);
	if (lseek(first, 0, SEEK_CUR) != 13 || lseek(first, 0, SEEK_END) != 13)
		bad("its file has changed");
	if (pread(first, text, sizeof(text), 0) != 13 ||
	    memcmp(text, "what it wrote", 13))
		bad("its file has other bytes");
	if (fcntl(first, F_GETFD) < 0 || fcntl(first + 1, F_GETFD) < 0)
		bad("its file is closed");
}

/* Threads come and go, so that the agent opens files all the time. */
static void lowest(void)
{
	pthread_t t = start(storm);

	while (is_time()) {
		int fd;

		close(STDIN_FILENO);
		fd = open("/dev/null", O_RDONLY);
		if (fd != STDIN_FILENO)
			bad("the descriptor has not the lowest number");
		dup2(fd, STDIN_FILENO);
	}
	pthread_join(t, NULL);
}

/* Another root, in which there is no /proc, and another namespace. */
static void root(void)
{
	double until = now_s() + (end_s - now_s()) / 2;
	int space = open("/proc/self/ns/mnt", O_RDONLY), dir = -1;

	if (mkdir("root", 0700) || (dir = open("root", O_DIRECTORY)) < 0)
		bad("mkdir");
	while (now_s() < until)
		work(100000);
	if (setns(space, CLONE_NEWNS))
		bad("setns");
	if (fchdir(dir) || chroot("."))
		bad("chroot");
	pthread_join(start(busy), NULL);
}

/* Without its privileges, it starts threads that wait and work. */
static void user(void)
{
	pthread_t t;
	double until = now_s() + (end_s - now_s()) / 2;

	while (now_s() < until)
		work(100000);
	if (setgid(65534) || setuid(65534))
		bad("setuid");
	t = start(idle);
	pthread_setname_np(t, "waits");
	pthread_join(start(busy), NULL);
	is_over = 1;
	pthread_join(t, NULL);
}

/* /proc is that of the namespace before. */
static void pid_space(void)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID))
		bad("unshare");
	/* Not the first process, which is 1 in both. */
	pid = fork();
	if (!pid) {
		if (!(pid = fork()))
			execl(self, self, "busy", "0.3", (char *)NULL);
		if (waitpid(pid, &status, 0) != pid || status)
			_exit(1);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		bad("the child");
}

static void file_size(void)
{
	const struct rlimit r = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_FSIZE, &r);
	execl(self, self, "busy", "0.3", (char *)NULL);
	bad("exec");
}

static void just_busy(void)
{
	busy(NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "eintr", eintr },	    { "dl", dl },
		{ "threads", threads },	    { "fork", fork_storm },
		{ "fork-only", fork_only }, { "exec", exec_chain },
		{ "block", block },	    { "sigprof", own_sigprof },
		{ "take", take },	    { "altstack", altstack },
		{ "seccomp", seccomp },	    { "recursion", recursion },
		{ "idle-1000", idle_1000 }, { "few-files", few_files },
		{ "files", files },	    { "busy", just_busy },
		{ "alloc", alloc },	    { "seccomp-kill", seccomp_kill },
		{ "lowest", lowest },	    { "root", root },
		{ "file-size", file_size }, { "await-signals", await_signals },
		{ "reaper", reaper },	    { "user", user },
		{ "pid-space", pid_space },
	};

	self = argv[0];
	end_s = now_s() + (argc > 2 ? strtod(argv[2], NULL) : 1);
	argument = argc > 3 ? argv[3] : NULL;
	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name)) {
			all[i].run();
			return nr_errors != 0;
		}
	fprintf(stderr, "torture: what?\n");
	return 2;
}
