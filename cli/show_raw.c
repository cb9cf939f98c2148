// SPDX-License-Identifier: Apache-2.0
/* cli/show_raw.c: `show --raw`, one sample per line, in seven columns separated
 * by tabs. The form is stable; docs/raw.md has its grammar. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

enum { FLUSH_AT = 1 << 20 };

struct item {
	struct op_view key;
	struct op_view text; /* of the value, with its unit */
};

static int item_cmp(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = op_view_cmp(x->key, y->key);

	return c ? c : op_view_cmp(x->text, y->text);
}

/* Buffers to collect and sort the values of a set. */
struct scratch {
	struct op_buf text;
	struct item *items;
	size_t cap;
};

/* The values of a set as text, one after the other, each with its key. Their
 * views are made when the text no longer moves. */
static void items_make(struct show *s, struct scratch *x, struct op_ids ids)
{
	const struct op_dict *d = &s->m->dict;
	size_t at = 0;

	x->text.n = 0;
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &d->attrs[ids.p[i]];

		text_any(&x->text, s->m, &a->value);
		if (a->unit) {
			op_buf_byte(&x->text, '\'');
			text_word(&x->text, op_string(s->m, a->unit));
			op_buf_byte(&x->text, '\'');
		}
		x->items[i].key = op_string(s->m, a->key);
		x->items[i].text.n = x->text.n - at;
		at = x->text.n;
	}
	at = 0;
	for (uint32_t i = 0; i < ids.n; i++) {
		x->items[i].text.p = x->text.p + at;
		at += x->items[i].text.n;
	}
	qsort(x->items, ids.n, sizeof(*x->items), item_cmp);
}

static void set_text(struct show *s, struct scratch *x, uint32_t set)
{
	struct op_ids ids = op_list(&s->m->dict.sets, set);

	if (ids.n > x->cap) {
		struct item *more = op_heap_resize(
			x->items, ids.n * sizeof(*more), s->err);

		if (!more)
			return;
		x->items = more;
		x->cap = ids.n;
	}
	items_make(s, x, ids);
	for (uint32_t i = 0; i < ids.n; i++) {
		if (i)
			op_buf_byte(&s->out, ' ');
		text_word(&s->out, x->items[i].key);
		op_buf_byte(&s->out, '=');
		op_buf_view(&s->out, x->items[i].text);
	}
}

static void braced_set(struct show *s, struct scratch *x, uint32_t set)
{
	if (!op_list(&s->m->dict.sets, set).n)
		return;
	op_buf_byte(&s->out, '{');
	set_text(s, x, set);
	op_buf_byte(&s->out, '}');
}

static void line_text(struct show *s, const struct op_line *n)
{
	const struct op_function *f = &s->m->dict.functions[n->function];
	struct op_view name = op_string(s->m, f->name);
	struct op_view system = op_string(s->m, f->system_name);
	struct op_view file = op_string(s->m, f->filename);

	if (n->function)
		op_quote(&s->out, name);
	else
		op_buf_byte(&s->out, '?');
	if (n->function && system.n && !op_view_eq(system, name)) {
		op_buf_byte(&s->out, '/');
		op_quote(&s->out, system);
	}
	if (n->function && file.n) {
		op_buf_byte(&s->out, ' ');
		op_quote(&s->out, file);
	}
	if (n->line || n->column)
		op_buf_printf(&s->out, ":%" PRId64, n->line);
	if (n->column)
		op_buf_printf(&s->out, ":%" PRId64, n->column);
	if (n->function && f->start_line)
		op_buf_printf(&s->out, "^%" PRId64, f->start_line);
}

/* A space between the parts of a frame. */
static void part(struct show *s, size_t begin)
{
	if (s->out.n != begin)
		op_buf_byte(&s->out, ' ');
}

