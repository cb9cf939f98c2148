// SPDX-License-Identifier: Apache-2.0
/* src/otprof_int.h: between the files behind include/otprof.h. */
#ifndef OP_OTPROF_INT_H
#define OP_OTPROF_INT_H

#include "base/budget.h"
#include "fmt/input.h"
#include "model/model.h"
#include "otprof.h"

/* Never changes once it is made: any number of threads may use it. */
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

/* Hands over a model that was made within a call, or frees it if that failed,
 * and ends the call. */
int otprof_finish_(struct otprof_call *c, struct op_model *m,
		   struct otprof **out, struct otprof_err *to,
		   struct op_err *err);

/* Takes over the model, also on failure. */
int otprof_wrap_(struct op_model *m, struct otprof **out, struct op_err *err);

/* Copies an error of ours to the caller's, unless that holds one already. */
int otprof_give_(struct otprof_err *out, const struct op_err *err);

/* --- structs that begin with their size --- */

/* Copies a caller's options, which may be NULL, older or newer than ours, to
 * *to; what they do not have is zero. Fails if they say something that this
 * version does not know. */
#define otprof_opts_(to, from, err) \
	otprof_struct_get_(to, from, sizeof(*(to)), err)
int otprof_struct_get_(void *to, const void *from, size_t n,
		       struct op_err *err);

/* Copies a result to the caller's struct; what that has beyond ours is zero.
 * Fails if its size is not set. */
#define otprof_fill_(out, full, err) \
	otprof_struct_put_(out, full, sizeof(*(full)), err)
int otprof_struct_put_(void *out, const void *full, size_t n,
		       struct op_err *err);

/* --- reading --- */

/* How to open an input and what to tell its reader, as the caller wants it;
 * the budget of the call is set too. */
struct otprof_opening {
	struct op_input_opts in;
	struct op_read_opts read;
};

int otprof_opening_(struct otprof_opening *o,
		    const struct otprof_open_opts *opts, struct op_err *err);

/* --- strings --- */

op_inline struct otprof_str otprof_str_of(struct op_view v)
{
	return (struct otprof_str){ (const char *)v.p, v.n };
}

op_inline struct op_view otprof_view_of(struct otprof_str s)
{
	return op_view(s.p, s.n);
}

#endif
