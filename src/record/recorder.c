// SPDX-License-Identifier: Apache-2.0
/* record/recorder.c: records where the processes of this machine spend CPU
 * time.
 *
 * Samples and task events come from different buffers and are put in order by
 * their times: a stack means what its process had mapped then. Each tick first
 * reads the task events, then the samples; samples that are newer than the task
 * events wait for the next tick. */
#include "record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "record/recorder_int.h"
#include "record/stack_copy.h"

enum { DEFAULT_TABLES = 32 << 20 };

/* How often what is gone is dropped: all of it, which takes a look at each
 * process; and at most, if there are many new binaries. A binary that nobody
 * maps stays for some of the former: most programs are run again. */
static const uint64_t check_ns = 10000000000, sweep_ns = 1000000000;
enum { KEEP_SWEEPS = 6, FEW_BINARIES = 256 };

/* A tick takes CPU time even if there is nothing to do, most of it to wake up.
 * BPF wakes us where it needs something, so that others may wait. */
enum { MIN_WAIT_MS = 100, MAX_WAIT_MS = 500 };

/* No BPF program runs this long: what it may have been reading before can be
 * used for something else. */
enum { GRACE_NS = 20000000 };

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- samples -------------------------------------------------------------- */

/* BPF has to know of new mappings; and of new processes, where it cannot find
 * out by itself. */
static void task_changed(struct op_recorder *r, const struct op_record *record)
{
	struct op_host_task t;
	uint32_t i;

	if (record->type == OP_RECORD_FORK && op_record_task(record, &t))
		op_rec_forked(r, t.parent_pid, t.pid);
	if (record->type != OP_RECORD_MMAP2 || record->size < 12)
		return;
	i = op_host_process_find(&r->host, op_load_u32(record->p + 8, false));
	if (i != OP_NO_ID && r->host.tasks.processes.p[i].user)
		op_rec_process_dirty(r, r->host.tasks.processes.p[i].user);
}

static void add_sample(struct op_recorder *r, const struct op_bpf_sample *s);

static void add_copy(struct op_recorder *r, const struct op_record *record)
{
	const struct op_bpf_sample *s = op_stack_copy(record, &r->copy);

	if (s)
		add_sample(r, s);
	else
		r->counts.lost++;
}

static void tasks_apply(struct op_recorder *r, uint64_t time)
{
	struct op_record record;

	while (op_task_events_next(&r->tasks, time, &record)) {
		if (record.type == OP_RECORD_SAMPLE) {
			add_copy(r, &record);
			continue;
		}
		op_host_apply(&r->host, &record);
		if (r->bpf)
			task_changed(r, &record);
	}
}

/* A perf event does not give it. */
static struct op_view thread_name(const struct op_recorder *r,
				  const struct op_bpf_sample *s)
{
	uint32_t i;

	if (r->bpf)
		return op_view(s->comm, strnlen(s->comm, sizeof(s->comm)));
	i = op_host_thread_find(&r->host, s->tid);
	return i == OP_NO_ID ? (struct op_view){ 0 } :
			       r->host.tasks.threads.p[i].name;
}

static void add_sample(struct op_recorder *r, const struct op_bpf_sample *s)
{
	struct op_rec_process *p;
	struct op_event e = {
		.value = (int64_t)(1000000000 / r->opts.hertz),
		.tid = s->tid,
		.cpu = s->cpu,
	};

	if (r->bpf)
		tasks_apply(r, s->time);
	p = op_rec_process(r, s->pid, s->time);
	if (!p) {
		r->counts.lost++;
		return;
	}
	e.thread_name = thread_name(r, s);
	if (!op_rec_is_wanted(r, p, e.thread_name)) {
		r->counts.filtered++;
		return;
	}
	e.time_ns = s->time + r->mono_to_unix;
	e.quality = op_rec_stack(r, p, s);
	e.process = op_rec_resource(r, p, e.thread_name);
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
	const struct op_recorder *r = arg;

	return op_proc_is_alive(&r->proc, pid);
}

static size_t nr_binaries(const struct op_recorder *r)
{
	return r->host.maps.binaries.n - r->host.maps.free_binaries.n;
}

static void sweep(struct op_recorder *r, uint64_t now)
{
	bool is_due = now - r->checked_ns > check_ns;
	bool is_crowded = nr_binaries(r) > 2 * r->nr_swept + FEW_BINARIES;

	if (!is_due && (!is_crowded || now - r->swept_ns < sweep_ns))
		return;
	r->host.keep_sweeps = is_crowded ? 0 : KEEP_SWEEPS;
	op_host_sweep(&r->host, is_due ? is_alive : NULL, r);
	r->swept_ns = now;
	if (is_due)
		r->checked_ns = now;
	r->nr_swept = nr_binaries(r);
}

