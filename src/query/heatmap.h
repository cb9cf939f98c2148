// SPDX-License-Identifier: Apache-2.0
/* query/heatmap.h: when within each second something happened, as FlameScope
 * shows it: a column for each second, in it a row for each fraction. */
#ifndef OP_QUERY_HEATMAP_H
#define OP_QUERY_HEATMAP_H

#include "query/series.h"

enum { OP_HEATMAP_ROWS = 50 };
#define OP_HEATMAP_COLUMN 1000000000u /* nanoseconds */

struct op_heatmap {
	struct op_series series; /* one; none if there are no times */
	int64_t max_value;	 /* of all cells */
	uint64_t max_count;
};

/* h is all zero; on failure it is to be freed too. Of opts count the range, the
 * width of a column (0: a second) and the rows (0: OP_HEATMAP_ROWS). */
int op_heatmap_build(struct op_heatmap *h, const struct op_model *m,
		     const struct op_profile *like,
		     const struct op_series_opts *opts, struct op_err *err);
void op_heatmap_free(struct op_heatmap *h);

/* Row 0 is the beginning of a column. */
op_inline const struct op_series_cell *
op_heatmap_cell(const struct op_heatmap *h, uint32_t column, uint32_t row)
{
	return h->series.cells + (size_t)column * h->series.buckets.nr_rows +
	       row;
}

#endif
