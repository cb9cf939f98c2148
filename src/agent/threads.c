// SPDX-License-Identifier: Apache-2.0
/* agent/threads.c: the threads of this process, as /proc has them. */
#include "agent/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of the descriptors that the program may have, we take so many at most; and
 * not the low numbers, which programs like shells use as they please. */
enum { SHARE_OF_FILES = 4, MAX_FILES = 16 << 10, LOW_FILES = 512 };

enum { FIRST_RENAME_NS = 250000000 };

static const char tasks[] = "/proc/self/task";

uint64_t op_clock_ns(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int op_threads_open(struct op_threads *t, uint32_t own, struct op_err *err)
{
	struct rlimit files = { 0 };

	*t = (struct op_threads){ .own = own, .tasks = -1 };
	t->p = reserve(OP_MAX_THREADS * sizeof(*t->p));
	t->tids = reserve(OP_MAX_THREADS * sizeof(*t->tids));
	if (!t->p || !t->tids)
		return op_fail_sys(err, "no address space for threads");
	getrlimit(RLIMIT_NOFILE, &files);
	t->max_open = files.rlim_cur / SHARE_OF_FILES < MAX_FILES ?
			      (uint32_t)(files.rlim_cur / SHARE_OF_FILES) :
			      MAX_FILES;
	t->tasks = open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->tasks >= 0)
		t->tasks = op_file_high(t->tasks);
	return OP_OK;
}

static void close_file(struct op_threads *t, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	t->nr_open--;
}

void op_threads_close(struct op_threads *t)
{
	for (uint32_t i = 0; i < t->nr && !t->are_files_foreign; i++)
		close_file(t, &t->p[i].syscall);
	if (t->tasks >= 0 && t->p && !t->are_files_foreign)
		close(t->tasks);
	if (t->p)
		munmap(t->p, OP_MAX_THREADS * sizeof(*t->p));
	if (t->tids)
		munmap(t->tids, OP_MAX_THREADS * sizeof(*t->tids));
	*t = (struct op_threads){ 0 };
}

/* --- files ---------------------------------------------------------------- */

int op_file_high(int fd)
{
	struct rlimit files = { 0 };
	int low = LOW_FILES, high;

	getrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur / 2 < (rlim_t)low)
		low = (int)(files.rlim_cur / 2);
	high = fcntl(fd, F_DUPFD_CLOEXEC, low);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static int open_file(uint32_t tid, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "%s/%u/%s", tasks, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A file that stays open; -1: there are too many. */
static int keep_file(struct op_threads *t, uint32_t tid, const char *name)
{
	int fd = t->nr_open < t->max_open ? open_file(tid, name) : -1;

	if (fd < 0)
		return -1;
	t->nr_open++;
	return op_file_high(fd);
}

/* Reads a file as a text; kept, if not NULL, may be its descriptor. */
static bool read_file(uint32_t tid, const char *name, const int *kept,
		      char *out, size_t room)
{
	int fd = kept ? *kept : -1;
	ssize_t n;

	if (fd < 0)
		fd = open_file(tid, name);
	if (fd < 0)
		return false;
	n = pread(fd, out, room - 1, 0);
	out[n > 0 ? n : 0] = 0;
	if (!kept || *kept < 0)
		close(fd);
	return n > 0;
}

/* --- the list ------------------------------------------------------------- */

static bool add_tid(struct op_threads *t, const char *name)
{
	unsigned long tid = strtoul(name, NULL, 10);

	if (!tid || tid == t->own)
		return true;
	if (t->nr_tids == OP_MAX_THREADS)
		return false;
	t->tids[t->nr_tids++] = (uint32_t)tid;
	return true;
}

/* They come almost sorted. */
static void sort(uint32_t *p, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t v = p[i], k = i;

		for (; k && p[k - 1] > v; k--)
			p[k] = p[k - 1];
		p[k] = v;
	}
}

static bool list_tids(struct op_threads *t)
{
	_Alignas(8) char room[4096];
	int dir = open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	t->nr_tids = 0;
	t->nr_over = 0;
	if (dir < 0)
		return false;
	while ((n = syscall(SYS_getdents64, dir, room, sizeof(room))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *d = (const void *)(room + at);

			t->nr_over += !add_tid(t, d->d_name);
			at += d->d_reclen;
		}
	close(dir);
	sort(t->tids, t->nr_tids);
	return !n;
}

/* The fields of the file stat, which begin behind the name. */
static void read_stat(struct op_thread *thread)
{
	enum { PRIORITY = 18, NICE = 19, START = 22 };
	char text[512], *p;
	long ticks = sysconf(_SC_CLK_TCK);

	if (!read_file(thread->tid, "stat", NULL, text, sizeof(text)))
		return;
	p = strrchr(text, ')');
	for (int field = 3; p && (p = strchr(p, ' ')); field++) {
		p++;
		if (field == PRIORITY)
			thread->os_prio = (int32_t)strtol(p, NULL, 10);
		if (field == NICE)
			thread->prio = 20 - (int32_t)strtol(p, NULL, 10);
		if (field == START)
			thread->start_ns = strtoull(p, NULL, 10) *
					   (1000000000 / (uint64_t)ticks);
	}
}

static struct op_thread new_thread(struct op_threads *t, uint32_t tid)
{
	struct op_thread thread = { .tid = tid,
				    .index = ++t->nr_indexes,
				    .rename_wait_ns = FIRST_RENAME_NS,
				    .syscall = keep_file(t, tid, "syscall") };

	read_stat(&thread);
	thread.pointer = op_agent_thread_pointer(tid);
	op_thread_rename(&thread);
	thread.rename_ns = op_clock_ns(CLOCK_MONOTONIC) + FIRST_RENAME_NS;
	return thread;
}

static void drop(struct op_threads *t, struct op_thread *thread,
		 op_thread_gone_fn *gone, void *ctx)
{
	gone(ctx, thread);
	close_file(t, &thread->syscall);
}

/* Threads that are still there move to the front, in place. */
static void drop_gone(struct op_threads *t, op_thread_gone_fn *gone, void *ctx)
{
	uint32_t kept = 0, at = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		while (at < t->nr_tids && t->tids[at] < t->p[i].tid)
			at++;
		if (at < t->nr_tids && t->tids[at] == t->p[i].tid &&
		    !t->p[i].is_gone)
			t->p[kept++] = t->p[i];
		else
			drop(t, &t->p[i], gone, ctx);
	}
	t->nr = kept;
}

