// SPDX-License-Identifier: Apache-2.0
/* blocker.c: threads that wait in all kinds of calls, made from all kinds of
 * frames. Before it waits, each thread has gone through other frames of the
 * same functions, so that its stack has remains of them in places that are not
 * written since.
 *
 * Prints a line when all of them wait, and ends with its standard input. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void block_fn(void);

static volatile int sink;
static int ends[2], sockets[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t waited = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static pid_t child;

/* --- calls that wait ------------------------------------------------------ */

static void do_nanosleep(void)
{
	const struct timespec t = { 1000, 0 };

	nanosleep(&t, NULL);
	sink++;
}

static void do_clock_nanosleep(void)
{
	const struct timespec t = { 1000, 0 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	sink++;
}

static void do_sleep(void)
{
	sleep(1000);
	sink++;
}

static void do_usleep(void)
{
	usleep(999999999);
	sink++;
}

static void do_poll(void)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	poll(&p, 1, -1);
	sink++;
}

static void do_ppoll(void)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	ppoll(&p, 1, NULL, NULL);
	sink++;
}

static void do_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	select(ends[0] + 1, &set, NULL, NULL, NULL);
	sink++;
}

static void do_epoll(void)
{
	struct epoll_event e;

	epoll_wait(epoll_create1(0), &e, 1, -1);
	sink++;
}

static void do_read(void)
{
	char byte;

	sink += (int)read(ends[0], &byte, 1);
}

static void do_recv(void)
{
	char byte;

	sink += (int)recv(sockets[0], &byte, 1, 0);
}

static void do_recvmsg(void)
{
	struct msghdr m = { 0 };

	sink += (int)recvmsg(sockets[0], &m, 0);
}

static void do_fgets(void)
{
	char line[100];
	FILE *f = fdopen(dup(ends[0]), "r");

	if (f && fgets(line, sizeof(line), f))
		sink++;
	sink++;
}

static void do_mutex(void)
{
	pthread_mutex_lock(&mutex);
	sink++;
}

static void do_cond(void)
{
	pthread_mutex_lock(&waited);
	pthread_cond_wait(&never, &waited);
	sink++;
}

static void do_rwlock(void)
{
	pthread_rwlock_wrlock(&rwlock);
	sink++;
}

static void do_barrier(void)
{
	pthread_barrier_wait(&barrier);
	sink++;
}

static void do_sem(void)
{
	sem_wait(&sem);
	sink++;
}

static void do_sigwait(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	sigwait(&set, &got);
	sink++;
}

static void do_pause(void)
{
	pause();
	sink++;
}

static void do_waitpid(void)
{
	waitpid(child, NULL, 0);
	sink++;
}

static void do_syscall(void)
{
	syscall(SYS_pause);
	sink++;
}

static void do_nothing(void)
{
	sink++;
}

static block_fn *const calls[] = {
	do_nanosleep, do_clock_nanosleep,
	do_sleep,     do_usleep,
	do_poll,      do_ppoll,
	do_select,    do_epoll,
	do_read,      do_recv,
	do_recvmsg,   do_fgets,
	do_mutex,     do_cond,
	do_rwlock,    do_barrier,
	do_sem,	      do_sigwait,
	do_pause,     do_waitpid,
	do_syscall,   NULL,
};

/* --- frames that call them ------------------------------------------------ */

/* If fn is NULL, then the frame itself waits. */
#define WAIT(fn)                               \
	do {                                   \
		if (fn)                        \
			(fn)();                \
		else                           \
			poll(NULL, 0, 100000); \
	} while (0)

static void plain(block_fn *fn)
{
	WAIT(fn);
	sink++;
}

static int deep(block_fn *fn, int n)
{
	int r = 0;

	if (n)
		r = deep(fn, n - 1);
	else
		WAIT(fn);
	sink++;
	return r + 1;
}

static void deep_30(block_fn *fn)
{
	sink += deep(fn, 30);
}

/* Nothing is written to most of it. */
static void large(block_fn *fn)
{
	volatile char room[3000];

	room[1500] = 1;
	WAIT(fn);
	sink += room[1500];
}

static void huge(block_fn *fn)
{
	volatile char room[50000];

	room[25000] = 1;
	WAIT(fn);
	sink += room[25000];
}

