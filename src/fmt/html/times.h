// SPDX-License-Identifier: Apache-2.0
/* fmt/html/times.h: the observations of a page, see times.c. */
#ifndef OP_FMT_HTML_TIMES_H
#define OP_FMT_HTML_TIMES_H

#include "model/interval.h"
#include "pb/json_write.h"
#include "query/flame.h"
#include "query/groups.h"

struct op_html_times {
	const struct op_model *m;
	struct op_range span;
	struct op_groups groups;
	struct op_arena mem; /* of one sample */
	struct op_err *err;
};

/* How many observations have a time. */
uint64_t op_html_times_count(const struct op_model *m);

/* t is to be freed, also on failure; the model must outlive it. */
int op_html_times_init(struct op_html_times *t, const struct op_model *m,
		       struct op_err *err);
void op_html_times_free(struct op_html_times *t);

/* Writes the member "times" of a profile whose tree was built with leaves.
 * numbers: of its nodes (query/flame_json.h). */
void op_html_times_profile(struct op_html_times *t, struct op_json *w,
			   const struct op_walk *at, const struct op_flame *f,
			   const uint32_t *numbers);

/* Writes the member "times" of the page, behind all profiles. */
void op_html_times_put(struct op_html_times *t, struct op_json *w);

#endif
