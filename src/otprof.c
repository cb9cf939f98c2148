// SPDX-License-Identifier: Apache-2.0
/* src/otprof.c: what all calls of include/otprof.h share: objects, errors, and
 * structs that begin with their size. */
#include <stdio.h>
#include <string.h>

#include "otprof_int.h"

const char *otprof_version(void)
{
	return OTPROF_VERSION;
}

struct otprof_str otprof_str(const char *s)
{
	return s ? otprof_str_of(op_view_z(s)) : (struct otprof_str){ 0 };
}

/* --- errors --- */

int otprof_give_(struct otprof_err *out, const struct op_err *err)
{
	char why[96] = "", at[40] = "";
	char text[64];

	if (!err->code || out->code)
		return out->code ? out->code : err->code;
	out->code = err->code;
	out->sys = err->sys;
	out->has_at = err->has_at;
	out->at = err->at;
	if (err->sys)
		snprintf(why, sizeof(why), ": %s",
			 strerror_r(err->sys, text, sizeof(text)));
	if (err->has_at)
		snprintf(at, sizeof(at), " (at byte %llu)",
			 (unsigned long long)err->at);
	snprintf(out->text, sizeof(out->text), "%s%s%s", err->text, why, at);
	return out->code;
}

/* --- calls --- */

void otprof_enter_(struct otprof_call *c, const struct op_budget *like)
{
	c->budget = (struct op_budget){ .times = 1 };
	if (like) {
		c->budget.input = like->input;
		c->budget.times = like->times;
	}
	c->before = op_budget_use(&c->budget);
}

int otprof_leave_(struct otprof_call *c, struct otprof **out,
		  struct otprof_err *to, const struct op_err *err)
{
	if (out && !err->code)
		(*out)->budget = c->budget;
	op_budget_use(c->before);
	return otprof_give_(to, err);
}

int otprof_finish_(struct otprof_call *c, struct op_model *m,
		   struct otprof **out, struct otprof_err *to,
		   struct op_err *err)
{
	if (err->code)
		op_model_free(m);
	else
		otprof_wrap_(m, out, err);
	return otprof_leave_(c, out, to, err);
}

/* --- objects --- */

/* Fills p from a model, listing the profiles in its arena. */
static int list(struct op_model *m, struct otprof *p, struct op_err *err)
{
	struct op_walk w = { 0 };
	size_t n = 0;

	op_arena_tells(&m->mem, err);
	/* A host gets times as an array. */
	if (op_model_align_times(m, err))
		return err->code;
	while (op_walk_next(m, &w))
		n++;
	*p = (struct otprof){ .profiles = op_new(&m->mem, struct op_walk, n) };
	if (!p->profiles)
		return err->code;
	w = (struct op_walk){ 0 };
	while (op_walk_next(m, &w))
		p->profiles[p->nr_profiles++] = w;
	p->m = *m;
	p->m.mem.err = NULL;
	return OP_OK;
}

int otprof_wrap_(struct op_model *m, struct otprof **out, struct op_err *err)
{
	struct otprof *p = op_heap_resize(NULL, sizeof(*p), err);

	if (!p || list(m, p, err)) {
		op_model_free(m);
		op_heap_free(p);
		return err->code;
	}
	*out = p;
	return OP_OK;
}

void otprof_free(struct otprof *p)
{
	if (!p)
		return;
	op_model_free(&p->m);
	op_heap_free(p);
}

/* --- structs that begin with their size --- */

static int size_check(size_t sz, struct op_err *err)
{
	if (sz < sizeof(sz))
		return op_fail(err, OP_EUSAGE,
			       "the sz of a struct is not set: use "
			       "OTPROF_INIT()");
	return OP_OK;
}

int otprof_struct_get_(void *to, const void *from, size_t n, struct op_err *err)
{
	const uint8_t *p = from;
	size_t sz = n;

	memset(to, 0, n);
	*(size_t *)to = n;
	if (!from)
		return OP_OK;
	memcpy(&sz, from, sizeof(sz));
	if (size_check(sz, err))
		return err->code;
	for (size_t i = n; i < sz; i++)
		if (p[i])
			return op_fail(err, OP_EUSAGE,
				       "byte %zu of a struct is set, of which "
				       "this version knows %zu bytes",
				       i, n);
	memcpy(to, from, sz < n ? sz : n);
	*(size_t *)to = n;
	return OP_OK;
}

int otprof_struct_put_(void *out, const void *full, size_t n,
		       struct op_err *err)
{
	size_t sz;

	memcpy(&sz, out, sizeof(sz));
	if (size_check(sz, err))
		return err->code;
	memcpy(out, full, sz < n ? sz : n);
	if (sz > n)
		memset((uint8_t *)out + n, 0, sz - n);
	memcpy(out, &sz, sizeof(sz));
	return OP_OK;
}
