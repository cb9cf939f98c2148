// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/chrome.c: the trace event format of Chromium, in JSON. */
#include "fmt/chrome/chrome_int.h"

/* The first event of a list has a phase. */
static int sniff_list(struct op_view v)
{
	struct op_err ignored = { 0 };
	struct op_json_in in = op_json_start(v, &ignored);
	struct op_view phase;
	struct op_view event;

	if (op_json_peek(&in) != '[')
		return 0;
	in.p++;
	op_json_peek(&in);
	event = op_view(in.p, (size_t)(in.end - in.p));
	return op_json_sniff_key(event, "ph", &phase) && phase.n &&
			       *phase.p == '"' ?
		       80 :
		       0;
}

static int chrome_sniff(struct op_view v)
{
	struct op_view value;

	if (op_json_sniff_key(v, "traceEvents", &value))
		return 90;
	return sniff_list(v);
}

const struct op_format op_format_chrome_trace = {
	.name = "chrome-trace",
	.summary = "trace events of Chromium and others, JSON",
	.endings = { ".trace.json", ".chrome.json" },
	.copies = true,
	.sniff = chrome_sniff,
	.read = op_chrome_read,
	.write = op_chrome_write,
};
