// SPDX-License-Identifier: Apache-2.0
/* rpc/resource.h: attributes of OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * for resources that lack them. */
#ifndef OP_RPC_RESOURCE_H
#define OP_RPC_RESOURCE_H

#include "model/model.h"
#include "rpc/config.h"
#include "base/pairs.h"

struct op_rpc_resource {
	struct op_arena mem; /* of all strings */
	struct op_pairs attrs;
};

/* Each key occurs once. An invalid list is reported and ignored as a whole, and
 * the service name takes precedence over the list. Fails only if out of memory;
 * call op_rpc_resource_free() in either case. */
int op_rpc_resource_read(struct op_rpc_resource *r,
			 const struct op_rpc_env *env, struct op_err *err);
void op_rpc_resource_free(struct op_rpc_resource *r);

/* Adds the missing attributes to each resource. The model has views of r. */
int op_rpc_resource_apply(const struct op_rpc_resource *r, struct op_model *m,
			  struct op_err *err);

#endif
