// SPDX-License-Identifier: Apache-2.0
/* record/task_events.c: what the kernel tells of processes as they start, map
 * files and end.
 *
 * There is an event on each CPU; it counts nothing unless it is to sample. A
 * thread has events of its own, but the rings are those of the CPUs. */
#include "record/task_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "record/stack_copy.h"

enum {
	RING_BYTES = 256 << 10,
	SAMPLE_RING_BYTES = 512 << 10, /* what any user may lock per CPU */
	MAX_PENDING = 64 << 20,
};

static uint32_t ring_bytes(const struct op_task_events_opts *o)
{
	return o->hertz ? SAMPLE_RING_BYTES : RING_BYTES;
}

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
		.wakeup_watermark = ring_bytes(o) / 2,
		.build_id = 1,
		.exclude_kernel = 1,
	};

	if (o->hertz)
		op_stack_copy_attr(&a, o);
	return a;
}

static bool add_ring(struct op_task_events *t, struct perf_event_attr *a,
		     const struct op_task_events_opts *o, int cpu)
{
	struct op_perf_ring ring;

	if (!op_perf_ring_open(&ring, a, o->tid, cpu, ring_bytes(o)))
		return false;
	if (op_vec_push(t->mem, &t->rings, ring))
		return true;
	op_perf_ring_close(&ring);
	errno = ENOMEM;
	return false;
}

static bool add_event(struct op_task_events *t, struct perf_event_attr *a,
		      const struct op_task_events_opts *o, int cpu)
{
	for (size_t i = 0; i < t->rings.n; i++) {
		int fd;

		if (t->rings.p[i].cpu != cpu)
			continue;
		fd = op_perf_ring_share(&t->rings.p[i], a, o->tid);
		if (fd < 0 || op_vec_push(t->mem, &t->others, fd))
			return fd >= 0;
		close(fd);
		errno = ENOMEM;
		return false;
	}
	return add_ring(t, a, o, cpu);
}

/* What the kernel is too old for, or does not allow, is left out. */
static bool open_one(struct op_task_events *t,
		     const struct op_task_events_opts *o, int cpu)
{
	struct perf_event_attr a = attr_of(o);
	bool ok = add_event(t, &a, o, cpu);

	if (!ok && (errno == EACCES || errno == EPERM) && !a.exclude_kernel) {
		a.exclude_kernel = 1;
		ok = add_event(t, &a, o, cpu);
	}
	if (!ok && errno == EINVAL) {
		a.build_id = 0;
		ok = add_event(t, &a, o, cpu);
	}
	t->sample_type = a.sample_type;
	return ok;
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

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		if (open_one(t, opts, cpu) || errno == ENODEV)
			continue;
		if (errno == ESRCH && opts->may_end)
			break;
		return open_failed(opts, err);
	}
	return OP_OK;
}

/* Edge-triggered: when a thread has ended, its event is ready forever. */
bool op_task_events_watch(const struct op_task_events *t, int epoll)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };

	for (size_t i = 0; i < t->rings.n; i++)
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, t->rings.p[i].fd, &e))
			return false;
	return true;
}

void op_task_events_stop(struct op_task_events *t)
{
	for (size_t i = 0; i < t->others.n; i++)
		ioctl(t->others.p[i], PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < t->rings.n; i++)
		ioctl(t->rings.p[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void op_task_events_close(struct op_task_events *t)
{
	for (size_t i = 0; i < t->others.n; i++)
		close(t->others.p[i]);
	for (size_t i = 0; i < t->rings.n; i++)
		op_perf_ring_close(&t->rings.p[i]);
	op_buf_free(&t->bytes);
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
