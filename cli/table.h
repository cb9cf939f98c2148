// SPDX-License-Identifier: Apache-2.0
/* cli/table.h: prints rows of cells as aligned text, as JSON or as CSV.
 *
 *	static const struct table_column columns[] = {
 *		{ "flat", TABLE_VALUE }, { "flat%", TABLE_PERCENT },
 *		{ "function", TABLE_TEXT },
 *	};
 *	struct table t = { .columns = columns, .nr_columns = 3, ... };
 *	table_begin(&t);
 *	table_value(&t, 5);
 *	table_percent(&t, 5, 10);
 *	table_text(&t, name);         that was the first row
 *	table_end(&t);
 *	table_free(&t);
 *
 * JSON and CSV have exact integers: values in the unit of the profile, times in
 * nanoseconds; percentages, which follow from them, are left out. Text has
 * human units; on a terminal the last column is cut to its width and there are
 * colours. CSV is that of RFC 4180, with characters that a terminal could obey
 * escaped as in JSON.
 */
#ifndef OP_CLI_TABLE_H
#define OP_CLI_TABLE_H

#include "base/vec.h"
#include "pb/json_write.h"
#include "units.h"

enum table_kind {
	TABLE_VALUE,   /* in the unit of the profile */
	TABLE_PERCENT, /* text only */
	TABLE_SUM,     /* a percentage of this row and those before; likewise */
	TABLE_COUNT,
	TABLE_NUMBER, /* of a line: thousands are not separated */
	TABLE_TEXT,
	TABLE_TIME,	/* a point in time, ns since 1970 */
	TABLE_DURATION, /* ns */
};

struct table_column {
	const char *name;
	enum table_kind kind;
	const char *key; /* in JSON and CSV; NULL: name */
};

struct table_cell {
	size_t at, n;	    /* of the text of all cells */
	uint32_t columns;   /* on a terminal */
	const char *colour; /* NULL: none */
};

struct table {
	/* Set before: */
	const struct table_column *columns;
	uint32_t nr_columns;
	const struct units *units;
	struct op_json *json; /* open object; an array is added to it */
	const char *json_key; /* of the array; NULL: "rows" */
	bool csv;	      /* if there is no json */
	bool no_header;
	const char *indent; /* before each line of text; NULL: none */
	struct op_buf *out; /* with what was printed so far; flushed */
	bool keeps;	    /* it is not flushed; only for text */
	struct op_err *err;

	struct op_arena mem;
	OP_VEC(struct table_cell) cells;
	struct op_buf text;
	uint32_t column; /* of the next cell */
};

void table_begin(struct table *t);

/* The next cell, of the kind of its column. Percentages are left out where they
 * are not shown, so they may be given always. */
void table_value(struct table *t, int64_t v);
void table_percent(struct table *t, int64_t part, int64_t whole);
void table_count(struct table *t, uint64_t n);
void table_number(struct table *t, uint64_t n);
void table_text(struct table *t, struct op_view text);
void table_time(struct table *t, uint64_t ns);
void table_duration(struct table *t, uint64_t ns);
/* A cell that is empty, of any kind; null in JSON. */
void table_blank(struct table *t);

/* Prints what is left to print. */
void table_end(struct table *t);
void table_free(struct table *t);

/* part of whole, of which the sign does not count: of a difference it may be
 * negative. */
double table_share(int64_t part, int64_t whole);

/* Whether standard output is a terminal that may have colours. */
bool table_has_colours(void);

/* Columns of the terminal; 0: it is none, and no line is too long. */
uint32_t table_line_width(void);

/* Writes lines that were made here, with our own escape sequences, and empties
 * the buffer. What comes from a profile must have been made printable. */
int table_write(struct op_buf *b);

#endif
