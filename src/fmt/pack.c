// SPDX-License-Identifier: Apache-2.0
/* fmt/pack.c: gzip, zstd and lz4 around a sink. */
#include "fmt/pack.h"

#include <libdeflate.h>
#include <lz4frame.h>
#include <zstd.h>

#include "base/budget.h"

enum {
	GZIP_LEVEL = 6,
	ZSTD_LEVEL = 3,
	MEMBER = 8 << 20,
	CHUNK = 256 * 1024,
};

static int pass(struct op_pack *p, size_t n, struct op_err *err)
{
	if (!n || err->code)
		return err->code;
	return p->to->write(p->to, op_view(p->out.p, n), err);
}

/* The whole of the output buffer, made to hold n bytes. */
static uint8_t *room(struct op_pack *p, size_t n, struct op_err *err)
{
	p->out.err = err;
	p->out.n = 0;
	return op_buf_add(&p->out, n);
}

/* --- none --- */

static int none_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct op_pack *p = (struct op_pack *)sink;

	return p->to->write(p->to, v, err);
}

/* --- gzip --- */

static int gzip_open(struct op_pack *p, struct op_err *err)
{
	p->stream = libdeflate_alloc_compressor(GZIP_LEVEL);
	if (!p->stream)
		return op_fail(err, OP_ENOMEM, "no memory for gzip");
	return OP_OK;
}

static int gzip_member(struct op_pack *p, struct op_view v, struct op_err *err)
{
	size_t most = libdeflate_gzip_compress_bound(p->stream, v.n);
	uint8_t *to = room(p, most, err);

	if (!to)
		return err->code;
	p->has_member = true;
	return pass(p, libdeflate_gzip_compress(p->stream, v.p, v.n, to, most),
		    err);
}

static int gzip_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct op_pack *p = (struct op_pack *)sink;

	p->in.err = err;
	while (v.n && !err->code) {
		size_t n = MEMBER - p->in.n;

		n = v.n < n ? v.n : n;
		op_buf_view(&p->in, op_view(v.p, n));
		v = op_view(v.p + n, v.n - n);
		if (p->in.n == MEMBER) {
			gzip_member(p, op_view(p->in.p, p->in.n), err);
			p->in.n = 0;
		}
	}
	return err->code;
}

static int gzip_end(struct op_pack *p, struct op_err *err)
{
	if (p->in.n || !p->has_member)
		gzip_member(p, op_view(p->in.p, p->in.n), err);
	return err->code;
}

static void gzip_free(struct op_pack *p)
{
	libdeflate_free_compressor(p->stream);
}

/* --- zstd --- */

static int zstd_open(struct op_pack *p, struct op_err *err)
{
	p->stream = ZSTD_createCCtx();
	if (!p->stream)
		return op_fail(err, OP_ENOMEM, "no memory for zstd");
	ZSTD_CCtx_setParameter(p->stream, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->stream, ZSTD_c_checksumFlag, 1);
	return OP_OK;
}

static int zstd_feed(struct op_pack *p, struct op_view v, ZSTD_EndDirective how,
		     struct op_err *err)
{
	ZSTD_inBuffer in = { v.p, v.n, 0 };
	size_t left = how == ZSTD_e_end;

	while (!err->code && (in.pos < in.size || left)) {
		uint8_t *to = room(p, CHUNK, err);
		ZSTD_outBuffer out = { to, CHUNK, 0 };

		if (!to)
			break;
		left = ZSTD_compressStream2(p->stream, &out, &in, how);
		if (ZSTD_isError(left))
			return op_fail(err, OP_ENOMEM, "cannot pack: zstd: %s",
				       ZSTD_getErrorName(left));
		pass(p, out.pos, err);
		left = how == ZSTD_e_end ? left : 0;
	}
	return err->code;
}

static int zstd_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	return zstd_feed((struct op_pack *)sink, v, ZSTD_e_continue, err);
}

static int zstd_end(struct op_pack *p, struct op_err *err)
{
	return zstd_feed(p, (struct op_view){ 0 }, ZSTD_e_end, err);
}

static void zstd_free(struct op_pack *p)
{
	ZSTD_freeCCtx(p->stream);
}

/* --- lz4 --- */

static const LZ4F_preferences_t lz4_prefs = {
	.frameInfo = {
		.blockSizeID = LZ4F_max256KB,
		.contentChecksumFlag = LZ4F_contentChecksumEnabled,
	},
};

