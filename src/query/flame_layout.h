// SPDX-License-Identifier: Apache-2.0
/* query/flame_layout.h: a flame graph on a grid of columns: where the frames
 * are, how to move between them, and which of them match a pattern.
 *
 * The root is the first row, and callees are below their callers. Only the node
 * that is zoomed to and its callers, which all have the full width, and what
 * the node calls have cells. Nothing here draws.
 */
#ifndef OP_QUERY_FLAME_LAYOUT_H
#define OP_QUERY_FLAME_LAYOUT_H

#include "query/flame.h"

#define OP_NO_CELL UINT32_MAX

struct op_flame_cell {
	uint32_t node;
	uint32_t row;
	uint32_t x, width; /* columns; at least one */
	double left, span; /* the same before rounding */
};

/* Frames without a cell, with all they call. */
struct op_flame_hidden {
	uint64_t nr;
	int64_t total;
};

struct op_flame_layout {
	/* Set before: */
	uint32_t width; /* columns of the whole */
	uint32_t root;	/* the node that is zoomed to */

	struct op_arena mem;
	OP_VEC(struct op_flame_cell) cells; /* by row, then from the left */
	struct op_id_vec rows;	       /* the first cell of each, and the end */
	struct op_flame_hidden narrow; /* less than a column */
	struct op_flame_hidden negative; /* a width cannot show them */
};

/* Places the cells; may be called again with other settings. */
int op_flame_layout(struct op_flame_layout *l, const struct op_flame *f,
		    struct op_err *err);
void op_flame_layout_free(struct op_flame_layout *l);

op_inline uint32_t op_flame_rows(const struct op_flame_layout *l)
{
	return l->rows.n ? (uint32_t)l->rows.n - 1 : 0;
}

/* The cell of a node; if it has none, that of its closest caller. */
uint32_t op_flame_cell_of(const struct op_flame_layout *l,
			  const struct op_flame *f, uint32_t node);

/* A name without the packages and classes before it, as few of them as must go
 * for it to take at most n bytes. */
struct op_view op_flame_short(struct op_view name, size_t n);

enum op_flame_move {
	OP_FLAME_LEFT, /* the neighbour in the row */
	OP_FLAME_RIGHT,
	OP_FLAME_CALLER,
	OP_FLAME_CALLEE, /* the largest */
};

/* The cell next to one; the same if there is none. */
uint32_t op_flame_move(const struct op_flame_layout *l,
		       const struct op_flame *f, uint32_t cell,
		       enum op_flame_move to);

/* Whether a node is another, or below it. */
bool op_flame_is_below(const struct op_flame *f, uint32_t node, uint32_t other);

/* Which names match a pattern. */
struct op_flame_search {
	struct op_arena mem;
	bool *hit;     /* per name; NULL: nothing was searched for */
	uint64_t nr;   /* frames that match */
	int64_t total; /* of what is in or below one of them */
};

/* Replaces the result of an earlier search, unless it fails. */
int op_flame_search(struct op_flame_search *s, const struct op_flame *f,
		    const char *pattern, struct op_err *err);
void op_flame_search_free(struct op_flame_search *s);

op_inline bool op_flame_is_hit(const struct op_flame_search *s,
			       const struct op_flame *f, uint32_t node)
{
	return node && s->hit && s->hit[f->nodes.p[node].name];
}

/* The next cell that matches, in the order of cells, around the end to the
 * first; or the one before. OP_NO_CELL: none does. */
uint32_t op_flame_next_hit(const struct op_flame_layout *l,
			   const struct op_flame *f,
			   const struct op_flame_search *s, uint32_t cell,
			   bool back);

#endif
