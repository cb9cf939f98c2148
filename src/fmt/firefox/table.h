// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/table.h: tables of Firefox profiles, which come in two shapes:
 *
 *	{ "schema": { "stack": 0, "time": 1 }, "data": [ [3, 0.5], [4] ] }
 *	{ "stack": [3, 4], "time": [0.5, null], "length": 2 }
 *
 * Gecko writes the first, the Firefox Profiler the second. Both are read into
 * columns. A row may be short, a column may be null, short or missing.
 */
#ifndef OP_FMT_FIREFOX_TABLE_H
#define OP_FMT_FIREFOX_TABLE_H

#include "pb/json_extract.h"

/* The value of a cell that is null or missing. */
#define OP_GECKO_NONE INT64_MIN

enum op_gecko_kind {
	OP_GECKO_ID,	 /* a whole number; below 0 is none */
	OP_GECKO_NUMBER, /* times 10^digits, rounded to a whole one */
	OP_GECKO_PLACE, /* where in the text the value stands, from its start */
};

struct op_gecko_column {
	const char *name;
	enum op_gecko_kind kind;
	unsigned int digits;

	/* for op_gecko_table_open() */
	const uint8_t *at; /* the list; NULL: there is none */
	uint64_t index;	   /* in rows; OP_GECKO_NO_INDEX: it is not in them */

	/* for op_gecko_table_load() */
	int64_t *p;
	size_t n, cap;
};

#define OP_GECKO_NO_INDEX UINT64_MAX

struct op_gecko_table {
	const uint8_t *at;	    /* where it stands in the text */
	struct op_view weight_type; /* "weightType", as it stands */
	int64_t length;		    /* OP_GECKO_NONE: it is not told */
	const uint8_t *data;	    /* rows; NULL: it has columns */
	uint64_t nr_rounded;	    /* numbers that were not whole */
};

/* Finds the columns, which are named, of the table that in stands at, and
 * passes it. Any value but an object is a table without columns. */
void op_gecko_table_open(struct op_json_in *in, struct op_gecko_table *t,
			 struct op_gecko_column *columns, size_t nr);

/* Reads the columns; in is any reader of the same text. */
void op_gecko_table_load(const struct op_json_in *in, struct op_arena *mem,
			 struct op_gecko_table *t,
			 struct op_gecko_column *columns, size_t nr);

/* The number of rows: that of the longest column. */
size_t op_gecko_rows(const struct op_gecko_column *columns, size_t nr);

op_inline int64_t op_gecko_cell(const struct op_gecko_column *c, size_t row)
{
	return row < c->n ? c->p[row] : OP_GECKO_NONE;
}

/* A reader of the same text at another place. */
op_inline struct op_json_in op_gecko_at(const struct op_json_in *in,
					const uint8_t *p)
{
	struct op_json_in there = *in;

	there.p = p;
	return there;
}

#endif
