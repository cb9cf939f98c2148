// SPDX-License-Identifier: Apache-2.0
/* query/flame_json.c: writes flame trees as lists of numbers. */
#include "query/flame_json.h"

#include "query/flame_walk.h"

struct writing {
	struct op_flame_json *x;
	const struct op_flame *f;
	struct op_err *err;
	const int64_t *weights;
	double least;
	uint64_t least_weight;
	bool cuts;
	uint32_t depth; /* of the last node written */
	uint32_t nr;
	/* What is written behind the nodes. */
	struct op_buf buf;
	struct op_json inlined;
	uint32_t last_inlined;
};

/* --- nodes --- */

static bool is_cut(const struct writing *t, uint32_t node)
{
	return (double)t->weights[node] < t->least ||
	       (uint64_t)t->weights[node] < t->least_weight;
}

static uint32_t frame_of(struct op_flame_json *x, uint32_t name)
{
	if (!x->frame_of[name]) {
		(void)op_vec_push(&x->mem, &x->name_of, name);
		x->frame_of[name] = (uint32_t)x->name_of.n;
	}
	return x->frame_of[name];
}

static void node_put(struct writing *t, uint32_t depth, uint32_t frame,
		     int64_t self)
{
	op_json_uint(t->x->w, t->depth + 1 - depth);
	op_json_uint(t->x->w, frame);
	op_json_int(t->x->w, self);
	t->depth = depth;
	t->nr++;
}

static void inlined_put(struct writing *t, int64_t value)
{
	if (!value)
		return;
	op_json_uint(&t->inlined, t->nr - t->last_inlined);
	op_json_int(&t->inlined, value);
	t->last_inlined = t->nr;
}

/* Of the node that was written last, which stands for this one. */
static void number_put(struct writing *t, uint32_t node)
{
	if (t->x->number)
		t->x->number[node] = t->nr;
}

/* Children that are too small become one, which stands first. */
static void cut_put(struct writing *t, uint32_t parent, uint32_t depth)
{
	const struct op_flame_node *all = t->f->nodes.p;
	uint32_t c = all[parent].first_child;
	int64_t sum = 0;

	for (; c != OP_NO_NODE; c = all[c].next) {
		if (!is_cut(t, c))
			continue;
		sum = op_add_sat(sum, all[c].total);
		t->x->cut = op_add_sat(t->x->cut, t->weights[c]);
	}
	if (!sum)
		return;
	node_put(t, depth, 0, sum);
	for (c = all[parent].first_child; c != OP_NO_NODE; c = all[c].next)
		if (is_cut(t, c))
			number_put(t, c);
}

static void nodes_put(struct writing *t)
{
	const struct op_flame *f = t->f;
	uint32_t node = 0, depth = 0, nr_kept = 0;
	bool skip = false;

	if (t->cuts)
		cut_put(t, 0, 1);
	while (!t->err->code &&
	       (node = op_flame_next(f, node, skip, &depth)) != OP_NO_NODE) {
		const struct op_flame_node *row = &f->nodes.p[node];

		skip = is_cut(t, node);
		if (skip)
			continue;
		nr_kept++;
		node_put(t, depth, frame_of(t->x, row->name), row->self);
		number_put(t, node);
		inlined_put(t, row->inlined);
		if (t->cuts)
			cut_put(t, node, depth + 1);
	}
	t->x->nr_nodes += t->nr;
	t->x->nr_cut += f->nodes.n - 1 - nr_kept;
}

static void tree_put(struct writing *t)
{
	struct op_json *w = t->x->w;

	t->inlined.out = &t->buf;
	op_json_open(&t->inlined, '[');
	op_json_key(w, "nodes");
	op_json_open(w, '[');
	nodes_put(t);
	op_json_close(w, ']');
	op_json_close(&t->inlined, ']');
	op_json_key(w, "inlined");
	if (op_json_room(w, t->buf.n))
		op_buf_view(w->out, op_view(t->buf.p, t->buf.n));
	w->comma = true;
	op_buf_free(&t->buf);
}

int op_flame_json_tree(struct op_flame_json *x, struct op_flame *f,
		       struct op_err *err)
{
	struct writing t = { .x = x, .f = f, .err = err, .buf.err = err };
	size_t n = f->nodes.n;

	op_arena_tells(&x->mem, err);
	if (!x->frame_of)
		x->frame_of = op_new(&x->mem, uint32_t, f->names.n);
	t.weights = op_flame_weights(f, err);
	if (!x->frame_of || !t.weights)
		return err->code;
	t.least = (double)t.weights[0] * x->least;
	if (x->limit)
		t.least_weight = op_flame_least(t.weights, n, x->limit);
	t.cuts = t.least > 0 || t.least_weight;
	tree_put(&t);
	return err->code;
}

/* --- frames --- */

static void string(struct op_flame_json *x, struct op_view v,
		   struct op_err *err)
{
	op_json_uint(x->w, op_text_put(&x->strings, v, err));
}

static void frame_put(struct op_flame_json *x, struct op_view name,
		      const struct op_frame_origin *o, struct op_err *err)
{
	string(x, name, err);
	string(x, o->type, err);
	string(x, o->module, err);
	string(x, o->file, err);
}

int op_flame_json_frames(struct op_flame_json *x, const struct op_flame *f,
			 struct op_err *err)
{
	static const struct op_frame_origin none;
	struct op_frame_origin cut = { .type = op_view_z("cut") };

	op_json_key(x->w, "frames");
	op_json_open(x->w, '[');
	frame_put(x, op_view_z("(smaller frames)"), &cut, err);
	for (size_t i = 0; i < x->name_of.n && !err->code; i++) {
		uint32_t name = x->name_of.p[i];

		frame_put(x, f->names.p[name].text,
			  f->origin.n ? &f->origin.p[name] : &none, err);
	}
	op_json_close(x->w, ']');
	op_json_key(x->w, "strings");
	op_json_open(x->w, '[');
	for (size_t i = 0; i < x->strings.list.n && !err->code; i++)
		op_json_string(x->w, x->strings.list.p[i]);
	op_json_close(x->w, ']');
	return err->code;
}

void op_flame_json_free(struct op_flame_json *x)
{
	op_text_table_free(&x->strings);
	op_arena_free(&x->mem);
	*x = (struct op_flame_json){ 0 };
}
