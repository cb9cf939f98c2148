// SPDX-License-Identifier: Apache-2.0
/* agent/helper_events.c: from the records of a program to events. */
#include "agent/helper_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "sym/unwind.h"

/* --- threads -------------------------------------------------------------- */

/* Where the thread is, or belongs. */
static size_t place_of(const struct op_agent_helper *h, uint32_t tid)
{
	size_t low = 0, high = h->threads.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->threads.p[middle].head.tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct op_agent_helper_thread *find(const struct op_agent_helper *h,
					   uint32_t tid)
{
	size_t i = place_of(h, tid);

	if (i == h->threads.n || h->threads.p[i].head.tid != tid)
		return NULL;
	return &h->threads.p[i];
}

static void thread_add(struct op_agent_helper *h,
		       const struct op_channel_thread *r)
{
	struct op_agent_helper_thread t = { .head = *r },
				      *known = find(h, r->tid);
	size_t i = place_of(h, r->tid);

	if (known) {
		known->head = *r;
		known->is_missed = false;
		return;
	}
	if (!op_vec_push(&h->mem, &h->threads, t))
		return;
	memmove(h->threads.p + i + 1, h->threads.p + i,
		(h->threads.n - 1 - i) * sizeof(t));
	h->threads.p[i] = t;
}

static void thread_drop(struct op_agent_helper *h, uint32_t tid)
{
	struct op_agent_helper_thread *t = find(h, tid);
	size_t i;

	if (!t)
		return;
	op_heap_free(t->frames);
	i = (size_t)(t - h->threads.p);
	memmove(t, t + 1, (h->threads.n - 1 - i) * sizeof(*t));
	h->threads.n--;
}

static bool thread_is_there(const struct op_agent_helper *h, uint32_t tid)
{
	return !syscall(SYS_tgkill, (long)h->opts.pid, (long)tid, 0) ||
	       errno != ESRCH;
}

void op_agent_helper_sweep(struct op_agent_helper *h)
{
	for (size_t i = h->threads.n; i-- > 0;) {
		struct op_agent_helper_thread *t = &h->threads.p[i];
		bool was_missed = t->is_missed;

		t->is_missed = !thread_is_there(h, t->head.tid);
		if (t->is_missed && was_missed)
			thread_drop(h, t->head.tid);
	}
}

void op_agent_helper_events_fini(struct op_agent_helper *h)
{
	for (size_t i = 0; i < h->threads.n; i++)
		op_heap_free(h->threads.p[i].frames);
	op_agent_heap_fini(&h->heap);
}

/* --- samples -------------------------------------------------------------- */

/* Frames of an event in h->frames. */
static void frames_make(struct op_agent_helper *h, const uint64_t *frames,
			uint32_t nr, enum op_agent_helper_kind kind)
{
	h->frames.n = 0;
	h->nr_frames += nr + 1;
	for (uint32_t i = 0; i < nr; i++) {
		bool is_exact = frames[i] & OP_AGENT_EXACT;
		struct op_live_frame f = {
			.address = (frames[i] & ~OP_AGENT_EXACT) - !is_exact,
			.binary = OP_NO_ID,
		};
		struct op_host_map *m = op_agent_helper_code_find(&h->code,
								  f.address);
		const uint32_t *row = m ? op_rec_rows(&h->code.binaries, m) :
					  NULL;

		if (m)
			f.address = f.address - m->start + m->base;
		if (row)
			f.binary = row[kind];
		(void)op_vec_push(&h->mem, &h->frames, f);
	}
}

static const char *end_text(uint8_t end)
{
	switch (end) {
	case OP_UNWIND_DONE:
		return NULL;
	case OP_AGENT_END_BLOCKED:
		return "the thread blocks the signal";
	case OP_AGENT_END_MOVED:
		return "code was loaded or unloaded meanwhile";
	case OP_AGENT_END_HIDDEN:
		return "the kernel does not say where it waits";
	default:
		return op_unwind_end_text((enum op_unwind_end)end);
	}
}

static const char *state_text(uint8_t state)
{
	static const char *const text[] = {
		[OP_STATE_RUNNING] = "running",
		[OP_STATE_SLEEPING] = "sleeping",
		[OP_STATE_IO] = "io",
		[OP_STATE_BLOCKED] = "blocked",
		[OP_STATE_UNINTERRUPTIBLE] = "uninterruptible",
	};

	return state < op_countof(text) ? text[state] : NULL;
}

static struct op_view name_of(const struct op_channel_thread *t)
{
	return op_view(t->name, strnlen(t->name, sizeof(t->name)));
}

static void event_add(struct op_agent_helper *h,
		      const struct op_agent_helper_thread *t,
		      enum op_agent_helper_kind kind)
{
	const struct op_channel_sample *s = &t->last;
	const struct op_channel_thread *thread = &t->head;
	struct op_event e = {
		.time_ns = s->when.time_ns,
		.value = 1,
		.type = s->when.is_snapshot ? OP_AGENT_SNAPSHOTS :
					      OP_AGENT_SAMPLES,
		.process = h->process[kind],
		.tid = s->when.tid,
		.cpu = OP_NO_ID,
		.thread_name = name_of(thread),
		.state = state_text(s->state),
		.quality = end_text(s->end),
		.has_link = s->has_trace,
	};
	struct op_event_thread details = {
		.index = thread->index,
		.prio = thread->prio,
		.os_prio = thread->os_prio,
		.cpu_ns = s->cpu_ns,
		.elapsed_ns = s->when.boot_ns > thread->start_ns ?
				      s->when.boot_ns - thread->start_ns :
				      0,
		.status = s->state == OP_STATE_RUNNING ? "running" : "waiting",
	};

	memcpy(e.trace_id, s->trace, sizeof(e.trace_id));
	memcpy(e.span_id, s->span, sizeof(e.span_id));
	frames_make(h, t->frames, s->nr, kind);
	e.frames = h->frames.p;
	e.nr_frames = (uint32_t)h->frames.n;
	if (kind == OP_AGENT_LOGS)
		e.thread = &details;
	op_live_add(&h->live[kind], &e);
}

static bool frames_keep(struct op_agent_helper *h,
			struct op_agent_helper_thread *t,
			const struct op_channel_sample *s)
{
	size_t bytes = s->nr * sizeof(*t->frames);
	uint64_t *p = op_heap_resize(t->frames, bytes ? bytes : 8, h->err);

	if (!p)
		return false;
	t->frames = p;
	memcpy(p, s + 1, bytes);
	t->last = *s;
	return true;
}

static void last_add(struct op_agent_helper *h,
		     const struct op_agent_helper_thread *t)
{
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		if (h->opts.wants[i])
			event_add(h, t, (enum op_agent_helper_kind)i);
	h->counts.samples++;
	h->counts.complete += t->last.end == OP_UNWIND_DONE;
}

/* What the program could not write, it counts itself. */
static void sample_add(struct op_agent_helper *h,
		       const struct op_channel_sample *s)
{
	struct op_agent_helper_thread *t = find(h, s->when.tid);

	if (t && frames_keep(h, t, s))
		last_add(h, t);
}

static void repeat_add(struct op_agent_helper *h,
		       const struct op_channel_repeat *r)
{
	struct op_agent_helper_thread *t = find(h, r->when.tid);

	if (!t || !t->frames)
		return;
	t->last.when = r->when;
	last_add(h, t);
}

/* --- allocations ---------------------------------------------------------- */

/* Values are whole numbers; what rounding leaves counts for the next. */
static int64_t rounded(struct op_agent_helper *h, enum op_agent_type type,
		       double value)
{
	double v = value + h->carry[type];
	int64_t whole = (int64_t)v;

	h->carry[type] = v - (double)whole;
	return whole;
}

static void block_add(struct op_agent_helper *h, const struct op_heap_block *b,
		      uint64_t time_ns, enum op_agent_type type)
{
	const struct op_agent_helper_thread *t = find(h, b->head.tid);
	struct op_event e = {
		.time_ns = time_ns,
		.tid = b->head.tid,
		.cpu = OP_NO_ID,
		.quality = end_text(b->head.end),
		.has_link = b->head.has_trace,
		.nr_frames = b->head.nr,
	};
	const double values[] = { b->objects, b->bytes };

	if (t)
		e.thread_name = name_of(&t->head);
	memcpy(e.trace_id, b->head.trace, sizeof(e.trace_id));
	memcpy(e.span_id, b->head.span, sizeof(e.span_id));
	for (uint32_t i = 0; i < op_countof(values); i++) {
		e.type = type + i;
		e.value = rounded(h, (enum op_agent_type)e.type, values[i]);
		for (int k = 0; k < OP_AGENT_KINDS; k++) {
			if (!h->opts.wants[k] || !e.value)
				continue;
			frames_make(h, b->frames, b->head.nr,
				    (enum op_agent_helper_kind)k);
			e.frames = h->frames.p;
			e.process = h->process[k];
			op_live_add(&h->live[k], &e);
		}
	}
}

static void alloc_add(struct op_agent_helper *h,
		      const struct op_channel_alloc *a)
{
	double weight = op_heap_weight(a->size);
	struct op_heap_block b = { .objects = weight,
				   .bytes = weight * (double)a->size,
				   .head = *a,
				   .frames = (uint64_t *)(a + 1) };

	h->counts.allocs++;
	block_add(h, &b, a->time_ns, OP_AGENT_ALLOC_OBJECTS);
	op_agent_heap_add(&h->heap, a, b.frames, h->err);
}

static void frees_add(struct op_agent_helper *h,
		      const struct op_channel_record *r)
{
	const uint64_t *ids = (const uint64_t *)(r + 1);

	for (uint32_t i = 0; i < (r->bytes - sizeof(*r)) / sizeof(*ids); i++)
		op_agent_heap_drop(&h->heap, ids[i]);
}

static int by_frames(const void *a, const void *b)
{
	const struct op_heap_block *x = *(const struct op_heap_block *const *)a;
	const struct op_heap_block *y = *(const struct op_heap_block *const *)b;

	if (x->head.nr != y->head.nr)
		return x->head.nr < y->head.nr ? -1 : 1;
	return memcmp(x->frames, y->frames, x->head.nr * sizeof(*x->frames));
}

/* What is in use is a state: a profile has one value of it for each stack. */
void op_agent_helper_inuse(struct op_agent_helper *h, uint64_t now_ns)
{
	OP_VEC(const struct op_heap_block *) list = { 0 };
	struct op_arena mem = { .err = h->err };

	h->carry[OP_AGENT_INUSE_OBJECTS] = h->carry[OP_AGENT_INUSE_SPACE] = 0;
	for (size_t i = 0; i < h->heap.room; i++)
		if (h->heap.blocks[i].id)
			(void)op_vec_push(&mem, &list,
					  (const struct op_heap_block *)&h->heap
						  .blocks[i]);
	if (list.n)
		qsort(list.p, list.n, sizeof(*list.p), by_frames);
	for (size_t i = 0, end; i < list.n; i = end) {
		struct op_heap_block sum = *list.p[i];

		sum.head.tid = 0;
		sum.head.has_trace = 0;
		for (end = i + 1;
		     end < list.n && !by_frames(&list.p[i], &list.p[end]);
		     end++) {
			sum.objects += list.p[end]->objects;
			sum.bytes += list.p[end]->bytes;
		}
		block_add(h, &sum, now_ns, OP_AGENT_INUSE_OBJECTS);
	}
	op_arena_free(&mem);
}

/* --- records -------------------------------------------------------------- */

static void round_add(struct op_agent_helper *h,
		      const struct op_channel_round *r)
{
	struct op_agent_helper_counts *c = &h->counts;
	struct op_agent_helper_rounds *of = &h->rounds[r->is_snapshot];

	c->rounds++;
	c->signals += r->nr_signals;
	c->spread_ns += r->spread_ns;
	if (r->spread_ns > c->max_spread_ns)
		c->max_spread_ns = r->spread_ns;
	of->nr++;
	of->spread_ns += r->spread_ns;
	if (r->spread_ns > of->max_spread_ns)
		of->max_spread_ns = r->spread_ns;
}

static bool is_whole_round(const struct op_channel_record *r)
{
	const struct op_channel_round *round = (const void *)r;

	return r->bytes == sizeof(*round) && round->is_snapshot <= 1;
}

static bool is_whole_sample(const struct op_channel_record *r)
{
	const struct op_channel_sample *s = (const void *)r;

	return r->bytes >= sizeof(*s) && s->nr <= OP_AGENT_MAX_FRAMES &&
	       s->when.is_snapshot <= 1 &&
	       r->bytes == sizeof(*s) + 8 * (size_t)s->nr;
}

static bool is_whole_repeat(const struct op_channel_record *r)
{
	const struct op_channel_repeat *repeat = (const void *)r;

	return r->bytes == sizeof(*repeat) && repeat->when.is_snapshot <= 1;
}

static bool is_whole_alloc(const struct op_channel_record *r)
{
	const uint64_t max_size = (uint64_t)1 << 47; /* address space */
	const struct op_channel_alloc *a = (const void *)r;

	return r->bytes >= sizeof(*a) && a->size <= max_size &&
	       r->bytes == sizeof(*a) + 8 * (size_t)a->nr;
}

void op_agent_helper_events(struct op_agent_helper *h)
{
	const struct op_channel_record *r;

	while (!h->err->code && !op_agent_helper_is_full(h) &&
	       (r = op_ring_next(&h->ring)) != NULL) {
		if (r->type == OP_CHANNEL_SAMPLE && is_whole_sample(r))
			sample_add(h, (const void *)r);
		else if (r->type == OP_CHANNEL_REPEAT && is_whole_repeat(r))
			repeat_add(h, (const void *)r);
		else if (r->type == OP_CHANNEL_THREAD &&
			 r->bytes == sizeof(struct op_channel_thread))
			thread_add(h, (const void *)r);
		else if (r->type == OP_CHANNEL_GONE &&
			 r->bytes == sizeof(struct op_channel_thread))
			thread_drop(h, ((const struct op_channel_thread
						 *)(const void *)r)
					       ->tid);
		else if (r->type == OP_CHANNEL_ALLOC && h->opts.has_memory &&
			 is_whole_alloc(r))
			alloc_add(h, (const void *)r);
		else if (r->type == OP_CHANNEL_FREE)
			frees_add(h, r);
		else if (r->type == OP_CHANNEL_ROUND && is_whole_round(r))
			round_add(h, (const void *)r);
		else
			h->ring.is_broken = true;
	}
}
