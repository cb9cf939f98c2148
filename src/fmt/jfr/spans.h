// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/spans.h: intervals that say what a thread was doing, and
 * endpoints. */
#ifndef OP_FMT_JFR_SPANS_H
#define OP_FMT_JFR_SPANS_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"

struct op_jfr;

/* What a thread was doing: a tag, a span, or what was asked for. */
struct op_jfr_activity {
	struct op_view tag;
	struct op_link link;
};

enum op_jfr_interval_kind { OP_JFR_TAGGED, OP_JFR_LINKED, OP_JFR_SELECTED };

struct op_jfr_interval {
	int64_t thread[2]; /* thread.id, and the system's */
	uint64_t from_ns, to_ns;
	uint32_t activity;
	enum op_jfr_interval_kind kind;
};

/* What a request was, by the span that began it. */
struct op_jfr_endpoint {
	uint64_t root;
	struct op_view endpoint, operation;
};

/* Of all chunks; views are of the recording's memory. */
struct op_jfr_spans {
	struct op_intern activity_index, endpoint_index;
	OP_VEC(struct op_jfr_activity) activity;
	OP_VEC(struct op_jfr_interval) intervals;
	OP_VEC(struct op_jfr_endpoint) endpoints;
};

void op_jfr_interval_add(struct op_jfr *j, struct op_jfr_interval *row,
			 const struct op_jfr_activity *activity);
void op_jfr_endpoint_add(struct op_jfr *j, const struct op_jfr_endpoint *row);
/* Adds what another part of the recording had. */
void op_jfr_spans_join(struct op_jfr *to, const struct op_jfr *from);
/* Whether there is anything of the kind, or it was asked for. */
bool op_jfr_has_spans(const struct op_jfr *j);
/* Gives samples the tags, links and endpoints, and drops what was not in an
 * interval that was asked for. Samples get other ids: what remembers some, as
 * the heap does, must end before. Puts the intervals in order. */
void op_jfr_spans_end(struct op_jfr *j);

#endif
