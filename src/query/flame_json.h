// SPDX-License-Identifier: Apache-2.0
/* query/flame_json.h: flame trees as JSON, as the page reads them.
 *
 *	nodes     for each node, parents first: how many levels it is up
 *	          from being a child of the one before, frame, self
 *	inlined   pairs for nodes with inlined calls: how far it is behind
 *	          the one before, value
 *	frames    for each frame: name, type, module, file, as strings
 *	strings   texts, each once
 *
 * Frame 0 stands for what was too small to be written. A total is the sum of
 * the selves below it, so that it need not be there.
 *
 *	struct op_flame_json x = { .w = &w, .limit = 200000 };
 *	op_flame_json_tree(&x, &flame, err);
 *	op_flame_json_frames(&x, &flame, err);
 *	op_flame_json_free(&x);
 *
 * These write members of an object that is open. Several trees of one model may
 * be written before their frames, which they share.
 */
#ifndef OP_QUERY_FLAME_JSON_H
#define OP_QUERY_FLAME_JSON_H

#include "pb/json_write.h"
#include "query/flame.h"

struct op_flame_json {
	/* Set by the caller: */
	struct op_json *w;
	double least;	/* share of all below which a node is cut */
	uint32_t limit; /* of nodes that stay, the largest; 0: none */

	/* Of all trees: nodes that were written and that were cut, and what the
	 * latter add up to, as op_flame_weights() counts. */
	uint64_t nr_nodes, nr_cut;
	int64_t cut;

	/* Of the tree that was written last, if set to an array of its nodes:
	 * the number of each as the page counts them, parents first; 0: it was
	 * cut below one that has a number. */
	uint32_t *number;

	struct op_arena mem;
	uint32_t *frame_of;	  /* per name of the tree; 0: none yet */
	struct op_id_vec name_of; /* per frame, but for frame 0 */
	struct op_text_table strings;
};

/* Writes nodes and inlined. The frames of a tree without origins have only a
 * name. */
int op_flame_json_tree(struct op_flame_json *x, struct op_flame *f,
		       struct op_err *err);

/* Writes frames and strings, of the tree that was written last. */
int op_flame_json_frames(struct op_flame_json *x, const struct op_flame *f,
			 struct op_err *err);

void op_flame_json_free(struct op_flame_json *x);

#endif
