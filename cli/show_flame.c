// SPDX-License-Identifier: Apache-2.0
/* cli/show_flame.c: `show --top` and `show --tree`. */
#include <inttypes.h>
#include <stdio.h>

#include "query/flame.h"
#include "show.h"

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void heading(struct show *s, const struct op_walk *w, int64_t total)
{
	const struct op_profile *p = w->profile;

	op_buf_printf(&s->out, "profile %u.%u.%u: ", w->r, w->s, w->p);
	text_word(&s->out, op_string(s->m, p->sample_type.type));
	op_buf_byte(&s->out, '/');
	text_word(&s->out, op_string(s->m, p->sample_type.unit));
	op_buf_z(&s->out, ", total ");
	text_number(&s->out, total);
	op_buf_byte(&s->out, '\n');
}

static void head_json(struct show *s, struct op_json *j,
		      const struct op_walk *w, int64_t total)
{
	char id[40];

	snprintf(id, sizeof(id), "%u.%u.%u", w->r, w->s, w->p);
	op_json_open(j, '{');
	op_json_key(j, "profile");
	op_json_z(j, id);
	op_json_key(j, "type");
	op_json_string(j, op_string(s->m, w->profile->sample_type.type));
	op_json_key(j, "unit");
	op_json_string(j, op_string(s->m, w->profile->sample_type.unit));
	op_json_key(j, "total");
	op_json_int(j, total);
}

static void value_column(struct op_buf *out, int64_t v, int64_t total)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, v);
	op_buf_printf(out, "%14s %6s%%", digits,
		      op_fixed_text(percent(v, total), 2).s);
}

/* --- top --- */

static void top_text(struct show *s, const struct op_walk *w,
		     const struct op_flame *f, const uint32_t *ids, uint64_t n)
{
	heading(s, w, f->total);
	op_buf_printf(&s->out, "%14s %7s %14s %7s  %s\n", "self", "", "total",
		      "", "function");
	for (uint64_t i = 0; i < n; i++) {
		const struct op_flame_name *row = &f->names.p[ids[i]];

		value_column(&s->out, row->self, f->total);
		op_buf_byte(&s->out, ' ');
		value_column(&s->out, row->total, f->total);
		op_buf_z(&s->out, "  ");
		text_name(&s->out, row->text);
		op_buf_byte(&s->out, '\n');
	}
}

static void top_json(struct show *s, struct op_json *j, const struct op_walk *w,
		     const struct op_flame *f, const uint32_t *ids, uint64_t n)
{
	head_json(s, j, w, f->total);
	op_json_key(j, "functions");
	op_json_open(j, '[');
	for (uint64_t i = 0; i < n; i++) {
		const struct op_flame_name *row = &f->names.p[ids[i]];

		op_json_open(j, '{');
		op_json_key(j, "name");
		op_json_string(j, row->text);
		op_json_key(j, "self");
		op_json_int(j, row->self);
		op_json_key(j, "total");
		op_json_int(j, row->total);
		op_json_close(j, '}');
	}
	op_json_close(j, ']');
	op_json_close(j, '}');
}

static void top_one(struct show *s, struct op_json *j, const struct op_walk *w,
		    struct op_flame *f)
{
	uint32_t nr = 0;
	uint32_t *ids = op_flame_top(f, &nr, s->err);
	uint64_t n = nr < s->top ? nr : s->top;

	if (!ids)
		return;
	if (j)
		top_json(s, j, w, f, ids, n);
	else
		top_text(s, w, f, ids, n);
}

/* --- tree --- */

static void indent(struct op_buf *out, uint32_t depth)
{
	uint8_t *p = op_buf_add(out, depth);

	if (p)
		memset(p, ' ', depth);
}

/* Parents first, children in order; without recursion, because stacks may be
 * deep. */
static void tree_text(struct show *s, const struct op_walk *w,
		      struct op_flame *f)
{
	uint32_t node = f->nodes.p[0].first_child;
	uint32_t depth = 0;

	heading(s, w, f->total);
	while (node != OP_NO_NODE && !s->err->code) {
		const struct op_flame_node *n = &f->nodes.p[node];

		value_column(&s->out, n->total, f->total);
		op_buf_z(&s->out, "  ");
		indent(&s->out, depth);
		text_name(&s->out, f->names.p[n->name].text);
		op_buf_byte(&s->out, '\n');
		if (s->out.n > 1 << 20)
			cli_flush(&s->out);
		if (n->first_child != OP_NO_NODE) {
			node = n->first_child;
			depth++;
			continue;
		}
		while (node && f->nodes.p[node].next == OP_NO_NODE) {
			node = f->nodes.p[node].parent;
			depth--;
		}
		if (!node)
			break;
		node = f->nodes.p[node].next;
	}
}

static void node_json(struct op_json *j, const struct op_flame *f,
		      uint32_t node)
{
	const struct op_flame_node *n = &f->nodes.p[node];

	op_json_open(j, '{');
	op_json_key(j, "name");
	op_json_string(j, f->names.p[n->name].text);
	op_json_key(j, "self");
	op_json_int(j, n->self);
	op_json_key(j, "total");
	op_json_int(j, n->total);
	op_json_key(j, "children");
	op_json_open(j, '[');
}

static void node_json_end(struct op_json *j)
{
	op_json_close(j, ']');
	op_json_close(j, '}');
}

static void tree_json(struct show *s, struct op_json *j,
		      const struct op_walk *w, struct op_flame *f)
{
	uint32_t node = f->nodes.p[0].first_child;

	head_json(s, j, w, f->total);
	op_json_key(j, "children");
	op_json_open(j, '[');
	while (node != OP_NO_NODE && node && !s->err->code) {
		node_json(j, f, node);
		if (f->nodes.p[node].first_child != OP_NO_NODE) {
			node = f->nodes.p[node].first_child;
			continue;
		}
		node_json_end(j);
		while (node && f->nodes.p[node].next == OP_NO_NODE) {
			node = f->nodes.p[node].parent;
			if (node)
				node_json_end(j);
		}
		if (node)
			node = f->nodes.p[node].next;
	}
	op_json_close(j, ']');
	op_json_close(j, '}');
}

/* --- both --- */

void show_flame(struct show *s)
{
	struct op_json json = { .out = &s->out, .pretty = !s->tree };
	struct op_json *j = s->json ? &json : NULL;
	struct op_flame f = { .names_only = !s->tree };
	struct op_walk w = { 0 };

	if (j)
		op_json_open(j, '[');
	while (!s->err->code && op_walk_next(s->m, &w)) {
		if (!show_selects(s, w.profile) ||
		    op_flame_build(&f, s->m, w.profile, s->err))
			continue;
		if (!s->tree)
			top_one(s, j, &w, &f);
		else if (j)
			tree_json(s, j, &w, &f);
		else
			tree_text(s, &w, &f);
	}
	op_flame_free(&f);
	if (j) {
		op_json_close(j, ']');
		op_buf_byte(&s->out, '\n');
	}
}
