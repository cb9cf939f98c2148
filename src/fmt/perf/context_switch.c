// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/context_switch.c: when threads had a CPU and when they had none.
 *
 * A thread leaves its CPU in a sample of sched:sched_switch or of
 * context-switches, which says where it was, and in a SWITCH record; it comes
 * back in a SWITCH record, or in the sample of another that leaves, if all of
 * the machine was recorded. Only what has both ends is an interval: it begins
 * at the first and its value is its length. */
#include "fmt/perf/context_switch.h"

#include <stdlib.h>

#include "fmt/perf/event.h"
#include "fmt/perf/facts.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/rows.h"
#include "fmt/perf/sample.h"
#include "fmt/perf/thread.h"
#include "host/task.h"
#include "model/semconv.h"

static const char *const states[] = {
	[OP_PERF_RUNNING] = "running",
	[OP_PERF_UNSCHEDULED] = "unscheduled",
	[OP_PERF_SLEEPING] = "sleeping",
	[OP_PERF_UNINTERRUPTIBLE] = "uninterruptible",
	[OP_PERF_BLOCKED] = "blocked",
};

/* --- fields of sched:sched_switch --- */

static const uint8_t *find(struct op_view v, const char *text)
{
	return v.n ? memmem(v.p, v.n, text, strlen(text)) : NULL;
}

static struct op_view from(struct op_view v, const uint8_t *p)
{
	return op_view(p, v.n - (size_t)(p - v.p));
}

/* "field:pid_t next_pid;\toffset:56;\tsize:4;..." */
static void field_find(struct op_view format, const char *name, uint32_t *at)
{
	const uint8_t *p = find(format, name);
	uint32_t n = 0;

	p = p ? find(from(format, p), "offset:") : NULL;
	if (!p)
		return;
	for (p += 7; *p >= '0' && *p <= '9' && n < 1000; p++)
		n = n * 10 + *p - '0';
	*at = n;
}

/* The text that the kernel describes it with is in the recording; where it is
 * not, it is as it has always been on machines of 64 bits. */
void op_perf_switch_begin(struct op_perf *f)
{
	const uint8_t *name = find(f->head.tracing, "name: sched_switch\n");
	struct op_view format = { 0 };
	const uint8_t *end;

	f->switches.state_at = 32;
	f->switches.next_at = 56;
	if (!name)
		return;
	format = from(f->head.tracing, name);
	end = find(format, "print fmt:");
	if (!end)
		return;
	format.n = (size_t)(end - format.p);
	field_find(format, " prev_state;", &f->switches.state_at);
	field_find(format, " next_pid;", &f->switches.next_at);
}

/* Letters of the kernel's: R S D T t X Z P I, a bit each but the first. */
static enum op_perf_state state_of(uint64_t bits)
{
	enum { S = 1, D = 2, X = 0x10, Z = 0x20, I = 0x80 };

	if (!(bits & 0xff))
		return OP_PERF_UNSCHEDULED;
	if (bits & (X | Z))
		return OP_PERF_GONE;
	if (bits & (S | I))
		return OP_PERF_SLEEPING;
	return bits & D ? OP_PERF_UNINTERRUPTIBLE : OP_PERF_BLOCKED;
}

/* --- profiles --- */

static uint32_t profile_of(struct op_perf *f, bool is_on)
{
	uint32_t *id = &f->switches.intervals[is_on];
	struct op_profile head = { 0 };

	if (*id != OP_NO_ID)
		return *id;
	head.sample_type.type = op_build_string(
		&f->b, op_view_z(is_on ? "on_cpu" : "off_cpu"));
	head.sample_type.unit = op_build_string(&f->b,
						op_view_z("nanoseconds"));
	*id = op_build_profile(&f->b, f->scope, &head);
	return *id;
}

static bool is_asked(const struct op_perf *f, const char *state)
{
	size_t n = strlen(state);

	for (const char *s = f->opts.states; s; s = strchr(s, ',')) {
		s += *s == ',';
		if (!strncmp(s, state, n) && (!s[n] || s[n] == ','))
			return true;
	}
	return !f->opts.states;
}

