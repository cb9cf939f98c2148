// SPDX-License-Identifier: Apache-2.0
/* cli/flame_view.h: the views of `otprof flame`. */
#ifndef OP_CLI_FLAME_VIEW_H
#define OP_CLI_FLAME_VIEW_H

#include "answer.h"
#include "query/flame_layout.h"

struct flame_opts {
	uint64_t width; /* columns of text; 0: of the terminal */
	bool inverted;
	bool plain;
};

/* What a frame is called. */
op_inline struct op_view flame_name(const struct op_flame *f, uint32_t node)
{
	return node ? f->names.p[f->nodes.p[node].name].text : op_view_z("all");
}

/* Appends the name of a frame in exactly so many columns. */
void flame_label(struct op_buf *out, const struct answer *a,
		 struct op_view name, uint32_t columns);

/* The same between brackets, which need no colours. */
void flame_cell(struct op_buf *out, const struct answer *a, struct op_view name,
		uint32_t columns);

/* Appends how many frames have no cell, and what share of the whole. */
void flame_hidden(struct op_buf *out, const struct op_flame_hidden *h,
		  const char *what, int64_t whole);

/* Whether the environment says that the terminal is one of UTF-8. */
bool flame_is_utf8(void);

/* Prints the graph as text. */
void flame_print(struct answer *a, const struct flame_opts *o);

/* Shows it on the terminal, until the user quits. */
void flame_explore(struct answer *a, const struct flame_opts *o);

#endif
