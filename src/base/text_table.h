// SPDX-License-Identifier: Apache-2.0
/* base/text_table.h: texts that are there once each, by number. */
#ifndef OP_BASE_TEXT_TABLE_H
#define OP_BASE_TEXT_TABLE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"

/* All zero is an empty table. */
struct op_text_table {
	struct op_arena mem;
	OP_VEC(struct op_view) list;
	struct op_intern index;
};

/* The number of a text, which must live as long as the table. */
uint32_t op_text_put(struct op_text_table *t, struct op_view text,
		     struct op_err *err);

/* The same for a text that is copied if it is new. */
uint32_t op_text_copy(struct op_text_table *t, struct op_view text,
		      struct op_err *err);

/* The number of a text that is there, or OP_NO_ID. */
uint32_t op_text_find(const struct op_text_table *t, struct op_view text);

op_inline struct op_view op_text(const struct op_text_table *t, uint32_t id)
{
	return t->list.p[id];
}

void op_text_table_free(struct op_text_table *t);

#endif
