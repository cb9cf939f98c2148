// SPDX-License-Identifier: Apache-2.0
/* src/otprof_view.c: makes and frees the results of views. */
#include "otprof_view.h"

#include "model/merge.h"
#include "query/default_profile.h"
#include "query/type_list.h"

static int by_parse(struct otprof_query_ *q)
{
	bool frames = q->kind->by & OTPROF_BY_FRAMES_;
	bool labels = q->kind->by & OTPROF_BY_LABELS_;

	if (!q->o.by && !frames)
		return OP_OK;
	if (!frames && !labels)
		return op_fail(q->err, OP_EUSAGE, "%s cannot be grouped",
			       q->kind->name);
	if (op_group_by_parse(&q->by, q->o.by, q->err))
		return q->err->code;
	if (q->by.frame && !frames)
		return op_fail(q->err, OP_EUSAGE,
			       "%s are by labels of samples, not of frames",
			       q->kind->name);
	if (q->by.nr_labels && !labels)
		return op_fail(q->err, OP_EUSAGE,
			       "%s are by parts of frames, not by labels of "
			       "samples",
			       q->kind->name);
	return OP_OK;
}

static int like_choose(struct otprof_query_ *q)
{
	const struct op_model *m = q->m;
	const char *type = q->o.type;

	q->like = op_choose_profile(m, type);
	if (!q->like)
		return op_fail(q->err, OP_EFORMAT, "there is no profile%s%s",
			       type ? " of type " : "", type ? type : "");
	q->type = otprof_str_of(op_string(m, q->like->sample_type.type));
	q->unit = otprof_str_of(op_string(m, q->like->sample_type.unit));
	return OP_OK;
}

/* The result, in the arena that it has. */
static struct otprof_view_ *view_alloc(const struct otprof_query_ *q)
{
	struct op_arena mem = { .err = q->err };
	struct otprof_view_ *v = op_arena_alloc(&mem, q->kind->size);

	if (!v)
		return NULL;
	memset(v, 0, q->kind->size);
	v->mem = mem;
	v->kind = q->kind;
	return v;
}

/* Of states the last counts, which only equal samples in one place tell. */
static int model_choose(struct otprof_query_ *q, struct otprof_view_ *v)
{
	struct op_model *one[] = { (struct op_model *)&q->p->m };

	q->m = &q->p->m;
	if (!op_states_repeat(q->m) || op_merge(one, 1, &v->joined, q->err))
		return q->err->code;
	q->m = &v->joined;
	return OP_OK;
}

struct otprof_view_ *otprof_view_new_(struct otprof_query_ *q,
				      const struct otprof_view_opts *opts,
				      struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct otprof_view_ *v = NULL;
	struct otprof_call call;

	otprof_enter_(&call, &q->p->budget);
	q->err = &mine;
	if (!otprof_opts_(&q->o, opts, &mine))
		v = view_alloc(q);
	if (v && !model_choose(q, v) && !like_choose(q) && !by_parse(q) &&
	    !q->kind->make(v, q))
		v->mem.err = NULL; /* which it outlives */
	if (mine.code) {
		otprof_view_free_(v);
		v = NULL;
	}
	otprof_leave_(&call, NULL, err, &mine);
	return v;
}

void otprof_view_free_(struct otprof_view_ *v)
{
	struct op_arena mem;

	if (!v)
		return;
	v->kind->fini(v);
	op_model_free(&v->joined);
	mem = v->mem;
	op_arena_free(&mem);
}

struct otprof_str *otprof_labels_(struct op_arena *mem,
				  const struct op_groups *g)
{
	uint32_t n = g->by.nr_labels;
	struct otprof_str *all = op_new(mem, struct otprof_str,
					(size_t)g->nr * n);

	for (uint32_t i = 0; all && i < g->nr; i++)
		for (uint32_t k = 0; k < n; k++)
			all[(size_t)i * n + k] = otprof_str_of(
				op_group_text(g, i, k));
	return all;
}
