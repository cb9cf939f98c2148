// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/nested.c: call trees of V8 that are one node with all others
 * inside of it.
 *
 *	heap profiles        callFrame, selfSize, id, children
 *	older CPU profiles   functionName, url, lineNumber, hitCount or
 *	                     selfTime, id, children
 *
 * Trees are as deep as the text likes, so the open nodes are a list. A node
 * may say what it is behind its children: stacks are made in the end. */
#include "fmt/cpuprofile/v8.h"

/* A node whose closing bracket was not met yet. */
struct open {
	uint32_t row;
	bool first_member, first_child;
	bool in_children;
};

struct reader {
	struct op_v8 *v;
	struct op_json_in *in;
	OP_VEC(struct open) open;
};

static void node_open(struct reader *r, uint32_t parent)
{
	struct op_v8 *v = r->v;
	struct op_v8_nested node = { .parent = parent,
				     .frame = (uint32_t)v->frames.n };
	struct open o = { .row = (uint32_t)v->nested.n,
			  .first_member = true,
			  .first_child = true };

	op_json_peek(r->in);
	op_json_take(r->in, '{', "expected a node");
	if (!op_vec_push(v->tree.mem, &v->nested, node) ||
	    !op_vec_push(v->tree.mem, &v->frames, op_v8_no_frame) ||
	    !op_vec_push(v->tree.mem, &r->open, o))
		r->in->p = r->in->end;
}

static void self_take(struct reader *r, uint32_t row, enum op_v8_self what,
		      unsigned int digits)
{
	const uint8_t *at = (op_json_peek(r->in), r->in->p);
	int64_t n = op_json_extract_scaled(r->in, digits);

	if (n < 0)
		op_json_bad(r->in, at, "a negative number");
	r->v->nested.p[row].self[what] = n;
	r->v->has_self[what] = true;
}

static void line_take(struct reader *r, uint32_t row, int64_t *out)
{
	*out = op_json_extract_scaled(r->in, 0);
	r->v->nested.p[row].has_line = true;
}

static void member_take(struct reader *r, uint32_t row, struct op_json_text key)
{
	struct op_v8_frame *f = &r->v->frames.p[r->v->nested.p[row].frame];
	struct op_json_in *in = r->in;

	if (op_json_is(key, "id"))
		r->v->nested.p[row].id = op_json_extract_id(in);
	else if (op_json_is(key, "callFrame"))
		*f = op_v8_frame_take(r->v, in);
	else if (op_json_is(key, "functionName"))
		f->name = op_json_extract_text(in, r->v->tree.mem);
	else if (op_json_is(key, "url"))
		f->url = op_json_extract_text(in, r->v->tree.mem);
	else if (op_json_is(key, "scriptId"))
		f->script = op_json_extract_id(in);
	else if (op_json_is(key, "lineNumber"))
		line_take(r, row, &f->line);
	else if (op_json_is(key, "columnNumber"))
		line_take(r, row, &f->column);
	else if (op_json_is(key, "hitCount"))
		self_take(r, row, OP_V8_HITS, 0);
	else if (op_json_is(key, "selfTime"))
		self_take(r, row, OP_V8_TIME, 6);
	else if (op_json_is(key, "selfSize"))
		self_take(r, row, OP_V8_SIZE, 0);
	else
		op_json_skip(in);
}

/* One step: a child begins or the list of them ends, or a member. */
static void step(struct reader *r)
{
	struct open *o = &r->open.p[r->open.n - 1];
	struct op_json_text key;

	if (o->in_children) {
		if (op_json_more(r->in, ']', &o->first_child))
			node_open(r, o->row);
		else
			o->in_children = false;
		return;
	}
	if (!op_json_more(r->in, '}', &o->first_member)) {
		r->open.n--;
		return;
	}
	key = op_json_extract_key(r->in);
	if (op_json_is(key, "children")) {
		o->in_children = op_json_enter(r->in, '[');
		o->first_child = true;
	} else {
		member_take(r, o->row, key);
	}
}

void op_v8_nested_take(struct op_v8 *v, struct op_json_in *in)
{
	struct reader r = { .v = v, .in = in };

	v->has_nodes = true;
	node_open(&r, OP_NO_ID);
	while (r.open.n && !in->err->code)
		step(&r);
}

/* Lines of nodes without a callFrame count from 1 where the root has line 0,
 * for none; from 0 where it has -1. */
static void lines_from_0(struct op_v8 *v)
{
	const struct op_v8_nested *root = v->nested.p;

	if (!root->has_line || v->frames.p[root->frame].line < 0)
		return;
	for (size_t i = 0; i < v->nested.n; i++) {
		struct op_v8_frame *f = &v->frames.p[v->nested.p[i].frame];

		if (!v->nested.p[i].has_line)
			continue;
		f->line -= f->line >= 0;
		f->column -= f->column >= 0;
	}
}

void op_v8_nested_end(struct op_v8 *v)
{
	if (v->nested.n)
		lines_from_0(v);
	for (size_t i = 0; i < v->nested.n; i++) {
		struct op_v8_nested *n = &v->nested.p[i];
		uint32_t row;

		n->node = n->parent == OP_NO_ID ? 0 :
						  v->nested.p[n->parent].node;
		if (!op_view_is(v->frames.p[n->frame].name, OP_V8_ROOT))
			n->node = op_tree_child(&v->tree, n->node, n->frame);
		if (!n->id.n)
			continue;
		row = op_call_row(&v->calls, n->id);
		if (row == OP_NO_ID)
			return;
		v->calls.rows.p[row].node = n->node;
		v->calls.rows.p[row].is_defined = true;
	}
}
