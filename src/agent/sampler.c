// SPDX-License-Identifier: Apache-2.0
/* agent/sampler.c: takes the stacks of all threads at a fixed interval.
 *
 * A round visits all threads in the order of their IDs. One that has not run
 * since its last stack was taken has the same stack now. One that is blocked is
 * left alone: the kernel says where it is, and its stack does not change while
 * it is read, which is checked by how long it ran. Those that run get
 * a signal, and their answers are awaited after all were asked. */
#include "agent/sampler.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/alloc.h"
#include "agent/config.h"
#include "agent/loads.h"
#include "agent/ring.h"

/* How often threads are listed if nothing tells of new ones, and maps read for
 * code that no map has. */
static const uint64_t list_ns = 1000000000;
/* How often names are read, in the end. */
static const uint64_t max_rename_ns = 10000000000;
/* How often it is checked that the helper is there, at most. */
static const uint64_t check_ns = 100000000;
/* How often it is looked whether a thread blocks the signal, and how many looks
 * in sequence must say that it does not any more. */
static const uint64_t mask_check_ns = 250000000;
enum { MASK_LOOKS = 3 };
/* A thread that has run for less has hardly begun. */
static const uint64_t young_ns = 1000000;
/* A thread that was running when it was asked may lose its CPU just then: it
 * runs for a few microseconds more, and has not answered. */
static const uint64_t leave_ns = 50000;
/* How long answers are awaited in a round, and maps after a change. */
static const uint64_t answer_ns = 20000000, map_ns = 50000000;
/* How often a stack is read of a thread that is blocked each time, but runs in
 * between. */
enum { TRIES = 3 };
/* After how many rounds without an answer it is checked whether one can come.
 */
enum { CHECK_ROUNDS = 16 };

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- loaded code ---------------------------------------------------------- */

/* By an address, not by a descriptor: the program may have closed that, and
 * have a file of its own there. */
