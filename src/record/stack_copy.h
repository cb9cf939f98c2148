// SPDX-License-Identifier: Apache-2.0
/* record/stack_copy.h: samples of perf events, with registers and a copy of the
 * stack: what can be had without BPF. */
#ifndef OP_RECORD_STACK_COPY_H
#define OP_RECORD_STACK_COPY_H

#include "base/buf.h"
#include "bpf/event.h"
#include "record/task_events.h"

/* Makes an event one that samples. */
void op_stack_copy_attr(struct perf_event_attr *a,
			const struct op_task_events_opts *o);

/* When a sample was taken. */
uint64_t op_stack_copy_time(const struct op_record *r);

/* The sample in the form that BPF has: everything is left to be unwound. The
 * buffer is emptied first. NULL: the record is broken, or there is no memory.
 */
const struct op_bpf_sample *op_stack_copy(const struct op_record *r,
					  struct op_buf *out);

#endif
