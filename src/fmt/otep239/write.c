// SPDX-License-Identifier: Apache-2.0
/* fmt/otep239/write.c: a model as messages of OTEP 239.
 *
 * Profiles of one scope that have the same head and the same samples are one
 * profile of several types, the first of which is its default.
 *
 * Samples refer to slices of one list of locations. A stack that is the root
 * end of another, leaf first its tail, needs no place of its own: stacks are
 * put into the list from the deepest on, into a tree of calls at the same
 * time, whose nodes know where the list has them. */
#include "fmt/otep239/otep239_int.h"

#include <stdlib.h>

#include "base/hash.h"
#include "fmt/draft/write.h"
#include "fmt/otlp/fields.h"
#include "model/semconv.h"

/* A call: at is where the list has it, with its callers behind. */
struct node {
	uint32_t parent, location, at;
};

struct slices {
	struct op_id_vec list; /* places of locations */
	OP_VEC(struct node) nodes;
	struct op_intern index;
	uint32_t *start; /* by place of the stack */
};

/* --- slices --- */

static bool node_eq(const void *table, uint32_t id, const void *key)
{
	const struct node *n = (const struct node *)table + id;
	const struct node *k = key;

	return n->parent == k->parent && n->location == k->location;
}

/* The node of a call from a node; a new one is made at a place in the list. */
static uint32_t node_of(struct op_draft_writer *w, struct slices *s,
			struct node n)
{
	uint64_t word = (uint64_t)n.parent << 32 | n.location;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&s->index, hash, node_eq, s->nodes.p, &n);

	if (id != OP_NO_ID || n.at == OP_NO_ID)
		return id;
	id = (uint32_t)s->nodes.n;
	if (op_vec_push(&w->message, &s->nodes, n))
		op_intern_add(&s->index, &w->message, hash, id);
	return id;
}

/* Where the list has all of a stack; OP_NO_ID if it has not. */
static uint32_t slice_find(struct op_draft_writer *w, struct slices *s,
			   struct op_ids frames)
{
	uint32_t node = OP_NO_ID;

	for (uint32_t i = frames.n; i--;) {
		node = node_of(w, s,
			       (struct node){ node, frames.p[i], OP_NO_ID });
		if (node == OP_NO_ID)
			return OP_NO_ID;
	}
	return s->nodes.p[node].at;
}

static uint32_t slice_add(struct op_draft_writer *w, struct slices *s,
			  struct op_ids frames)
{
	uint32_t start = (uint32_t)s->list.n, node = OP_NO_ID;

	if (!op_vec_reserve(&w->message, &s->list, frames.n))
		return 0;
	for (uint32_t i = 0; i < frames.n; i++)
		s->list.p[s->list.n++] = op_draft_place_location(w,
								 frames.p[i]);
	for (uint32_t i = frames.n; i-- && !w->err->code;)
		node = node_of(w, s,
			       (struct node){ node, frames.p[i], start + i });
	return start;
}

struct depth {
	uint32_t n, stack;
};

/* The deepest first; of one depth, as they came. */
static int depth_cmp(const void *a, const void *b)
{
	const struct depth *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Puts the stacks of the samples into the list. */
static void slices_make(struct op_draft_writer *w, struct slices *s,
			const struct op_profile *p)
{
	const struct op_lists *stacks = &w->m->dict.stacks;
	const struct op_id_vec *used = &w->rows[OP_STACKS].ids;
	struct depth *order;

	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++)
		op_draft_place_stack(w, p->stack[i]);
	order = op_new_raw(&w->message, struct depth, used->n);
	s->start = op_new_raw(&w->message, uint32_t, used->n);
	if (w->err->code)
		return;
	for (size_t i = 0; i < used->n; i++)
		order[i] = (struct depth){ op_list(stacks, used->p[i]).n,
					   (uint32_t)i };
	if (used->n)
		qsort(order, used->n, sizeof(*order), depth_cmp);
	for (size_t i = 0; i < used->n && !w->err->code; i++) {
		uint32_t place = order[i].stack;
		struct op_ids frames = op_list(stacks, used->p[place]);
		uint32_t at = frames.n ? slice_find(w, s, frames) : 0;

		s->start[place] = at == OP_NO_ID ? slice_add(w, s, frames) : at;
	}
}

/* --- what goes together --- */

/* Which attributes of a profile have fields. */
struct fields {
	const struct op_any *comments;
	const struct op_attr *drop, *keep;
};