static void variable(block_fn *fn)
{
	int n = 100 + (sink & 15) * 40;
	volatile char room[n];

	room[n / 2] = 1;
	WAIT(fn);
	sink += room[n / 2];
}

static void allocated(block_fn *fn)
{
	volatile char *room = __builtin_alloca(
		(size_t)(200 + (sink & 7) * 200));

	room[100] = 1;
	WAIT(fn);
	sink += room[100];
}

struct numbers {
	int n[9];
};

static int many(block_fn *fn, struct numbers on_stack)
{
	WAIT(fn);
	sink++;
	return on_stack.n[sink & 7];
}

static void arguments(block_fn *fn)
{
	const struct numbers n = { { 1, 2, sink, 4, 5, sink, 7, 8, 9 } };

	sink += many(fn, n);
}

/* The call that waits has arguments on the stack itself. */
static void direct_arguments(block_fn *fn)
{
	struct timespec t = { fn == do_nothing ? 0 : 1000, 0 };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL, 5, 6, 7, 8);
	sink++;
}

static void aligned(block_fn *fn)
{
	volatile _Alignas(64) char room[256];

	room[0] = 1;
	WAIT(fn);
	sink += room[0];
}

static __thread block_fn *compare_fn;

static int compare(const void *a, const void *b)
{
	WAIT(compare_fn);
	return *(const int *)a - *(const int *)b;
}

static void in_qsort(block_fn *fn)
{
	int p[2] = { 2, 1 };

	compare_fn = fn;
	qsort(p, 2, sizeof(*p), compare);
}

static void on_signal(int sig)
{
	(void)sig;
	WAIT(compare_fn);
	sink++;
}

static void in_handler(block_fn *fn)
{
	compare_fn = fn;
	raise(SIGUSR1);
	sink++;
}

static void listed(block_fn *fn, ...)
{
	va_list list;

	va_start(list, fn);
	sink += va_arg(list, int);
	WAIT(fn);
	va_end(list);
}

static void variadic(block_fn *fn)
{
	listed(fn, 1, 2.0, 3);
	sink++;
}

typedef void shape_fn(block_fn *fn);

static shape_fn *const shapes[] = {
	plain,	   deep_30,	     large,   huge,	variable,   allocated,
	arguments, direct_arguments, aligned, in_qsort, in_handler, variadic,
};

enum {
	CALLS = sizeof(calls) / sizeof(*calls),
	SHAPES = sizeof(shapes) / sizeof(*shapes),
	DEPTH = 5,
};

/* --- threads -------------------------------------------------------------- */

struct waiter {
	shape_fn *shape;
	block_fn *call;
};

static void warm(int depth)
{
	for (int i = 0; i < SHAPES; i++)
		shapes[i](do_nothing);
	if (depth)
		warm(depth - 1);
	sink++;
}

static void *run(void *arg)
{
	const struct waiter *w = arg;

	for (int i = 0; i < DEPTH; i++)
		warm(i);
	w->shape(w->call);
	return arg;
}

/* The first function of a thread is the one that waits. */
static void *run_first(void *arg)
{
	poll(NULL, 0, 1000000);
	sink++;
	return arg;
}

static int is_running(const char *tid)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/syscall", tid);
	fd = open(path, O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return !strncmp(text, "running", 7);
}

static void prepare(void)
{
	const struct sigaction a = { .sa_handler = on_signal };

	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		exit(1);
	sigaction(SIGUSR1, &a, NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit((int)read(ends[0], &ends, 1));
	}
	pthread_mutex_lock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	pthread_barrier_init(&barrier, NULL, CALLS * SHAPES + 1);
	sem_init(&sem, 0, 0);
}

int main(void)
{
	static struct waiter waiters[CALLS * SHAPES];
	pthread_attr_t attr;
	pthread_t t;
	char path[16];
	int n = 0;

	prepare();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	for (int s = 0; s < SHAPES; s++)
		for (int c = 0; c < CALLS; c++, n++) {
			waiters[n] = (struct waiter){ shapes[s], calls[c] };
			pthread_create(&t, &attr, run, &waiters[n]);
		}
	pthread_create(&t, &attr, run_first, NULL);
	usleep(300000);
	snprintf(path, sizeof(path), "%d", (int)getpid());
	puts(is_running(path) ? "waiting" : "?");
	fflush(stdout);
	while (getchar() != EOF)
		;
	kill(child, SIGKILL);
	return 0;
}
