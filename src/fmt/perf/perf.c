// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/perf.c: the format: recordings of Linux perf. */
#include "fmt/format.h"
#include "fmt/perf/header.h"
#include "fmt/perf/info.h"
#include "fmt/perf/read.h"

static int perf_sniff(struct op_view in)
{
	return op_perf_has_magic(in) ? 100 : 0;
}

static const struct op_format_opt perf_opts[] = {
	{ "event", "NAME,...", "keep these events", false },
	{ "thread", "TEXT", "keep threads whose name contains TEXT", false },
	{ "state", "STATE,...", "keep threads in these states", false },
	{ "recover", NULL, "read the intact parts of a damaged recording",
	  false },
	{ 0 },
};

const struct op_format op_format_perf = {
	.name = "perf",
	.summary = "recordings of Linux perf",
	.endings = { ".data" },
	.copies = true,
	.payload_format = "linux_perf",
	.opts = perf_opts,
	.sniff = perf_sniff,
	.read = op_perf_read,
	.info = op_perf_info,
};
