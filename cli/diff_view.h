// SPDX-License-Identifier: Apache-2.0
/* cli/diff_view.h: what changed by function or label, as a tree, or as callers
 * and callees. */
#ifndef OP_CLI_DIFF_VIEW_H
#define OP_CLI_DIFF_VIEW_H

#include "answer.h"
#include "tree_view.h"

struct diff_view {
	bool tree;
	struct tree_opts tree_opts;
	const char *peek; /* a pattern; NULL: none */
	bool normalize;
};

/* Whether an option asks for a view. */
bool diff_view_is_wanted(const struct diff_view *v, const struct answer *a);

int diff_view_usage(struct diff_view *v, const struct answer *a,
		    struct op_err *err);

/* Prints it: values are after less before, percentages of the total before. */
int diff_view_show(const struct diff_view *v, struct answer *a,
		   const struct op_model *before, const struct op_model *after);

#endif
