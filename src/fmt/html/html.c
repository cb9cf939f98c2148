// SPDX-License-Identifier: Apache-2.0
/* fmt/html/html.c: the profiles as a page, in one file. */
#include "fmt/html/html_int.h"

static const struct op_format_opt opts[] = {
	{ "title", "TEXT", "title above the graph", true },
	{ "min-width", "PERCENT",
	  "omit frames with less than this share of the total", true },
	{ "threads", NULL, "show the thread as the root of each stack", true },
	{ "times", "yes|no",
	  "the observations, for timeline and heat map; default: yes up to "
	  "1,000,000",
	  true },
	{ 0 },
};

const struct op_format op_format_html = {
	.name = "html",
	.summary = "flame graphs, timeline and heat map, one HTML file",
	.endings = { ".html", ".htm" },
	.opts = opts,
	.write = op_html_write,
	.shows_names = true,
};
