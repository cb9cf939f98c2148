// SPDX-License-Identifier: Apache-2.0
/* fmt/pack.h: gzip, zstd and lz4 on the way out; the reverse of unpack.h.
 *
 * A sink around another. What it holds does not grow with what is written:
 * zstd and lz4 are streams, gzip is cut into members of 8 MiB, which every
 * reader takes for one file. Levels are the tools' own: gzip 6, zstd 3, the
 * fast lz4. */
#ifndef OP_FMT_PACK_H
#define OP_FMT_PACK_H

#include "fmt/format.h"

enum op_pack_kind {
	OP_PACK_AUTO, /* by the name of the file, or by the format's custom */
	OP_PACK_NONE,
	OP_PACK_GZIP,
	OP_PACK_ZSTD,
	OP_PACK_LZ4,
};

/* "none", "gzip", "zstd", "lz4"; OP_PACK_AUTO if it is not one of them. */
enum op_pack_kind op_pack_named(const char *name);

/* By ".gz", ".zst" or ".lz4" at the end; OP_PACK_AUTO if it has none of them.
 * *stem, unless NULL, is the name without it. */
enum op_pack_kind op_pack_by_ending(const char *file, struct op_view *stem);

struct op_pack {
	struct op_sink sink;
	struct op_sink *to;
	enum op_pack_kind kind;
	struct op_buf in;  /* of a member of gzip */
	struct op_buf out; /* what is packed, as much as is made at once */
	void *stream;	   /* the library's */
	bool has_member;
};

/* Packs what is written to p->sink into to, which stays the caller's. kind is
 * not OP_PACK_AUTO. op_pack_close() is due, also after a failure. */
int op_pack_open(struct op_pack *p, enum op_pack_kind kind, struct op_sink *to,
		 struct op_err *err);

/* Writes the end, unless err is set, and frees what p has. */
int op_pack_close(struct op_pack *p, struct op_err *err);

#endif
