// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/thread.h: what a recording has of a thread, beside the host. */
#ifndef OP_FMT_PERF_THREAD_H
#define OP_FMT_PERF_THREAD_H

#include "base/vec.h"

/* What a thread does, as far as is known. */
enum op_perf_state {
	OP_PERF_UNKNOWN,
	OP_PERF_GONE,
	OP_PERF_RUNNING,
	OP_PERF_UNSCHEDULED,
	OP_PERF_SLEEPING,
	OP_PERF_UNINTERRUPTIBLE,
	OP_PERF_BLOCKED,
};

struct op_perf_thread {
	uint64_t life;		 /* of the host's row; another: begin anew */
	uint32_t set;		 /* of attributes */
	uint64_t thread_version; /* that the set is of; 0: there is none */
	uint64_t process_version;
	/* The last set of it with a CPU and cgroup. */
	uint32_t more_set;
	uint32_t cpu;
	uint64_t cgroup;
	enum op_perf_state state;
	uint64_t since;
	uint32_t *frames; /* where it left its CPU */
	uint32_t nr_frames, cap_frames;
};

/* By the id of the host's row. */
struct op_perf_threads {
	struct op_perf_thread *p;
	size_t n, cap;
};

struct op_perf;

/* That of a thread of the host; NULL without memory. */
struct op_perf_thread *op_perf_thread(struct op_perf *f, uint32_t thread);

#endif
