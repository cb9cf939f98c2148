// SPDX-License-Identifier: Apache-2.0
/* fmt/name_list.h: names in a sentence: "cycles, page-faults, ...". */
#ifndef OP_FMT_NAME_LIST_H
#define OP_FMT_NAME_LIST_H

#include "base/view.h"

/* Begins as zero; text has a NUL at its end. */
struct op_name_list {
	char text[120];
	size_t n;
	bool is_full;
};

/* Adds a name, and a word about it in parentheses; NULL: none. Names that do
 * not fit become "...". Bytes that are not printable become '?'. */
void op_name_list_add(struct op_name_list *l, struct op_view name,
		      const char *about);

/* The list, or "none". */
const char *op_name_list_text(const struct op_name_list *l);

#endif
