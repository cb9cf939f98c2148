// SPDX-License-Identifier: Apache-2.0
/* rpc/compress.h: a message made smaller, in one piece. */
#ifndef OP_RPC_COMPRESS_H
#define OP_RPC_COMPRESS_H

#include "base/buf.h"
#include "rpc/config.h"

/* What HTTP and gRPC call it; NULL for none. */
const char *op_compression_name(enum op_compression how);

/* Appends v, compressed, to out. how is not OP_COMPRESSION_NONE. */
int op_compress(enum op_compression how, struct op_view v, struct op_buf *out);

#endif
