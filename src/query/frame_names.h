// SPDX-License-Identifier: Apache-2.0
/* query/frame_names.h: what each frame of a model is called.
 *
 * By function that is its name, else its name in the binary, else "[module]";
 * by line it is module and address if there is no name. Inlined calls are
 * frames of their own. */
#ifndef OP_QUERY_FRAME_NAMES_H
#define OP_QUERY_FRAME_NAMES_H

#include "base/text_table.h"
#include "query/group_by.h"

struct op_frame_names {
	struct op_text_table texts;
	uint32_t *line_name;	 /* per line of the dictionary */
	uint32_t *location_name; /* per location, of those without lines */
	bool *has_name;		 /* per text: not made of an address */
};

/* parts: OP_FRAME_ flags. n is all zero; on failure it is to be freed too. The
 * model must outlive it. */
int op_frame_names_init(struct op_frame_names *n, const struct op_model *m,
			unsigned int parts, struct op_err *err);
void op_frame_names_free(struct op_frame_names *n);

/* The frames of a location, the innermost first: k < the number of frames. */
op_inline uint32_t op_frame_count(const struct op_location *l)
{
	return l->nr_lines ? l->nr_lines : 1;
}

op_inline uint32_t op_frame_name(const struct op_frame_names *n,
				 const struct op_model *m, uint32_t location,
				 uint32_t k)
{
	const struct op_location *l = &m->dict.locations[location];

	return l->nr_lines ? n->line_name[l->first_line + k] :
			     n->location_name[location];
}

#endif
