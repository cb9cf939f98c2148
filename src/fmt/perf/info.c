// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/info.c: how many records of which type, and samples of which event,
 * a recording holds. */
#include "fmt/perf/info.h"

#include <stdlib.h>

#include "fmt/perf/event.h"
#include "fmt/perf/header.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/walk.h"

static const char *const names[OP_PERF_NR_TYPES] = {
	[0] = "other records",
	[1] = "MMAP",
	[2] = "LOST",
	[3] = "COMM",
	[4] = "EXIT",
	[5] = "THROTTLE",
	[6] = "UNTHROTTLE",
	[7] = "FORK",
	[8] = "READ",
	[9] = "SAMPLE",
	[10] = "MMAP2",
	[11] = "AUX",
	[12] = "ITRACE_START",
	[13] = "LOST_SAMPLES",
	[14] = "SWITCH",
	[15] = "SWITCH_CPU_WIDE",
	[16] = "NAMESPACES",
	[17] = "KSYMBOL",
	[18] = "BPF_EVENT",
	[19] = "CGROUP",
	[20] = "TEXT_POKE",
	[21] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[64] = "HEADER_ATTR",
	[65] = "HEADER_EVENT_TYPE",
	[66] = "HEADER_TRACING_DATA",
	[67] = "HEADER_BUILD_ID",
	[68] = "FINISHED_ROUND",
	[69] = "ID_INDEX",
	[70] = "AUXTRACE_INFO",
	[71] = "AUXTRACE",
	[72] = "AUXTRACE_ERROR",
	[73] = "THREAD_MAP",
	[74] = "CPU_MAP",
	[75] = "STAT_CONFIG",
	[76] = "STAT",
	[77] = "STAT_ROUND",
	[78] = "EVENT_UPDATE",
	[79] = "TIME_CONV",
	[80] = "HEADER_FEATURE",
	[81] = "COMPRESSED",
	[82] = "FINISHED_INIT",
	[83] = "COMPRESSED2",
	[84] = "BPF_METADATA",
};

struct count {
	struct op_view name;
	uint64_t nr, bytes;
};

struct counts {
	OP_VEC(struct count) rows;
};

static void add(struct op_perf *f, struct counts *all, struct op_view name,
		uint64_t nr, uint64_t bytes)
{
	struct count row = { name, nr, bytes };

	if (nr)
		(void)op_vec_push(&f->mem, &all->rows, row);
}

static int count_cmp(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return op_view_cmp(x->name, y->name);
}

static void count_all(struct op_perf *f, struct counts *all)
{
	size_t nr_events;

	for (size_t i = 0; i < f->events.rows.n && !f->err->code; i++)
		add(f, all, f->events.rows.p[i].name,
		    f->events.rows.p[i].nr_records,
		    f->events.rows.p[i].nr_bytes);
	nr_events = all->rows.n;
	for (size_t i = 0; i < OP_PERF_NR_TYPES && !f->err->code; i++)
		add(f, all, op_view_z(names[i] ? names[i] : names[0]),
		    f->counts.nr[i], f->counts.bytes[i]);
	if (f->err->code || !all->rows.n)
		return;
	qsort(all->rows.p, nr_events, sizeof(struct count), count_cmp);
	qsort(all->rows.p + nr_events, all->rows.n - nr_events,
	      sizeof(struct count), count_cmp);
}

int op_perf_info(struct op_view in, op_info_fn *fn, void *ctx,
		 struct op_err *err)
{
	struct op_perf f = { .counts.is_on = true };
	struct counts all = { 0 };

	op_perf_init(&f, in, err);
	if (!op_perf_header_read(&f)) {
		op_perf_events_end(&f);
		if (!op_perf_walk(&f))
			count_all(&f, &all);
	}
	for (size_t i = 0; i < all.rows.n && !err->code; i++)
		fn(ctx, all.rows.p[i].name, all.rows.p[i].nr,
		   all.rows.p[i].bytes);
	op_perf_fini(&f);
	return err->code;
}
