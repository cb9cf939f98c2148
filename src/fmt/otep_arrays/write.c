// SPDX-License-Identifier: Apache-2.0
/* fmt/otep_arrays/write.c: a model as messages of the "arrays" draft.
 *
 * Profiles of one scope that stand side by side and have the same head share
 * a message and its tables: each is a profile type with lists of its own. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "fmt/draft/write.h"

static bool same(const struct op_draft_writer *w, const struct op_profile *a,
		 const struct op_profile *b)
{
	return a->time_ns == b->time_ns && a->duration_ns == b->duration_ns &&
	       a->dropped_attrs == b->dropped_attrs && !b->payload.n &&
	       op_draft_same_attrs(w->m, a, b);
}

static bool skip(struct op_draft_writer *w, const struct op_attr *a)
{
	return op_draft_is_temporality(w->m, a);
}

/* The sample rate that a period is, in Hz; 0 if it is none. What readers make
 * of it must be the period again, or it is lost. */
static uint64_t rate_of(struct op_draft_writer *w, const struct op_profile *p)
{
	struct op_view unit = op_string(w->m, p->period_type.unit);
	struct op_view type = op_string(w->m, p->period_type.type);
	int64_t rate = 0;

	if ((op_view_is(unit, "nanoseconds") || op_view_is(unit, "ns")) &&
	    p->period > 0 && p->period <= ARRAYS_SECOND)
		rate = ARRAYS_SECOND / p->period;
	if ((p->period || unit.n || type.n) &&
	    (!rate || ARRAYS_SECOND / rate != p->period ||
	     !op_view_is(type, ARRAYS_PERIOD_TYPE) ||
	     !op_view_is(unit, ARRAYS_PERIOD_UNIT)))
		w->lost |= OP_DRAFT_LOST_PERIOD;
	return (uint64_t)rate;
}

static void place_profile(struct op_draft_writer *w, const struct op_profile *p)
{
	op_draft_place_string(w, p->sample_type.type);
	op_draft_place_string(w, p->sample_type.unit);
	if (p->payload_format.n)
		w->lost |= OP_DRAFT_LOST_PROFILE;
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		op_draft_place_stack(w, p->stack[i]);
		op_draft_place_set(w, p->set[i]);
		op_draft_place_link(w, p->link[i]);
	}
}

/* --- writing, from the end --- */

/* What a list has of observation k of a sample. */
typedef uint64_t item_fn(struct op_draft_writer *w, const struct op_profile *p,
			 uint32_t i, uint32_t k);

static uint64_t stack_of(struct op_draft_writer *w, const struct op_profile *p,
			 uint32_t i, uint32_t k)
{
	(void)k;
	return w->rows[OP_STACKS].of[p->stack[i]];
}

static uint64_t link_of(struct op_draft_writer *w, const struct op_profile *p,
			uint32_t i, uint32_t k)
{
	(void)k;
	return op_draft_place_link(w, p->link[i]);
}

static uint64_t set_of(struct op_draft_writer *w, const struct op_profile *p,
		       uint32_t i, uint32_t k)
{
	(void)k;
	return op_draft_place_set(w, p->set[i]);
}

static uint64_t value_of(struct op_draft_writer *w, const struct op_profile *p,
			 uint32_t i, uint32_t k)
{
	struct op_values v = op_sample_values(p, i);

	(void)w;
	if (!op_sample_times(p, i).n)
		return (uint64_t)op_sample_total(p, i);
	return k < v.n ? (uint64_t)v.p[k] : 1;
}

/* 0 is no time. */
static uint64_t time_of(struct op_draft_writer *w, const struct op_profile *p,
			uint32_t i, uint32_t k)
{
	struct op_times t = op_sample_times(p, i);

	if (t.n && !t.p[k])
		w->lost |= OP_DRAFT_LOST_TIMES;
	return t.n ? t.p[k] : 0;
}