static void frame_text(struct show *s, struct scratch *x, uint32_t location)
{
	const struct op_dict *d = &s->m->dict;
	const struct op_location *l = &d->locations[location];
	const struct op_mapping *map = &d->mappings[l->mapping];
	size_t begin = s->out.n;

	for (uint32_t i = 0; i < l->nr_lines; i++) {
		if (i)
			op_buf_z(&s->out, " < ");
		line_text(s, &d->lines[l->first_line + i]);
	}
	if (l->address) {
		part(s, begin);
		op_buf_printf(&s->out, "@0x%" PRIx64, l->address);
	}
	if (l->mapping) {
		part(s, begin);
		op_quote(&s->out, op_string(s->m, map->filename));
		op_buf_printf(&s->out,
			      "[0x%" PRIx64 "-0x%" PRIx64 "+0x%" PRIx64 "]",
			      map->start, map->limit, map->offset);
		braced_set(s, x, map->attrs);
	}
	if (op_list(&d->sets, l->attrs).n) {
		part(s, begin);
		braced_set(s, x, l->attrs);
	}
	if (s->out.n == begin)
		op_buf_z(&s->out, "??");
}

static void link_text(struct show *s, const struct op_link *l)
{
	static const struct op_link none;

	if (!memcmp(l->trace_id, none.trace_id, sizeof(l->trace_id)) &&
	    !memcmp(l->span_id, none.span_id, sizeof(l->span_id))) {
		op_buf_byte(&s->out, '-');
		return;
	}
	op_buf_hex(&s->out, op_view(l->trace_id, sizeof(l->trace_id)));
	op_buf_byte(&s->out, ':');
	op_buf_hex(&s->out, op_view(l->span_id, sizeof(l->span_id)));
}

static void numbers_text(struct show *s, const struct op_profile *p, uint32_t i)
{
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);

	for (uint32_t k = 0; k < values.n; k++)
		op_buf_printf(&s->out, "%s%" PRId64, k ? "," : "", values.p[k]);
	op_buf_z(&s->out, values.n ? "\t" : "-\t");
	for (uint32_t k = 0; k < times.n; k++)
		op_buf_printf(&s->out, "%s%" PRIu64, k ? "," : "", times.p[k]);
	op_buf_z(&s->out, times.n ? "\t" : "-\t");
}

static void sample_text(struct show *s, struct scratch *x,
			const struct op_walk *w, uint32_t i)
{
	const struct op_dict *d = &s->m->dict;
	const struct op_profile *p = w->profile;
	struct op_ids locs = op_list(&d->stacks, p->stack[i]);

	op_buf_printf(&s->out, "%u.%u.%u\t", w->r, w->s, w->p);
	text_word(&s->out, op_string(s->m, p->sample_type.type));
	op_buf_byte(&s->out, '/');
	text_word(&s->out, op_string(s->m, p->sample_type.unit));
	op_buf_byte(&s->out, '\t');
	numbers_text(s, p, i);
	link_text(s, &d->links[p->link[i]]);
	op_buf_byte(&s->out, '\t');
	if (op_list(&d->sets, p->set[i]).n)
		set_text(s, x, p->set[i]);
	else
		op_buf_byte(&s->out, '-');
	op_buf_byte(&s->out, '\t');
	for (uint32_t k = 0; k < locs.n; k++) {
		if (k)
			op_buf_z(&s->out, " ; ");
		frame_text(s, x, locs.p[k]);
	}
	op_buf_z(&s->out, locs.n ? "\n" : "-\n");
}

void show_raw(struct show *s)
{
	struct scratch x = { .text.err = s->err };
	struct op_walk w = { 0 };

	while (op_walk_next(s->m, &w)) {
		if (!show_selects(s, w.profile))
			continue;
		for (uint32_t i = 0; i < w.profile->nr_samples; i++) {
			sample_text(s, &x, &w, i);
			if (s->err->code)
				break;
			if (s->out.n > FLUSH_AT)
				cli_flush(&s->out);
		}
	}
	op_buf_free(&x.text);
	op_heap_free(x.items);
}
