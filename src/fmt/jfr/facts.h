// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/facts.h: what the recording says of the machine, and its settings. */
#ifndef OP_FMT_JFR_FACTS_H
#define OP_FMT_JFR_FACTS_H

#include "base/view.h"
#include "model/model.h"
#include "fmt/jfr/cursor.h"

struct op_jfr;
struct op_jfr_chunk;

/* What a setting said of the sampling of an event type. */
struct op_jfr_period {
	struct op_view event;
	int64_t ns;
};

/* Unless there is one of the same name: each chunk says it again. */
void op_jfr_fact_put(struct op_jfr *j, const struct op_kv *kv);
void op_jfr_fact(struct op_jfr_chunk *c, uint32_t type, struct op_jfr_cur *in);
void op_jfr_facts_end(struct op_jfr *j);

#endif
