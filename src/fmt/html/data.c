// SPDX-License-Identifier: Apache-2.0
/* fmt/html/data.c: profiles as JSON for ui/flame.
 *
 *	title     text
 *	first     the profile that is shown first
 *	profiles  type, unit, event, resource, total, time, ...: see below
 *	  nodes     for each node, parents first: how many levels it is up
 *	            from being a child of the one before, frame, self
 *	  inlined   pairs for nodes with inlined calls: how far it is behind
 *	            the one before, value
 *	frames    for each frame: name, type, module, file, as strings
 *	strings   texts, each once
 *
 * Frame 0 stands for what was too small to be written. A total is the sum of
 * the selves below it, so that it need not be there. */
#include "base/hash.h"
#include "fmt/html/html_int.h"
#include "model/any_text.h"
#include "query/default_profile.h"
#include "model/semconv.h"

enum { BUFFER = 64 * 1024 };

struct data {
	struct op_json json; /* first, see spill() */
	struct op_buf buf;
	struct op_sink *sink;
	struct op_err *err;
	const struct op_model *m;
	const struct op_graph_opts *opts;
	struct op_flame flame;
	struct op_arena mem;
	uint32_t *frame_of;	  /* per name of the flame graph; 0: none yet */
	OP_VEC(uint32_t) name_of; /* per frame, but for frame 0 */
	struct op_intern index;
	OP_VEC(struct op_view) strings;
	uint64_t nr_nodes;
};

/* A script element ends at the first "</script", and "<!--" has a meaning in
 * it too. In JSON a < can only be in a string, where it may be written so. */
static void spill(struct op_json *json)
{
	struct data *d = (struct data *)json;
	const uint8_t *p = d->buf.p, *end = p + d->buf.n, *found;

	while (p < end && !d->err->code) {
		found = memchr(p, '<', (size_t)(end - p));
		if (!found)
			found = end;
		if (found > p)
			d->sink->write(d->sink, op_view(p, (size_t)(found - p)),
				       d->err);
		if (found < end && !d->err->code)
			d->sink->write(d->sink, op_view("\\u003c", 6), d->err);
		p = found + 1;
	}
	d->buf.n = 0;
}

static void text(struct data *d, const char *key, struct op_view v)
{
	op_json_key(&d->json, key);
	op_json_string(&d->json, v);
}

static void integer(struct data *d, const char *key, int64_t v)
{
	op_json_key(&d->json, key);
	op_json_int(&d->json, v);
}

/* --- nodes --- */

struct nodes {
	struct data *d;
	uint32_t depth; /* of the last one written */
	uint32_t nr;
	/* What is written behind them. */
	struct op_buf buf;
	struct op_json inlined;
	uint32_t last_inlined;
};

static uint32_t frame_of(struct data *d, uint32_t name)
{
	if (!d->frame_of[name]) {
		(void)op_vec_push(&d->mem, &d->name_of, name);
		d->frame_of[name] = (uint32_t)d->name_of.n;
	}
	return d->frame_of[name];
}

static void node_put(struct nodes *n, uint32_t depth, uint32_t frame,
		     int64_t self)
{
	op_json_uint(&n->d->json, n->depth + 1 - depth);
	op_json_uint(&n->d->json, frame);
	op_json_int(&n->d->json, self);
	n->depth = depth;
	n->nr++;
}

static void inlined_put(struct nodes *n, int64_t value)
{
	if (!value)
		return;
	op_json_uint(&n->inlined, n->nr - n->last_inlined);
	op_json_int(&n->inlined, value);
	n->last_inlined = n->nr;
}

/* Children that are too small become one, which stands first. */
static void cut_put(struct nodes *n, uint32_t parent, uint32_t depth,
		    const int64_t *weights, double least)
{
	const struct op_flame_node *all = n->d->flame.nodes.p;
	uint32_t c = all[parent].first_child;
	int64_t sum = 0;

	for (; c != OP_NO_NODE; c = all[c].next)
		if ((double)weights[c] < least)
			sum = op_add_sat(sum, all[c].total);
	if (sum)
		node_put(n, depth, 0, sum);
}

