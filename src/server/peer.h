// SPDX-License-Identifier: Apache-2.0
/* server/peer.h: which user of this machine is at the other end of a
 * connection. */
#ifndef OP_SERVER_PEER_H
#define OP_SERVER_PEER_H

#include <stdbool.h>

/* Whether another user than we and root made a connection that came over the
 * loopback interface. What is not known is taken for our own. */
bool op_peer_is_other(int fd);

#endif
