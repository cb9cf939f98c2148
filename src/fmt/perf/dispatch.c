// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/dispatch.c: what a record means, when its turn has come. */
#include "fmt/perf/dispatch.h"

#include "fmt/perf/context_switch.h"
#include "fmt/perf/event.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/rows.h"
#include "fmt/perf/sample.h"
#include "fmt/perf/sample_batch.h"
#include "fmt/perf/thread.h"
#include "host/host.h"

static void sample(struct op_perf *f, const struct op_perf_record *r)
{
	struct op_perf_event *e = op_perf_event_by(f, r);
	struct op_perf_pending w = { .frames_at = (uint32_t)f->rows.frames.n };
	struct op_perf_sample s;
	const char *end;

	if (!e) {
		if (!f->losses.unknown_samples++)
			f->losses.unknown_at = op_perf_at(f, r);
		return;
	}
	f->nr_samples++;
	if (!e->is_wanted && !(e->is_switch && f->switches.is_wanted))
		return;
	if (!op_perf_sample_read(f, r, e, &s))
		return;
	s.thread = op_host_thread(&f->host, s.pid, s.tid);
	s.process = op_host_process(&f->host, s.pid);
	if (f->err->code ||
	    !op_perf_is_wanted(f, &f->host.tasks.threads.p[s.thread]))
		return;
	end = op_perf_frames(f, e, &s);
	if (e->is_switch)
		op_perf_switch_sample(f, e, &s, w.frames_at);
	if (!e->is_wanted) {
		f->rows.frames.n = w.frames_at;
		f->rows.has_unused = true;
	}
	if (!e->is_wanted || f->err->code)
		return;
	if (e->sample_type & OP_PERF_HAS_TID)
		w.set = op_perf_set(f, &s);
	if (end)
		w.set = op_perf_set_with(f, w.set, "perf.stack.end", end);
	if (f->err->code)
		return;
	w.nr_frames = (uint32_t)f->rows.frames.n - w.frames_at;
	w.event = (uint32_t)(e - f->events.rows.p);
	w.time = s.time;
	w.period = s.period;
	op_perf_batch_add(f, &w);
}

/* LOST: 8 u64 id, u64 records. LOST_SAMPLES: 8 u64 samples. */
static void lost(struct op_perf *f, const struct op_perf_record *r)
{
	bool is_samples = r->type == OP_RECORD_LOST_SAMPLES;
	struct op_perf_event *e;
	uint64_t n;

	if (r->size < (is_samples ? 16 : 24)) {
		op_perf_bad(f, r, "truncated record of lost records");
		return;
	}
	n = op_perf_u64(f, r->p + (is_samples ? 8 : 16));
	if (is_samples)
		e = op_perf_event_by(f, r);
	else if (f->events.rows.n == 1)
		e = f->events.rows.p;
	else
		e = op_perf_event_of(f, op_perf_u64(f, r->p + 8));
	if (is_samples) {
		f->losses.lost_samples += n;
		if (e)
			e->lost_samples += n;
	} else {
		f->losses.lost_records += n;
		f->host.tasks.is_incomplete = f->losses.lost_records;
		if (e)
			e->lost_records += n;
	}
}

static void sideband(struct op_perf *f, const struct op_perf_record *r,
		     const char *truncated)
{
	struct op_record record = { r->p, r->type, r->misc, r->size,
				    f->in.is_swapped };

	if (!op_host_apply(&f->host, &record))
		op_perf_bad(f, r, truncated);
}

/* What the thread of FORK and EXIT, which is at byte 16, does now. */
static void thread_state(struct op_perf *f, const struct op_perf_record *r,
			 enum op_perf_state state)
{
	struct op_perf_thread *t;
	uint32_t thread;

	if (f->err->code)
		return;
	thread = op_host_thread_find(&f->host, op_perf_u32(f, r->p + 16));
	t = thread == OP_NO_ID ? NULL : op_perf_thread(f, thread);
	if (t)
		t->state = state;
}

void op_perf_dispatch(struct op_perf *f, const struct op_perf_record *r)
{
	switch (r->type) {
	case OP_RECORD_SAMPLE:
		sample(f, r);
		break;
	case OP_RECORD_MMAP:
	case OP_RECORD_MMAP2:
		sideband(f, r, "truncated mapping");
		break;
	case OP_RECORD_COMM:
		sideband(f, r, "truncated thread name");
		break;
	case OP_RECORD_FORK:
		sideband(f, r, "truncated thread start");
		thread_state(f, r, OP_PERF_UNKNOWN);
		break;
	case OP_RECORD_EXIT:
		sideband(f, r, "truncated thread end");
		thread_state(f, r, OP_PERF_GONE);
		break;
	case OP_RECORD_KSYMBOL:
		sideband(f, r, "truncated kernel symbol");
		break;
	case OP_RECORD_CGROUP:
		sideband(f, r, "truncated cgroup");
		break;
	case OP_RECORD_SWITCH:
	case OP_RECORD_SWITCH_CPU_WIDE:
		op_perf_switch(f, r);
		break;
	case OP_RECORD_LOST:
	case OP_RECORD_LOST_SAMPLES:
		lost(f, r);
		break;
	}
}