static void list_write(struct op_draft_writer *w, uint32_t num,
		       const struct op_profile *p, item_fn *item)
{
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b);

	for (uint32_t i = p->nr_samples; i-- && !w->err->code;) {
		uint32_t n = op_sample_times(p, i).n;

		for (uint32_t k = n ? n : 1; k--;)
			op_pbw_varint(b, item(w, p, i, k));
	}
	op_pbw_len_nonempty(b, num, end);
}

static bool any(const uint32_t *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ids[i])
			return true;
	return false;
}

static void type_write(struct op_draft_writer *w, const struct op_profile *p)
{
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b);

	if (p->time_at && p->time_at[p->nr_samples])
		list_write(w, ARRAYS_TYPE_TIMES, p, time_of);
	list_write(w, ARRAYS_TYPE_VALUES, p, value_of);
	if (any(p->set, p->nr_samples))
		list_write(w, ARRAYS_TYPE_SETS, p, set_of);
	if (any(p->link, p->nr_samples))
		list_write(w, ARRAYS_TYPE_LINKS, p, link_of);
	list_write(w, ARRAYS_TYPE_STACKS, p, stack_of);
	op_pbw_uint(b, ARRAYS_TYPE_UNIT,
		    op_draft_place_string(w, p->sample_type.unit));
	op_pbw_uint(b, ARRAYS_TYPE_TYPE,
		    op_draft_place_string(w, p->sample_type.type));
	op_pbw_uint(b, ARRAYS_TYPE_RATE, rate_of(w, p));
	op_pbw_uint(b, ARRAYS_TYPE_TEMPORALITY,
		    op_draft_is_cumulative(w->m, p) ? OP_DRAFT_CUMULATIVE :
						      OP_DRAFT_DELTA);
	op_pbw_len(b, ARRAYS_TYPES, end);
}

static bool misread(const struct op_profile *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (op_draft_times_misread(&p[i]))
			return true;
	return false;
}

static void profile_write(struct op_draft_writer *w, const struct op_profile *p,
			  uint32_t n)
{
	static const enum op_table tables[] = { OP_STRINGS,   OP_ATTRS,
						OP_LINKS,     OP_FUNCTIONS,
						OP_LOCATIONS, OP_MAPPINGS,
						OP_STACKS };
	struct op_ids attrs = op_list(&w->m->dict.sets, p->attrs);
	struct op_pbw *b = w->w;

	for (uint32_t i = 0; i < n && !w->err->code; i++)
		place_profile(w, &p[i]);
	for (uint32_t i = 0; i < attrs.n; i++)
		op_draft_place_unit(w, attrs.p[i]);
	op_draft_order_mappings(w);
	for (uint32_t i = n; i-- && !w->err->code;)
		type_write(w, &p[i]);
	for (size_t i = 0; i < op_countof(tables); i++)
		op_draft_table_write(w, tables[i]);
	if (p->payload.n)
		op_pbw_bytes(b, ARRAYS_PAYLOAD, p->payload);
	op_pbw_uint(b, ARRAYS_DROPPED, p->dropped_attrs);
	if (misread(p, n))
		op_draft_time_unit_write(w, ARRAYS_ATTRIBUTES);
	op_draft_pairs_write(w, ARRAYS_ATTRIBUTES, p->attrs, skip);
	op_pbw_fixed64(b, ARRAYS_END, op_profile_end(p));
	op_pbw_fixed64(b, ARRAYS_START, p->time_ns);
	if (p->id_len == sizeof(p->id))
		op_pbw_bytes(b, ARRAYS_ID, op_view(p->id, p->id_len));
}

int op_otep_arrays_encode(const struct op_model *m,
			  const struct op_write_opts *opts, struct op_pbw *out)
{
	struct op_draft_writer w = { .m = m,
				     .layout = &op_otep_arrays_layout,
				     .err = out->err,
				     .w = out };

	op_draft_write(&w, same, profile_write);
	op_draft_say_lost(&w, opts, "otep-arrays");
	return out->err->code;
}
