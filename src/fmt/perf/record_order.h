// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/record_order.h: records in the order of their times.
 *
 * A record is looked at twice: where it stands, for its time, and when its
 * turn comes. Between the two only its place is kept. */
#ifndef OP_FMT_PERF_RECORD_ORDER_H
#define OP_FMT_PERF_RECORD_ORDER_H

#include "base/vec.h"
#include "fmt/perf/record.h"

struct op_perf_queued {
	uint64_t time;
	const uint8_t *p;
	struct op_perf_block *block; /* NULL: in the file */
};

struct op_perf_queue {
	struct op_perf_queued *p;
	size_t n, cap;
};

struct op_perf_order {
	struct op_perf_queue queue, sorted;
	struct op_id_vec runs;
	uint64_t last_time, round_time;
};

struct op_perf;

void op_perf_order_add(struct op_perf *f, const struct op_perf_record *r,
		       uint64_t time);
/* A round of reading all buffers is over. */
void op_perf_order_round(struct op_perf *f);
/* Everything that still waits. */
void op_perf_order_end(struct op_perf *f);

#endif
