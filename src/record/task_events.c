// SPDX-License-Identifier: Apache-2.0
/* record/task_events.c: what the kernel tells of processes as they start, map
 * files and end.
 *
 * An event that counts nothing has these records; there is one on each CPU. */
#include "record/task_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RING_BYTES = 256 << 10, MAX_PENDING = 64 << 20 };

static struct perf_event_attr attr_of(bool has_build_ids)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
		.build_id = has_build_ids,
		.exclude_kernel = 1,
	};
}

static bool open_one(struct op_task_events *t, pid_t tid, int cpu)
{
	struct op_perf_ring ring;
	struct perf_event_attr a = attr_of(true);
	bool ok;

	a.inherit = tid > 0;
	ok = op_perf_ring_open(&ring, &a, tid, cpu, RING_BYTES);
	if (!ok && errno == EINVAL) {
		a.build_id = 0;
		ok = op_perf_ring_open(&ring, &a, tid, cpu, RING_BYTES);
	}
	t->sample_type = a.sample_type;
	return ok && op_vec_push(t->mem, &t->rings, ring);
}

int op_task_events_follow(struct op_task_events *t, struct op_arena *mem,
			  pid_t tid, struct op_err *err)
{
	int nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	t->mem = mem;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		if (!open_one(t, tid, cpu) && errno != ENODEV)
			return op_fail(err, OP_EIO,
				       "events of processes are not "
				       "available: %s",
				       strerror(errno));
	return OP_OK;
}

int op_task_events_open(struct op_task_events *t, struct op_arena *mem,
			struct op_err *err)
{
	*t = (struct op_task_events){ 0 };
	return op_task_events_follow(t, mem, -1, err);
}

void op_task_events_close(struct op_task_events *t)
{
	for (size_t i = 0; i < t->rings.n; i++)
		op_perf_ring_close(&t->rings.p[i]);
	op_buf_free(&t->bytes);
}

static void keep(void *ctx, const struct op_record *r)
{
	struct op_task_events *t = ctx;
	struct op_task_event e = { .at = t->bytes.n };
	struct op_record_id id;

	if (!op_record_id(r, t->sample_type, &id))
		return;
	e.time = id.time;
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
