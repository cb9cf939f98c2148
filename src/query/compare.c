// SPDX-License-Identifier: Apache-2.0
/* query/compare.c: functions of two profiles side by side. */
#include "query/compare.h"

#include <stdlib.h>

#include "base/hash.h"

int64_t op_compare_delta(const int64_t v[2])
{
	int64_t delta;

	if (!__builtin_sub_overflow(v[1], v[0], &delta))
		return delta;
	return v[1] < 0 ? INT64_MIN : INT64_MAX;
}

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_compare_row *rows = table;

	return op_view_eq(rows[id].name, *(const struct op_view *)key);
}

/* The row of a name, made if it is new; NULL without memory. */
static struct op_compare_row *
row_of(struct op_compare *c, struct op_intern *index, struct op_view name)
{
	struct op_compare_row fresh = { .name = name };
	uint32_t hash = op_hash32(name.p, name.n);
	uint32_t id = op_intern_find(index, hash, row_eq, c->rows.p, &name);

	if (id != OP_NO_ID)
		return &c->rows.p[id];
	id = (uint32_t)c->rows.n;
	if (!op_vec_push(&c->mem, &c->rows, fresh) ||
	    !op_intern_add(index, &c->mem, hash, id))
		return NULL;
	return &c->rows.p[id];
}

int op_compare_build(struct op_compare *c, struct op_compare_side before,
		     struct op_compare_side after, struct op_err *err)
{
	const struct op_compare_side sides[] = { before, after };
	struct op_intern index = { 0 };

	op_arena_tells(&c->mem, err);
	for (int s = 0; s < 2; s++) {
		struct op_flame *f = &c->side[s];

		f->names_only = true;
		if (op_flame_build(f, sides[s].m, sides[s].p, err))
			return err->code;
		for (size_t i = 0; i < f->names.n; i++) {
			const struct op_flame_name *n = &f->names.p[i];
			struct op_compare_row *row;

			if (!n->is_used)
				continue;
			row = row_of(c, &index, n->text);
			if (!row)
				return err->code;
			row->self[s] = n->self;
			row->total[s] = n->total;
		}
	}
	return OP_OK;
}

struct order {
	const struct op_compare_row *rows;
	bool by_total;
};

static uint64_t change(const struct order *o, uint32_t id)
{
	const struct op_compare_row *r = &o->rows[id];
	int64_t d = op_compare_delta(o->by_total ? r->total : r->self);

	return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

static int row_cmp(const void *a, const void *b, void *order)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct order *o = order;
	uint64_t cx = change(o, x), cy = change(o, y);

	if (cx != cy)
		return cx < cy ? 1 : -1;
	return op_view_cmp(o->rows[x].name, o->rows[y].name);
}

uint32_t *op_compare_top(struct op_compare *c, bool by_total, uint32_t *nr_out,
			 struct op_err *err)
{
	struct order o = { c->rows.p, by_total };
	uint32_t n = 0, *ids;

	op_arena_tells(&c->mem, err);
	ids = op_new_raw(&c->mem, uint32_t, c->rows.n);
	if (!ids)
		return NULL;
	for (uint32_t i = 0; i < c->rows.n; i++)
		if (change(&o, i))
			ids[n++] = i;
	qsort_r(ids, n, sizeof(*ids), row_cmp, &o);
	*nr_out = n;
	return ids;
}

void op_compare_free(struct op_compare *c)
{
	op_flame_free(&c->side[0]);
	op_flame_free(&c->side[1]);
	op_arena_free(&c->mem);
	*c = (struct op_compare){ 0 };
}
