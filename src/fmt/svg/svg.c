// SPDX-License-Identifier: Apache-2.0
/* fmt/svg/svg.c: a flame graph as a picture that can be searched and zoomed. */
#include "fmt/svg/svg_int.h"

static const struct op_format_opt opts[] = {
	{ "title", "TEXT", "title above the graph", true },
	{ "min-width", "PERCENT",
	  "omit frames with less than this share of the total", true },
	{ "threads", NULL, "show the thread as the root of each stack", true },
	{ 0 },
};

const struct op_format op_format_svg = {
	.name = "svg",
	.summary = "flame graph of one profile",
	.endings = { ".svg" },
	.opts = opts,
	.write = op_svg_write,
	.shows_names = true,
};
