// SPDX-License-Identifier: Apache-2.0
/* rpc/compress.h: compresses a message in one step. */
#ifndef OP_RPC_COMPRESS_H
#define OP_RPC_COMPRESS_H

#include "base/buf.h"
#include "rpc/config.h"

/* The name in HTTP and gRPC; NULL for none. */
const char *op_compression_name(enum op_compression how);

/* Appends v, compressed, to out. how must not be OP_COMPRESSION_NONE. */
int op_compress(enum op_compression how, struct op_view v, struct op_buf *out);

#endif