/* What a thread did since it was last heard of. */
static void interval_add(struct op_perf *f, uint32_t thread, uint64_t time)
{
	const struct op_host_thread *who = &f->host.tasks.threads.p[thread];
	const struct op_perf_thread *t = &f->threads.p[thread];
	struct op_perf_sample s = { .thread = thread };
	bool is_on = t->state == OP_PERF_RUNNING;
	struct op_identity id = { 0 };
	uint64_t ns = op_perf_wall(f, t->since);
	uint32_t profile, sample;

	if (!f->switches.is_wanted || t->state < OP_PERF_RUNNING ||
	    time < t->since || !who->tid || !is_asked(f, states[t->state]) ||
	    !op_perf_is_wanted(f, who))
		return;
	s.process = op_host_process(&f->host, who->pid);
	if (f->err->code)
		return;
	id.set = op_perf_set_with(f, op_perf_set(f, &s), OP_ATTR_THREAD_STATE,
				  states[t->state]);
	if (!is_on)
		id.stack = op_build_stack(&f->b, t->frames, t->nr_frames);
	profile = profile_of(f, is_on);
	sample = op_build_sample(&f->b, profile, id);
	op_build_observe(&f->b, profile, sample, (int64_t)(time - t->since),
			 ns);
	op_perf_widen(f, ns);
	op_perf_widen(f, op_perf_wall(f, time));
}

static void turn_to(struct op_perf *f, uint32_t thread,
		    enum op_perf_state state, uint64_t time)
{
	struct op_perf_thread *t = op_perf_thread(f, thread);

	if (!t)
		return;
	interval_add(f, thread, time);
	t->state = state;
	t->since = time;
	t->nr_frames = 0;
}

/* --- what is heard --- */

void op_perf_switch(struct op_perf *f, const struct op_perf_record *r)
{
	const struct op_perf_event *e = op_perf_event_by(f, r);
	int tid_at = e ? r->size - e->end_tid_at : 0;
	uint64_t time = op_perf_time(f, r);
	enum op_perf_state state;
	uint32_t thread;

	if (!e || e->end_tid_at == OP_PERF_NOWHERE || tid_at < 8 || !time)
		return;
	thread = op_host_thread(&f->host, op_perf_u32(f, r->p + tid_at),
				op_perf_u32(f, r->p + tid_at + 4));
	if (f->err->code || !op_perf_thread(f, thread))
		return;
	state = f->threads.p[thread].state;
	if (!(r->misc & OP_MISC_OUT))
		turn_to(f, thread, OP_PERF_RUNNING, time);
	else if (state <= OP_PERF_RUNNING)
		turn_to(f, thread,
			r->misc & OP_MISC_PREEMPT ? OP_PERF_UNSCHEDULED :
						    OP_PERF_BLOCKED,
			time);
	else if (r->misc & OP_MISC_PREEMPT)
		/* A sample said so already, but not why. */
		f->threads.p[thread].state = OP_PERF_UNSCHEDULED;
}

static void frames_keep(struct op_perf *f, uint32_t thread, size_t at)
{
	struct op_perf_thread *t = &f->threads.p[thread];
	uint32_t n = (uint32_t)(f->rows.frames.n - at);

	if (n > t->cap_frames) {
		uint32_t *p = op_new_raw(&f->mem, uint32_t, n + n / 2);

		if (!p)
			return;
		op_arena_drop(&f->mem, t->frames, t->cap_frames * sizeof(*p));
		t->frames = p;
		t->cap_frames = n + n / 2;
	}
	if (n)
		memcpy(t->frames, f->rows.frames.p + at,
		       n * sizeof(*t->frames));
	t->nr_frames = n;
}

/* The frames are those of op_perf.frames from a place on. */
void op_perf_switch_sample(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s, size_t frames_at)
{
	enum op_perf_state state = OP_PERF_BLOCKED;
	uint32_t thread = s->thread, next, id;

	if (f->err->code || !s->time)
		return;
	if (e->is_sched && s->raw.n >= (size_t)f->switches.state_at + 8)
		state = state_of(
			op_perf_u64(f, s->raw.p + f->switches.state_at));
	turn_to(f, thread, state, s->time);
	if (f->err->code)
		return;
	frames_keep(f, thread, frames_at);
	if (!e->is_sched || s->raw.n < (size_t)f->switches.next_at + 4)
		return;
	id = op_perf_u32(f, s->raw.p + f->switches.next_at);
	next = op_host_thread_find(&f->host, id);
	if (next != OP_NO_ID && next != thread)
		turn_to(f, next, OP_PERF_RUNNING, s->time);
}
