// SPDX-License-Identifier: Apache-2.0
/* fmt/unpack.c: unpacks gzip, zstd and lz4, and text in UTF-16. */
#include "fmt/unpack.h"

#include <libdeflate.h>
#include <lz4frame.h>
#include <zstd.h>

#include "base/utf16.h"

enum { CHUNK = 256 * 1024 };

/* Room for more output: what is free now, or a doubled buffer, but never past
 * the limit. Empty after an error. */
static size_t room(struct op_buf *out, size_t least)
{
	size_t want = out->n > least ? out->n : least;

	if (out->limit && out->limit - out->n < want) {
		want = out->limit - out->n;
		if (!want)
			op_fail(out->err, OP_ELIMIT,
				"unpacks to more than %zu bytes", out->limit);
	}
	if (out->cap - out->n < least && !op_buf_reserve(out, want))
		return 0;
	want = out->cap - out->n;
	if (out->limit && out->limit - out->n < want)
		want = out->limit - out->n;
	return out->err->code ? 0 : want;
}

static int broken(struct op_buf *out, size_t at, const char *how)
{
	return op_fail_at(out->err, OP_EFORMAT, at, "%s", how);
}

/* --- gzip --- */

/* The size a member announces in its last bytes, which may be a lie or that
 * of a later member: good for a first guess within what deflate can do. */
static size_t gzip_guess(struct op_view in)
{
	enum { MAX_RATIO = 1032 };
	uint32_t size;
	uint64_t most = (uint64_t)in.n * MAX_RATIO;

	if (in.n < 18)
		return CHUNK;
	memcpy(&size, in.p + in.n - 4, sizeof(size));
	if (size > most)
		return CHUNK;
	return size > CHUNK ? size : CHUNK;
}

static int gzip_member(struct libdeflate_decompressor *d, struct op_view in,
		       size_t *at, struct op_buf *out)
{
	size_t least = gzip_guess(op_view(in.p + *at, in.n - *at));
	enum libdeflate_result result;
	size_t used, made, free_bytes;

	for (;; least *= 2) {
		free_bytes = room(out, least);
		if (!free_bytes)
			return out->err->code;
		result = libdeflate_gzip_decompress_ex(
			d, in.p + *at, in.n - *at, out->p + out->n, free_bytes,
			&used, &made);
		if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (out->limit && free_bytes == out->limit - out->n)
			return op_fail(out->err, OP_ELIMIT,
				       "unpacks to more than %zu bytes",
				       out->limit);
		least = free_bytes;
	}
	if (result != LIBDEFLATE_SUCCESS)
		return broken(out, *at,
			      "the gzip data is damaged or truncated");
	*at += used;
	out->n += made;
	return OP_OK;
}

static int gzip(struct op_view in, struct op_buf *out)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t at = 0;

	if (!d)
		return op_fail(out->err, OP_ENOMEM, "no memory for gzip");
	do {
		gzip_member(d, in, &at, out);
	} while (!out->err->code && at < in.n);
	libdeflate_free_decompressor(d);
	return out->err->code;
}

/* --- zstd --- */

static int zstd(struct op_view in, struct op_buf *out)
{
	ZSTD_DStream *d = ZSTD_createDStream();
	ZSTD_inBuffer src = { in.p, in.n, 0 };
	size_t left = 1;

	if (!d)
		return op_fail(out->err, OP_ENOMEM, "no memory for zstd");
	while (!out->err->code && (src.pos < src.size || left)) {
		size_t free_bytes = room(out, CHUNK);
		ZSTD_outBuffer dst = { out->p + out->n, free_bytes, 0 };
		size_t at = src.pos;

		if (!free_bytes)
			break;
		left = ZSTD_decompressStream(d, &dst, &src);
		out->n += dst.pos;
		if (ZSTD_isError(left))
			broken(out, at, ZSTD_getErrorName(left));
		else if (left && src.pos == src.size && !dst.pos)
			broken(out, src.pos, "the zstd data is truncated");
	}
	ZSTD_freeDStream(d);
	return out->err->code;
}

/* --- lz4 --- */

