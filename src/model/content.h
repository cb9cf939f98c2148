// SPDX-License-Identifier: Apache-2.0
/* model/content.h: ids for profiles that have none. */
#ifndef OP_MODEL_CONTENT_H
#define OP_MODEL_CONTENT_H

#include "base/hash.h"
#include "model/model.h"

/* Gives each profile without an id the 128-bit hash of its content: of
 * everything reachable from it and from its resource and scope. The hash does
 * not depend on the order of rows or samples, so a normalized profile gets the
 * same id however it was stored. */
int op_content_ids(struct op_model *m, struct op_err *err);

/* The hash of a list of attributes, independent of their order. */
struct op_hash128 op_kvs_hash(const struct op_model *m, struct op_kvs kvs);

#endif
