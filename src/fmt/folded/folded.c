// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/folded.c: folded (collapsed) stacks, a line of text each. */
#include "fmt/folded/folded_int.h"
#include "pb/json_extract.h"

static bool is_text(struct op_view line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] < ' ' && line.p[i] != '\t')
			return false;
	return true;
}

/* The first lines must be text. Half of them must be stacks, or two thirds if
 * the first is none; without a semicolon anywhere, all of them. No stack begins
 * with a tab. */
static int sniff_lines(struct op_view in)
{
	enum { ENOUGH = 16 };
	uint32_t nr = 0, good = 0;
	struct op_folded_line l;
	bool is_deep = false, first_is_good = false;
	struct op_view line;
	size_t next = 0;

	while (nr < ENOUGH && op_folded_next(in, &next, &line)) {
		/* Before its bytes are looked at: JSON may be one long line. */
		if (!nr && op_json_begins(line))
			return 0;
		if (!is_text(line))
			return 0;
		if (op_folded_skips(line))
			continue;
		nr++;
		if (line.p[0] != '\t' && op_folded_looks(line, &l)) {
			good++;
			is_deep |= l.stack.n &&
				   memchr(l.stack.p, ';', l.stack.n);
			first_is_good |= nr == 1;
		}
	}
	if (is_deep && first_is_good)
		return good * 2 >= nr ? 60 : 0;
	if (is_deep)
		return good * 3 >= nr * 2 ? 40 : 0;
	return good && good == nr ? 30 : 0;
}

static int folded_sniff(struct op_view in)
{
	struct op_view first;
	size_t next = 0;

	in = op_view_first(in, OP_SNIFF_TEXT);
	if (op_folded_next(in, &next, &first) && op_folded_is_head(first))
		return 95;
	return sniff_lines(in);
}

static const struct op_format_opt opts[] = {
	{ "as", "TYPE/UNIT", "type of the counts; default: samples/count",
	  false },
	{ "annotate", "yes|no", "with attributes, links and times; default: no",
	  true },
	{ "threads", NULL, "show the thread as the root of each stack", true },
	{ "lines", NULL, "append line numbers to names", true },
	{ "simple", NULL, "Java names without packages", true },
	{ "norm", NULL, "one name for all hidden Java classes of a kind",
	  true },
	{ 0 },
};

const struct op_format op_format_folded = {
	.name = "folded",
	.summary = "folded stacks, text: a;b;c 12",
	.endings = { ".folded", ".collapsed" },
	.opts = opts,
	.copies = true,
	.sniff = folded_sniff,
	.read = op_folded_read,
	.write = op_folded_write,
	.shows_names = true,
};
