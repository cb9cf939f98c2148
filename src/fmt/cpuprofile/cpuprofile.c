// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/cpuprofile.c: files of V8's CPU profiler, as Node.js and
 * Chromium's tools write them. */
#include "fmt/cpuprofile/cpuprofile_int.h"

#include "pb/json_extract.h"

static bool holds(struct op_view v, const char *text)
{
	return memmem(v.p, v.n, text, strlen(text));
}

static int cpuprofile_sniff(struct op_view v)
{
	struct op_view nodes;

	if (op_json_sniff_key(v, "nodes", &nodes) && nodes.n && *nodes.p == '[')
		return holds(nodes, "\"callFrame\"") ? 90 : 20;
	if (!op_json_sniff_key(v, "head", &nodes) || !nodes.n ||
	    *nodes.p != '{' || !holds(nodes, "\"functionName\""))
		return 0;
	return holds(nodes, "\"hitCount\"") || holds(nodes, "\"selfTime\"") ?
		       90 :
		       0;
}

const struct op_format op_format_cpuprofile = {
	.name = "cpuprofile",
	.summary = "V8's CPU profiles, JSON: Node.js, Chromium's tools",
	.endings = { ".cpuprofile" },
	.copies = true,
	.sniff = cpuprofile_sniff,
	.read = op_cpuprofile_read,
	.write = op_cpuprofile_write,
};
