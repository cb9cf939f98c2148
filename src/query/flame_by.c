// SPDX-License-Identifier: Apache-2.0
/* query/flame_by.c: the flame tree of all profiles of one type, by any part of
 * frames and below labels of samples. */
#include "query/flame_int.h"

struct by {
	struct op_flame_build b;
	uint32_t no_stack;    /* its name */
	uint32_t first_label; /* name of the first text of groups */
};

static void names_push(struct by *x, const struct op_text_table *texts)
{
	struct op_flame *f = x->b.f;

	for (size_t i = 0; i < texts->list.n && !x->b.err->code; i++) {
		struct op_flame_name n = { .text = texts->list.p[i] };

		(void)op_vec_push(&f->mem, &f->names, n);
	}
}

static void label_origins(struct by *x)
{
	const struct op_groups *g = &x->b.f->groups;
	uint32_t n = g->by.nr_labels;

	for (size_t i = 0; i < (size_t)g->nr * n; i++) {
		uint32_t name = x->first_label + g->members.p[i];

		x->b.f->origin.p[name].type = g->by.labels[i % n].name;
	}
}

static int origins_find(struct by *x)
{
	struct op_flame *f = x->b.f;
	uint32_t nr = x->b.m->dict.nr[OP_LOCATIONS];
	struct op_frame_origin *of_frames = op_frame_origins(
		&f->frame_names, x->b.m, f->groups.by.frame, &f->mem);

	f->inlined = op_new(&f->mem, bool, nr);
	if (!of_frames || !f->inlined ||
	    !op_vec_reserve(&f->mem, &f->origin, f->names.n))
		return x->b.err->code;
	memset(f->origin.p, 0, f->names.n * sizeof(*f->origin.p));
	memcpy(f->origin.p, of_frames, x->first_label * sizeof(*of_frames));
	f->origin.n = f->names.n;
	for (uint32_t i = 0; i < nr; i++)
		f->inlined[i] = op_flame_is_inlined(&x->b, i);
	label_origins(x);
	return OP_OK;
}

/* Names of frames, then those of labels. */
static int names_begin(struct by *x, const struct op_group_by *by)
{
	struct op_flame *f = x->b.f;
	struct op_frame_names *n = &f->frame_names;

	if (op_frame_names_init(n, x->b.m, by->frame, x->b.err))
		return x->b.err->code;
	x->no_stack = op_text_put(&n->texts, op_view_z("(no stack)"), x->b.err);
	names_push(x, &n->texts);
	x->first_label = (uint32_t)f->names.n;
	names_push(x, &f->groups.texts);
	f->line_name = n->line_name;
	f->location_name = n->location_name;
	f->name_seen = op_new(&f->mem, uint32_t, f->names.n);
	return f->origins && !x->b.err->code ? origins_find(x) : x->b.err->code;
}

/* A frame of a location, of which all but the last are inlined. */
static uint32_t frame_add(struct by *x, uint32_t node, uint32_t location,
			  uint32_t k, int64_t value)
{
	struct op_flame *f = x->b.f;
	bool last = k + 1 == op_frame_count(&x->b.m->dict.locations[location]);
	int64_t *sum;

	node = op_flame_frame(
		&x->b, node,
		op_frame_name(&f->frame_names, x->b.m, location, k), value);
	if (f->inlined && (!last || f->inlined[location])) {
		sum = &f->nodes.p[node].inlined;
		*sum = op_add_sat(*sum, value);
	}
	return node;
}

static uint32_t labels_add(struct by *x, const struct op_stack_sum *s)
{
	const struct op_groups *g = &x->b.f->groups;
	uint32_t n = g->by.nr_labels, node = 0;
	const uint32_t *texts = g->members.p + (size_t)s->group * n;

	for (uint32_t k = 0; k < n; k++)
		node = op_flame_frame(&x->b, node, x->first_label + texts[k],
				      s->value);
	return node;
}

/* From the root to the leaf. */
static uint32_t down(struct by *x, uint32_t node, struct op_ids locs,
		     int64_t value)
{
	const struct op_location *all = x->b.m->dict.locations;

	for (uint32_t i = locs.n; i--;) {
		uint32_t n = op_frame_count(&all[locs.p[i]]);

		if (!op_flame_steps(&x->b, n))
			break;
		while (n--)
			node = frame_add(x, node, locs.p[i], n, value);
	}
	return node;
}

/* From the leaf to the root; gives the node of the leaf. */
static uint32_t up(struct by *x, uint32_t node, struct op_ids locs,
		   int64_t value)
{
	const struct op_location *all = x->b.m->dict.locations;
	uint32_t leaf = 0;

	for (uint32_t i = 0; i < locs.n; i++) {
		uint32_t n = op_frame_count(&all[locs.p[i]]);

		if (!op_flame_steps(&x->b, n))
			break;
		for (uint32_t k = 0; k < n; k++) {
			node = frame_add(x, node, locs.p[i], k, value);
			if (!i && !k)
				leaf = node;
		}
	}
	return leaf;
}

static void stack_add(struct by *x, const struct op_stack_sum *s, bool frames)
{
	struct op_ids locs = op_list(&x->b.m->dict.stacks, s->stack);
	struct op_flame *f = x->b.f;
	uint32_t node;

	f->nr_stacks++;
	node = labels_add(x, s);
	if (frames && !locs.n)
		node = op_flame_frame(&x->b, node, x->no_stack, s->value);
	else if (frames)
		node = (f->inverted ? up : down)(x, node, locs, s->value);
	op_flame_self(&x->b, node, s->value);
	f->total = op_add_sat(f->total, s->value);
}

int op_flame_build_by(struct op_flame *f, const struct op_model *m,
		      const struct op_profile *like,
		      const struct op_group_by *by, struct op_err *err)
{
	struct by x = { .b = { .f = f, .m = m, .err = err } };

	op_arena_tells(&f->mem, err);
	op_arena_tells(&f->tree_mem, err);
	if (op_groups_init(&f->groups, m, by, err) ||
	    op_stack_sums(&f->sums, m, like, &f->groups, err) ||
	    names_begin(&x, by) || op_flame_begin(&x.b))
		return err->code;
	for (size_t i = 0; i < f->sums.list.n && !err->code; i++)
		stack_add(&x, &f->sums.list.p[i], by->frame);
	return op_flame_finish(&x.b);
}

int op_flame_build_stacks(struct op_flame *f, const struct op_model *m,
			  struct op_flame_stack *list, size_t n,
			  struct op_err *err)
{
	struct op_group_by by = { .frame = OP_FRAME_FUNCTION };
	struct by x = { .b = { .f = f, .m = m, .err = err } };

	op_arena_tells(&f->mem, err);
	op_arena_tells(&f->tree_mem, err);
	if (op_groups_init(&f->groups, m, &by, err) || names_begin(&x, &by) ||
	    op_flame_begin(&x.b))
		return err->code;
	for (size_t i = 0; i < n && !err->code; i++) {
		struct op_ids locs = op_list(&m->dict.stacks, list[i].stack);

		f->nr_stacks++;
		list[i].node = down(&x, 0, locs, list[i].value);
		if (list[i].node)
			op_flame_self(&x.b, list[i].node, list[i].value);
		else
			f->nodes.p[0].self = op_add_sat(f->nodes.p[0].self,
							list[i].value);
		f->total = op_add_sat(f->total, list[i].value);
	}
	return op_flame_finish(&x.b);
}
