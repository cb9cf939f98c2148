// SPDX-License-Identifier: Apache-2.0
/* record/recorder.c: records where the processes of this machine spend CPU
 * time.
 *
 * Samples and task events come from different buffers and are put in order by
 * their times: a stack means what its process had mapped then. Each tick first
 * reads the task events, then the samples; samples that are newer than the task
 * events wait for the next tick. */
#include "record/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/recorder_int.h"

enum { SWEEP_NS = 1000000000, DEFAULT_TABLES = 32 << 20 };

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- samples -------------------------------------------------------------- */

static void tasks_apply(struct op_recorder *r, uint64_t time)
{
	struct op_record record;

	while (op_task_events_next(&r->tasks, time, &record)) {
		uint32_t pid = record.size >= 12 ?
				       op_load_u32(record.p + 8, false) :
				       0;
		uint32_t i;

		op_host_apply(&r->host, &record);
		i = op_host_process_find(&r->host, pid);
		if (record.type == OP_RECORD_MMAP2 && i != OP_NO_ID &&
		    r->host.tasks.processes.p[i].user)
			op_rec_process_dirty(r,
					     r->host.tasks.processes.p[i].user);
	}
}

static void add_sample(struct op_recorder *r, const struct op_bpf_sample *s)
{
	struct op_rec_process *p;
	struct op_event e = {
		.value = (int64_t)(1000000000 / r->opts.hertz),
		.tid = s->tid,
		.cpu = s->cpu,
	};

	tasks_apply(r, s->time);
	p = op_rec_process(r, s->pid, s->time);
	if (!p)
		return;
	e.thread_name = op_view(s->comm, strnlen(s->comm, sizeof(s->comm)));
	if (!op_rec_is_wanted(r, p, e.thread_name)) {
		r->counts.filtered++;
		return;
	}
	e.time_ns = s->time + r->mono_to_unix;
	e.quality = op_rec_stack(r, p, s);
	e.process = op_rec_resource(r, p, s->comm);
	e.frames = r->frames.p;
	e.nr_frames = (uint32_t)r->frames.n;
	if (s->has_trace) {
		e.has_link = true;
		memcpy(e.trace_id, s->trace, sizeof(e.trace_id));
		memcpy(e.span_id, s->span, sizeof(e.span_id));
	}
	op_live_add(&r->live, &e);
	r->counts.samples++;
	r->counts.complete += !e.quality;
}

static size_t sample_bytes(const struct op_bpf_sample *s)
{
	size_t n = sizeof(*s) + 8 * ((size_t)s->nr_kernel + s->nr_user);

	if (s->end >= OP_BPF_NEW_PROCESS)
		n += offsetof(struct op_bpf_rest, stack) + s->nr_stack;
	return (n + 7) & ~(size_t)7;
}

static void take_sample(void *ctx, const struct op_bpf_sample *s)
{
	struct op_recorder *r = ctx;

	if (s->time <= r->until)
		add_sample(r, s);
	else
		op_buf_view(&r->pending, op_view(s, sample_bytes(s)));
}

static void add_pending(struct op_recorder *r)
{
	struct op_buf old = r->pending;

	r->pending = (struct op_buf){ .err = r->err };
	for (size_t at = 0; at < old.n;) {
		const struct op_bpf_sample *s = (const void *)(old.p + at);

		at += sample_bytes(s);
		take_sample(r, s);
	}
	op_buf_free(&old);
}

static bool is_alive(void *arg, uint32_t pid)
{
	(void)arg;
	return !kill((pid_t)pid, 0) || errno != ESRCH;
}

int op_recorder_tick(struct op_recorder *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	r->until = now;
	tasks_apply(r, UINT64_MAX);
	op_task_events_read(&r->tasks);
	add_pending(r);
	if (r->bpf)
		op_bpf_drain(r->bpf, take_sample, r);
	op_rec_process_flush(r);
	op_tables_tick(&r->tables);
	if (now - r->swept_ns > SWEEP_NS) {
		r->swept_ns = now;
		op_host_sweep(&r->host, is_alive, r);
	}
	return r->err->code;
}

/* --- start and end -------------------------------------------------------- */

