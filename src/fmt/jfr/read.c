// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/read.c: recordings of the Java Flight Recorder and of what writes
 * like it. A file is chunks, one behind the other. */
#include "fmt/jfr/read.h"

#include <stdio.h>

#include "base/budget.h"
#include "fmt/format.h"
#include "fmt/jfr/alloc_objects.h"
#include "fmt/jfr/carry.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/event_filter.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/facts.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/native_leaks.h"
#include "fmt/jfr/options.h"
#include "fmt/jfr/parallel.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/recover.h"
#include "fmt/jfr/rows.h"
#include "fmt/jfr/spans.h"
#include "fmt/jfr/walk.h"
#include "model/invariants.h"
#include "model/merge.h"

struct op_view op_jfr_kept(struct op_jfr *j, struct op_view v)
{
	uint8_t *p = op_arena_alloc(&j->mem, v.n);

	if (!p)
		return (struct op_view){ 0 };
	if (v.n)
		memcpy(p, v.p, v.n);
	return op_view(p, v.n);
}

/* Events outside of the chunk's own time widen it later. */
static void span_widen(struct op_jfr *j, const struct op_jfr_header *h)
{
	uint64_t end = h->start_ns + h->duration_ns;

	if (h->start_ns < j->first_ns)
		j->first_ns = h->start_ns;
	if (end > j->last_ns)
		j->last_ns = end;
}

/* Constants where the header says they begin, or where they were found. */
static int pools_read(struct op_jfr_chunk *c, const struct op_jfr_found *found)
{
	if (!found)
		return op_jfr_pools_read(c, c->h.pools_at);
	for (size_t i = 0; i < found->pools_at.n && !c->err->code; i++)
		op_jfr_checkpoint_read(c, found->pools_at.p[i]);
	return c->err->code;
}

/* Takes over what is the same in the chunk before, which then may go. Of one
 * that is recovered nobody knows what is the same. */
static void last_take(struct op_jfr *j, struct op_jfr_chunk *c)
{
	if (j->last.rows && !j->opts.recover)
		op_jfr_carry(c, &j->last);
	op_jfr_chunk_end(&j->last);
}

static int chunk_read(struct op_jfr *j, const struct op_source *file,
		      const struct op_jfr_header *h,
		      const struct op_jfr_found *found, struct op_err *err)
{
	struct op_jfr_chunk c;

	span_widen(j, h);
	j->has_walked = false;
	if (!op_jfr_chunk_begin(&c, j, file, h, err) &&
	    !op_jfr_metadata_read(&c, h->meta_at) && !pools_read(&c, found) &&
	    !op_jfr_rows_begin(&c) && !op_jfr_plans_make(&c)) {
		last_take(j, &c);
		j->has_walked = true;
		op_jfr_walk(&c);
	}
	op_jfr_chunk_end(&j->last);
	j->last = c;
	if (err->has_at)
		err->at += h->at;
	return err->code;
}

/* Bytes that were read of a chunk that was salvaged. */
static uint64_t kept_of(const struct op_jfr *j, const struct op_jfr_header *h,
			const struct op_err *err)
{
	if (!h->meta_at || !j->has_walked)
		return 0;
	if (!err->code)
		return h->size;
	return err->has_at ? err->at - h->at : 0;
}

/* What is no chunk is left out up to the next, if there is any. */
static uint64_t rubbish_skip(struct op_jfr *j, const struct op_source *file,
			     uint64_t at, const struct op_err *why)
{
	struct op_jfr_header h = { .at = at };
	uint64_t next = j->opts.recover ? op_jfr_next_chunk(file, &h) : 0;

	if (!next || (!at && next == file->n)) {
		*j->err = *why;
		return at;
	}
	j->lost_chunks++;
	j->lost_bytes += next - at;
	return next;
}

/* A chunk that may be broken: what is whole of it is read. */
static uint64_t chunk_recover(struct op_jfr *j, const struct op_source *file,
			      struct op_jfr_header *h)
{
	struct op_jfr_found found = { 0 };
	struct op_arena mem = { .err = j->err };
	struct op_err err = { 0 };
	uint64_t at = h->at;

	j->has_walked = false;
	if (!op_jfr_header_check(file, h, &err) &&
	    !chunk_read(j, file, h, NULL, &err))
		return at + h->size;
	if (op_budget_is_spent(&err)) {
		*j->err = err;
		return at;
	}
	/* Events read before the error are kept: they are whole. */
	j->lost_chunks++;
	if (err.has_at && j->has_walked) {
		j->lost_bytes += h->at + h->size - err.at;
		return at + h->size;
	}
	err = (struct op_err){ 0 };
	if (!op_jfr_header_check(file, h, &err))
		found.next = at + h->size;
	err = (struct op_err){ 0 };
	if (!op_jfr_salvage(file, h, &found, &mem)) {
		if (h->meta_at)
			chunk_read(j, file, h, &found, &err);
		j->lost_bytes += found.next - at - kept_of(j, h, &err);
		if (op_budget_is_spent(&err))
			*j->err = err;
	}
	op_arena_free(&mem);
	return found.next > at ? found.next : file->n;
}

