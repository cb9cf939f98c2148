// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/event.h: what is sampled: names, and layout of samples. */
#ifndef OP_FMT_PERF_EVENT_H
#define OP_FMT_PERF_EVENT_H

#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"
#include "fmt/perf/record.h"

/* Types of events, those that matter outside of event.c. */
enum { OP_PERF_TRACEPOINT = 2 };

/* Bits of sample_type. */
#define OP_PERF_HAS_IP ((uint64_t)1 << 0)
#define OP_PERF_HAS_TID ((uint64_t)1 << 1)
#define OP_PERF_HAS_TIME ((uint64_t)1 << 2)
#define OP_PERF_HAS_ADDR ((uint64_t)1 << 3)
#define OP_PERF_HAS_READ ((uint64_t)1 << 4)
#define OP_PERF_HAS_CHAIN ((uint64_t)1 << 5)
#define OP_PERF_HAS_SAMPLE_ID ((uint64_t)1 << 6)
#define OP_PERF_HAS_CPU ((uint64_t)1 << 7)
#define OP_PERF_HAS_PERIOD ((uint64_t)1 << 8)
#define OP_PERF_HAS_STREAM ((uint64_t)1 << 9)
#define OP_PERF_HAS_RAW ((uint64_t)1 << 10)
#define OP_PERF_HAS_BRANCHES ((uint64_t)1 << 11)
#define OP_PERF_HAS_REGS ((uint64_t)1 << 12)
#define OP_PERF_HAS_STACK ((uint64_t)1 << 13)
#define OP_PERF_HAS_WEIGHT ((uint64_t)1 << 14)
#define OP_PERF_HAS_SOURCE ((uint64_t)1 << 15)
#define OP_PERF_HAS_IDENTIFIER ((uint64_t)1 << 16)
#define OP_PERF_HAS_TRANSACTION ((uint64_t)1 << 17)
#define OP_PERF_HAS_REGS_INTR ((uint64_t)1 << 18)
#define OP_PERF_HAS_PHYS ((uint64_t)1 << 19)
#define OP_PERF_HAS_CGROUP ((uint64_t)1 << 21)
#define OP_PERF_HAS_WEIGHTS ((uint64_t)1 << 24)

/* Where a field is that a record does not have. */
enum { OP_PERF_NOWHERE = -1 };

/* What is sampled: a perf_event_attr, and what becomes of its samples. */
struct op_perf_event {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags, branch_type,
		regs_user, regs_intr;
	int32_t clock;
	struct op_view name;

	/* Offsets from the begin of a sample, and of other records, whose
	 * fields of this kind are their last, from their end. */
	int id_at, time_at;
	int end_id_at, end_time_at, end_tid_at;

	bool is_from_feature; /* its own record did not come yet */
	bool is_wanted;
	bool is_clock;	  /* it counts nanoseconds */
	bool is_switch;	  /* its samples are of threads that leave a CPU */
	bool is_sched;	  /* sched:sched_switch */
	uint32_t profile; /* OP_NO_ID: none yet */
	uint32_t weights; /* profile of periods, where they differ */
	uint64_t first_period;
	uint64_t nr_records, nr_bytes; /* for show */
	uint64_t lost_records, lost_samples;
};

struct op_perf_id {
	uint64_t id;
	uint32_t event;
};

struct op_perf_events {
	OP_VEC(struct op_perf_event) rows;
	size_t own_to; /* no event before it is only from a feature */
	struct op_intern id_index;
	OP_VEC(struct op_perf_id) ids;
};

struct op_perf;

/* Adds an event; ids are nr numbers of eight bytes. */
int op_perf_event_add(struct op_perf *f, struct op_view attr,
		      struct op_view ids);
/* The same for an event that a feature may have described already. */
int op_perf_event_meet(struct op_perf *f, struct op_view attr,
		       struct op_view ids);
/* The event of an id; NULL: none. */
struct op_perf_event *op_perf_event_of(struct op_perf *f, uint64_t id);
/* The event that a record is about; NULL: nobody knows. */
struct op_perf_event *op_perf_event_by(struct op_perf *f,
				       const struct op_perf_record *r);
/* The time of a record; 0: it has none. */
uint64_t op_perf_time(struct op_perf *f, const struct op_perf_record *r);
/* Gives names to events that have none, and finds which are wanted. */
void op_perf_events_end(struct op_perf *f);
/* Fails if --event names one that is not there. */
int op_perf_filter_check(struct op_perf *f);
/* Fails if no sample is of those that --event names. */
int op_perf_filter_end(struct op_perf *f);

#endif