/* What is no longer used can be given away some time later. */
static void give_back(struct op_recorder *r, uint64_t now)
{
	if (now - r->ticked_ns < GRACE_NS)
		return;
	r->ticked_ns = now;
	op_ranges_tick(&r->ranges);
	op_rec_tables_tick(&r->tables);
}

/* Waits longer each time that no process did anything. In a PID namespace BPF
 * does not know of new processes and programs. */
static void choose_wait(struct op_recorder *r)
{
	bool is_quiet = r->bpf && !op_bpf_has_namespace(r->bpf) &&
			!r->tasks.events.n && !r->dirty.n;

	if (!is_quiet)
		r->wait_ms = MIN_WAIT_MS;
	else if (r->wait_ms < MAX_WAIT_MS)
		r->wait_ms += MIN_WAIT_MS;
}

int op_recorder_tick(struct op_recorder *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct epoll_event seen[8];

	/* So that it reports those anew. */
	(void)epoll_wait(r->epoll, seen, 8, 0);
	r->until = now;
	tasks_apply(r, UINT64_MAX);
	op_task_events_read(&r->tasks);
	r->host.tasks.is_incomplete |= op_task_events_lost(&r->tasks) > 0;
	add_pending(r);
	if (r->bpf)
		op_bpf_drain(r->bpf, take_sample, r);
	choose_wait(r);
	op_rec_process_flush(r);
	give_back(r, now);
	sweep(r, now);
	return r->err->code;
}

/* --- start and end -------------------------------------------------------- */

static bool has_targets(const struct op_recorder *r)
{
	return r->opts.nr_pids || r->opts.command;
}

/* Without BPF, some processes can be sampled by perf events; for all of them
 * that needs the same privileges, so there is something else wrong. */
static int open_source(struct op_recorder *r)
{
	struct op_bpf_opts b = { .hertz = r->opts.hertz,
				 .user_only = r->opts.user_only,
				 .has_targets = has_targets(r),
				 .cgroup = r->opts.cgroup };
	struct op_err no_bpf = { 0 };

	if (r->opts.no_bpf || !op_bpf_open(&r->bpf, &b, &no_bpf))
		return OP_OK;
	if (!has_targets(r))
		return op_fail(r->err, no_bpf.code, "%s", no_bpf.text);
	return OP_OK;
}

static void binary_gone(void *arg, struct op_host_binary *b)
{
	struct op_recorder *r = arg;

	op_rec_binary_gone(&r->binaries, b);
}

static void init(struct op_recorder *r, const struct op_recorder_opts *opts,
		 struct op_err *err)
{
	struct op_live_opts l = { .types = &r->type,
				  .nr_types = 1,
				  .is_aggregate = opts->is_aggregate,
				  .scope_name = "otprof",
				  .scope_version = OTPROF_VERSION };
	uint64_t now = clock_ns(CLOCK_REALTIME);

	memset(r, 0, sizeof(*r));
	r->opts = *opts;
	r->wait_ms = MIN_WAIT_MS;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->err = r->mem.err = r->pending.err = r->copy.err = err;
	r->tasks.mem = r->ranges.mem = &r->mem;
	r->ranges.max = OP_BPF_MAX_RANGES;
	r->host.is_live = true;
	r->host.binary_gone = binary_gone;
	r->host.process_gone = op_rec_process_gone;
	r->host.arg = r;
	op_host_init(&r->host, err);
	r->binaries = (struct op_binaries){ .host = &r->host,
					    .tables = &r->tables,
					    .live = { &r->live },
					    .kept = opts->kept,
					    .err = err };
	r->type = (struct op_live_type){
		.name = "cpu",
		.unit = "nanoseconds",
		.period_name = "cpu",
		.period_unit = "nanoseconds",
		.period = 1000000000 / opts->hertz,
	};
	r->mono_to_unix = now - clock_ns(CLOCK_MONOTONIC);
	r->checked_ns = clock_ns(CLOCK_MONOTONIC);
	op_live_init(&r->live, &l, now, err);
	r->kernel_row = op_rec_kernel(r);
	gethostname(r->host_name, sizeof(r->host_name) - 1);
}

int op_recorder_open(struct op_recorder **out,
		     const struct op_recorder_opts *opts, struct op_err *err)
{
	uint64_t bytes = opts->table_bytes ? opts->table_bytes : DEFAULT_TABLES;
	struct op_recorder *r = op_heap_resize(NULL, sizeof(*r), err);
	struct op_bpf *b;

	*out = NULL;
	if (!r)
		return err->code;
	init(r, opts, err);
	open_source(r);
	b = r->bpf;
	if (!err->code)
		op_rec_tables_init(&r->tables, &r->mem,
				   b ? op_bpf_slab_maps(b) : NULL,
				   b ? op_bpf_tables(b) : NULL, bytes, err);
	if (err->code) {
		op_recorder_close(r);
		return err->code;
	}
	r->counts.has_bpf = b;
	*out = r;
	return OP_OK;
}

