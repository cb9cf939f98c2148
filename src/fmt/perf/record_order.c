// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/record_order.c: records in the order of their times.
 *
 * Each buffer of the kernel's is in order; perf writes what it finds in one
 * after the other, and at the end of such a round it says so. Nothing that
 * comes after a round is older than what was newest at the end of the round
 * before, so that is how long records must wait. Those of equal times stay in
 * the order of the file.
 *
 * What waits is a few runs that are in order: they are merged by twos. */
#include "fmt/perf/record_order.h"

#include "fmt/perf/dispatch.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/sample_batch.h"
#include "fmt/perf/walk.h"

void op_perf_order_add(struct op_perf *f, const struct op_perf_record *r,
		       uint64_t time)
{
	struct op_perf_queued place = { time, r->p, r->block };

	if (!op_vec_push(&f->mem, &f->order.queue, place))
		return;
	if (r->block)
		r->block->nr_users++;
	if (time > f->order.last_time)
		f->order.last_time = time;
}

/* Where runs begin, and the end. */
static bool runs_find(struct op_perf *f)
{
	const struct op_perf_queue *q = &f->order.queue;

	f->order.runs.n = 0;
	for (size_t i = 0; i < q->n; i++)
		if ((!i || q->p[i].time < q->p[i - 1].time) &&
		    !op_vec_push(&f->mem, &f->order.runs, (uint32_t)i))
			return false;
	return op_vec_push(&f->mem, &f->order.runs, (uint32_t)q->n);
}

static void merge(const struct op_perf_queued *a,
		  const struct op_perf_queued *ae,
		  const struct op_perf_queued *be, struct op_perf_queued *out)
{
	const struct op_perf_queued *b = ae;

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
	const struct op_perf_queued *from = f->order.queue.p;
	struct op_perf_queue swap = f->order.queue;
	uint32_t *at = f->order.runs.p;
	size_t nr = f->order.runs.n - 1, left = 0;

	for (size_t i = 0; i < nr; i += 2) {
		uint32_t mid = at[i + 1], end = i + 2 <= nr ? at[i + 2] : mid;

		merge(from + at[i], from + mid, from + end,
		      f->order.sorted.p + at[i]);
		at[left++] = at[i];
	}
	at[left++] = at[nr];
	f->order.runs.n = left;
	f->order.sorted.n = swap.n;
	f->order.queue = f->order.sorted;
	f->order.sorted = swap;
}

static bool sort(struct op_perf *f)
{
	if (!runs_find(f))
		return false;
	f->order.sorted.n = 0;
	if (f->order.runs.n > 2 &&
	    !op_vec_reserve(&f->mem, &f->order.sorted, f->order.queue.n))
		return false;
	while (f->order.runs.n > 2)
		runs_merge(f);
	return true;
}

/* Errors of a record leave the others alone, if that is asked for. */
static void turn(struct op_perf *f, const struct op_perf_queued *place)
{
	struct op_perf_record r = op_perf_record(f, place->p, place->block);

	op_perf_dispatch(f, &r);
	if (f->opts.recover && f->err->code == OP_EFORMAT) {
		*f->err = (struct op_err){ 0 };
		f->losses.skipped_records++;
		f->losses.skipped_bytes += r.size;
	}
	if (place->block)
		op_perf_block_drop(f, place->block);
}

/* All up to and with a time. */
static void flush(struct op_perf *f, uint64_t until)
{
	struct op_perf_queue *q = &f->order.queue;
	size_t i = 0;

	if (!q->n)
		return;
	if (!sort(f))
		return;
	for (; i < q->n && q->p[i].time <= until && !f->err->code; i++)
		turn(f, &q->p[i]);
	memmove(q->p, q->p + i, (q->n - i) * sizeof(*q->p));
	q->n -= i;
}

void op_perf_order_round(struct op_perf *f)
{
	flush(f, f->order.round_time);
	f->order.round_time = f->order.last_time;
}

void op_perf_order_end(struct op_perf *f)
{
	flush(f, UINT64_MAX);
	if (!f->err->code)
		op_perf_batch_end(f);
}
