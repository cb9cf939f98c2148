// SPDX-License-Identifier: Apache-2.0
/* src/otprof_view.h: what the views of include/otprof.h have in common: their
 * options, the choice of a type, and an arena that holds the result itself.
 *
 *	struct otprof_tree {
 *		struct otprof_view_ view;
 *		...
 *	};
 */
#ifndef OP_OTPROF_VIEW_H
#define OP_OTPROF_VIEW_H

#include "otprof_int.h"
#include "query/groups.h"

/* The first member of every result. */
struct otprof_view_ {
	struct op_arena mem; /* that holds the result too */
	const struct otprof_view_kind_ *kind;
	struct op_model joined; /* if the profiles had to be merged */
};

/* What is asked for. */
struct otprof_query_ {
	const struct otprof *p;
	const struct otprof_view_kind_ *kind;
	bool by_cum; /* of a top list */

	/* Set by otprof_view_new_(): */
	const struct op_model *m;
	struct otprof_view_opts o;
	struct op_group_by by; /* empty, if there is none and none is needed */
	const struct op_profile *like;
	struct otprof_str type, unit;
	struct op_err *err;
};

/* Which parts of by a view takes; by is "function" if it takes frames. */
enum { OTPROF_BY_FRAMES_ = 1, OTPROF_BY_LABELS_ = 2 };

struct otprof_view_kind_ {
	const char *name;
	size_t size; /* of the result */
	unsigned int by;
	int (*make)(struct otprof_view_ *v, const struct otprof_query_ *q);
	void (*fini)(struct otprof_view_ *v); /* also if make() failed */
};

/* Makes a result; NULL: it failed, and err says why. q has p and kind. */
struct otprof_view_ *otprof_view_new_(struct otprof_query_ *q,
				      const struct otprof_view_opts *opts,
				      struct otprof_err *err);
void otprof_view_free_(struct otprof_view_ *v);

/* The texts of all groups, by.nr_labels each; NULL: out of memory. */
struct otprof_str *otprof_labels_(struct op_arena *mem,
				  const struct op_groups *g);

/* The three functions of a view, whose members are view and info. */
#define OTPROF_VIEW_(name, kind_of)                                       \
	int otprof_##name##_new(const struct otprof *p,                   \
				const struct otprof_view_opts *opts,      \
				struct otprof_##name **out,               \
				struct otprof_err *err)                   \
	{                                                                 \
		struct otprof_query_ q = { .p = p, .kind = (kind_of) };   \
		struct otprof_view_ *v = otprof_view_new_(&q, opts, err); \
                                                                          \
		if (v)                                                    \
			*out = (struct otprof_##name *)v;                 \
		return err->code;                                         \
	}                                                                 \
                                                                          \
	int otprof_##name##_info(const struct otprof_##name *x,           \
				 struct otprof_##name##_info *out,        \
				 struct otprof_err *err)                  \
	{                                                                 \
		struct op_err mine = { 0 };                               \
                                                                          \
		otprof_fill_(out, &x->info, &mine);                       \
		return otprof_give_(err, &mine);                          \
	}                                                                 \
                                                                          \
	void otprof_##name##_free(struct otprof_##name *x)                \
	{                                                                 \
		otprof_view_free_(x ? &x->view : NULL);                   \
	}

#endif
