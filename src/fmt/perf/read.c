// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/read.c: a recording of Linux perf as a model. */
#include "fmt/perf/read.h"

#include <stdio.h>

#include "fmt/format.h"
#include "fmt/perf/context_switch.h"
#include "fmt/perf/event.h"
#include "fmt/perf/facts.h"
#include "fmt/perf/header.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/rows.h"
#include "fmt/perf/tracing.h"
#include "fmt/perf/walk.h"
#include "model/invariants.h"
#include "model/merge.h"

uint64_t op_perf_at(const struct op_perf *f, const struct op_perf_record *r)
{
	return r->block ? r->block->at : (uint64_t)(r->p - f->in.bytes.p);
}

int op_perf_bad(struct op_perf *f, const struct op_perf_record *r,
		const char *what)
{
	return op_fail_at(f->err, OP_EFORMAT, op_perf_at(f, r), "%s", what);
}

struct op_view op_perf_kept(struct op_perf *f, struct op_view v)
{
	uint8_t *copy = op_arena_alloc(&f->mem, v.n);

	if (!copy)
		return (struct op_view){ 0 };
	if (v.n)
		memcpy(copy, v.p, v.n);
	return op_view(copy, v.n);
}

struct op_view op_perf_text(const uint8_t *p, size_t n)
{
	return op_view(p, strnlen((const char *)p, n));
}

void op_perf_init(struct op_perf *f, struct op_view in, struct op_err *err)
{
	f->err = f->mem.err = err;
	op_host_init(&f->host, err);
	f->in.bytes = in;
	f->first_ns = UINT64_MAX;
	f->switches.intervals[0] = f->switches.intervals[1] = OP_NO_ID;
}

void op_perf_fini(struct op_perf *f)
{
	op_perf_walk_end(f);
	op_tables_fini(&f->unwind.tables);
	op_host_fini(&f->host);
	op_arena_free(&f->mem);
}

static int recording_read(struct op_perf *f)
{
	static const struct op_resource no_resource;
	struct op_scope scope = { .name = op_view_z("perf") };

	f->resource = op_build_resource(&f->b, &no_resource, NULL);
	f->scope = op_build_scope(&f->b, f->resource, &scope, NULL);
	if (f->err->code || op_perf_header_read(f) || op_perf_rows_begin(f))
		return f->err->code;
	op_perf_tracing_names(f);
	op_perf_events_end(f);
	op_perf_switch_begin(f);
	if (op_perf_filter_check(f) || op_perf_walk(f))
		return f->err->code;
	if (f->losses.unknown_samples && !f->nr_samples)
		return op_fail_at(f->err, OP_EFORMAT, f->losses.unknown_at,
				  "a sample of an unknown event");
	if (op_perf_filter_end(f))
		return f->err->code;
	op_perf_facts_end(f);
	return f->err->code;
}

static void say_skipped(const struct op_perf *f,
			const struct op_read_opts *opts)
{
	if (f->losses.skipped_records)
		op_note_skipped(opts, f->err,
				"damaged places: %llu, %llu bytes skipped",
				(unsigned long long)f->losses.skipped_records,
				(unsigned long long)f->losses.skipped_bytes);
	if (f->losses.unknown_samples)
		op_note_skipped(opts, f->err,
				"%llu samples of unknown events skipped",
				(unsigned long long)f->losses.unknown_samples);
	if (f->losses.unknown_records)
		op_note_skipped(opts, f->err,
				"%llu records of unknown types skipped",
				(unsigned long long)f->losses.unknown_records);
	if (f->losses.trace_bytes)
		op_note_skipped(opts, f->err,
				"%llu bytes of a hardware trace skipped: "
				"traces are not decoded",
				(unsigned long long)f->losses.trace_bytes);
	if (f->losses.text_bytes)
		op_note_skipped(opts, f->err,
				"%llu bytes of text after the records skipped",
				(unsigned long long)f->losses.text_bytes);
}

static void say_lost(const struct op_perf *f, const struct op_read_opts *opts)
{
	if (f->losses.lost_records)
		op_note(opts, "%llu records were lost while perf recorded",
			(unsigned long long)f->losses.lost_records);
	if (f->losses.lost_samples)
		op_note(opts, "%llu samples were lost while perf recorded",
			(unsigned long long)f->losses.lost_samples);
}

static void say_not_unwound(const struct op_perf *f,
			    const struct op_read_opts *opts)
{
	if (f->unwind.nr_refused)
		op_note(opts,
			"%llu stacks have no callers: to unwind them, the "
			"binaries that the recording names have to be opened, "
			"which --symbolize or --symbol-root allows",
			(unsigned long long)f->unwind.nr_refused);
}

int op_perf_read(struct op_view in, const struct op_read_opts *opts,
		 op_model_fn *fn, void *ctx, struct op_err *err)
{
	const char *const *set = opts ? opts->settings : NULL;
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };
	struct op_perf f = {
		.opts = { .settings = set,
			  .thread = op_setting(set, "thread"),
			  .states = op_setting(set, "state"),
			  .root = opts ? opts->root : NULL,
			  .recover = op_setting_is_on(set, "recover", err) },
	};

	op_perf_init(&f, in, err);
	op_builder_init(&f.b, &m, err);
	recording_read(&f);
	if (!err->code) {
		say_skipped(&f, opts);
		say_lost(&f, opts);
		say_not_unwound(&f, opts);
	}
	op_perf_fini(&f);
	m.normal = !f.rows.has_unused;
	f.b.timed = opts && opts->timed == OP_TIMED_PACKED ? OP_TIMED_PACKED :
							     OP_TIMED_ARRAYS;
	if (op_builder_finish(&f.b) || (!m.normal && op_reorder(&m, err))) {
		op_model_free(&m);
		return err->code;
	}
	op_model_assert(&m);
	return fn(ctx, &m, err);
}