static int start_bpf(struct op_recorder *r)
{
	struct op_task_events_opts all = { .tid = -1 };

	if (op_task_events_open(&r->tasks, &all, r->err))
		return r->err->code;
	/* From now on there are events of what starts. */
	op_rec_scan(r);
	if (r->opts.command)
		op_rec_target(r, (uint32_t)r->opts.command);
	for (uint32_t i = 0; i < r->opts.nr_pids; i++)
		op_rec_target(r, (uint32_t)r->opts.pids[i]);
	return op_bpf_start(r->bpf, r->err);
}

static void start_thread(void *arg, uint32_t tid)
{
	struct op_recorder *r = arg;
	struct op_task_events_opts o = { .tid = (pid_t)tid,
					 .hertz = r->opts.hertz,
					 .user_only = r->opts.user_only,
					 .may_end = true };

	if (!r->err->code)
		op_task_events_open(&r->tasks, &o, r->err);
}

static int start_copies(struct op_recorder *r)
{
	struct op_task_events_opts o = { .tid = -1,
					 .hertz = r->opts.hertz,
					 .user_only = r->opts.user_only };

	if (r->opts.command) {
		o.tid = r->opts.command;
		o.at_exec = true;
	}
	/* A thread that starts meanwhile may be missed. */
	for (uint32_t i = 0; i < r->opts.nr_pids; i++)
		op_proc_tids(&r->proc, (uint32_t)r->opts.pids[i], start_thread,
			     r);
	if (!r->opts.nr_pids)
		return op_task_events_open(&r->tasks, &o, r->err);
	if (!r->tasks.rings.n)
		return op_fail(r->err, OP_EIO,
			       "there is nothing to record: the processes have "
			       "ended");
	return r->err->code;
}

static int watch(struct op_recorder *r)
{
	struct epoll_event e = { .events = EPOLLIN };

	if ((!r->bpf ||
	     !epoll_ctl(r->epoll, EPOLL_CTL_ADD, op_bpf_fd(r->bpf), &e)) &&
	    op_task_events_watch(&r->tasks, r->epoll))
		return OP_OK;
	return op_fail(r->err, OP_EIO, "events cannot be waited for: %s",
		       strerror(errno));
}

int op_recorder_start(struct op_recorder *r)
{
	if (!r->bpf)
		op_rec_scan(r);
	if (r->bpf ? start_bpf(r) : start_copies(r))
		return r->err->code;
	return watch(r);
}

void op_recorder_stop(struct op_recorder *r)
{
	if (r->bpf)
		op_bpf_stop(r->bpf);
	else
		op_task_events_stop(&r->tasks);
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
		binary_gone(r, &r->host.maps.binaries.p[i]);
	op_rec_tables_fini(&r->tables);
	op_bpf_close(r->bpf);
	op_live_fini(&r->live);
	op_host_fini(&r->host);
	op_proc_fini(&r->proc);
	op_buf_free(&r->pending);
	op_buf_free(&r->copy);
	op_arena_free(&r->mem);
	if (r->epoll >= 0)
		close(r->epoll);
	op_heap_free(r);
}

int op_recorder_fd(const struct op_recorder *r)
{
	return r->epoll;
}

int op_recorder_wait_ms(const struct op_recorder *r)
{
	return r->wait_ms;
}

int op_recorder_take(struct op_recorder *r, struct op_model *out)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);

	/* The clocks drift apart, and one of them may be set. */
	r->mono_to_unix = now - clock_ns(CLOCK_MONOTONIC);
	if (r->opts.kept) {
		op_kept_window(r->opts.kept);
		op_rec_keep_replaced(&r->binaries);
	}
	return op_live_take(&r->live, now, out);
}

struct op_recorder_counts op_recorder_counts(const struct op_recorder *r)
{
	struct op_recorder_counts c = r->counts;

	if (r->bpf) {
		struct op_bpf_counts b = op_bpf_counts(r->bpf);

		c.taken = b.samples;
		c.lost += b.lost;
		c.foreign += b.foreign;
		c.bpf_ns = op_bpf_run_ns(r->bpf, &c.bpf_runs);
	}
	/* Without BPF, samples and events are in the same buffers. */
	*(r->bpf ? &c.lost_events : &c.lost) += op_task_events_lost(&r->tasks);
	return c;
}
