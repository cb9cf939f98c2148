// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/sample.c: the fields of a sample.
 *
 * Which there are is said by sample_type, their order is fixed:
 *
 *	IDENTIFIER IP TID TIME ADDR ID STREAM CPU PERIOD READ CHAIN RAW
 *	BRANCHES REGS STACK WEIGHT SOURCE TRANSACTION REGS_INTR PHYS CGROUP
 *
 * and what follows these is of no use here. */
#include "fmt/perf/sample.h"

#include "fmt/perf/event.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"

struct words {
	const struct op_perf *f;
	const uint8_t *p, *end;
	bool is_cut;
};

static const uint8_t *take(struct words *w, uint64_t n)
{
	const uint8_t *p = w->p;

	if (op_unlikely(n > (uint64_t)(w->end - p))) {
		w->is_cut = true;
		w->p = w->end;
		return NULL;
	}
	w->p += n;
	return p;
}

static uint64_t word(struct words *w)
{
	const uint8_t *p = take(w, 8);

	return p ? op_perf_u64(w->f, p) : 0;
}

/* nr words, which may be a lie. */
static const uint8_t *many(struct words *w, uint64_t nr, uint64_t size)
{
	if (nr > UINT16_MAX) {
		w->is_cut = true;
		return NULL;
	}
	return take(w, nr * size);
}

/* Counters: one, or those of a group. */
static void skip_read(struct words *w, uint64_t format)
{
	enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
	uint64_t times = (uint64_t)__builtin_popcountll(format &
							(ENABLED | RUNNING));
	uint64_t each = 1 +
			(uint64_t)__builtin_popcountll(format & (ID | LOST));

	if (format & GROUP) {
		uint64_t nr = word(w);

		many(w, times, 8);
		many(w, nr, each * 8);
	} else {
		many(w, times + each, 8);
	}
}

static void skip_branches(struct words *w, uint64_t type)
{
	enum { HW_INDEX = 1 << 17, COUNTERS = 1 << 19 };
	uint64_t nr = word(w);

	if (type & HW_INDEX)
		word(w);
	many(w, nr, type & COUNTERS ? 32 : 24);
}

static struct op_view raw(struct words *w)
{
	const uint8_t *p = take(w, 4);
	uint32_t n = p ? op_perf_u32(w->f, p) : 0;

	p = take(w, n);
	return op_view(p, p ? n : 0);
}

static const uint8_t *registers(struct words *w, uint64_t mask, uint64_t *abi)
{
	*abi = word(w);
	return *abi ? many(w, (uint64_t)__builtin_popcountll(mask), 8) : NULL;
}

/* A part of the stack, of which only some bytes were there to be copied. */
static struct op_view stack(struct words *w)
{
	uint64_t n = word(w);
	const uint8_t *p = take(w, n);
	uint64_t filled = n ? word(w) : 0;

	if (!p || filled > n)
		return (struct op_view){ 0 };
	return op_view(p, filled);
}

static void head(struct words *w, uint64_t has, struct op_perf_sample *s)
{
	const uint8_t *p;

	if (has & OP_PERF_HAS_IDENTIFIER)
		s->id = word(w);
	if (has & OP_PERF_HAS_IP)
		s->ip = word(w);
	if (has & OP_PERF_HAS_TID && (p = take(w, 8))) {
		s->pid = op_perf_u32(w->f, p);
		s->tid = op_perf_u32(w->f, p + 4);
	}
	if (has & OP_PERF_HAS_TIME)
		s->time = word(w);
	if (has & OP_PERF_HAS_ADDR)
		word(w);
	if (has & OP_PERF_HAS_SAMPLE_ID)
		s->id = word(w);
	if (has & OP_PERF_HAS_STREAM)
		word(w);
	s->has_cpu = has & OP_PERF_HAS_CPU;
	if (s->has_cpu && (p = take(w, 8)))
		s->cpu = op_perf_u32(w->f, p);
	if (has & OP_PERF_HAS_PERIOD)
		s->period = word(w);
}

/* Up to the cgroup. */
static void tail(struct words *w, const struct op_perf_event *e,
		 struct op_perf_sample *s)
{
	uint64_t has = e->sample_type, abi;

	if (has & (OP_PERF_HAS_WEIGHT | OP_PERF_HAS_WEIGHTS))
		word(w);
	if (has & OP_PERF_HAS_SOURCE)
		word(w);
	if (has & OP_PERF_HAS_TRANSACTION)
		word(w);
	if (has & OP_PERF_HAS_REGS_INTR)
		registers(w, e->regs_intr, &abi);
	if (has & OP_PERF_HAS_PHYS)
		word(w);
	s->has_cgroup = true;
	s->cgroup = word(w);
}

bool op_perf_sample_read(struct op_perf *f, const struct op_perf_record *r,
			 const struct op_perf_event *e,
			 struct op_perf_sample *s)
{
	struct words w = { f, r->p + 8, r->p + r->size, false };
	uint64_t has = e->sample_type;

	*s = (struct op_perf_sample){ .mode = r->misc & OP_MISC_MODE,
				      .period = e->period };
	head(&w, has, s);
	if (has & OP_PERF_HAS_READ)
		skip_read(&w, e->read_format);
	if (has & OP_PERF_HAS_CHAIN) {
		s->nr_chain = word(&w);
		s->chain = many(&w, s->nr_chain, 8);
	}
	if (has & OP_PERF_HAS_RAW)
		s->raw = raw(&w);
	if (has & OP_PERF_HAS_BRANCHES)
		skip_branches(&w, e->branch_type);
	if (has & OP_PERF_HAS_REGS)
		s->regs = registers(&w, e->regs_user, &s->abi);
	if (has & OP_PERF_HAS_STACK)
		s->stack = stack(&w);
	if (has & OP_PERF_HAS_CGROUP)
		tail(&w, e, s);
	if (op_unlikely(w.is_cut)) {
		op_perf_bad(f, r, "truncated sample");
		return false;
	}
	return true;
}
