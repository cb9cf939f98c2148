// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/sample.h: the fields of a sample. */
#ifndef OP_FMT_PERF_SAMPLE_H
#define OP_FMT_PERF_SAMPLE_H

#include "base/view.h"
#include "fmt/perf/event.h"
#include "fmt/perf/record.h"

struct op_perf_sample {
	uint64_t id, ip, time, period, cgroup;
	uint32_t pid, tid, cpu;
	uint32_t process, thread; /* rows of the host; set by who reads it */
	unsigned int mode;
	bool has_cpu, has_cgroup;
	const uint8_t *chain;
	uint64_t nr_chain;
	struct op_view raw;
	uint64_t abi;	      /* of the registers; 0: none */
	const uint8_t *regs;  /* those of regs_user */
	struct op_view stack; /* the user's, as far as it was copied */
};

struct op_perf;

/* False, with an error, if a field is cut off. */
bool op_perf_sample_read(struct op_perf *f, const struct op_perf_record *r,
			 const struct op_perf_event *e,
			 struct op_perf_sample *s);

#endif
