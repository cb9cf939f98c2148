// SPDX-License-Identifier: Apache-2.0
/* record/perf_ring.h: the ring buffer of a perf event. */
#ifndef OP_RECORD_PERF_RING_H
#define OP_RECORD_PERF_RING_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "base/err.h"
#include "host/record.h"

struct op_perf_ring {
	int fd; /* -1: closed */
	int cpu;
	uint8_t *memory;  /* NULL: records go to another one */
	size_t bytes;	  /* of the records, a power of two */
	uint64_t nr_lost; /* records that found no room */
	bool is_counted;  /* nr_lost is of the kernel's own count, and final */
};

/* bytes: a power of two and of pages. False, with errno. */
bool op_perf_ring_open(struct op_perf_ring *r, struct perf_event_attr *attr,
		       pid_t tid, int cpu, size_t bytes);
/* An event whose records go to the ring of another one on the same CPU. */
bool op_perf_ring_share(struct op_perf_ring *r, struct perf_event_attr *attr,
			pid_t tid, const struct op_perf_ring *to);
void op_perf_ring_close(struct op_perf_ring *r);

/* No more samples come; nr_lost is final where the event has
 * PERF_FORMAT_LOST. */
void op_perf_ring_stop(struct op_perf_ring *r);

typedef void op_perf_ring_fn(void *ctx, const struct op_record *r);

/* Calls fn for each record that is there; a record is good during the call. */
void op_perf_ring_read(struct op_perf_ring *r, op_perf_ring_fn *fn, void *ctx);

#endif
