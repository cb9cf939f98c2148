// SPDX-License-Identifier: Apache-2.0
/* query/group_by.c: reads the argument of --by. */
#include "query/group_by.h"

static unsigned int frame_part(enum op_label_kind kind)
{
	switch (kind) {
	case OP_LABEL_FUNCTION:
		return OP_FRAME_FUNCTION;
	case OP_LABEL_LINE:
		return OP_FRAME_FUNCTION | OP_FRAME_FILE | OP_FRAME_LINE;
	case OP_LABEL_FILE:
		return OP_FRAME_FILE;
	default:
		return OP_FRAME_MODULE;
	}
}

int op_group_by_parse(struct op_group_by *g, const char *text,
		      struct op_err *err)
{
	*g = (struct op_group_by){ .frame = text ? 0 : OP_FRAME_FUNCTION };
	while (text) {
		size_t n = strcspn(text, ",");
		struct op_label l = op_label_named(op_view(text, n));

		if (!n)
			return op_fail(err, OP_EUSAGE,
				       "--by expects labels, as in "
				       "'thread,function'");
		if (op_label_is_frame(l))
			g->frame |= frame_part(l.kind);
		else if (g->nr_labels == OP_MAX_LABELS)
			return op_fail(err, OP_EUSAGE,
				       "--by takes at most %d labels of "
				       "samples",
				       OP_MAX_LABELS);
		else
			g->labels[g->nr_labels++] = l;
		text = text[n] ? text + n + 1 : NULL;
	}
	return OP_OK;
}

int op_group_by_check(const struct op_group_by *g, const struct op_model *m,
		      struct op_err *err)
{
	for (uint32_t i = 0; i < g->nr_labels; i++) {
		struct op_view name = op_view_first(g->labels[i].name, 60);
		struct op_closest closest;

		/* No stack that ended early is an answer too. */
		if (g->labels[i].kind == OP_LABEL_QUALITY ||
		    op_label_exists(m, g->labels[i], &closest))
			continue;
		return op_fail(err, OP_EUSAGE,
			       "no sample has the label '%.*s'%s%.*s%s",
			       (int)name.n, (const char *)name.p,
			       closest.best.n ? " (did you mean '" : "",
			       (int)closest.best.n,
			       (const char *)closest.best.p,
			       closest.best.n ? "'?)" : "");
	}
	return OP_OK;
}

const char *op_frame_parts_name(unsigned int parts)
{
	if (parts & OP_FRAME_LINE)
		return "line";
	if (parts & OP_FRAME_FUNCTION)
		return "function";
	return parts & OP_FRAME_FILE ? "file" : "module";
}
