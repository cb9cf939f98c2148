// SPDX-License-Identifier: Apache-2.0
/* cli/tree_view.c: prints a tree, largest branches first. Hidden nodes are
 * summed up in their place, so that the children of a node always add up. */
#include "tree_view.h"

#include <math.h>
#include <stdio.h>

#include "show.h"

/* Levels shown as spaces; deeper ones are shown as a number. */
enum { MAX_INDENT = 32 };

struct printing {
	struct answer *a;
	const struct tree_opts *o;
	const struct op_flame *f;
	int64_t whole;
	struct table *t; /* of text */
	struct op_buf name;
};

int tree_opts_parse(struct tree_opts *o, struct op_err *err)
{
	o->min_percent = 0.5;
	if (o->min_share &&
	    (!op_number_parse(op_view_z(o->min_share), &o->min_percent) ||
	     o->min_percent > 100))
		return op_fail(err, OP_EUSAGE,
			       "--min-share expects a percentage, not '%s'",
			       o->min_share);
	if (!o->depth)
		o->depth = UINT64_MAX;
	return OP_OK;
}

static bool is_shown(const struct printing *x, uint32_t node, uint64_t depth)
{
	double share = table_share(x->f->nodes.p[node].total, x->whole);

	return depth < x->o->depth && fabs(share) >= x->o->min_percent;
}

/* --- text --- */

static void put_name(struct printing *x, uint64_t depth, struct op_view name)
{
	uint32_t n = depth < MAX_INDENT ? (uint32_t)depth : MAX_INDENT;
	uint8_t *p;

	x->name.n = 0;
	p = op_buf_add(&x->name, n);
	if (p)
		memset(p, ' ', n);
	if (depth > MAX_INDENT)
		op_buf_printf(&x->name, "[%llu] ", (unsigned long long)depth);
	op_buf_view(&x->name, name);
	table_text(x->t, op_view(x->name.p, x->name.n));
}

static void text_node(struct printing *x, const struct op_flame_node *n,
		      uint64_t depth)
{
	table_value(x->t, n->total);
	table_percent(x->t, n->total, x->whole);
	table_value(x->t, n->self);
	put_name(x, depth, x->f->names.p[n->name].text);
}

struct rest {
	uint64_t nr;
	int64_t total;
};

static void text_rest(struct printing *x, const struct rest *r, uint64_t depth)
{
	char text[48];

	snprintf(text, sizeof(text), "... %llu %s", (unsigned long long)r->nr,
		 depth < x->o->depth ? "smaller" : "deeper");
	table_value(x->t, r->total);
	table_percent(x->t, r->total, x->whole);
	table_blank(x->t);
	put_name(x, depth, op_view_z(text));
}

/* --- JSON --- */

static void json_int(struct op_json *w, const char *key, int64_t v)
{
	op_json_key(w, key);
	op_json_int(w, v);
}

static void json_children(struct op_json *w)
{
	op_json_key(w, "children");
	op_json_open(w, '[');
}

static void json_node(struct printing *x, const struct op_flame_node *n)
{
	struct op_json *w = &x->a->w;

	op_json_open(w, '{');
	op_json_key(w, "name");
	op_json_string(w, x->f->names.p[n->name].text);
	json_int(w, "flat", n->self);
	json_int(w, "cum", n->total);
	json_children(w);
}

static void json_rest(struct printing *x, const struct rest *r)
{
	struct op_json *w = &x->a->w;

	op_json_key(w, "left_out");
	op_json_open(w, '{');
	json_int(w, "nodes", (int64_t)r->nr);
	json_int(w, "cum", r->total);
	op_json_close(w, '}');
}

/* --- both --- */

static void open(struct printing *x, uint32_t node, uint64_t depth)
{
	const struct op_flame_node *n = &x->f->nodes.p[node];

	if (!x->a->json)
		text_node(x, n, depth);
	else
		json_node(x, n);
}

/* A node has no more children that are shown; next is the first hidden one. */
static void close(struct printing *x, uint32_t next, uint64_t depth)
{
	struct rest r = { 0 };

	for (; next != OP_NO_NODE; next = x->f->nodes.p[next].next) {
		r.total = op_add_sat(r.total, x->f->nodes.p[next].total);
		r.nr++;
	}
	if (x->a->json) {
		op_json_close(&x->a->w, ']');
		if (r.nr)
			json_rest(x, &r);
		if (depth)
			op_json_close(&x->a->w, '}');
		if (x->a->out.n > 1 << 20)
			cli_flush(&x->a->out);
	} else if (r.nr) {
		text_rest(x, &r, depth);
	}
}

/* Without recursion, because stacks may be deep. */
static void walk(struct printing *x)
{
	const struct op_flame_node *nodes = x->f->nodes.p;
	uint32_t parent = 0, next = nodes[0].first_child;
	uint64_t depth = 0;

	while (!x->a->err->code) {
		if (next != OP_NO_NODE && is_shown(x, next, depth)) {
			open(x, next, depth++);
			parent = next;
			next = nodes[parent].first_child;
			continue;
		}
		close(x, next, depth);
		if (!parent)
			break;
		next = nodes[parent].next;
		parent = nodes[parent].parent;
		depth--;
	}
}

void tree_print(struct answer *a, const struct tree_opts *o,
		const struct op_flame *f, int64_t whole)
{
	struct table_column columns[] = {
		{ "cum", TABLE_VALUE, NULL },
		{ "cum%", TABLE_PERCENT, NULL },
		{ "flat", TABLE_VALUE, NULL },
		{ op_frame_parts_name(a->by.frame), TABLE_TEXT, NULL },
	};
	struct table t = answer_table(a, columns, op_countof(columns));
	struct printing x = { .a = a,
			      .o = o,
			      .f = f,
			      .whole = whole,
			      .t = &t,
			      .name.err = a->err };

	if (!a->by.frame)
		columns[3].name = "label";
	if (a->json) {
		json_children(&a->w);
		walk(&x);
	} else {
		table_begin(&t);
		walk(&x);
		table_end(&t);
	}
	op_buf_free(&x.name);
	table_free(&t);
}

void tree_show(struct answer *a, const struct tree_opts *o, int64_t whole)
{
	struct op_flame f = { .inverted = o->inverted, .by_size = true };

	if (!op_flame_build_by(&f, &a->m, a->like, &a->by, a->err))
		tree_print(a, o, &f, whole);
	op_flame_free(&f);
}
