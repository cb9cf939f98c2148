// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/order.c: records in the order of their times.
 *
 * Each buffer of the kernel's is in order; perf writes what it finds in one
 * after the other, and at the end of such a round it says so. Nothing that
 * comes after a round is older than what was newest at the end of the round
 * before, so that is how long records must wait. Those of equal times stay in
 * the order of the file.
 *
 * What waits is a few runs that are in order: they are merged by twos. */
#include "fmt/perf/perf.h"

void op_perf_order_add(struct op_perf *f, const struct op_perf_record *r,
		       uint64_t time)
{
	struct op_perf_place place = { time, r->p, r->block };

	if (!op_vec_push(&f->mem, &f->queue, place)) {
		op_perf_nomem(f);
		return;
	}
	if (r->block)
		r->block->nr_users++;
	if (time > f->last_time)
		f->last_time = time;
}

/* Where runs begin, and the end. */
static bool runs_find(struct op_perf *f)
{
	const struct op_perf_places *q = &f->queue;

	f->runs.n = 0;
	for (size_t i = 0; i < q->n; i++)
		if ((!i || q->p[i].time < q->p[i - 1].time) &&
		    !op_vec_push(&f->mem, &f->runs, (uint32_t)i))
			return false;
	return op_vec_push(&f->mem, &f->runs, (uint32_t)q->n);
}

static void merge(const struct op_perf_place *a, const struct op_perf_place *ae,
		  const struct op_perf_place *be, struct op_perf_place *out)
{
	const struct op_perf_place *b = ae;

	while (a < ae && b < be)
		*out++ = b->time < a->time ? *b++ : *a++;
	while (a < ae)
		*out++ = *a++;
	while (b < be)
		*out++ = *b++;
}

/* Merges neighbours; half as many runs are left. */
static void runs_merge(struct op_perf *f)
{
	const struct op_perf_place *from = f->queue.p;
	struct op_perf_places swap = f->queue;
	uint32_t *at = f->runs.p;
	size_t nr = f->runs.n - 1, left = 0;

	for (size_t i = 0; i < nr; i += 2) {
		uint32_t mid = at[i + 1], end = i + 2 <= nr ? at[i + 2] : mid;

		merge(from + at[i], from + mid, from + end,
		      f->sorted.p + at[i]);
		at[left++] = at[i];
	}
	at[left++] = at[nr];
	f->runs.n = left;
	f->sorted.n = swap.n;
	f->queue = f->sorted;
	f->sorted = swap;
}

static bool sort(struct op_perf *f)
{
	if (!runs_find(f))
		return false;
	f->sorted.n = 0;
	if (f->runs.n > 2 && !op_vec_reserve(&f->mem, &f->sorted, f->queue.n))
		return false;
	while (f->runs.n > 2)
		runs_merge(f);
	return true;
}

/* Errors of a record leave the others alone, if that is asked for. */
static void turn(struct op_perf *f, const struct op_perf_place *place)
{
	struct op_perf_record r = op_perf_record(f, place->p, place->block);

	op_perf_handle(f, &r);
	if (f->opts.recover && f->err->code == OP_EFORMAT) {
		*f->err = (struct op_err){ 0 };
		f->skipped_records++;
		f->skipped_bytes += r.size;
	}
	if (place->block)
		op_perf_block_drop(f, place->block);
}

/* All up to and with a time. */
static void flush(struct op_perf *f, uint64_t until)
{
	struct op_perf_places *q = &f->queue;
	size_t i = 0;

	if (!q->n)
		return;
	if (!sort(f)) {
		op_perf_nomem(f);
		return;
	}
	for (; i < q->n && q->p[i].time <= until && !f->err->code; i++)
		turn(f, &q->p[i]);
	memmove(q->p, q->p + i, (q->n - i) * sizeof(*q->p));
	q->n -= i;
}

void op_perf_order_round(struct op_perf *f)
{
	flush(f, f->round_time);
	f->round_time = f->last_time;
}

void op_perf_order_end(struct op_perf *f)
{
	flush(f, UINT64_MAX);
	if (!f->err->code)
		op_perf_batch_end(f);
}
