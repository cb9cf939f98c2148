// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/record.h: records, the kernel's and perf's own. */
#ifndef OP_FMT_PERF_RECORD_H
#define OP_FMT_PERF_RECORD_H

#include "base/port.h"

enum op_perf_type {
	OP_PERF_MMAP = 1,
	OP_PERF_LOST = 2,
	OP_PERF_COMM = 3,
	OP_PERF_EXIT = 4,
	OP_PERF_FORK = 7,
	OP_PERF_SAMPLE = 9,
	OP_PERF_MMAP2 = 10,
	OP_PERF_LOST_SAMPLES = 13,
	OP_PERF_SWITCH = 14,
	OP_PERF_SWITCH_CPU_WIDE = 15,
	OP_PERF_KSYMBOL = 17,
	OP_PERF_CGROUP = 19,
	/* From here on records are perf's own, not the kernel's. */
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

/* Bits of a record's misc. */
enum {
	OP_PERF_MODE = 7, /* what the processor did: */
	OP_PERF_KERNEL = 1,
	OP_PERF_IN_USER = 2,
	OP_PERF_HYPERVISOR = 3,
	OP_PERF_GUEST_KERNEL = 4,
	OP_PERF_GUEST_USER = 5,
	OP_PERF_EXEC = 1 << 13,	   /* of COMM */
	OP_PERF_DATA = 1 << 13,	   /* of MMAP: nothing to execute */
	OP_PERF_OUT = 1 << 13,	   /* of SWITCH: the thread leaves */
	OP_PERF_PREEMPT = 1 << 14, /* of SWITCH: but could run on */
	OP_PERF_HAS_ID = 1 << 14,  /* of MMAP2: a build id for the inode */
	OP_PERF_ID_SIZE = 1 << 15, /* of BUILD_ID: its size is there too */
};

struct op_perf_block;

/* A record: p has size bytes, at least the eight of its head. */
struct op_perf_record {
	const uint8_t *p;
	struct op_perf_block *block; /* NULL: in the file */
	uint32_t type;
	uint16_t misc, size;
};

#endif
