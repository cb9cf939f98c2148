// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/perf_script.c: the text that perf script prints. */
#include "fmt/perf_script/perf_script_int.h"

#include "fmt/perf_script/kind.h"

static const struct op_format_opt script_opts[] = {
	{ "event", "NAME,...", "keep these events", false },
	{ "thread", "TEXT", "keep threads whose name contains TEXT", false },
	{ 0 },
};

const struct op_format op_format_perf_script = {
	.name = "perf-script",
	.summary = "output of perf script, text",
	.endings = { ".perf" },
	.copies = true,
	.opts = script_opts,
	.sniff = op_script_sniff,
	.read = op_script_read,
};