static int lz4(struct op_view in, struct op_buf *out)
{
	LZ4F_dctx *d;
	size_t at = 0, left = 1;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
		return op_fail(out->err, OP_ENOMEM, "no memory for lz4");
	while (!out->err->code && (at < in.n || left)) {
		size_t made = room(out, CHUNK);
		size_t used = in.n - at;

		if (!made)
			break;
		left = LZ4F_decompress(d, out->p + out->n, &made, in.p + at,
				       &used, NULL);
		if (LZ4F_isError(left)) {
			broken(out, at, LZ4F_getErrorName(left));
			break;
		}
		at += used;
		out->n += made;
		if (left && at == in.n && !made)
			broken(out, at, "the lz4 data is truncated");
	}
	LZ4F_freeDecompressionContext(d);
	return out->err->code;
}

/* --- messages packed one by one --- */

enum { PREFIX = 4 };

static const uint8_t zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

static bool is_zstd(struct op_view in)
{
	return in.n >= sizeof(zstd_magic) &&
	       !memcmp(in.p, zstd_magic, sizeof(zstd_magic));
}

/* The part behind its length, four bytes, big-endian; empty if there is no
 * such part at *at. */
static struct op_view part_at(struct op_view in, size_t *at)
{
	const uint8_t *p = in.p + *at;
	size_t n;

	if (in.n - *at < PREFIX)
		return (struct op_view){ 0 };
	n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (n > in.n - *at - PREFIX)
		return (struct op_view){ 0 };
	*at += PREFIX + n;
	return op_view(p + PREFIX, n);
}

/* Whether lengths lead to the end, each followed by zstd. */
static bool is_parts(struct op_view in)
{
	size_t at = 0;

	while (at < in.n)
		if (!is_zstd(part_at(in, &at)))
			return false;
	return in.n;
}

/* Messages of protobuf get a length again, lines of JSON their ends. */
static int parts(struct op_view in, struct op_buf *out)
{
	size_t at = 0;

	while (at < in.n && !out->err->code) {
		struct op_view part = part_at(in, &at);
		size_t from = out->n, n;
		uint8_t *len = op_buf_add(out, PREFIX);

		if (!len)
			break;
		if (zstd(part, out)) {
			out->err->at += (uint64_t)(part.p - in.p);
			break;
		}
		n = out->n - from - PREFIX;
		len = out->p + from;
		if (n && len[PREFIX] == '{') {
			memmove(len, len + PREFIX, n);
			len[n] = '\n';
			out->n = from + n + 1;
			continue;
		}
		if (n > UINT32_MAX)
			return op_fail(out->err, OP_ELIMIT,
				       "a message of %zu bytes is too large",
				       n);
		for (int i = 0; i < PREFIX; i++)
			len[i] = (uint8_t)(n >> (24 - 8 * i));
	}
	return out->err->code;
}

/* --- UTF-16, as PowerShell redirects text --- */

enum { MARK = 2 }; /* bytes of the byte order mark */

static int utf16_little(struct op_view in, struct op_buf *out)
{
	return op_utf16_decode(op_view(in.p + MARK, in.n - MARK), false, out);
}

static int utf16_big(struct op_view in, struct op_buf *out)
{
	return op_utf16_decode(op_view(in.p + MARK, in.n - MARK), true, out);
}

/* --- which --- */

static const struct {
	const char *name;
	uint8_t magic[4];
	uint8_t n;
	int (*unpack)(struct op_view in, struct op_buf *out);
} packings[] = {
	{ "gzip", { 0x1f, 0x8b }, 2, gzip },
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, zstd },
	{ "lz4", { 0x04, 0x22, 0x4d, 0x18 }, 4, lz4 },
	{ "utf-16", { 0xff, 0xfe }, MARK, utf16_little },
	{ "utf-16", { 0xfe, 0xff }, MARK, utf16_big },
};

static int find(struct op_view in)
{
	for (size_t i = 0; i < op_countof(packings); i++)
		if (in.n >= packings[i].n &&
		    !memcmp(in.p, packings[i].magic, packings[i].n))
			return (int)i;
	return -1;
}

const char *op_packing(struct op_view in)
{
	int i = find(in);

	if (i < 0)
		return is_parts(in) ? "zstd, each message" : NULL;
	return packings[i].name;
}

int op_unpack(struct op_view in, struct op_buf *out)
{
	int i = find(in);

	if (i >= 0)
		return packings[i].unpack(in, out);
	if (is_parts(in))
		return parts(in, out);
	return op_fail(out->err, OP_EUSAGE, "not compressed");
}