/* From the end, so that each thread moves once. */
static void add_new(struct op_threads *t)
{
	uint32_t old = t->nr, to = t->nr_tids;

	for (uint32_t i = t->nr_tids; i-- > 0;) {
		if (old && t->p[old - 1].tid == t->tids[i])
			t->p[--to] = t->p[--old];
		else
			t->p[--to] = (struct op_thread){ .tid = t->tids[i] };
	}
	t->nr = t->nr_tids;
	for (uint32_t i = 0; i < t->nr; i++)
		if (!t->p[i].index)
			t->p[i] = new_thread(t, t->p[i].tid);
}

/* By the descriptor: 0.3 us, where the path takes 1.4. If the
 * program has closed it, the number is wrong, and threads are listed. */
uint32_t op_threads_count(const struct op_threads *t)
{
	enum { DIRECTORY_LINKS = 2 };
	struct stat st;

	if (fstat(t->tasks, &st) || st.st_nlink < DIRECTORY_LINKS)
		return 0;
	return (uint32_t)st.st_nlink - DIRECTORY_LINKS;
}

bool op_threads_list(struct op_threads *t, op_thread_gone_fn *gone, void *ctx)
{
	if (!list_tids(t))
		return false;
	drop_gone(t, gone, ctx);
	add_new(t);
	return true;
}

/* --- one thread ----------------------------------------------------------- */

/* The clock of a thread as the kernel numbers them. This is less than half of
 * what it takes to read any file of the thread. */
bool op_thread_cpu_ns(const struct op_thread *thread, uint64_t *out)
{
	enum { THREAD_CPU_CLOCK = 6 };
	clockid_t clock = (clockid_t)(~thread->tid << 3 | THREAD_CPU_CLOCK);
	struct timespec t;

	if (clock_gettime(clock, &t))
		return false;
	*out = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

enum op_thread_look op_thread_place_parse(const char *text,
					  struct op_thread_place *out)
{
	enum { ARGUMENTS = 6 };
	uint64_t words[ARGUMENTS + 2];
	char *p;
	int n = 0;

	if (!strncmp(text, "running", strlen("running")))
		return OP_LOOK_RUNS;
	out->call = strtoll(text, &p, 10);
	if (p == text)
		return OP_LOOK_GONE;
	for (; n < ARGUMENTS + 2; n++) {
		const char *from = p;

		words[n] = strtoull(from, &p, 16);
		if (p == from)
			break;
	}
	if (n < 2)
		return OP_LOOK_GONE;
	out->sp = words[n - 2];
	out->pc = words[n - 1];
	return OP_LOOK_BLOCKED;
}

/* By what everybody may read. */
static enum op_thread_look look_from_outside(const struct op_thread *thread)
{
	char text[512];
	const char *p;

	if (!read_file(thread->tid, "stat", NULL, text, sizeof(text)))
		return OP_LOOK_GONE;
	p = strrchr(text, ')');
	return p && !strncmp(p, ") R", 3) ? OP_LOOK_RUNS : OP_LOOK_HIDDEN;
}

/* If the process has changed its user, files of threads that are new belong to
 * root. */
enum op_thread_look op_thread_look(const struct op_thread *thread,
				   struct op_thread_place *out)
{
	char text[256];

	errno = 0;
	if (!read_file(thread->tid, "syscall", &thread->syscall, text,
		       sizeof(text)))
		return errno == EACCES ? look_from_outside(thread) :
					 OP_LOOK_GONE;
	return op_thread_place_parse(text, out);
}

bool op_thread_rename(struct op_thread *thread)
{
	char name[sizeof(thread->name) + 1];
	size_t n;

	if (!read_file(thread->tid, "comm", NULL, name, sizeof(name)))
		return false;
	n = strcspn(name, "\n");
	memset(name + n, 0, sizeof(name) - n);
	if (!memcmp(name, thread->name, sizeof(thread->name)))
		return false;
	memcpy(thread->name, name, sizeof(thread->name));
	return true;
}

/* A set of signals in the file status. */
static bool is_in_set(const struct op_thread *thread, const char *set,
		      int signal)
{
	char text[4096];
	const char *p;

	if (!read_file(thread->tid, "status", NULL, text, sizeof(text)))
		return false;
	p = strstr(text, set);
	return p && strtoull(p + strlen(set), NULL, 16) >> (signal - 1) & 1;
}

bool op_thread_blocks(const struct op_thread *thread, int signal)
{
	return is_in_set(thread, "\nSigBlk:", signal);
}

bool op_thread_has_pending(const struct op_thread *thread, int signal)
{
	return is_in_set(thread, "\nSigPnd:", signal);
}

enum op_thread_state op_thread_state_of(int64_t call)
{
	switch (call) {
	case -1:
		return OP_STATE_UNINTERRUPTIBLE;
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_pause:
		return OP_STATE_SLEEPING;
	case SYS_futex:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigsuspend:
	case SYS_flock:
	case SYS_semop:
	case SYS_semtimedop:
		return OP_STATE_BLOCKED;
	default:
		return OP_STATE_IO;
	}
}