static void nodes_put(struct nodes *n)
{
	struct data *d = n->d;
	struct op_flame *f = &d->flame;
	int64_t *weights = op_graph_weights(f, d->err);
	uint32_t node = 0, depth = 0;
	double least;
	bool skip = false;

	if (!weights)
		return;
	least = (double)weights[0] * d->opts->least;
	if (least > 0)
		cut_put(n, 0, 1, weights, least);
	while (!d->err->code &&
	       (node = op_graph_next(f, node, skip, &depth)) != OP_NO_NODE) {
		const struct op_flame_node *row = &f->nodes.p[node];

		skip = (double)weights[node] < least;
		if (skip)
			continue;
		node_put(n, depth, frame_of(d, row->name), row->self);
		inlined_put(n, row->inlined);
		if (least > 0)
			cut_put(n, node, depth + 1, weights, least);
	}
}

static void tree(struct data *d)
{
	struct nodes n = { .d = d, .buf.err = d->err };

	n.inlined.out = &n.buf;
	op_json_open(&n.inlined, '[');
	op_json_key(&d->json, "nodes");
	op_json_open(&d->json, '[');
	nodes_put(&n);
	op_json_close(&d->json, ']');
	op_json_close(&n.inlined, ']');
	op_json_key(&d->json, "inlined");
	if (op_json_room(&d->json, n.buf.n))
		op_buf_view(&d->buf, op_view(n.buf.p, n.buf.n));
	d->json.comma = true;
	op_buf_free(&n.buf);
	d->nr_nodes += n.nr;
}

/* --- profiles --- */

static void fact(struct data *d, struct op_view key, const struct op_any *v)
{
	struct op_buf value = { .err = d->err };

	op_any_plain(&value, d->m, v);
	op_json_open(&d->json, '[');
	op_json_string(&d->json, key);
	op_json_string(&d->json, op_view(value.p, value.n));
	op_json_close(&d->json, ']');
	op_buf_free(&value);
}

static void facts(struct data *d, const struct op_walk *w)
{
	const struct op_kvs *kvs = &w->resource->attrs;
	struct op_ids ids = op_list(&d->m->dict.sets, w->profile->attrs);

	op_json_key(&d->json, "facts");
	op_json_open(&d->json, '[');
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &d->m->dict.attrs[ids.p[i]];

		fact(d, op_string(d->m, a->key), &a->value);
	}
	for (uint32_t i = 0; i < kvs->n; i++)
		fact(d, op_kv_key(d->m, &kvs->p[i]), &kvs->p[i].value);
	op_json_close(&d->json, ']');
}

/* The name of a resource, where there are several. */
static struct op_view resource_name(const struct data *d,
				    const struct op_resource *r)
{
	for (uint32_t i = 0; d->m->nr_resources > 1 && i < r->attrs.n; i++) {
		struct op_view key = op_kv_key(d->m, &r->attrs.p[i]);

		if (op_view_is(key, "service.name") ||
		    op_view_is(key, "process.executable.name") ||
		    op_view_is(key, "thread.name"))
			return op_any_text(d->m, &r->attrs.p[i].value);
	}
	return (struct op_view){ 0 };
}

static bool is_diff(const struct data *d, const struct op_profile *p)
{
	const struct op_attr *a = op_set_find(d->m, p->attrs, OP_ATTR_DIFF);

	return a && a->value.kind == OP_ANY_BOOL && a->value.flag;
}

