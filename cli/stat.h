// SPDX-License-Identifier: Apache-2.0
/* cli/stat.h: the views of `otprof stat`. */
#ifndef OP_CLI_STAT_H
#define OP_CLI_STAT_H

#include "answer.h"
#include "chart.h"
#include "query/totals.h"

enum { STAT_COLUMNS = OP_MAX_LABELS + 8, STAT_NAME = 64, STAT_LABEL = 30 };

struct stat_view {
	struct answer a;
	struct chart chart;
	bool series, heatmap, threads;
	uint64_t buckets; /* 0: as many as fit */
	uint64_t fractions;
	const char *column_text;
	uint64_t column_ns; /* 0: by the width of the terminal */

	/* Of the table at hand. */
	struct table_column columns[STAT_COLUMNS];
	char names[OP_MAX_LABELS][STAT_NAME];
	uint32_t nr_columns;
	bool has_type_times; /* in the table of types */
	struct op_buf text;
};

void stat_series(struct stat_view *x);
void stat_heatmap(struct stat_view *x);
void stat_threads(struct stat_view *x);

/* Columns of the table at hand. */
void stat_column(struct stat_view *x, const char *name, enum table_kind kind,
		 const char *key);
void stat_label_columns(struct stat_view *x, const struct op_group_by *by);

/* The cells of the labels of a group; in text not longer than STAT_LABEL,
 * unless they are the last column. */
void stat_labels(struct stat_view *x, struct table *t,
		 const struct op_groups *g, uint32_t group);

/* Whether times of the type are since 1970. */
bool stat_has_date(const struct stat_view *x, const struct op_profile *like,
		   struct op_range range);

/* A column for times, and a cell of it: a date, or how long after the start. */
void stat_time_column(struct stat_view *x, bool has_date);
void stat_time(struct table *t, bool has_date, uint64_t ns, uint64_t start);

/* A line that says where time begins, and what a column is. */
void stat_axis(struct stat_view *x, struct op_range range, uint64_t step,
	       const char *what);

/* Fails if there is no time. */
int stat_no_times(struct stat_view *x, const char *option);

/* Says how many observations are without a time, if there are. */
void stat_untimed(struct stat_view *x, uint64_t nr, uint64_t nr_outside);

/* Says what the rows add up to that were not shown; they are sorted. */
void stat_left_out(struct stat_view *x, const struct op_totals *totals,
		   uint64_t shown);

#endif
