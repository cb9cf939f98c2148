// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "show.h"

bool show_selects(const struct show *s, const struct op_profile *p)
{
	struct op_view type = op_string(s->m, p->sample_type.type);
	struct op_view unit = op_string(s->m, p->sample_type.unit);
	const char *slash;

	if (!s->type || op_view_is(type, s->type))
		return true;
	slash = strchr(s->type, '/');
	return slash &&
	       op_view_eq(type, op_view(s->type, (size_t)(slash - s->type))) &&
	       op_view_is(unit, slash + 1);
}

static int show_file(struct show *s, struct op_err *err)
{
	struct op_input in;
	struct op_input about;
	struct op_model m = { 0 };

	if (cli_open(&in, s->file, &s->input, err))
		return err->code;
	about = in; /* sizes and names, which outlive the input itself */
	s->in = &about;
	s->m = &m;
	if (cli_read_open(&m, &in, s->file, &s->input, err))
		return err->code;
	if (s->raw)
		show_raw(s);
	else if (s->tree || s->top != UINT64_MAX)
		show_flame(s);
	else if (s->json)
		show_summary_json(s);
	else
		show_summary(s);
	if (!err->code)
		cli_flush(&s->out);
	op_model_free(&m);
	return err->code;
}

int cmd_show(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct show s = { .input.cmd = cmd->name,
			  .top = UINT64_MAX,
			  .err = err };
	const struct op_opt opts[] = {
		{ OP_OPT_U64, 0, "top", "N",
		  "the N functions with most self value, and their total",
		  &s.top },
		{ OP_OPT_FLAG, 0, "tree", NULL, "the tree of calls", &s.tree },
		{ OP_OPT_FLAG, 0, "raw", NULL, "every sample, one a line",
		  &s.raw },
		{ OP_OPT_FLAG, 0, "json", NULL,
		  "summary, --top or --tree as JSON", &s.json },
		{ OP_OPT_STRING, 0, "type", "TYPE",
		  "only profiles of this type, or type/unit", &s.type },
		{ OP_OPT_STRING, 'f', "input-format", "FORMAT",
		  "what the file is; default: told from its bytes",
		  &s.input.format },
		{ OP_OPT_SIZE, 0, "max-size", "BYTES",
		  "refuse files that unpack to more; default: 4G",
		  &s.input.max_bytes },
		{ 0 },
	};
	int first = op_opt_parse(cmd, opts, argc, argv, err);

	if (first < 0)
		return first;
	if (first + 1 != argc)
		return op_fail(err, OP_EUSAGE, "wants one FILE");
	if (!s.top)
		return op_fail(err, OP_EUSAGE, "--top wants at least 1");
	if ((s.top != UINT64_MAX) + s.tree + s.raw > 1)
		return op_fail(err, OP_EUSAGE,
			       "--top, --tree and --raw exclude each other");
	if (s.raw && s.json)
		return op_fail(err, OP_EUSAGE, "--raw has no JSON form");
	s.file = argv[first];
	s.out.err = err;
	show_file(&s, err);
	op_buf_free(&s.out);
	return err->code;
}
