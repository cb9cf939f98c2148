// SPDX-License-Identifier: Apache-2.0
/* rpc/split.h: a model as several messages, none larger than allowed.
 *
 * Profiles stay whole where they fit; a profile that is too large is cut
 * between its samples, and a sample that is too large between its observations.
 * Each message has the rows that it needs. A profile that is cut has its time,
 * attributes, resource and scope in each part, an id of its own in each, and no
 * original payload. */
#ifndef OP_RPC_SPLIT_H
#define OP_RPC_SPLIT_H

#include "rpc/batch.h"

/* m is normal and each profile has an id. What does not fit even by itself is
 * left out and told of. */
int op_split(const struct op_model *m, const struct op_batch_opts *opts,
	     op_message_fn *fn, void *ctx, struct op_err *err);

#endif
