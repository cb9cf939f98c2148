// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/walk.h: record by record, through the compression. */
#ifndef OP_FMT_PERF_WALK_H
#define OP_FMT_PERF_WALK_H

#include "base/port.h"
#include "fmt/perf/record.h"

/* Records by type, where they are only counted. */
struct op_perf_counts {
	bool is_on;
	uint64_t nr[OP_PERF_NR_TYPES], bytes[OP_PERF_NR_TYPES];
};

/* What a compressed record unpacks to; kept until all of its records had
 * their turn. */
struct op_perf_block {
	struct op_perf_block *next;
	uint64_t at; /* of the compressed record */
	uint64_t nr_users;
	size_t n, cap;
	uint8_t bytes[];
};

struct op_perf_unpack {
	void *zstd;
	struct op_perf_block *blocks; /* newest first */
	uint64_t bytes;		      /* so far */
	size_t rest; /* bytes of the newest block that begin a record */
};

struct op_perf;

int op_perf_walk(struct op_perf *f);
void op_perf_walk_end(struct op_perf *f);
void op_perf_block_drop(struct op_perf *f, struct op_perf_block *b);

#endif
