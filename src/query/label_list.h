// SPDX-License-Identifier: Apache-2.0
/* query/label_list.h: the labels that samples have, for who chooses one. */
#ifndef OP_QUERY_LABEL_LIST_H
#define OP_QUERY_LABEL_LIST_H

#include "base/vec.h"
#include "model/label.h"

enum { OP_MAX_LABEL_KEYS = 64 };

struct op_label_row {
	struct op_view name; /* of the model, or constant */
	uint32_t nr_values;  /* of an attribute, rows of its table */
};

struct op_label_list {
	struct op_arena mem;
	OP_VEC(struct op_label_row) rows;
	bool more; /* than are listed */
};

/* The keys of attributes that samples have, but for those of built-in labels.
 * like: only samples of its type; NULL: all. l is all zero; on failure it is to
 * be freed too. The model must outlive it. */
int op_label_keys(struct op_label_list *l, const struct op_model *m,
		  const struct op_profile *like, struct op_err *err);

/* The same behind the built-in labels of samples that have a value. */
int op_label_list(struct op_label_list *l, const struct op_model *m,
		  const struct op_profile *like, struct op_err *err);

void op_label_list_free(struct op_label_list *l);

#endif
