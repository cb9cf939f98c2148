// SPDX-License-Identifier: Apache-2.0
/* rpc/split_send.h: one attempt for a message of any size.
 *
 * A message from a spool may exceed the current limit: it is split. If one of
 * its parts has to be retried, so has the message; parts that were accepted are
 * then sent again, with the same ids. */
#ifndef OP_RPC_SPLIT_SEND_H
#define OP_RPC_SPLIT_SEND_H

#include "rpc/client.h"

/* Like op_client_send(). */
void op_split_send(struct op_client *c, const struct op_rpc_config *to,
		   struct op_view message, struct op_answer *a);

#endif
