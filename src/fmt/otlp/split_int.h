// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_int.h: shared by the files that split messages. */
#ifndef OP_FMT_OTLP_SPLIT_INT_H
#define OP_FMT_OTLP_SPLIT_INT_H

#include "fmt/otlp/split.h"

/* Receives a part as a model and as a message; both are valid during the call.
 */
typedef int op_part_fn(void *ctx, const struct op_model *part,
		       struct op_view message, struct op_err *err);

/* split_cut.c: splits a model into parts whose messages have at most opts->max
 * bytes. The model is normal and each profile has an ID. */
int op_split_cut(const struct op_model *m, const struct op_split_opts *opts,
		 op_part_fn *fn, void *ctx, struct op_err *err);

/* split_ready.c: whether a message has profiles, all of them with IDs, and is
 * certainly of the current wire version. The decoder reports invalid messages.
 */
bool op_split_is_ready(struct op_view message);

bool op_split_id_is_set(const uint8_t *id);

#endif
