// SPDX-License-Identifier: Apache-2.0
/* cli/tree_view.h: prints a call tree without its small branches. */
#ifndef OP_CLI_TREE_VIEW_H
#define OP_CLI_TREE_VIEW_H

#include "answer.h"
#include "query/flame.h"

struct tree_opts {
	const char *min_share; /* in percent, as given; NULL: 0.5 */
	uint64_t depth;	       /* most levels; 0: all */
	bool inverted;
	double min_percent; /* by tree_opts_parse() */
};

/* The options that a command with a tree has. */
#define TREE_OPTS(o)                                                       \
	{ OP_OPT_FLAG,                                                     \
	  0,                                                               \
	  "inverted",                                                      \
	  NULL,                                                            \
	  "begin with the innermost functions; callers are below",         \
	  &(o).inverted },                                                 \
		{ OP_OPT_STRING,                                           \
		  0,                                                       \
		  "min-share",                                             \
		  "PERCENT",                                               \
		  "hide branches below this share; default: 0.5; 0: none", \
		  &(o).min_share },                                        \
	{                                                                  \
		OP_OPT_U64, 0, "depth", "N",                               \
			"show at most N levels; default: all", &(o).depth  \
	}

int tree_opts_parse(struct tree_opts *o, struct op_err *err);

/* Prints a tree, as text or as JSON; percentages are of whole. */
void tree_print(struct answer *a, const struct tree_opts *o,
		const struct op_flame *f, int64_t whole);

/* Builds the tree of the type that a has chosen, and prints it. */
void tree_show(struct answer *a, const struct tree_opts *o, int64_t whole);

#endif