int op_recorder_open(struct op_recorder **out,
		     const struct op_recorder_opts *opts, struct op_err *err)
{
	struct op_recorder *r = op_heap_resize(NULL, sizeof(*r), err);
	struct op_bpf_opts b = { .hertz = opts->hertz,
				 .user_only = opts->user_only,
				 .has_targets = opts->nr_pids || opts->command,
				 .cgroup = opts->cgroup };
	struct op_live_opts l = { .nr_types = 1,
				  .is_aggregate = opts->is_aggregate,
				  .scope_name = "otprof",
				  .scope_version = OTPROF_VERSION };

	*out = NULL;
	if (!r)
		return err->code;
	memset(r, 0, sizeof(*r));
	r->opts = *opts;
	r->err = err;
	r->mem.err = err;
	r->pending.err = err;
	r->host.is_live = true;
	r->host.binary_gone = op_rec_binary_gone;
	r->host.process_gone = op_rec_process_gone;
	r->host.arg = r;
	op_host_init(&r->host, err);
	r->type = (struct op_live_type){ "cpu", "nanoseconds", "cpu",
					 "nanoseconds",
					 1000000000 / opts->hertz };
	l.types = &r->type;
	r->mono_to_unix = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	op_live_init(&r->live, &l, clock_ns(CLOCK_REALTIME), err);
	r->kernel_row = op_rec_kernel(r);
	if (op_bpf_open(&r->bpf, &b, err) ||
	    op_tables_init(&r->tables, &r->mem, op_bpf_slab_maps(r->bpf),
			   op_bpf_tables(r->bpf),
			   opts->table_bytes ? opts->table_bytes :
					       DEFAULT_TABLES,
			   err)) {
		op_recorder_close(r);
		return err->code;
	}
	r->ranges.mem = &r->mem;
	r->ranges.max = OP_BPF_MAX_RANGES;
	r->counts.has_bpf = true;
	*out = r;
	return OP_OK;
}

int op_recorder_start(struct op_recorder *r)
{
	if (op_task_events_open(&r->tasks, &r->mem, r->err))
		return r->err->code;
	op_rec_scan(r, clock_ns(CLOCK_MONOTONIC));
	if (r->opts.command)
		op_bpf_target_add(r->bpf, (uint32_t)r->opts.command);
	for (uint32_t i = 0; i < r->opts.nr_pids; i++)
		op_bpf_target_add(r->bpf, (uint32_t)r->opts.pids[i]);
	return op_bpf_start(r->bpf, r->err);
}

void op_recorder_stop(struct op_recorder *r)
{
	if (r->bpf)
		op_bpf_stop(r->bpf);
	/* Twice: samples may wait for the next tick. */
	op_recorder_tick(r);
	op_recorder_tick(r);
}

void op_recorder_close(struct op_recorder *r)
{
	if (!r)
		return;
	op_task_events_close(&r->tasks);
	for (size_t i = 0; i < r->host.tasks.processes.n; i++)
		op_rec_process_gone(r, &r->host.tasks.processes.p[i]);
	for (size_t i = 0; i < r->host.maps.binaries.n; i++)
		op_rec_binary_gone(r, &r->host.maps.binaries.p[i]);
	op_tables_fini(&r->tables);
	op_bpf_close(r->bpf);
	op_live_fini(&r->live);
	op_host_fini(&r->host);
	op_buf_free(&r->pending);
	op_arena_free(&r->mem);
	op_heap_free(r);
}

int op_recorder_fd(const struct op_recorder *r)
{
	return r->bpf ? op_bpf_fd(r->bpf) : -1;
}

int op_recorder_take(struct op_recorder *r, struct op_model *out)
{
	return op_live_take(&r->live, clock_ns(CLOCK_REALTIME), out);
}

struct op_recorder_counts op_recorder_counts(const struct op_recorder *r)
{
	struct op_recorder_counts c = r->counts;

	if (r->bpf) {
		struct op_bpf_counts b = op_bpf_counts(r->bpf);

		c.lost += b.lost;
		c.foreign += b.foreign;
		c.bpf_ns = op_bpf_run_ns(r->bpf, &c.bpf_runs);
	}
	c.lost_events = op_task_events_lost(&r->tasks);
	return c;
}
