// SPDX-License-Identifier: Apache-2.0
/* record/task_events.h: what the kernel tells of processes as they start, map
 * files and end, in the order in which it happened; without BPF, also samples
 * with a copy of the stack. */
#ifndef OP_RECORD_TASK_EVENTS_H
#define OP_RECORD_TASK_EVENTS_H

#include "base/buf.h"
#include "base/vec.h"
#include "record/perf_ring.h"

struct op_task_event {
	uint64_t time; /* CLOCK_MONOTONIC */
	size_t at;     /* in bytes */
};

struct op_task_events {
	struct op_arena *mem;
	OP_VEC(struct op_perf_ring) rings;
	struct op_buf bytes;
	OP_VEC(struct op_task_event) events;
	size_t next;
	uint64_t sample_type;
	size_t ring_bytes; /* of each; 0: none is open */
};

struct op_task_events_opts {
	pid_t tid;	/* this one and what it starts; -1: all */
	uint32_t hertz; /* of samples; 0: none */
	bool user_only; /* samples without frames of the kernel */
	bool at_exec;	/* samples not before it executes a program */
	bool may_end;	/* that there is no such thread is no failure */
};

/* t is zero but for mem. May be called again for another thread. */
int op_task_events_open(struct op_task_events *t,
			const struct op_task_events_opts *opts,
			struct op_err *err);
/* No more samples come. */
void op_task_events_stop(struct op_task_events *t);
void op_task_events_close(struct op_task_events *t);

/* Has an epoll descriptor report when a ring is filling up. */
bool op_task_events_watch(const struct op_task_events *t, int epoll);

/* Reads all that happened so far. What was read before must be used up. */
void op_task_events_read(struct op_task_events *t);

/* The next one that happened no later than a time. */
bool op_task_events_next(struct op_task_events *t, uint64_t time,
			 struct op_record *out);

/* Records that were lost since it was opened. */
uint64_t op_task_events_lost(const struct op_task_events *t);

#endif
