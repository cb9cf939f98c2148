// SPDX-License-Identifier: Apache-2.0
/* rpc/pieces.h: one try for a message of any size.
 *
 * A message that waited in a spool may be larger than what is allowed by now:
 * it goes in pieces (fmt/otlp/split.h). If one of them is to be tried again, so
 * is the message; those that were taken come a second time then, with the same
 * ids. */
#ifndef OP_RPC_PIECES_H
#define OP_RPC_PIECES_H

#include "rpc/client.h"

/* As op_client_send(). */
void op_pieces_send(struct op_client *c, const struct op_rpc_config *to,
		    struct op_view message, struct op_answer *a);

#endif