static bool same(const struct op_draft_writer *w, const struct op_profile *a,
		 const struct op_profile *b)
{
	return a->nr_samples && op_string(w->m, a->sample_type.type).n &&
	       a->time_ns == b->time_ns && a->duration_ns == b->duration_ns &&
	       a->period == b->period &&
	       a->period_type.type == b->period_type.type &&
	       a->period_type.unit == b->period_type.unit &&
	       a->dropped_attrs == b->dropped_attrs && !b->payload.n &&
	       !b->payload_format.n && op_draft_same_attrs(w->m, a, b) &&
	       op_draft_same_samples(a, b);
}

static const struct op_attr *text_find(const struct op_draft_writer *w,
				       uint32_t set, const char *key)
{
	const struct op_attr *a = op_set_find(w->m, set, key);

	return a && !a->unit && op_any_text(w->m, &a->value).n ? a : NULL;
}

static struct fields fields_of(const struct op_draft_writer *w,
			       const struct op_profile *p)
{
	return (struct fields){
		.comments = op_draft_comments_of(w->m, p),
		.drop = text_find(w, p->attrs, OP_ATTR_DROP_FRAMES),
		.keep = text_find(w, p->attrs, OP_ATTR_KEEP_FRAMES),
	};
}

static bool skip(struct op_draft_writer *w, const struct op_attr *a)
{
	const struct fields *f = w->ctx;

	return &a->value == f->comments || a == f->drop || a == f->keep ||
	       op_draft_is_temporality(w->m, a);
}

static uint32_t text_place(struct op_draft_writer *w, const struct op_attr *a)
{
	return a ? op_draft_place_text(w, op_any_text(w->m, &a->value)) : 0;
}

/* Gives places to all that the profiles lead to. */
static void places_make(struct op_draft_writer *w, const struct op_profile *p,
			uint32_t n, struct slices *s)
{
	struct op_ids attrs = op_list(&w->m->dict.sets, p->attrs);
	const struct fields *f = w->ctx;

	for (uint32_t i = 0; i < n; i++) {
		op_draft_place_string(w, p[i].sample_type.type);
		op_draft_place_string(w, p[i].sample_type.unit);
	}
	op_draft_place_string(w, p->period_type.type);
	op_draft_place_string(w, p->period_type.unit);
	text_place(w, f->drop);
	text_place(w, f->keep);
	for (uint32_t i = 0; f->comments && i < f->comments->n; i++)
		op_draft_place_text(w,
				    op_any_text(w->m, &f->comments->array[i]));
	/* Their units, which are by key. */
	for (uint32_t i = 0; i < attrs.n; i++)
		if (!skip(w, &w->m->dict.attrs[attrs.p[i]]))
			op_draft_place_unit(w, attrs.p[i]);
	slices_make(w, s, p);
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		op_draft_place_set(w, p->set[i]);
		op_draft_place_link(w, p->link[i]);
	}
	op_draft_order_mappings(w);
}

/* --- writing, from the end --- */

struct group {
	const struct op_profile *p;
	uint32_t n;
	const struct slices *slices;
};

static int64_t value_of(const struct op_profile *p, uint32_t sample, uint32_t k)
{
	struct op_values v = op_sample_values(p, sample);

	return k < v.n ? v.p[k] : 1;
}

/* A sample of times from to before to, which share their values; without
 * times, from is to. A value is that of all times together. */
static void sample_write(struct op_draft_writer *w, const struct group *g,
			 uint32_t i, uint32_t from, uint32_t to)
{
	const struct op_profile *p = g->p;
	struct op_times t = op_sample_times(p, i);
	struct op_ids stack = op_list(&w->m->dict.stacks, p->stack[i]);
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b), part;
	uint32_t slice = w->rows[OP_STACKS].of[p->stack[i]];

	for (uint32_t k = to; k-- > from;)
		op_pbw_varint(b, t.p[k]);
	op_pbw_len_nonempty(b, EXT_SAMPLE_TIMES, end);
	op_pbw_uint(b, EXT_SAMPLE_LINK, op_draft_place_link(w, p->link[i]));
	op_draft_list_write(w, EXT_SAMPLE_ATTRIBUTES,
			    op_list(&w->m->dict.sets, p->set[i]));
	op_pbw_uint(b, EXT_SAMPLE_LENGTH, stack.n);
	op_pbw_uint(b, EXT_SAMPLE_START, g->slices->start[slice]);
	part = op_pbw_mark(b);
	for (uint32_t k = g->n; k--;)
		op_pbw_varint(
			b, (uint64_t)(from < to ? value_of(&p[k], i, from) *
							  (int64_t)(to - from) :
						  op_sample_total(&p[k], i)));
	op_pbw_len(b, EXT_SAMPLE_VALUE, part);
	op_pbw_len(b, EXT_SAMPLE, end);
}

/* Whether observation k can share a sample with those from it on to before
 * to: of all types the values are the same, and can be added. */
