// SPDX-License-Identifier: Apache-2.0
/* model/frame_edit.c: makes a list of the frames of each stack, removes some
 * and makes a stack of the rest. */
#include "model/frame_edit.h"

#include "base/budget.h"
#include "model/select.h"

#define NO_LINE UINT32_MAX

enum { STEPS_A_FRAME = 16 };

struct frame {
	uint32_t at;   /* index in the stack of its location */
	uint32_t line; /* of the dictionary; NO_LINE: the location has none */
	bool out;
};

struct edit {
	struct op_import *im;
	const struct op_model *m;
	const struct op_frame_edit *e;
	struct op_frame_match hide, from;
	struct op_arena mem;
	OP_VEC(struct frame) frames; /* leaf first */
	struct op_id_vec stack;
	OP_VEC(struct op_line) lines;
	uint64_t steps;
	struct op_err *err;
};

static void list_frames(struct edit *x, struct op_ids locs)
{
	x->frames.n = 0;
	for (uint32_t i = 0; i < locs.n; i++) {
		const struct op_location *l = &x->m->dict.locations[locs.p[i]];
		uint32_t n = l->nr_lines ? l->nr_lines : 1;

		if (!op_steps(&x->steps, n * (uint64_t)STEPS_A_FRAME, x->err))
			return;
		if (!op_vec_reserve(&x->mem, &x->frames, n))
			return;
		for (uint32_t k = 0; k < n; k++)
			x->frames.p[x->frames.n++] = (struct frame){
				.at = i,
				.line = l->nr_lines ? l->first_line + k :
						      NO_LINE,
			};
	}
}

static bool matches(struct edit *x, struct op_frame_match *pattern,
		    struct op_ids locs, const struct frame *f)
{
	return op_frame_match_line(
		pattern, locs.p[f->at],
		f->line == NO_LINE ? NULL : &x->m->dict.lines[f->line], x->err);
}

/* The function of a frame, identified by name; 0: none. */
static uint32_t function_of(const struct edit *x, const struct frame *f)
{
	const struct op_dict *d = &x->m->dict;
	const struct op_function *fn;

	if (f->line == NO_LINE)
		return 0;
	fn = &d->functions[d->lines[f->line].function];
	return fn->name ? fn->name : fn->system_name;
}

static void strike(struct edit *x, struct op_ids locs)
{
	struct frame *f = x->frames.p;
	uint32_t called = 0;
	size_t from = x->frames.n;

	/* The matching frame nearest to the root is the last in the list. */
	for (; x->from.re && from && !matches(x, &x->from, locs, &f[from - 1]);
	     from--)
		f[from - 1].out = true;
	for (size_t i = 0; i < from; i++) {
		uint32_t name = function_of(x, &f[i]);

		if (x->hide.re && matches(x, &x->hide, locs, &f[i]))
			f[i].out = true;
		if (f[i].out)
			continue;
		if (x->e->collapse && name && name == called)
			f[i].out = true;
		called = name;
	}
}

/* A location with the remaining lines. */
static uint32_t location(struct edit *x, uint32_t id, const struct frame *f,
			 size_t n, uint32_t nr_left)
{
	struct op_location row = x->m->dict.locations[id];

	if (nr_left == n)
		return op_import_location(x->im, id);
	x->lines.n = 0;
	if (!op_vec_reserve(&x->mem, &x->lines, nr_left))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct op_line line;

		if (f[i].out)
			continue;
		line = x->m->dict.lines[f[i].line];
		line.function = op_import_function(x->im, line.function);
		x->lines.p[x->lines.n++] = line;
	}
	row.mapping = op_import_mapping(x->im, row.mapping);
	row.attrs = op_import_set(x->im, row.attrs);
	return op_build_location(x->im->to, &row, x->lines.p, nr_left);
}

static void stack_edit(struct edit *x, uint32_t id)
{
	struct op_ids locs = op_list(&x->m->dict.stacks, id);
	size_t n = 0;

	list_frames(x, locs);
	if (!x->err->code)
		strike(x, locs);
	x->stack.n = 0;
	for (size_t i = 0; i < x->frames.n && !x->err->code; i += n) {
		const struct frame *f = &x->frames.p[i];
		uint32_t left = 0;

		for (n = 0; i + n < x->frames.n && f[n].at == f->at; n++)
			left += !f[n].out;
		if (left)
			(void)op_vec_push(&x->mem, &x->stack,
					  location(x, locs.p[f->at], f, n,
						   left));
	}
	if (!x->err->code)
		x->im->map[OP_STACKS][id] = op_build_stack(
			x->im->to, x->stack.p, (uint32_t)x->stack.n);
}

int op_import_edited(struct op_import *im, const uint8_t *stacks,
		     const struct op_frame_edit *e, struct op_err *err)
{
	struct edit x = {
		.im = im, .m = im->from, .e = e, .mem.err = err, .err = err
	};

	if (!op_frame_match_init(&x.hide, x.m, e->hide, err) &&
	    !op_frame_match_init(&x.from, x.m, e->show_from, err))
		for (uint32_t i = 0; i < x.m->dict.stacks.nr && !err->code; i++)
			if (stacks[i])
				stack_edit(&x, i);
	op_frame_match_fini(&x.hide);
	op_frame_match_fini(&x.from);
	op_arena_free(&x.mem);
	return err->code;
}
