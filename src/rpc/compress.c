// SPDX-License-Identifier: Apache-2.0
/* rpc/compress.c: gzip and zstd for request bodies. */
#include "rpc/compress.h"

#include <libdeflate.h>
#include <zstd.h>

/* Fast levels: a sender has other things to do, and higher levels gain little.
 */
enum { GZIP_LEVEL = 3, ZSTD_LEVEL = 1 };

const char *op_compression_name(enum op_compression how)
{
	static const char *const names[] = {
		[OP_COMPRESSION_NONE] = NULL,
		[OP_COMPRESSION_GZIP] = "gzip",
		[OP_COMPRESSION_ZSTD] = "zstd",
	};

	return names[how];
}

static int gzip(struct op_view v, struct op_buf *out)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(
		GZIP_LEVEL);
	size_t most, n = 0;
	uint8_t *to;

	if (!c)
		return op_fail(out->err, OP_ENOMEM, "no memory for gzip");
	most = libdeflate_gzip_compress_bound(c, v.n);
	to = op_buf_add(out, most);
	if (to)
		n = libdeflate_gzip_compress(c, v.p, v.n, to, most);
	libdeflate_free_compressor(c);
	if (to)
		out->n -= most - n;
	return out->err->code;
}

static int zstd(struct op_view v, struct op_buf *out)
{
	size_t most = ZSTD_compressBound(v.n);
	uint8_t *to = op_buf_add(out, most);
	size_t n;

	if (!to)
		return out->err->code;
	n = ZSTD_compress(to, most, v.p, v.n, ZSTD_LEVEL);
	if (ZSTD_isError(n))
		return op_fail(out->err, OP_ENOMEM, "cannot compress: zstd: %s",
			       ZSTD_getErrorName(n));
	out->n -= most - n;
	return OP_OK;
}

int op_compress(enum op_compression how, struct op_view v, struct op_buf *out)
{
	return how == OP_COMPRESSION_GZIP ? gzip(v, out) : zstd(v, out);
}