static bool can_join(const struct group *g, uint32_t i, uint32_t k, uint32_t to)
{
	int64_t sum;

	for (uint32_t j = 0; j < g->n; j++) {
		int64_t v = value_of(&g->p[j], i, k);

		if (v != value_of(&g->p[j], i, to - 1) ||
		    __builtin_mul_overflow(v, (int64_t)(to - k), &sum))
			return false;
	}
	return true;
}

static void samples_write(struct op_draft_writer *w, const struct group *g)
{
	for (uint32_t i = g->p->nr_samples; i-- && !w->err->code;) {
		uint32_t to = op_sample_times(g->p, i).n;

		if (!to)
			sample_write(w, g, i, 0, 0);
		while (to && !w->err->code) {
			uint32_t from = to - 1;

			while (from && can_join(g, i, from - 1, to))
				from--;
			sample_write(w, g, i, from, to);
			to = from;
		}
	}
}

static void type_write(struct op_draft_writer *w, uint32_t num,
		       struct op_value_type t, uint32_t temporality)
{
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, VALUE_TYPE_TEMPORALITY, temporality);
	op_pbw_uint(p, VALUE_TYPE_UNIT, op_draft_place_string(w, t.unit));
	op_pbw_uint(p, VALUE_TYPE_TYPE, op_draft_place_string(w, t.type));
	if (num == EXT_PERIOD_TYPE)
		op_pbw_len_nonempty(p, num, end);
	else
		op_pbw_len(p, num, end);
}

static void profile_write(struct op_draft_writer *w, const struct group *g)
{
	const struct fields *f = w->ctx;
	const struct op_id_vec *list = &g->slices->list;
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	op_draft_table_write(w, OP_LINKS);
	op_draft_units_write(w);
	op_draft_table_write(w, OP_ATTRS);
	op_pbw_packed_u32(p, EXT_LOCATION_INDICES, list->p, list->n);
	if (g->n > 1)
		op_pbw_uint(p, EXT_DEFAULT_TYPE,
			    op_draft_place_string(w, g->p->sample_type.type));
	op_draft_comments_write(w, EXT_COMMENT, f->comments);
	op_pbw_uint(p, EXT_PERIOD, (uint64_t)g->p->period);
	type_write(w, EXT_PERIOD_TYPE, g->p->period_type, 0);
	op_pbw_uint(p, EXT_KEEP_FRAMES, text_place(w, f->keep));
	op_pbw_uint(p, EXT_DROP_FRAMES, text_place(w, f->drop));
	op_draft_table_write(w, OP_STRINGS);
	op_draft_table_write(w, OP_FUNCTIONS);
	op_draft_table_write(w, OP_LOCATIONS);
	op_draft_table_write(w, OP_MAPPINGS);
	samples_write(w, g);
	for (uint32_t i = g->n; i-- && !w->err->code;)
		type_write(w, EXT_SAMPLE_TYPE, g->p[i].sample_type,
			   op_draft_is_cumulative(w->m, &g->p[i]) ?
				   OP_DRAFT_CUMULATIVE :
				   OP_DRAFT_DELTA);
	op_pbw_len(p, CONTAINER_PROFILE, end);
}

static void container_write(struct op_draft_writer *w,
			    const struct op_profile *p, uint32_t n)
{
	struct slices slices = { 0 };
	struct group g = { p, n, &slices };
	struct fields f = fields_of(w, p);
	struct op_pbw *b = w->w;

	w->ctx = &f;
	places_make(w, p, n, &slices);
	if (w->err->code)
		return;
	profile_write(w, &g);
	if (p->payload.n)
		op_pbw_bytes(b, CONTAINER_PAYLOAD, p->payload);
	if (p->payload_format.n)
		op_pbw_string(b, CONTAINER_PAYLOAD_FORMAT, p->payload_format);
	op_pbw_uint(b, CONTAINER_DROPPED, p->dropped_attrs);
	if (op_draft_times_misread(p))
		op_draft_time_unit_write(w, CONTAINER_ATTRIBUTES);
	op_draft_pairs_write(w, CONTAINER_ATTRIBUTES, p->attrs, skip);
	op_pbw_fixed64(b, CONTAINER_END, op_profile_end(p));
	op_pbw_fixed64(b, CONTAINER_START, p->time_ns);
	if (p->id_len == sizeof(p->id))
		op_pbw_bytes(b, CONTAINER_ID, op_view(p->id, p->id_len));
}

int op_otep239_encode(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_pbw *out)
{
	struct op_draft_writer w = {
		.m = m, .layout = &op_otep239_layout, .err = out->err, .w = out
	};

	op_draft_write(&w, same, container_write);
	op_draft_say_lost(&w, opts, "otep239");
	return out->err->code;
}