static uint64_t next_read(struct op_jfr *j, const struct op_source *in,
			  uint64_t at)
{
	struct op_err err = { 0 };
	struct op_jfr_header h;

	if (op_jfr_header_read(in, at, &h, &err))
		return rubbish_skip(j, in, at, &err);
	if (j->opts.recover)
		return chunk_recover(j, in, &h);
	if (!op_jfr_header_check(in, &h, j->err))
		chunk_read(j, in, &h, NULL, j->err);
	return at + h.size;
}

void op_jfr_begin(struct op_jfr *j, struct op_model *m, struct op_err *err)
{
	static const struct op_resource no_resource;
	struct op_scope scope = { .name = op_view_z("jfr") };

	j->err = j->mem.err = err;
	j->first_ns = UINT64_MAX;
	op_builder_init(&j->b, m, err);
	if (j->opts.sums)
		j->b.timed = j->opts.counts ? OP_TIMED_COUNTED : OP_TIMED_SUMS;
	j->resource = op_build_resource(&j->b, &no_resource, NULL);
	j->scope = op_build_scope(&j->b, j->resource, &scope, NULL);
}

/* Sums say nothing of when: spans want to know that. */
static bool sums_hold(const struct op_jfr *j)
{
	return !j->opts.sums || (!j->b.sums_differ && !op_jfr_has_spans(j));
}

void op_jfr_chunks_read(struct op_jfr *j, const struct op_source *file,
			uint64_t from, uint64_t to)
{
	while (from < to && !j->err->code && sums_hold(j))
		from = next_read(j, file, from);
	op_jfr_chunk_end(&j->last);
	op_jfr_spare_free(j);
}

static void recording_end(struct op_jfr *j, const struct op_source *file)
{
	/* An observation lies before the end. */
	j->last_ns++;
	if (!j->err->code)
		op_jfr_filter_check(j, file);
	if (!j->err->code)
		op_jfr_leaks_end(j);
	if (!j->err->code)
		op_jfr_spans_end(j);
	if (!j->err->code)
		op_jfr_facts_end(j);
}

static void say_lost(const struct op_jfr *j, const struct op_read_opts *opts)
{
	char events[40] = "";

	if (!j->lost_chunks && !j->lost_events)
		return;
	if (j->lost_events)
		snprintf(events, sizeof(events), ", damaged events: %llu",
			 (unsigned long long)j->lost_events);
	op_note_skipped(opts, j->err,
			"damaged chunks: %llu%s, %llu bytes skipped",
			(unsigned long long)j->lost_chunks, events,
			(unsigned long long)j->lost_bytes);
}

/* Reads it into a model that is empty but for its quota. False if the wish for
 * sums cannot be met. */
static bool recording_read(const struct op_source *in,
			   const struct op_read_opts *opts, bool sums,
			   struct op_model *m, struct op_err *err)
{
	struct op_jfr j = { .err = err };
	bool holds;

	op_jfr_opts_read(&j.opts, opts ? opts->settings : NULL, err);
	j.opts.sums = sums;
	j.opts.counts = opts && opts->timed == OP_TIMED_COUNTED;
	op_jfr_begin(&j, m, err);
	/* Datadog's attributes say of samples what parts would leave open. */
	if (j.opts.recover || j.opts.is_datadog)
		op_jfr_chunks_read(&j, in, 0, in->n);
	else
		op_jfr_parallel_read(&j, in, opts ? opts->threads : 1);
	if (sums_hold(&j))
		recording_end(&j, in);
	holds = sums_hold(&j);
	if (holds)
		say_lost(&j, opts);
	op_arena_free(&j.mem);
	/* Rows are made for samples alone, unless some are then left out. */
	m->normal = !j.opts.thread && !j.opts.states && !j.lost_chunks &&
		    !j.lost_events && !j.has_moved;
	if (!sums && opts && opts->timed == OP_TIMED_PACKED)
		j.b.timed = OP_TIMED_PACKED;
	if (!holds || op_builder_finish(&j.b))
		return holds;
	if (j.opts.sums_objects)
		op_jfr_objects_sum(m, err);
	if (!op_jfr_has_event_filter(&j.opts))
		op_jfr_stackless_drop(m);
	return true;
}

int op_jfr_read(const struct op_source *in, const struct op_read_opts *opts,
		op_model_fn *fn, void *ctx, struct op_err *err)
{
	bool sums = opts && (opts->timed == OP_TIMED_SUMS ||
			     opts->timed == OP_TIMED_COUNTED);
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	if (!recording_read(in, opts, sums, &m, err) && sums && !err->code) {
		op_model_free(&m);
		m.mem.quota = opts->mem_quota;
		recording_read(in, opts, false, &m, err);
	}
	/* Nothing refers to the rows of what was left out any more. */
	if (err->code || (!m.normal && op_reorder(&m, err))) {
		op_model_free(&m);
		return err->code;
	}
	op_model_assert(&m);
	return fn(ctx, &m, err);
}
