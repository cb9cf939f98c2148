// SPDX-License-Identifier: Apache-2.0
/* rpc/resource.h: attributes that OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES give to resources which lack them. */
#ifndef OP_RPC_RESOURCE_H
#define OP_RPC_RESOURCE_H

#include "model/model.h"
#include "rpc/config.h"
#include "rpc/pairs.h"

struct op_rpc_resource {
	struct op_arena mem; /* of all strings */
	struct op_pairs attrs;
};

/* Each key once. A list that cannot be read is told of and ignored as a whole,
 * and the name of the service counts before the list. Fails without memory
 * only; op_rpc_resource_free() is due either way. */
int op_rpc_resource_read(struct op_rpc_resource *r,
			 const struct op_rpc_env *env, struct op_err *err);
void op_rpc_resource_free(struct op_rpc_resource *r);

/* Adds what is missing to each resource. The model has views of r. */
int op_rpc_resource_apply(const struct op_rpc_resource *r, struct op_model *m,
			  struct op_err *err);

#endif
