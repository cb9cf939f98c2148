// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/record.h: records, the kernel's and perf's own. */
#ifndef OP_FMT_PERF_RECORD_H
#define OP_FMT_PERF_RECORD_H

#include "host/record.h"

/* Types of records that are perf's own; host/record.h has the kernel's. */
enum op_perf_type {
	OP_PERF_USER = 64,
	OP_PERF_HEADER_ATTR = 64,
	OP_PERF_TRACING_DATA = 66,
	OP_PERF_BUILD_ID = 67,
	OP_PERF_FINISHED_ROUND = 68,
	OP_PERF_AUXTRACE = 71,
	OP_PERF_EVENT_UPDATE = 78,
	OP_PERF_FEATURE = 80,
	OP_PERF_COMPRESSED = 81,
	OP_PERF_COMPRESSED2 = 83,
	OP_PERF_NR_TYPES = 85,
};

/* A bit of misc of BUILD_ID: its size is there too. */
enum { OP_PERF_ID_SIZE = 1 << 15 };

struct op_perf_block;

/* A record: p has size bytes, at least the eight of its head. */
struct op_perf_record {
	const uint8_t *p;
	struct op_perf_block *block; /* NULL: in the file */
	uint32_t type;
	uint16_t misc, size;
};

#endif
