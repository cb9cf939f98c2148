// SPDX-License-Identifier: Apache-2.0
/* query/top_diff.c: counts both sides of a difference, and joins the rows.
 *
 * Both sides have one dictionary, so that a name has the same number in both.
 */
#include "query/top_diff.h"

#include <stdlib.h>

#include "base/hash.h"
#include "query/compare.h"

struct key {
	uint32_t name;
	uint32_t labels[OP_MAX_LABELS];
	uint32_t nr_labels;
};

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_top_diff *t = table;
	const struct key *k = key;

	return t->rows.p[id].name == k->name &&
	       (!k->nr_labels ||
		!memcmp(t->label_of.p + (size_t)id * k->nr_labels, k->labels,
			k->nr_labels * sizeof(*k->labels)));
}

static uint32_t row_hash(const struct key *k)
{
	uint64_t words[OP_MAX_LABELS + 1] = { k->name };

	for (uint32_t i = 0; i < k->nr_labels; i++)
		words[i + 1] = k->labels[i];
	return op_hash_words(words, k->nr_labels + 1);
}

/* The row of a key, made if it is new; NULL without memory. */
static struct op_top_diff_row *row_of(struct op_top_diff *t,
				      const struct key *k)
{
	struct op_top_diff_row fresh = { .name = k->name };
	uint32_t hash = row_hash(k);
	uint32_t id = op_intern_find(&t->index, hash, row_eq, t, k);

	if (id != OP_NO_ID)
		return &t->rows.p[id];
	id = (uint32_t)t->rows.n;
	for (uint32_t i = 0; i < k->nr_labels; i++)
		if (!op_vec_push(&t->mem, &t->label_of, k->labels[i]))
			return NULL;
	if (!op_vec_push(&t->mem, &t->rows, fresh) ||
	    !op_intern_add(&t->index, &t->mem, hash, id))
		return NULL;
	return &t->rows.p[id];
}

static void side_add(struct op_top_diff *t, int side, struct op_err *err)
{
	const struct op_top *top = &t->side[side];

	for (size_t i = 0; i < top->rows.n && !err->code; i++) {
		const struct op_top_row *from = &top->rows.p[i];
		struct key k = { .name = from->name,
				 .nr_labels = top->by.nr_labels };
		struct op_top_diff_row *to;

		for (uint32_t l = 0; l < k.nr_labels; l++)
			k.labels[l] = op_text_copy(
				&t->labels,
				op_group_text(&top->groups, from->group, l),
				err);
		to = err->code ? NULL : row_of(t, &k);
		if (!to)
			return;
		to->flat[side] = from->flat;
		to->cum[side] = from->cum;
	}
}

static int64_t negated(int64_t v)
{
	return v == INT64_MIN ? INT64_MAX : -v;
}

/* In a difference what was before has the opposite sign. */
static void turn_before(struct op_top_diff *t)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		struct op_top_diff_row *row = &t->rows.p[i];

		row->flat[0] = negated(row->flat[0]);
		row->cum[0] = negated(row->cum[0]);
	}
}

int op_top_diff_build(struct op_top_diff *t, const struct op_difference *d,
		      const struct op_profile *like,
		      const struct op_group_by *by, struct op_err *err)
{
	struct op_model side[] = { d->m, d->m };

	side[0].resources += d->first_before;
	side[0].nr_resources -= d->first_before;
	side[1].nr_resources = d->first_before;
	op_arena_tells(&t->mem, err);
	for (int i = 0; i < 2; i++) {
		if (op_top_build(&t->side[i], &side[i], like, by, err))
			return err->code;
		side_add(t, i, err);
	}
	turn_before(t);
	return err->code;
}

void op_top_diff_free(struct op_top_diff *t)
{
	op_top_free(&t->side[0]);
	op_top_free(&t->side[1]);
	op_text_table_free(&t->labels);
	op_arena_free(&t->mem);
	*t = (struct op_top_diff){ 0 };
}

struct op_view op_top_diff_name(const struct op_top_diff *t, uint32_t row)
{
	uint32_t name = t->rows.p[row].name;

	if (name == OP_NO_ID)
		return (struct op_view){ 0 };
	return op_text(&t->side[0].names.texts, name);
}

/* --- order --- */

struct order {
	const struct op_top_diff_row *rows;
	bool by_cum;
};

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int row_cmp(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct op_top_diff_row *x = &o->rows[i], *y = &o->rows[k];
	const int64_t *vx = o->by_cum ? x->cum : x->flat;
	const int64_t *vy = o->by_cum ? y->cum : y->flat;
	uint64_t cx = size_of(op_compare_delta(vx));
	uint64_t cy = size_of(op_compare_delta(vy));

	if (cx != cy)
		return cx < cy ? 1 : -1;
	if (vx[1] != vy[1])
		return vx[1] < vy[1] ? 1 : -1;
	return i < k ? -1 : i > k;
}

uint32_t *op_top_diff_sort(struct op_top_diff *t, enum op_top_order order,
			   struct op_err *err)
{
	struct order o = { t->rows.p, order == OP_TOP_CUM };
	uint32_t *ids;

	op_arena_tells(&t->mem, err);
	ids = op_new_raw(&t->mem, uint32_t, t->rows.n);
	for (uint32_t i = 0; ids && i < t->rows.n; i++)
		ids[i] = i;
	if (ids && t->rows.n)
		qsort_r(ids, t->rows.n, sizeof(*ids), row_cmp, &o);
	return ids;
}
