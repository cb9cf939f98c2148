// SPDX-License-Identifier: Apache-2.0
/* fmt/simpleperf/simpleperf.c: reports of simpleperf, Android's profiler. */
#include "fmt/simpleperf/simpleperf_int.h"

static int simpleperf_sniff(struct op_view in)
{
	size_t n = sizeof(OP_SIMPLEPERF_MAGIC) - 1;

	return in.n >= n && !memcmp(in.p, OP_SIMPLEPERF_MAGIC, n) ? 100 : 0;
}

/* Counts up to where it can be read. */
static int simpleperf_info(struct op_view in, op_info_fn *fn, void *ctx,
			   struct op_err *err)
{
	static const char *const names[OP_SIMPLEPERF_NR_KINDS] = {
		[OP_SIMPLEPERF_OTHER] = "other records",
		[OP_SIMPLEPERF_SAMPLE] = "Sample",
		[OP_SIMPLEPERF_LOST] = "LostSituation",
		[OP_SIMPLEPERF_FILE] = "File",
		[OP_SIMPLEPERF_THREAD] = "Thread",
		[OP_SIMPLEPERF_META] = "MetaInfo",
		[OP_SIMPLEPERF_SWITCH] = "ContextSwitch",
	};
	uint64_t nr[OP_SIMPLEPERF_NR_KINDS] = { 0 };
	uint64_t bytes[OP_SIMPLEPERF_NR_KINDS] = { 0 };
	struct op_simpleperf_record rec;
	struct op_err ignored = { 0 };
	size_t at = op_simpleperf_start(in, err);

	while (!err->code && op_simpleperf_next(in, &at, &rec, &ignored)) {
		nr[rec.kind]++;
		bytes[rec.kind] += rec.size;
	}
	for (size_t i = 0; i < op_countof(names); i++)
		if (nr[i])
			fn(ctx, op_view_z(names[i]), nr[i], bytes[i]);
	return err->code;
}

static const struct op_format_opt simpleperf_opts[] = {
	{ "event", "NAME,...", "keep these events", false },
	{ "thread", "TEXT", "keep threads whose name contains TEXT", false },
	{ "recover", NULL, "read the intact parts of a damaged recording",
	  false },
	{ 0 },
};

const struct op_format op_format_simpleperf = {
	.name = "simpleperf",
	.summary = "recordings of simpleperf, Android's profiler",
	.endings = { ".trace" },
	.copies = true,
	.opts = simpleperf_opts,
	.sniff = simpleperf_sniff,
	.read = op_simpleperf_read,
	.info = simpleperf_info,
};
