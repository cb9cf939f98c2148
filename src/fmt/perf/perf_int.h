// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/perf_int.h: a recording, as the files of the folder share it.
 *
 *	perf.c            the format: its row, sniff, options
 *	read.c            a recording as a model
 *	info.c            records counted by type
 *
 * Bytes:
 *	header.c          the head of a file: events, features; also of a pipe
 *	event.c           a perf_event_attr: names, layout of its samples
 *	tracing.c         names of tracepoints
 *	sample.c          the fields of a sample
 *	walk.c            record by record, through the compression
 *	record_order.c    records in the order of their times
 *	dispatch.c        what each record means
 *
 * What is going on:
 *	thread.c          what is kept per thread, beside src/host
 *	binary.c          files that were mapped, if they are at hand
 *	unwind.c          callers from a copy of the stack
 *	context_switch.c  when threads had a CPU
 *
 * What is built:
 *	rows.c            addresses, stacks and threads as rows of the model
 *	sample_batch.c    samples into profiles, many at a time
 *	facts.c           what is said of the machine; heads of the profiles */
#ifndef OP_FMT_PERF_PERF_INT_H
#define OP_FMT_PERF_PERF_INT_H

#include "base/arena.h"
#include "model/builder.h"
#include "fmt/perf/binary.h"
#include "fmt/perf/context_switch.h"
#include "fmt/perf/event.h"
#include "fmt/perf/facts.h"
#include "fmt/perf/header.h"
#include "fmt/perf/record.h"
#include "fmt/perf/record_order.h"
#include "fmt/perf/rows.h"
#include "fmt/perf/sample_batch.h"
#include "fmt/perf/thread.h"
#include "fmt/perf/unwind.h"
#include "fmt/perf/walk.h"
#include "host/host.h"

struct op_perf_opts {
	const char *const *settings;
	const char *thread; /* part of a thread's name */
	const char *states;
	const char *root; /* of binaries; NULL or "": none may be opened */
	bool recover;
};

/* The file. */
struct op_perf_input {
	struct op_view bytes;
	bool is_swapped; /* written by a machine of the other byte order */
	bool is_pipe;
	uint64_t data_at, data_end;
	uint64_t walk_at; /* the record in the file that is being read */
};

/* What no profile has. */
struct op_perf_losses {
	uint64_t lost_records, lost_samples;
	uint64_t skipped_records, skipped_bytes; /* by --recover */
	uint64_t unknown_records;		 /* of types not known */
	uint64_t unknown_samples, unknown_at;	 /* of events not known */
	uint64_t text_bytes;			 /* behind the records */
	uint64_t trace_bytes;			 /* of hardware traces */
};

struct op_perf {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	struct op_perf_opts opts;

	/* bytes */
	struct op_perf_input in;
	struct op_perf_head head;
	struct op_perf_clock clock;
	struct op_perf_events events;
	struct op_perf_counts counts;
	struct op_perf_unpack unpack;
	struct op_perf_order order;

	/* what is going on */
	struct op_host host;
	struct op_perf_threads threads;
	struct op_perf_binaries binaries;
	struct op_perf_unwinding unwind;
	struct op_perf_switches switches;

	/* what is built */
	uint32_t resource, scope;
	struct op_perf_rows rows;
	struct op_perf_batch batch;
	uint64_t first_ns, last_ns; /* of what is in profiles */
	uint64_t nr_samples;
	struct op_perf_losses losses;
};

op_inline uint16_t op_perf_u16(const struct op_perf *f, const uint8_t *p)
{
	return op_load_u16(p, f->in.is_swapped);
}

op_inline uint32_t op_perf_u32(const struct op_perf *f, const uint8_t *p)
{
	return op_load_u32(p, f->in.is_swapped);
}

op_inline uint64_t op_perf_u64(const struct op_perf *f, const uint8_t *p)
{
	return op_load_u64(p, f->in.is_swapped);
}

op_inline struct op_perf_record op_perf_record(const struct op_perf *f,
					       const uint8_t *p,
					       struct op_perf_block *block)
{
	return (struct op_perf_record){ p, block, op_perf_u32(f, p),
					op_perf_u16(f, p + 4),
					op_perf_u16(f, p + 6) };
}

void op_perf_init(struct op_perf *f, struct op_view in, struct op_err *err);
void op_perf_fini(struct op_perf *f);
/* Where a record is in the file, or the one that it is packed in. */
uint64_t op_perf_at(const struct op_perf *f, const struct op_perf_record *r);
/* Fails about a record. */
int op_perf_bad(struct op_perf *f, const struct op_perf_record *r,
		const char *what);
struct op_view op_perf_kept(struct op_perf *f, struct op_view v);
/* Up to the first NUL. */
struct op_view op_perf_text(const uint8_t *p, size_t n);

#endif
