// SPDX-License-Identifier: Apache-2.0
/* query/heatmap.c: a series whose columns have rows. */
#include "query/heatmap.h"

int op_heatmap_build(struct op_heatmap *h, const struct op_model *m,
		     const struct op_profile *like,
		     const struct op_series_opts *opts, struct op_err *err)
{
	struct op_series_opts o = {
		.range = opts->range,
		.width = opts->width ? opts->width : OP_HEATMAP_COLUMN,
		.nr_rows = opts->nr_rows ? opts->nr_rows : OP_HEATMAP_ROWS,
	};
	struct op_group_by by = { 0 };

	if (op_series_build(&h->series, m, like, &by, &o, err))
		return err->code;
	for (size_t i = 0; h->series.nr && i < h->series.buckets.nr; i++) {
		const struct op_series_cell *c = &h->series.cells[i];

		if (c->value > h->max_value)
			h->max_value = c->value;
		if (c->count > h->max_count)
			h->max_count = c->count;
	}
	return OP_OK;
}

void op_heatmap_free(struct op_heatmap *h)
{
	op_series_free(&h->series);
	*h = (struct op_heatmap){ 0 };
}