static int lz4_made(struct op_pack *p, size_t n, struct op_err *err)
{
	if (LZ4F_isError(n))
		return op_fail(err, OP_ENOMEM, "cannot pack: lz4: %s",
			       LZ4F_getErrorName(n));
	return pass(p, n, err);
}

static int lz4_open(struct op_pack *p, struct op_err *err)
{
	LZ4F_cctx *stream = NULL;
	uint8_t *to;

	if (LZ4F_isError(LZ4F_createCompressionContext(&stream, LZ4F_VERSION)))
		return op_fail(err, OP_ENOMEM, "no memory for lz4");
	p->stream = stream;
	to = room(p, LZ4F_HEADER_SIZE_MAX, err);
	if (!to)
		return err->code;
	return lz4_made(p,
			LZ4F_compressBegin(stream, to, LZ4F_HEADER_SIZE_MAX,
					   &lz4_prefs),
			err);
}

static int lz4_write(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	struct op_pack *p = (struct op_pack *)sink;
	size_t most = LZ4F_compressBound(CHUNK, &lz4_prefs);

	while (v.n && !err->code) {
		size_t n = v.n < CHUNK ? v.n : CHUNK;
		uint8_t *to = room(p, most, err);

		if (to)
			lz4_made(p,
				 LZ4F_compressUpdate(p->stream, to, most, v.p,
						     n, NULL),
				 err);
		v = op_view(v.p + n, v.n - n);
	}
	return err->code;
}

static int lz4_end(struct op_pack *p, struct op_err *err)
{
	size_t most = LZ4F_compressBound(0, &lz4_prefs);
	uint8_t *to = room(p, most, err);

	if (!to)
		return err->code;
	return lz4_made(p, LZ4F_compressEnd(p->stream, to, most, NULL), err);
}

static void lz4_free(struct op_pack *p)
{
	LZ4F_freeCompressionContext(p->stream);
}

/* --- the table --- */

static const struct {
	const char *name, *ending;
	int (*open)(struct op_pack *p, struct op_err *err);
	int (*write)(struct op_sink *sink, struct op_view v,
		     struct op_err *err);
	int (*end)(struct op_pack *p, struct op_err *err);
	void (*free)(struct op_pack *p);
	unsigned int steps; /* of work for a byte */
} packers[] = {
	[OP_PACK_NONE] = { "none", NULL, NULL, none_write, NULL, NULL, 1 },
	[OP_PACK_GZIP] = { "gzip", ".gz", gzip_open, gzip_write, gzip_end,
			   gzip_free, 10 },
	[OP_PACK_ZSTD] = { "zstd", ".zst", zstd_open, zstd_write, zstd_end,
			   zstd_free, 4 },
	[OP_PACK_LZ4] = { "lz4", ".lz4", lz4_open, lz4_write, lz4_end, lz4_free,
			  2 },
};

static int write_counted(struct op_sink *sink, struct op_view v,
			 struct op_err *err)
{
	const struct op_pack *p = (const struct op_pack *)sink;

	if (op_work((uint64_t)v.n * packers[p->kind].steps, err))
		return err->code;
	return packers[p->kind].write(sink, v, err);
}

enum op_pack_kind op_pack_named(const char *name)
{
	for (size_t i = OP_PACK_NONE; i < op_countof(packers); i++)
		if (!strcmp(packers[i].name, name))
			return (enum op_pack_kind)i;
	return OP_PACK_AUTO;
}

enum op_pack_kind op_pack_by_ending(const char *file, struct op_view *stem)
{
	struct op_view v = op_view_z(file);

	for (size_t i = OP_PACK_GZIP; i < op_countof(packers); i++) {
		if (!op_view_ends(v, packers[i].ending))
			continue;
		if (stem)
			*stem = op_view(v.p, v.n - strlen(packers[i].ending));
		return (enum op_pack_kind)i;
	}
	if (stem)
		*stem = v;
	return OP_PACK_AUTO;
}

int op_pack_open(struct op_pack *p, enum op_pack_kind kind, struct op_sink *to,
		 struct op_err *err)
{
	*p = (struct op_pack){ .sink.write = write_counted,
			       .to = to,
			       .kind = kind };
	return packers[kind].open ? packers[kind].open(p, err) : OP_OK;
}

int op_pack_close(struct op_pack *p, struct op_err *err)
{
	if (packers[p->kind].end && !err->code)
		packers[p->kind].end(p, err);
	if (packers[p->kind].free && p->stream)
		packers[p->kind].free(p);
	op_buf_free(&p->in);
	op_buf_free(&p->out);
	return err->code;
}
