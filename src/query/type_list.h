// SPDX-License-Identifier: Apache-2.0
/* query/type_list.h: the types of profiles that a model has, as a reader can
 * choose among them. */
#ifndef OP_QUERY_TYPE_LIST_H
#define OP_QUERY_TYPE_LIST_H

#include "base/buf.h"
#include "model/model.h"

struct op_type_row {
	const struct op_profile *like; /* the first that has it */
	int64_t total;
	uint64_t nr_observations;
	bool is_timed;	    /* every observation is one event */
	bool is_one_period; /* all profiles have the same, if any */
	uint32_t nr_profiles;
};

enum { OP_MAX_TYPES = 64 };

struct op_type_list {
	struct op_type_row rows[OP_MAX_TYPES];
	uint32_t nr;
	bool more; /* than are listed */
};

/* Types are told apart by op_same_type(). */
void op_type_list(struct op_type_list *l, const struct op_model *m);

/* The row of a profile; NULL: it is not listed. */
const struct op_type_row *op_type_row(const struct op_type_list *l,
				      const struct op_model *m,
				      const struct op_profile *p);

/* Makes out the shortest text that selects only the type of a row, if there is
 * one (op_type_selected()): its type, the event, type/unit, type/unit/event or
 * type/unit/event/period. */
void op_type_selector(const struct op_type_list *l, const struct op_model *m,
		      const struct op_type_row *row, struct op_buf *out);

/* Whether the same state or counter may be there more than once, at several
 * times or in several profiles: of these the last counts, so equal samples are
 * to be merged (model/merge.h) before anything is added up. */
bool op_states_repeat(const struct op_model *m);

/* How many samples the profiler took for the profiles of a row: its total if it
 * counts them, else its observations if each has a time, else the total of the
 * row that counts them, else by the period of CPU time. 0: unknown. */
uint64_t op_type_samples(const struct op_type_list *l, const struct op_model *m,
			 const struct op_type_row *row);

#endif
