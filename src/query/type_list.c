// SPDX-License-Identifier: Apache-2.0
/* query/type_list.c: adds up profiles by type. */
#include "query/type_list.h"

#include "model/aggregate.h"
#include "model/label.h"
#include "model/select.h"
#include "query/default_profile.h"
#include "query/stack_sums.h"

static struct op_type_row *find(const struct op_type_list *l,
				const struct op_model *m,
				const struct op_profile *p)
{
	for (uint32_t i = 0; i < l->nr; i++)
		if (op_same_type(m, l->rows[i].like, p))
			return (struct op_type_row *)&l->rows[i];
	return NULL;
}

static bool is_same_period(const struct op_profile *a,
			   const struct op_profile *b)
{
	return a->period == b->period &&
	       a->period_type.type == b->period_type.type &&
	       a->period_type.unit == b->period_type.unit;
}

static void profile_add(struct op_type_row *row, const struct op_model *m,
			const struct op_profile *p)
{
	enum op_aggregator how = op_aggregator_of(m, p);

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		row->total = op_add_sat(row->total,
					op_sample_amount(how, p, i));
		row->is_timed &= op_sample_observed(p, i) != 0;
	}
	row->nr_observations += op_profile_observations(p);
	row->is_one_period &= is_same_period(row->like, p);
	row->nr_profiles++;
}

void op_type_list(struct op_type_list *l, const struct op_model *m)
{
	struct op_walk w = { 0 };

	l->nr = 0;
	l->more = false;
	while (op_walk_next(m, &w)) {
		struct op_type_row *row = find(l, m, w.profile);

		if (!row && l->nr == OP_MAX_TYPES) {
			l->more = true;
			continue;
		}
		if (!row) {
			row = &l->rows[l->nr++];
			*row = (struct op_type_row){ .like = w.profile,
						     .is_timed = true,
						     .is_one_period = true };
		}
		profile_add(row, m, w.profile);
	}
}

const struct op_type_row *op_type_row(const struct op_type_list *l,
				      const struct op_model *m,
				      const struct op_profile *p)
{
	return find(l, m, p);
}

/* The number of types that a text would select. */
static uint32_t selected_by(const struct op_type_list *l,
			    const struct op_model *m, const char *text)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->nr; i++)
		n += op_type_selected(m, l->rows[i].like, text);
	return n;
}

/* What a type may be called, from short to long. */
enum { BY_TYPE, BY_EVENT, BY_UNIT, BY_ALL, BY_PERIOD, NR_FORMS };

/* The zero behind the text does not count. */
static void form_put(const struct op_model *m, const struct op_profile *p,
		     int form, struct op_buf *out)
{
	struct op_view type = op_string(m, p->sample_type.type);
	struct op_view event = op_profile_event(m, p);

	out->n = 0;
	op_buf_view(out, form == BY_EVENT && event.n ? event : type);
	if (form >= BY_UNIT) {
		op_buf_byte(out, '/');
		op_buf_view(out, op_string(m, p->sample_type.unit));
	}
	if (form >= BY_ALL) {
		op_buf_byte(out, '/');
		op_buf_view(out, event);
	}
	if (form == BY_PERIOD) {
		op_buf_byte(out, '/');
		op_buf_view(out, op_string(m, p->period_type.type));
	}
	op_buf_byte(out, 0);
	out->n -= out->n != 0;
}

void op_type_selector(const struct op_type_list *l, const struct op_model *m,
		      const struct op_type_row *row, struct op_buf *out)
{
	for (int form = 0; form < NR_FORMS; form++) {
		form_put(m, row->like, form, out);
		if (out->err->code ||
		    selected_by(l, m, (const char *)out->p) == 1)
			return;
	}
	/* Commas may make a list of it. */
	form_put(m, row->like, BY_UNIT, out);
}

static bool same_text(const struct op_model *m, uint32_t a, uint32_t b)
{
	return op_view_eq(op_string(m, a), op_string(m, b));
}

static bool is_count(const struct op_model *m, const struct op_profile *p)
{
	return op_view_is(op_string(m, p->sample_type.type), "samples") &&
	       op_view_is(op_string(m, p->sample_type.unit), "count");
}

/* Whether a row counts the samples that a profile has another value of: both
 * were taken at the same period, of the same events. */
static bool counts_samples(const struct op_model *m, const struct op_profile *p,
			   const struct op_type_row *row)
{
	const struct op_profile *c = row->like;

	return p->period > 0 && row->is_one_period && c->period == p->period &&
	       same_text(m, c->period_type.type, p->period_type.type) &&
	       is_count(m, c) &&
	       op_view_eq(op_profile_event(m, c), op_profile_event(m, p));
}

/* Whether each sample has one period of the value, as those of a CPU have. */
static bool is_period_type(const struct op_model *m, const struct op_profile *p)
{
	return p->period > 1 &&
	       op_view_is(op_string(m, p->sample_type.type), "cpu") &&
	       same_text(m, p->sample_type.type, p->period_type.type) &&
	       same_text(m, p->sample_type.unit, p->period_type.unit);
}

uint64_t op_type_samples(const struct op_type_list *l, const struct op_model *m,
			 const struct op_type_row *row)
{
	const struct op_profile *p = row->like;

	if (is_count(m, p))
		return row->total > 0 ? (uint64_t)row->total : 0;
	if (row->is_timed)
		return row->nr_observations;
	for (uint32_t i = 0; i < l->nr; i++) {
		if (l->rows[i].total > 0 && counts_samples(m, p, &l->rows[i]))
			return (uint64_t)l->rows[i].total;
	}
	if (row->is_one_period && is_period_type(m, p) && row->total > 0 &&
	    row->total % p->period == 0)
		return (uint64_t)(row->total / p->period);
	return 0;
}

bool op_states_repeat(const struct op_model *m)
{
	struct op_walk one = { 0 }, other;
	uint32_t nr = 0;

	while (op_walk_next(m, &one)) {
		if (op_aggregator_of(m, one.profile) == OP_SUM)
			continue;
		/* Many would take long to compare. */
		if (one.profile->time_at || ++nr > OP_MAX_TYPES)
			return true;
		other = one;
		while (op_walk_next(m, &other))
			if (op_same_type(m, one.profile, other.profile))
				return true;
	}
	return false;
}
