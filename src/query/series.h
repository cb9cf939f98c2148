// SPDX-License-Identifier: Apache-2.0
/* query/series.h: values over time.
 *
 * Points count to the bucket of their time. What lasts (model/interval.h) is
 * spread over the buckets that it overlaps, so that the parts add up to the
 * whole. Of a gauge the last value of each sample in a bucket counts.
 *
 * Observations without times are in no bucket but in totals.all.untimed.
 */
#ifndef OP_QUERY_SERIES_H
#define OP_QUERY_SERIES_H

#include "query/buckets.h"
#include "query/totals.h"

/* All zero is one bucket. */
struct op_series_opts {
	struct op_range range; /* to 0: that of the observations */
	uint64_t width;	       /* of a column; 0: by their number */
	uint32_t nr_columns;
	uint32_t nr_rows;    /* of a column; 0: 1 */
	uint32_t max_groups; /* the others share one series; 0: no limit */
};

struct op_series_cell {
	int64_t value;
	uint64_t count; /* observations that begin here, or before the range */
};

struct op_series {
	struct op_totals totals; /* the largest first: of series i, list.p[i] */
	struct op_buckets buckets;
	struct op_arena mem;
	struct op_series_cell *cells; /* those of series 0, then of 1, ... */
	uint32_t nr;
	bool has_others; /* the last series is that of all other groups */
	/* Observations, and parts of what lasts, that are not in the range. */
	uint64_t nr_outside;
	int64_t outside;
};

/* s is all zero; on failure it is to be freed too. like: as in totals.h. With
 * no times there are no buckets and no series. */
int op_series_build(struct op_series *s, const struct op_model *m,
		    const struct op_profile *like, const struct op_group_by *by,
		    const struct op_series_opts *opts, struct op_err *err);
void op_series_free(struct op_series *s);

op_inline const struct op_series_cell *op_series_row(const struct op_series *s,
						     uint32_t i)
{
	return s->cells + (size_t)i * s->buckets.nr;
}

#endif
