// SPDX-License-Identifier: Apache-2.0
/* fmt/speedscope/speedscope.c: the file format of the viewer speedscope. */
#include "fmt/speedscope/speedscope_int.h"

#include "pb/json_extract.h"

static int speedscope_sniff(struct op_view v)
{
	static const char name[] = "\"https://www.speedscope.app/";
	struct op_view value;

	if (op_json_sniff_key(v, "$schema", &value) &&
	    value.n >= sizeof(name) - 1 &&
	    !memcmp(value.p, name, sizeof(name) - 1))
		return 95;
	if (op_json_sniff_key(v, "shared", &value) &&
	    op_json_sniff_key(value, "frames", &value))
		return 70;
	return 0;
}

const struct op_format op_format_speedscope = {
	.name = "speedscope",
	.summary = "speedscope's file format, JSON",
	.endings = { ".speedscope.json", ".speedscope" },
	.copies = true,
	.sniff = speedscope_sniff,
	.read = op_speedscope_read,
	.write = op_speedscope_write,
};