static void head(struct data *d, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	const struct op_attr *event = op_set_find(d->m, p->attrs,
						  OP_ATTR_EVENT);

	text(d, "type", op_string(d->m, p->sample_type.type));
	text(d, "unit", op_string(d->m, p->sample_type.unit));
	if (event)
		text(d, "event", op_any_text(d->m, &event->value));
	text(d, "resource", resource_name(d, w->resource));
	text(d, "scope", w->scope->name);
	if (p->period) {
		integer(d, "period", p->period);
		text(d, "period_unit", op_string(d->m, p->period_type.unit));
	}
	integer(d, "total", d->flame.total);
	integer(d, "self", d->flame.nodes.p[0].self);
	op_json_key(&d->json, "time");
	op_json_uint(&d->json, p->time_ns / 1000000);
	op_json_key(&d->json, "duration");
	op_json_uint(&d->json, p->duration_ns);
	op_json_key(&d->json, "diff");
	op_json_bool(&d->json, is_diff(d, p));
}

static void profile(struct data *d, const struct op_walk *w)
{
	if (op_flame_build(&d->flame, d->m, w->profile, d->err))
		return;
	if (!d->frame_of) {
		d->frame_of = op_new(&d->mem, uint32_t, d->flame.names.n);
		if (!d->frame_of)
			return;
	}
	op_json_open(&d->json, '{');
	head(d, w);
	facts(d, w);
	tree(d);
	op_json_close(&d->json, '}');
}

static void profiles(struct data *d)
{
	const struct op_profile *first = op_default_profile(d->m);
	struct op_walk w = { 0 };
	int64_t nr = 0, first_nr = 0;

	op_json_key(&d->json, "profiles");
	op_json_open(&d->json, '[');
	for (; !d->err->code && op_walk_next(d->m, &w); nr++) {
		if (w.profile == first)
			first_nr = nr;
		profile(d, &w);
	}
	op_json_close(&d->json, ']');
	integer(d, "first", first_nr);
}

/* --- frames --- */

static bool view_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *strings = table;

	return op_view_eq(strings[id], *(const struct op_view *)key);
}

static void string(struct data *d, struct op_view v)
{
	uint32_t hash = op_hash32(v.p, v.n);
	uint32_t id = op_intern_find(&d->index, hash, view_eq, d->strings.p,
				     &v);

	if (id == OP_NO_ID) {
		id = (uint32_t)d->strings.n;
		if (op_vec_push(&d->mem, &d->strings, v))
			op_intern_add(&d->index, &d->mem, hash, id);
	}
	op_json_uint(&d->json, id);
}

static void frames(struct data *d)
{
	struct op_view none = { 0 };

	op_json_key(&d->json, "frames");
	op_json_open(&d->json, '[');
	string(d, op_view_z("(smaller frames)"));
	string(d, op_view_z("cut"));
	string(d, none);
	string(d, none);
	for (size_t i = 0; i < d->name_of.n && !d->err->code; i++) {
		const struct op_flame_origin *o;

		o = &d->flame.origin.p[d->name_of.p[i]];
		string(d, d->flame.names.p[d->name_of.p[i]].text);
		string(d, o->type);
		string(d, o->module);
		string(d, o->file);
	}
	op_json_close(&d->json, ']');
	op_json_key(&d->json, "strings");
	op_json_open(&d->json, '[');
	for (size_t i = 0; i < d->strings.n && !d->err->code; i++)
		op_json_string(&d->json, d->strings.p[i]);
	op_json_close(&d->json, ']');
}

int op_html_data(const struct op_model *m, const struct op_graph_opts *opts,
		 struct op_sink *out, uint64_t *nr_nodes, struct op_err *err)
{
	struct data d = { .buf.err = err,
			  .sink = out,
			  .err = err,
			  .mem.err = err,
			  .m = m,
			  .opts = opts,
			  .flame = { .origins = true,
				     .threads = opts->threads } };

	d.json = (struct op_json){ .out = &d.buf, .spill = spill };
	op_buf_reserve(&d.buf, BUFFER);
	op_json_open(&d.json, '{');
	text(&d, "title", op_graph_title(m, opts));
	profiles(&d);
	frames(&d);
	op_json_close(&d.json, '}');
	spill(&d.json);
	*nr_nodes = d.nr_nodes;
	op_buf_free(&d.buf);
	op_flame_free(&d.flame);
	op_arena_free(&d.mem);
	return err->code;
}
