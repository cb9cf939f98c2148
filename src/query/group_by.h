// SPDX-License-Identifier: Apache-2.0
/* query/group_by.h: the labels that a view has one row for each of.
 *
 *	--by function            the default
 *	--by line|file|module    other parts of frames
 *	--by thread,function     the functions of each thread
 *	--by service,http.route  labels of samples (model/label.h), no frames
 */
#ifndef OP_QUERY_GROUP_BY_H
#define OP_QUERY_GROUP_BY_H

#include "model/label.h"

enum { OP_MAX_LABELS = 8 };

/* What of a frame counts. */
enum {
	OP_FRAME_FUNCTION = 1,
	OP_FRAME_LINE = 2, /* together with function and file */
	OP_FRAME_FILE = 4,
	OP_FRAME_MODULE = 8,
};

struct op_group_by {
	unsigned int frame; /* OP_FRAME_ flags; 0: only labels of samples */
	struct op_label labels[OP_MAX_LABELS]; /* of samples, as given */
	uint32_t nr_labels;
};

/* Reads a list with commas, which must live as long. OP_EUSAGE: it is empty,
 * or has too many. NULL is "function". */
int op_group_by_parse(struct op_group_by *g, const char *text,
		      struct op_err *err);

/* OP_EUSAGE: it names a label that the model does not have. */
int op_group_by_check(const struct op_group_by *g, const struct op_model *m,
		      struct op_err *err);

/* What a row with these parts of frames is about: "function", "line", ... */
const char *op_frame_parts_name(unsigned int parts);

#endif
