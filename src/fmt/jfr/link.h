// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/link.h: ids of traces and spans. */
#ifndef OP_FMT_JFR_LINK_H
#define OP_FMT_JFR_LINK_H

#include "base/view.h"
#include "model/model.h"

struct op_jfr_chunk;
struct op_jfr_plan;
struct op_jfr_word;

/* The text that a word stands for; none if it is a number. */
struct op_view op_jfr_word_text(struct op_jfr_chunk *c,
				const struct op_jfr_word *w, uint64_t v);
/* The trace and span of an event; false if it has none. */
bool op_jfr_link(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		 const uint64_t *words, struct op_link *link);
/* Whether a text is an id in hex digits: of a span, or of a trace. */
bool op_jfr_is_id(struct op_view text, bool is_trace);

#endif
