// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/table.c: tables of rows and of columns, read into columns. */
#include "fmt/firefox/table.h"

#include "base/vec.h"
#include "pb/json_value.h"

/* --- columns are found --- */

static struct op_gecko_column *column_of(struct op_gecko_column *columns,
					 size_t nr, struct op_json_text key)
{
	for (size_t i = 0; i < nr; i++)
		if (op_json_is(key, columns[i].name))
			return &columns[i];
	return NULL;
}

static void schema_take(struct op_json_in *in, struct op_gecko_column *columns,
			size_t nr)
{
	bool first = true;

	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);
		struct op_gecko_column *c = column_of(columns, nr, key);
		int64_t index;

		if (!c) {
			op_json_skip(in);
			continue;
		}
		index = op_json_extract_scaled(in, 0);
		c->index = index < 0 ? OP_GECKO_NO_INDEX : (uint64_t)index;
	}
}

static void member_take(struct op_json_in *in, struct op_gecko_table *t,
			struct op_gecko_column *columns, size_t nr)
{
	struct op_json_text key = op_json_extract_key(in);
	struct op_gecko_column *c = column_of(columns, nr, key);

	if (op_json_is(key, "schema"))
		schema_take(in, columns, nr);
	else if (op_json_is(key, "weightType"))
		t->weight_type = op_json_extract_id(in);
	else if (op_json_is(key, "length"))
		t->length = op_json_extract_scaled(in, 0);
	else if (op_json_is(key, "data") && op_json_peek(in) == '[')
		t->data = op_json_defer(in);
	else if (c && op_json_peek(in) == '[')
		c->at = op_json_defer(in);
	else
		op_json_skip(in);
}

void op_gecko_table_open(struct op_json_in *in, struct op_gecko_table *t,
			 struct op_gecko_column *columns, size_t nr)
{
	bool first = true, has_rows = false;

	op_json_peek(in);
	*t = (struct op_gecko_table){ .at = in->p, .length = OP_GECKO_NONE };
	for (size_t i = 0; i < nr; i++)
		columns[i].index = OP_GECKO_NO_INDEX;
	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first))
		member_take(in, t, columns, nr);
	for (size_t i = 0; i < nr; i++)
		has_rows |= columns[i].index != OP_GECKO_NO_INDEX;
	if (!has_rows)
		t->data = NULL;
}

/* --- columns are read --- */

static bool has_fraction(struct op_view number)
{
	for (size_t i = 0; i < number.n; i++)
		if (number.p[i] == '.' || (number.p[i] | 0x20) == 'e')
			return true;
	return false;
}

static bool is_whole(struct op_view number, int64_t v)
{
	double d;

	return !has_fraction(number) ||
	       (op_json_real(number, &d) == OP_JSON_FINE && d == (double)v);
}

static int64_t number_take(struct op_json_in *in, struct op_gecko_table *t,
			   const struct op_gecko_column *c)
{
	struct op_json_in again = *in;
	int64_t v = op_json_extract_scaled(in, c->digits);

	/* Of time, less than a nanosecond is nobody's loss. */
	if (!in->err->code && !c->digits &&
	    !is_whole(op_json_extract_id(&again), v))
		t->nr_rounded++;
	return v;
}

static int64_t cell_take(struct op_json_in *in, struct op_gecko_table *t,
			 const struct op_gecko_column *c)
{
	int first = op_json_peek(in);
	int64_t v;

	if (first == 'n' || first == 't' || first == 'f') {
		op_json_skip(in);
		return first == 'n' ? OP_GECKO_NONE : first == 't';
	}
	if (c->kind == OP_GECKO_NUMBER)
		return number_take(in, t, c);
	if (c->kind == OP_GECKO_PLACE)
		return op_json_defer(in) - in->base;
	v = op_json_extract_scaled(in, 0);
	return v < 0 ? OP_GECKO_NONE : v;
}

static bool push(struct op_json_in *in, struct op_arena *mem,
		 struct op_gecko_column *c, int64_t v)
{
	if (op_likely(op_vec_push(mem, c, v)))
		return true;
	in->p = in->end;
	return false;
}

static void column_load(struct op_json_in *in, struct op_arena *mem,
			struct op_gecko_table *t, struct op_gecko_column *c)
{
	bool first = true;

	op_json_take(in, '[', "expected an array");
	while (op_json_more(in, ']', &first))
		push(in, mem, c, cell_take(in, t, c));
}

static void row_load(struct op_json_in *in, struct op_gecko_table *t,
		     struct op_gecko_column *columns, size_t nr)
{
	uint64_t index = 0;
	bool first = true;

	op_json_take(in, '[', "expected a table row");
	for (; op_json_more(in, ']', &first); index++) {
		struct op_gecko_column *c = NULL;

		for (size_t i = 0; i < nr; i++)
			if (columns[i].index == index)
				c = &columns[i];
		if (c)
			c->p[c->n - 1] = cell_take(in, t, c);
		else
			op_json_skip(in);
	}
}

static void rows_load(struct op_json_in *in, struct op_arena *mem,
		      struct op_gecko_table *t, struct op_gecko_column *columns,
		      size_t nr)
{
	bool first = true;

	op_json_take(in, '[', "expected an array of rows");
	while (op_json_more(in, ']', &first)) {
		for (size_t i = 0; i < nr; i++)
			if (columns[i].index != OP_GECKO_NO_INDEX &&
			    !push(in, mem, &columns[i], OP_GECKO_NONE))
				return;
		row_load(in, t, columns, nr);
	}
}

void op_gecko_table_load(const struct op_json_in *in, struct op_arena *mem,
			 struct op_gecko_table *t,
			 struct op_gecko_column *columns, size_t nr)
{
	struct op_json_in at;

	if (t->data) {
		at = op_gecko_at(in, t->data);
		rows_load(&at, mem, t, columns, nr);
		return;
	}
	for (size_t i = 0; i < nr && !in->err->code; i++) {
		if (!columns[i].at)
			continue;
		at = op_gecko_at(in, columns[i].at);
		column_load(&at, mem, t, &columns[i]);
	}
}

size_t op_gecko_rows(const struct op_gecko_column *columns, size_t nr)
{
	size_t rows = 0;

	for (size_t i = 0; i < nr; i++)
		rows = columns[i].n > rows ? columns[i].n : rows;
	return rows;
}
