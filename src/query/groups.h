// SPDX-License-Identifier: Apache-2.0
/* query/groups.h: samples by the labels that they have in common. */
#ifndef OP_QUERY_GROUPS_H
#define OP_QUERY_GROUPS_H

#include "base/text_table.h"
#include "query/group_by.h"

/* Group g has the texts[g * nr_labels] and so on, one per label. */
struct op_groups {
	const struct op_model *m;
	struct op_group_by by;
	struct op_arena mem;
	struct op_text_table texts;
	struct op_id_vec members;
	struct op_intern index;
	struct op_id_vec of_text; /* of one label: the group of a text */
	uint32_t nr;
	/* Per label: texts by set and by link, once they were asked for, and
	 * that of the profile at hand. */
	uint32_t *of_set[OP_MAX_LABELS];
	uint32_t *of_link[OP_MAX_LABELS];
	uint32_t outer[OP_MAX_LABELS];
	struct op_buf scratch;
};

/* g is all zero; on failure it is to be freed too. Without labels there is one
 * group, 0. */
int op_groups_init(struct op_groups *g, const struct op_model *m,
		   const struct op_group_by *by, struct op_err *err);
void op_groups_free(struct op_groups *g);

/* The samples asked about from now on are of this profile. */
void op_groups_profile(struct op_groups *g, const struct op_walk *at,
		       struct op_err *err);

/* The group of a sample. */
uint32_t op_groups_sample(struct op_groups *g, const struct op_profile *p,
			  uint32_t i, struct op_err *err);

/* The text of label k of a group: "(no thread)" if it has none. */
op_inline struct op_view op_group_text(const struct op_groups *g,
				       uint32_t group, uint32_t k)
{
	return op_text(&g->texts,
		       g->members.p[(size_t)group * g->by.nr_labels + k]);
}

#endif
