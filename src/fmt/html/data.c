// SPDX-License-Identifier: Apache-2.0
/* fmt/html/data.c: profiles as JSON for ui/flame.
 *
 *	title     text
 *	first     the profile that is shown first
 *	profiles  type, unit, event, resource, total, time, ...: see below;
 *	          nodes, inlined: see query/flame_json.h
 *	frames, strings   the same for all
 *	times     observations one by one: see times.c
 */
#include "fmt/html/html_int.h"
#include "fmt/html/times.h"
#include "model/any_text.h"
#include "model/semconv.h"
#include "query/default_profile.h"
#include "query/flame_json.h"

enum { BUFFER = 64 * 1024 };

struct data {
	struct op_json json; /* first, see spill() */
	struct op_buf buf;
	struct op_sink *sink;
	struct op_err *err;
	const struct op_model *m;
	struct op_flame flame;
	struct op_flame_json trees;
	struct op_html_times times;
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
		text(d, "period_type", op_string(d->m, p->period_type.type));
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
	struct op_flame *f = &d->flame;

	if (op_flame_build(f, d->m, w->profile, d->err))
		return;
	op_arena_tells(&f->tree_mem, d->err);
	if (f->leaves)
		d->trees.number = op_new(&f->tree_mem, uint32_t, f->nodes.n);
	op_json_open(&d->json, '{');
	head(d, w);
	facts(d, w);
	op_flame_json_tree(&d->trees, f, d->err);
	if (f->leaves && !d->err->code)
		op_html_times_profile(&d->times, &d->json, w, f,
				      d->trees.number);
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

static void all_put(struct data *d, const struct op_page_opts *opts)
{
	op_json_open(&d->json, '{');
	text(d, "title", op_graph_title(d->m, &opts->graph));
	profiles(d);
	op_flame_json_frames(&d->trees, &d->flame, d->err);
	if (opts->has_times && !d->err->code)
		op_html_times_put(&d->times, &d->json);
	op_json_close(&d->json, '}');
	spill(&d->json);
}

int op_html_data(const struct op_model *m, const struct op_page_opts *opts,
		 struct op_sink *out, uint64_t *nr_nodes, struct op_err *err)
{
	struct data d = { .buf.err = err,
			  .sink = out,
			  .err = err,
			  .m = m,
			  .flame = { .origins = true,
				     .threads = opts->graph.threads } };

	d.json = (struct op_json){ .out = &d.buf, .spill = spill };
	d.trees = (struct op_flame_json){ .w = &d.json,
					  .least = opts->graph.least };
	op_buf_reserve(&d.buf, BUFFER);
	d.flame.leaves = opts->has_times;
	if (!opts->has_times || !op_html_times_init(&d.times, m, err))
		all_put(&d, opts);
	*nr_nodes = d.trees.nr_nodes;
	op_buf_free(&d.buf);
	op_flame_free(&d.flame);
	op_flame_json_free(&d.trees);
	op_html_times_free(&d.times);
	return err->code;
}
