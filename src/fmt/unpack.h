// SPDX-License-Identifier: Apache-2.0
/* fmt/unpack.h: gzip, zstd and lz4 around a file, and text in UTF-16. */
#ifndef OP_FMT_UNPACK_H
#define OP_FMT_UNPACK_H

#include "base/buf.h"

/* What the input is packed with, by its first bytes: "gzip", "zstd", "lz4",
 * "utf-16", or NULL. The Collector's file exporter also packs each message by
 * itself with zstd and puts its length before it. */
const char *op_packing(struct op_view in);

/* Unpacks what op_packing() named into out, whose limit bounds it. Several
 * members or frames behind one another are one. */
int op_unpack(struct op_view in, struct op_buf *out);

#endif
