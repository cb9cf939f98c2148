// SPDX-License-Identifier: Apache-2.0
/* record/task_events.c: what the kernel tells of processes as they start, map
 * files and end.
 *
 * There is an event on each CPU; it counts nothing unless it is to sample. */
#include "record/task_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "record/stack_copy.h"

enum {
	RING_BYTES = 256 << 10,
	/* A sample takes 33 KiB. What any user may lock per CPU is full after
	 * a few, and a busy machine may let us wait for longer. */
	MIN_SAMPLE_BYTES = 512 << 10,
	MAX_SAMPLE_BYTES = 4 << 20,
	MAX_ALL_BYTES = 64 << 20,
	MAX_PENDING = 64 << 20,
	FORMAT_LOST = 1 << 4, /* PERF_FORMAT_LOST, since Linux 6.0 */
};

static struct perf_event_attr attr_of(const struct op_task_events_opts *o)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.inherit = o->tid > 0,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.read_format = FORMAT_LOST,
		.build_id = 1,
		.exclude_kernel = 1,
	};

	if (o->hertz)
		op_stack_copy_attr(&a, o);
	return a;
}

/* Records of all threads on a CPU go to one buffer. */
static bool open_event(struct op_task_events *t, struct perf_event_attr *a,
		       pid_t tid, int cpu, struct op_perf_ring *out)
{
	for (size_t i = 0; i < t->rings.n; i++)
		if (t->rings.p[i].cpu == cpu && t->rings.p[i].memory)
			return op_perf_ring_share(out, a, tid, &t->rings.p[i]);
	return op_perf_ring_open(out, a, tid, cpu, t->ring_bytes);
}

/* What the kernel is too old for, or does not allow, is left out. */
static bool open_one(struct op_task_events *t,
		     const struct op_task_events_opts *o, int cpu)
{
	struct perf_event_attr a = attr_of(o);
	struct op_perf_ring ring;
	bool ok;

	a.wakeup_watermark = (uint32_t)t->ring_bytes / (o->hertz ? 4 : 2);
	ok = open_event(t, &a, o->tid, cpu, &ring);
	if (!ok && (errno == EACCES || errno == EPERM) && !a.exclude_kernel) {
		a.exclude_kernel = 1;
		ok = open_event(t, &a, o->tid, cpu, &ring);
	}
	if (!ok && errno == EINVAL) {
		a.read_format = 0;
		ok = open_event(t, &a, o->tid, cpu, &ring);
	}
	if (!ok && errno == EINVAL) {
		a.build_id = 0;
		ok = open_event(t, &a, o->tid, cpu, &ring);
	}
	t->sample_type = a.sample_type;
	if (!ok || op_vec_push(t->mem, &t->rings, ring))
		return ok;
	op_perf_ring_close(&ring);
	errno = ENOMEM;
	return false;
}

static bool open_all(struct op_task_events *t,
		     const struct op_task_events_opts *o, int nr_cpus)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		if (!open_one(t, o, cpu) && errno != ENODEV &&
		    !(errno == ESRCH && o->may_end))
			return false;
	return true;
}

static void close_all(struct op_task_events *t)
{
	int why = errno;

	for (size_t i = 0; i < t->rings.n; i++)
		op_perf_ring_close(&t->rings.p[i]);
	t->rings.n = 0;
	errno = why;
}

/* Buffers of the first thread, as large as the kernel lets us lock them. */
static bool open_first(struct op_task_events *t,
		       const struct op_task_events_opts *o, int nr_cpus)
{
	size_t least = o->hertz ? MIN_SAMPLE_BYTES : RING_BYTES;

	t->ring_bytes = o->hertz ? MAX_SAMPLE_BYTES : RING_BYTES;
	while (t->ring_bytes > least &&
	       t->ring_bytes * (size_t)nr_cpus > MAX_ALL_BYTES)
		t->ring_bytes /= 2;
	while (!open_all(t, o, nr_cpus)) {
		close_all(t);
		if (t->ring_bytes == least ||
		    (errno != EPERM && errno != ENOMEM))
			return false;
		t->ring_bytes /= 2;
	}
	return true;
}

static int open_failed(const struct op_task_events_opts *o, struct op_err *err)
{
	if (errno == EACCES || errno == EPERM)
		return op_fail(err, OP_EIO,
			       "the kernel does not allow sampling: %s; this "
			       "needs root, the capability PERFMON, or a lower "
			       "kernel.perf_event_paranoid",
			       strerror(errno));
	if (errno == ESRCH)
		return op_fail(err, OP_EIO, "there is no thread %d",
			       (int)o->tid);
	if (errno == EMFILE || errno == ENFILE)
		return op_fail(err, OP_EIO,
			       "too many threads: each needs an open file per "
			       "CPU, and the limit (ulimit -n) is reached");
	return op_fail(err, OP_EIO, "perf_event_open failed: %s",
		       strerror(errno));
}

int op_task_events_open(struct op_task_events *t,
			const struct op_task_events_opts *opts,
			struct op_err *err)
{
	int nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	bool ok = t->rings.n ? open_all(t, opts, nr_cpus) :
			       open_first(t, opts, nr_cpus);

	return ok ? OP_OK : open_failed(opts, err);
}

void op_task_events_stop(struct op_task_events *t)
{
	for (size_t i = 0; i < t->rings.n; i++)
		op_perf_ring_stop(&t->rings.p[i]);
}

void op_task_events_close(struct op_task_events *t)
{
	close_all(t);
	op_buf_free(&t->bytes);
}

/* Edge-triggered: when a thread has ended, its event is ready forever. */
bool op_task_events_watch(const struct op_task_events *t, int epoll)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };

	for (size_t i = 0; i < t->rings.n; i++)
		if (t->rings.p[i].memory &&
		    epoll_ctl(epoll, EPOLL_CTL_ADD, t->rings.p[i].fd, &e))
			return false;
	return true;
}

static void keep(void *ctx, const struct op_record *r)
{
	struct op_task_events *t = ctx;
	struct op_task_event e = { .at = t->bytes.n };
	struct op_record_id id;

	if (r->type == OP_RECORD_SAMPLE)
		e.time = op_stack_copy_time(r);
	else if (op_record_id(r, t->sample_type, &id))
		e.time = id.time;
	else
		return;
	op_buf_view(&t->bytes, op_view(r->p, r->size));
	(void)op_vec_push(t->mem, &t->events, e);
}

static int by_time(const void *a, const void *b)
{
	const struct op_task_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void op_task_events_read(struct op_task_events *t)
{
	t->next = t->events.n = t->bytes.n = 0;
	t->bytes.err = t->mem->err;
	t->bytes.limit = MAX_PENDING;
	for (size_t i = 0; i < t->rings.n; i++)
		op_perf_ring_read(&t->rings.p[i], keep, t);
	if (t->events.n)
		qsort(t->events.p, t->events.n, sizeof(*t->events.p), by_time);
}

bool op_task_events_next(struct op_task_events *t, uint64_t time,
			 struct op_record *out)
{
	const struct op_task_event *e = &t->events.p[t->next];

	if (t->next == t->events.n || e->time > time)
		return false;
	*out = op_record(t->bytes.p + e->at, false);
	t->next++;
	return true;
}

uint64_t op_task_events_lost(const struct op_task_events *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->rings.n; i++)
		n += t->rings.p[i].nr_lost;
	return n;
}
