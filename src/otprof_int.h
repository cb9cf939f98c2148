// SPDX-License-Identifier: Apache-2.0
/* src/otprof_int.h: between the files behind include/otprof.h. */
#ifndef OP_OTPROF_INT_H
#define OP_OTPROF_INT_H

#include "base/budget.h"
#include "model/model.h"
#include "otprof.h"

struct otprof {
	struct op_model m;
	struct op_walk *profiles; /* all, in order; in the model's arena */
	size_t nr_profiles;
	struct op_budget budget; /* for what is done with it; spent anew */
};

/* A call of the host, within a budget: its own threads may have others. */
struct otprof_call {
	struct op_budget budget;
	struct op_budget *before;
};

/* Begins a call that works on what like was made for; NULL: on nothing yet. */
void otprof_enter_(struct otprof_call *c, const struct op_budget *like);

/* Ends it, and copies an error of ours to the caller's, unless that holds one
 * already. *out, which may be NULL, has this budget from now on. */
int otprof_leave_(struct otprof_call *c, struct otprof **out,
		  struct otprof_err *to, const struct op_err *err);

/* Takes over the model, also on failure. */
int otprof_wrap_(struct op_model *m, struct otprof **out, struct op_err *err);

/* Fills out from a model, listing the profiles in its arena; on failure the
 * model stays the caller's. */
int otprof_list_(struct op_model *m, struct otprof *out, struct op_err *err);

/* Copies an error of ours to the caller's, unless that holds one already. */
int otprof_give_(struct otprof_err *out, const struct op_err *err);

op_inline struct otprof_str otprof_str_of(struct op_view v)
{
	return (struct otprof_str){ (const char *)v.p, v.n };
}

op_inline struct op_view otprof_view_of(struct otprof_str s)
{
	return op_view(s.p, s.n);
}

/* Whether the caller's struct has a field: it may be older than ours. */
#define otprof_has_(s, field) \
	((s)->sz >= offsetof(__typeof__(*(s)), field) + sizeof((s)->field))

#endif