static void helper_wake(const struct op_sampler *s)
{
	uint32_t *wake = &s->opts.channel->wake;

	__atomic_add_fetch(wake, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool map_is_new(const struct op_channel *c)
{
	return __atomic_load_n(&c->seen, __ATOMIC_ACQUIRE) == c->changes;
}

/* Waits a little for a map that has what is loaded now. */
static void map_await(struct op_sampler *s)
{
	const struct op_channel *c = s->opts.channel;
	uint64_t end = op_clock_ns(CLOCK_MONOTONIC) +
		       less(map_ns, s->interval_ns / 2);
	const struct timespec nap = { 0, 500000 };

	while (!map_is_new(c) && op_clock_ns(CLOCK_MONOTONIC) < end)
		nanosleep(&nap, NULL);
}

static void map_ask(struct op_sampler *s)
{
	s->asked_ns = op_clock_ns(CLOCK_MONOTONIC);
	__atomic_add_fetch(&s->opts.channel->changes, 1, __ATOMIC_RELEASE);
	helper_wake(s);
}

/* The map of this round. What a late answer uses stays as it is. */
static bool map_choose(struct op_sampler *s)
{
	struct op_channel *c = s->opts.channel;
	uint64_t now = op_loads(), oldest;

	if (now != s->loads) {
		s->loads = now;
		op_allocs_loaded();
		s->unloads = op_unloads();
		__atomic_store_n(&c->unloads, s->unloads, __ATOMIC_RELAXED);
		map_ask(s);
		map_await(s);
	}
	if (map_is_new(c))
		s->map_unloads = s->unloads;
	op_allocs_retry();
	s->map = op_agent_map(c);
	if (!s->map)
		return false;
	oldest = s->map->version;
	for (uint32_t i = 0; i < s->threads.nr; i++) {
		const struct op_ask *a = s->threads.p[i].ask;

		if (a && op_ask_state(a) != OP_ASK_CANCELLED)
			oldest = less(oldest, a->walk.map->version);
	}
	__atomic_store_n(&c->oldest, op_allocs_oldest(oldest),
			 __ATOMIC_RELEASE);
	return true;
}

/* What must still be loaded when a stack of this round is there; UINT64_MAX: it
 * is of no use, as the helper has not read yet what was unloaded, and the map
 * may have tables of it where there is other code. */
static uint64_t loads_of_map(const struct op_sampler *s)
{
	return s->unloads == s->map_unloads ? s->loads : UINT64_MAX;
}

/* Code that no map has may have been made at run time. */
static void unknown_code(struct op_sampler *s)
{
	if (op_clock_ns(CLOCK_MONOTONIC) - s->asked_ns > list_ns)
		map_ask(s);
}

/* --- records -------------------------------------------------------------- */

static bool thread_tell(struct op_sampler *s, struct op_thread *t)
{
	struct op_channel_thread r = {
		.r = { sizeof(r), OP_CHANNEL_THREAD },
		.tid = t->tid,
		.index = t->index,
		.prio = t->prio,
		.os_prio = t->os_prio,
		.start_ns = t->start_ns,
	};
	void *to;

	if (t->is_told)
		return true;
	to = op_ring_reserve(s->opts.channel, sizeof(r));
	if (!to)
		return false;
	memcpy(r.name, t->name, sizeof(r.name));
	memcpy(to, &r, sizeof(r));
	op_ring_commit(s->opts.channel, sizeof(r));
	t->is_told = true;
	return true;
}

/* Less and less often: a name is read in more time than a stack, and threads
 * get theirs when they are young. */
static void rename_check(struct op_sampler *s, struct op_thread *t)
{
	if (s->round_ns < t->rename_ns)
		return;
	if (t->rename_wait_ns < max_rename_ns)
		t->rename_wait_ns *= 2;
	t->rename_ns = s->round_ns + t->rename_wait_ns;
	if (op_thread_rename(t))
		t->is_told = false;
}

struct stack {
	uint8_t state, end;
	uint64_t cpu_ns;
	const struct op_agent_context *context;
	uint32_t nr;
	const uint64_t *frames;
};

/* --- traces that are selected --------------------------------------------- */

static bool is_selected(const struct op_sampler *s,
			const struct op_agent_context *c)
{
	return c && c->has_trace &&
	       op_agent_trace_number(c->trace) <= s->opts.snapshot_max;
}

static bool is_wanted(const struct op_sampler *s, const struct op_thread *t)
{
	struct op_agent_context c;

	if (!s->is_snapshot)
		return true;
	op_agent_context_of(t->pointer, &c);
	return is_selected(s, &c);
}

/* --- samples -------------------------------------------------------------- */

static struct op_channel_when when_now(const struct op_sampler *s,
				       const struct op_thread *t)
{
	return (struct op_channel_when){
		.time_ns = op_clock_ns(CLOCK_REALTIME),
		.boot_ns = op_clock_ns(CLOCK_BOOTTIME),
		.tid = t->tid,
		.is_snapshot = s->is_snapshot,
	};
}

static void put(struct op_sampler *s, struct op_thread *t,
		const struct op_channel_when *when, const struct stack *stack)
{
	uint32_t frames = (uint32_t)sizeof(uint64_t) * stack->nr;
	struct op_channel_sample r = {
		.r = { (uint32_t)sizeof(r) + frames, OP_CHANNEL_SAMPLE },
		.when = *when,
		.state = stack->state,
		.end = stack->end,
		.cpu_ns = stack->cpu_ns,
		.nr = stack->nr,
	};
	uint8_t *to;

	t->is_kept = false;
	/* It may have left its span since it was looked at. */
	if (when->is_snapshot && !is_selected(s, stack->context))
		return;
	if (!thread_tell(s, t)) {
		s->opts.channel->lost++;
		return;
	}
	if (stack->context && stack->context->has_trace) {
		r.has_trace = 1;
		memcpy(r.trace, stack->context->trace, sizeof(r.trace));
		memcpy(r.span, stack->context->span, sizeof(r.span));
	}
	to = op_ring_reserve(s->opts.channel, r.r.bytes);
	if (!to) {
		s->opts.channel->lost++;
		return;
	}
	memcpy(to, &r, sizeof(r));
	if (frames)
		memcpy(to + sizeof(r), stack->frames, frames);
	op_ring_commit(s->opts.channel, r.r.bytes);
	t->is_kept = true;
}

/* The last sample of the thread once more, for another time. */
static void put_repeat(struct op_sampler *s, const struct op_channel_when *when)
{
	struct op_channel_repeat r = { { sizeof(r), OP_CHANNEL_REPEAT },
				       *when };
	void *to = op_ring_reserve(s->opts.channel, sizeof(r));

	if (!to) {
		s->opts.channel->lost++;
		return;
	}
	memcpy(to, &r, sizeof(r));
	op_ring_commit(s->opts.channel, sizeof(r));
}

/* Frames may be of code that is gone: only where the thread was is certain.
 * loads is what was loaded when it was asked for. */
static void check_loads(uint64_t loads, struct stack *stack)
{
	if (op_loads() == loads)
		return;
	stack->end = OP_AGENT_END_MOVED;
	stack->nr = stack->nr > 0;
}

/* --- threads that are blocked --------------------------------------------- */

static bool has_kept(const struct op_thread *t, uint64_t cpu_ns)
{
	return t->is_kept && cpu_ns == t->kept_ns;
}

/* A thread may wait for hours after a library was loaded: its stack is read
 * again with a newer map. */
static bool is_same(const struct op_sampler *s, const struct op_thread *t,
		    uint64_t cpu_ns)
{
	return has_kept(t, cpu_ns) &&
	       (!t->kept_without || t->kept_without == s->map->version);
}

static bool read_blocked(struct op_sampler *s, struct op_thread *t,
			 const struct op_thread_place *place, uint64_t cpu_ns)
{
	struct op_unwind_regs regs = { .known = 1 << OP_RIP | 1 << OP_RSP };
	struct op_agent_context context;
	struct op_channel_when now;
	uint64_t after_ns;
	bool is_cut;
	struct stack stack = { .state = (uint8_t)op_thread_state_of(
				       place->call),
			       .cpu_ns = cpu_ns,
			       .context = &context,
			       .frames = s->frames };

	regs.r[OP_RIP] = place->pc;
	regs.r[OP_RSP] = place->sp;
	s->walk.map = s->map;
	stack.nr = op_agent_unwind(&s->walk, &regs, s->frames,
				   OP_AGENT_MAX_FRAMES, &stack.end);
	op_agent_context_of(t->pointer, &context);
	if (!op_thread_cpu_ns(t, &after_ns) || after_ns != cpu_ns)
		return false;
	check_loads(loads_of_map(s), &stack);
	is_cut = s->walk.has_unknown || stack.end == OP_AGENT_END_MOVED;
	/* For one stack maps are asked for once. */
	if (s->walk.has_unknown && !has_kept(t, cpu_ns))
		unknown_code(s);
	rename_check(s, t);
	now = when_now(s, t);
	put(s, t, &now, &stack);
	t->kept_ns = cpu_ns;
	t->kept_without = is_cut ? s->map->version : 0;
	return true;
}

static void put_hidden(struct op_sampler *s, struct op_thread *t,
		       uint64_t cpu_ns)
{
	const struct stack stack = { .state = OP_STATE_BLOCKED,
				     .end = OP_AGENT_END_HIDDEN,
				     .cpu_ns = cpu_ns };
	struct op_channel_when now = when_now(s, t);

	rename_check(s, t);
	put(s, t, &now, &stack);
	t->kept_ns = cpu_ns;
	t->kept_without = 0;
}

/* --- threads that run ----------------------------------------------------- */

static void owe(const struct op_sampler *s, struct op_ask *a,
		const struct op_channel_when *when)
{
	if (a->nr_owed == OP_MAX_OWED)
		s->opts.channel->late++;
	else
		a->owed[a->nr_owed++] = *when;
}

static const struct stack blocked_stack = { .state = OP_STATE_RUNNING,
					    .end = OP_AGENT_END_BLOCKED };

/* The C library blocks all signals for a moment, when it starts a thread. */
static bool is_masked(const struct op_thread *t)
{
	const struct timespec nap = { 0, 20000 };

	for (int i = 0; op_thread_blocks(t, op_handler_signal()); i++) {
		if (t->nr_blocked || i == MASK_LOOKS)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

/* A signal that a thread blocks would wait, and the program would find it in
 * sigwait() or signalfd(). Most that block it have done so from the start: the
 * mask is read before the first request, and then now and then. In sigwait()
 * the mask is another one. */
static bool is_blocking(const struct op_sampler *s, struct op_thread *t)
{
	if (t->has_awaited)
		return true;
	/* It is being started, with all signals blocked by the C library. */
	if (t->asked_ns < young_ns && t->tid != (uint32_t)getpid())
		return false;
	if (!t->nr_blocked && t->mask_ns &&
	    s->round_ns - t->mask_ns < mask_check_ns)
		return false;
	t->mask_ns = s->round_ns;
	if (is_masked(t))
		t->nr_blocked = MASK_LOOKS;
	else if (t->nr_blocked)
		t->nr_blocked--;
	return t->nr_blocked;
}

/* If an earlier signal still waits because the thread blocks it, another one
 * would wait, too. */
static void ask(struct op_sampler *s, struct op_thread *t, uint64_t cpu_ns)
{
	struct op_channel_when now = when_now(s, t);

	t->asked_ns = t->ask ? t->asked_ns : cpu_ns;
	if (t->ask || is_blocking(s, t)) {
		put(s, t, &now, &blocked_stack);
		t->is_kept = false;
		return;
	}
	t->is_kept = false;
	t->ask = op_ask(t->tid, s->map, s->opts.tables);
	if (t->ask) {
		t->silent_ns = s->round_ns;
		t->asked_loads = loads_of_map(s);
		owe(s, t->ask, &now);
		s->nr_signals++;
	} else if (errno != ESRCH) {
		s->opts.channel->late++;
	}
}

/* Writes a sample for each time that a thread owes: with the same stack, which
 * is written once. */
static void put_owed(struct op_sampler *s, struct op_thread *t,
		     const struct stack *stack)
{
	t->is_kept = false;
	for (uint32_t i = 0; i < t->ask->nr_owed; i++) {
		const struct op_channel_when *when = &t->ask->owed[i];

		if (!t->is_kept)
			put(s, t, when, stack);
		else if (!when->is_snapshot || is_selected(s, stack->context))
			put_repeat(s, when);
	}
	t->ask->nr_owed = 0;
	t->is_kept = false; /* it runs */
}

/* The answer counts for every time at which it was wanted: the thread has not
 * executed anything since the first. */
static void collect(struct op_sampler *s, struct op_thread *t)
{
	struct op_ask *a = t->ask;
	struct stack stack = { .state = OP_STATE_RUNNING,
			       .end = a->end,
			       .cpu_ns = a->cpu_ns,
			       .context = &a->context,
			       .nr = a->nr,
			       .frames = a->frames };

	check_loads(t->asked_loads, &stack);
	if (a->walk.has_unknown)
		unknown_code(s);
	rename_check(s, t);
	put_owed(s, t, &stack);
	op_ask_free(a);
	t->ask = NULL;
	/* It did not block the signal when it answered. */
	t->mask_ns = t->silent_ns;
}

/* A thread that blocks the signal runs on, or sleeps; what it would answer
 * later is not what it does now. */
static void give_up(struct op_sampler *s, struct op_thread *t, bool is_late)
{
	uint64_t cpu_ns, ran_ns;

	/* Most of those that do not answer wait for a CPU. */
	if (!op_thread_cpu_ns(t, &cpu_ns))
		return;
	ran_ns = cpu_ns - t->asked_ns;
	if (!ran_ns || (ran_ns < leave_ns && !is_late))
		return;
	if (op_thread_blocks(t, op_handler_signal())) {
		if (op_ask_cancel(t->ask))
			put_owed(s, t, &blocked_stack);
		return;
	}
	/* It was on its way to the kernel, or is there. */
	t->asked_ns = cpu_ns;
}

/* The signal may never arrive: if the program ignored it for a moment, or has
 * taken it with sigwait(). What the thread did since is not known, and it is
 * asked anew. */
static bool is_unheard(struct op_sampler *s, struct op_thread *t)
{
	if (op_ask_state(t->ask) != OP_ASK_ASKED ||
	    op_thread_has_pending(t, op_handler_signal()) ||
	    !op_ask_cancel(t->ask))
		return false;
	s->opts.channel->unheard++;
	s->opts.channel->late += t->ask->nr_owed;
	op_ask_free(t->ask);
	t->ask = NULL;
	return true;
}

/* One that has not answered yet; false: it is to be looked at again. */
static bool is_waiting(struct op_sampler *s, struct op_thread *t)
{
	struct op_channel_when now = when_now(s, t);
	bool is_late = t->ask->nr_owed % CHECK_ROUNDS == CHECK_ROUNDS - 1 ||
		       t->ask->nr_owed == OP_MAX_OWED;

	if (is_late && is_unheard(s, t))
		return false;
	give_up(s, t, is_late);
	if (op_ask_state(t->ask) == OP_ASK_CANCELLED)
		return false;
	t->silent_ns = s->round_ns;
	owe(s, t->ask, &now);
	return true;
}

/* Those that were asked before; false: look at it. */
static bool is_asked(struct op_sampler *s, struct op_thread *t)
{
	if (!t->ask)
		return false;
	switch (op_ask_state(t->ask)) {
	case OP_ASK_DONE:
		collect(s, t);
		return false;
	case OP_ASK_FREE: /* was cancelled, and the signal has arrived */
		t->ask = NULL;
		return false;
	case OP_ASK_CANCELLED:
		if (!op_thread_blocks(t, op_handler_signal())) {
			op_ask_free(t->ask);
			t->ask = NULL;
		}
		return false;
	default:
		return is_waiting(s, t);
	}
}

/* --- allocations ---------------------------------------------------------- */

static void put_alloc(struct op_sampler *s, const struct op_alloc *a)
{
	struct op_channel_alloc r = { .time_ns = a->time_ns,
				      .size = a->size,
				      .id = a->id,
				      .tid = a->tid,
				      .end = a->end,
				      .has_trace = a->context.has_trace,
				      .nr = (uint16_t)a->nr };
	uint32_t frames = (uint32_t)sizeof(uint64_t) * a->nr;
	uint8_t *to;

	r.r = (struct op_channel_record){ (uint32_t)sizeof(r) + frames,
					  OP_CHANNEL_ALLOC };
	memcpy(r.trace, a->context.trace, sizeof(r.trace));
	memcpy(r.span, a->context.span, sizeof(r.span));
	to = op_ring_reserve(s->opts.channel, r.r.bytes);
	if (!to) {
		s->opts.channel->lost++;
		return;
	}
	memcpy(to, &r, sizeof(r));
	memcpy(to + sizeof(r), a->frames, frames);
	op_ring_commit(s->opts.channel, r.r.bytes);
}

/* If there is no room they wait: what they are of would be in use for ever. */
static void put_frees(struct op_sampler *s)
{
	enum { MOST = 512 };
	struct {
		struct op_channel_free head;
		uint64_t ids[MOST];
	} r;
	uint32_t n, bytes;
	void *to;

	while (op_ring_reserve(s->opts.channel, sizeof(r)) &&
	       (n = op_allocs_freed(r.ids, MOST)) != 0) {
		bytes = (uint32_t)(sizeof(r.head) + n * sizeof(*r.ids));
		r.head.r = (struct op_channel_record){ bytes, OP_CHANNEL_FREE };
		to = op_ring_reserve(s->opts.channel, bytes);
		if (!to)
			return;
		memcpy(to, &r, bytes);
		op_ring_commit(s->opts.channel, bytes);
	}
}

/* Frees come last: what they are of is there then. */
static void put_allocs(struct op_sampler *s)
{
	struct op_alloc *a;
	uint64_t lost;

	if (!s->opts.has_memory)
		return;
	while ((a = op_alloc_next()) != NULL) {
		if (a->walk.has_unknown)
			unknown_code(s);
		put_alloc(s, a);
		op_alloc_done(a);
	}
	put_frees(s);
	lost = op_allocs_lost();
	s->opts.channel->lost += lost - s->nr_lost_allocs;
	s->nr_lost_allocs = lost;
}

/* --- rounds --------------------------------------------------------------- */

static void visit(struct op_sampler *s, struct op_thread *t)
{
	struct op_thread_place place;
	struct op_channel_when now;
	uint64_t cpu_ns = 0;

	if (!is_wanted(s, t) || is_asked(s, t))
		return;
	for (int i = 0; i < TRIES; i++) {
		if (!op_thread_cpu_ns(t, &cpu_ns)) {
			s->has_gone = true;
			return;
		}
		if (is_same(s, t, cpu_ns)) {
			now = when_now(s, t);
			put_repeat(s, &now);
			return;
		}
		switch (op_thread_look(t, &place)) {
		case OP_LOOK_GONE:
			/* A file that was open is of the one before. */
			if (t->syscall >= 0)
				t->is_gone = s->has_gone = true;
			return;
		case OP_LOOK_RUNS:
			ask(s, t, cpu_ns);
			return;
		case OP_LOOK_HIDDEN:
			put_hidden(s, t, cpu_ns);
			return;
		case OP_LOOK_BLOCKED:
			t->has_awaited |= place.call == SYS_rt_sigtimedwait;
			break;
		}
		if (read_blocked(s, t, &place, cpu_ns))
			return;
	}
	ask(s, t, cpu_ns);
}

/* If more threads have not answered than there are CPUs, most of them wait for
 * one, and waiting for them would take longer than all of their samples. The
 * next round has them, if it is soon. */
static bool is_worth_waiting(const struct op_sampler *s, uint32_t left)
{
	return left && (left <= s->nr_cpus || s->interval_ns > answer_ns);
}

static void await(struct op_sampler *s)
{
	uint64_t end = op_clock_ns(CLOCK_MONOTONIC) +
		       less(answer_ns, s->interval_ns / 2);
	uint32_t left = s->nr_signals;

	while (left) {
		uint32_t done = op_asks_done();
		uint64_t now = op_clock_ns(CLOCK_MONOTONIC);

		left = 0;
		for (uint32_t i = 0; i < s->threads.nr; i++) {
			struct op_thread *t = &s->threads.p[i];

			if (t->ask && op_ask_state(t->ask) == OP_ASK_DONE)
				collect(s, t);
			left += t->ask && op_ask_state(t->ask) < OP_ASK_DONE;
		}
		if (!is_worth_waiting(s, left))
			return;
		if (now >= end)
			break;
		op_asks_wait(done, left, end - now);
	}
	for (uint32_t i = 0; left && i < s->threads.nr; i++)
		if (s->threads.p[i].ask &&
		    op_ask_state(s->threads.p[i].ask) == OP_ASK_ASKED)
			give_up(s, &s->threads.p[i], false);
}

/* The last look at a request: nobody will answer later. */
static void ask_end(struct op_sampler *s, struct op_thread *t)
{
	if (!t->ask)
		return;
	if (op_ask_state(t->ask) == OP_ASK_DONE) {
		collect(s, t);
		return;
	}
	s->opts.channel->late += t->ask->nr_owed;
	t->ask->nr_owed = 0;
}

static void thread_gone(void *ctx, struct op_thread *t)
{
	struct op_sampler *s = ctx;
	struct op_channel_thread r = { .r = { sizeof(r), OP_CHANNEL_GONE },
				       .tid = t->tid };
	void *to;

	ask_end(s, t);
	if (t->ask)
		op_ask_free(t->ask);
	t->ask = NULL;
	to = op_ring_reserve(s->opts.channel, sizeof(r));
	if (!to)
		return;
	memcpy(to, &r, sizeof(r));
	op_ring_commit(s->opts.channel, sizeof(r));
}

static void put_round(struct op_sampler *s)
{
	struct op_channel_round r = {
		.r = { sizeof(r), OP_CHANNEL_ROUND },
		.time_ns = s->first_ns,
		.spread_ns = s->spread_ns,
		.nr_threads = s->threads.nr,
		.nr_signals = s->nr_signals,
		.is_snapshot = s->is_snapshot,
	};
	void *to = op_ring_reserve(s->opts.channel, sizeof(r));

	if (!to)
		return;
	memcpy(to, &r, sizeof(r));
	op_ring_commit(s->opts.channel, sizeof(r));
}

/* If the program ends now, nobody gives them. */
static void count_owed(struct op_sampler *s)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < s->threads.nr; i++)
		if (s->threads.p[i].ask)
			nr += s->threads.p[i].ask->nr_owed;
	s->opts.channel->owed = nr;
}

static bool is_list_old(struct op_sampler *s)
{
	return !s->listed_ns || s->has_gone ||
	       s->round_ns - s->listed_ns >= list_ns ||
	       op_threads_count(&s->threads) != s->threads.nr_tids + 1;
}

/* The helper reads at least once a second. */
static void helper_wake_if_full(struct op_sampler *s)
{
	const struct op_channel *c = s->opts.channel;
	uint64_t tail = __atomic_load_n(&c->tail, __ATOMIC_RELAXED);

	if (c->head - tail > OP_CHANNEL_RING / 8)
		helper_wake(s);
}

int op_sampler_round(struct op_sampler *s, struct op_err *err)
{
	uint64_t from_ns;

	s->round_ns = op_clock_ns(CLOCK_MONOTONIC);
	s->interval_ns = s->is_snapshot ? s->opts.snapshot_ns :
					  s->opts.interval_ns;
	if (!op_handler_is_there())
		return op_fail(
			err, OP_EUSAGE,
			"the program has installed a handler for signal %d; "
			"OTPROF_AGENT_SIGNAL can name another one",
			op_handler_signal());
	if (is_list_old(s)) {
		s->listed_ns = s->round_ns;
		s->has_gone = false;
		if (!op_threads_list(&s->threads, thread_gone, s))
			return op_fail_sys(err, "threads cannot be listed");
	}
	/* Before the helper hears of what was unloaded. */
	put_allocs(s);
	if (!map_choose(s))
		return OP_OK;
	s->nr_signals = 0;
	s->first_ns = op_clock_ns(CLOCK_REALTIME);
	from_ns = op_clock_ns(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < s->threads.nr; i++)
		visit(s, &s->threads.p[i]);
	s->spread_ns = op_clock_ns(CLOCK_MONOTONIC) - from_ns;
	await(s);
	count_owed(s);
	put_allocs(s);
	put_round(s);
	helper_wake_if_full(s);
	return OP_OK;
}

/* --- start and end -------------------------------------------------------- */

/* That its threads may run on, as far as it is known. */
static uint32_t nr_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return CPU_SETSIZE;
	return (uint32_t)CPU_COUNT(&set);
}

int op_sampler_open(struct op_sampler *s, const struct op_sampler_opts *opts,
		    struct op_err *err)
{
	struct op_allocs_opts a = { opts->channel, opts->tables, &s->bell };

	s->opts = *opts;
	s->walk.tables = opts->tables;
	s->nr_cpus = nr_cpus();
	s->loads = op_loads();
	s->unloads = s->map_unloads = op_unloads();
	if (opts->has_memory && op_allocs_open(&a, err))
		return err->code;
	return op_threads_open(&s->threads, (uint32_t)syscall(SYS_gettid), err);
}

void op_sampler_close(struct op_sampler *s)
{
	op_threads_close(&s->threads);
}

void op_sampler_stop(struct op_sampler *s)
{
	__atomic_store_n(&s->is_over, true, __ATOMIC_RELEASE);
	__atomic_add_fetch(&s->bell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &s->bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Sleeps until a time of CLOCK_MONOTONIC, and takes allocations meanwhile.
 * True: it is to stop. */
static bool sleep_until(struct op_sampler *s, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000),
			      (long)(ns % 1000000000) };

	for (;;) {
		uint32_t rung = __atomic_load_n(&s->bell, __ATOMIC_ACQUIRE);
		long rc;

		if (__atomic_load_n(&s->is_over, __ATOMIC_ACQUIRE))
			return true;
		put_allocs(s);
		helper_wake_if_full(s);
		rc = syscall(SYS_futex, &s->bell, FUTEX_WAIT_BITSET_PRIVATE,
			     rung, &t, NULL, FUTEX_BITSET_MATCH_ANY);
		if (rc && errno == ETIMEDOUT)
			return false;
	}
}

/* The helper never writes to its socket. If it is no longer ours, then neither
 * are the other descriptors. */
static int helper_check(struct op_sampler *s, struct op_err *err)
{
	char byte;
	ssize_t n;

	if (s->checked_ns && s->round_ns - s->checked_ns < check_ns)
		return OP_OK;
	s->checked_ns = s->round_ns;
	n = recv(s->opts.alive, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return OP_OK;
	if (!n)
		return op_fail(err, OP_EIO, "the helper has ended");
	s->threads.are_files_foreign = true;
	return op_fail(err, OP_EUSAGE,
		       "the program has closed descriptors of the agent");
}

/* A round, if it is time for it; when it is for the next. */
static uint64_t round_due(struct op_sampler *s, uint64_t interval_ns,
			  uint64_t next, struct op_err *err)
{
	uint64_t now = op_clock_ns(CLOCK_MONOTONIC);

	if (!interval_ns || err->code)
		return UINT64_MAX;
	if (now < next)
		return next;
	op_sampler_round(s, err);
	now = op_clock_ns(CLOCK_MONOTONIC);
	next += interval_ns;
	while (next <= now) {
		next += interval_ns;
		s->opts.channel->skipped++;
	}
	return next;
}

void op_sampler_run(struct op_sampler *s, struct op_err *err)
{
	uint64_t all = op_clock_ns(CLOCK_MONOTONIC), some = all;

	while (!helper_check(s, err)) {
		s->is_snapshot = false;
		all = round_due(s, s->opts.interval_ns, all, err);
		s->is_snapshot = true;
		some = round_due(s, s->opts.snapshot_ns, some, err);
		if (err->code || sleep_until(s, less(all, some)))
			break;
	}
	op_allocs_close();
	put_allocs(s);
	for (uint32_t i = 0; i < s->threads.nr; i++)
		ask_end(s, &s->threads.p[i]);
	count_owed(s);
	op_handler_close();
	__atomic_store_n(&s->opts.channel->has_ended, 1, __ATOMIC_RELEASE);
	helper_wake(s);
}
