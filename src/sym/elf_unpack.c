// SPDX-License-Identifier: Apache-2.0
/* sym/elf_unpack.c: decompresses sections.
 *
 *	SHF_COMPRESSED	Elf64_Chdr or Elf32_Chdr, then zlib or zstd
 *	.zdebug_*	"ZLIB", the size in eight bytes big-endian, then zlib
 */
#include <elf.h>
#include <libdeflate.h>
#include <zstd.h>

#include "sym/elf.h"

enum { ZLIB = ELFCOMPRESS_ZLIB, ZSTD = 2 };

struct packed {
	uint32_t kind;
	uint64_t size; /* unpacked */
	struct op_view data;
};

static bool is_old(const struct op_elf_section *s)
{
	return s->name.n > 8 && !memcmp(s->name.p, ".zdebug_", 8) &&
	       s->bytes.n >= 12 && !memcmp(s->bytes.p, "ZLIB", 4);
}

bool op_elf_is_packed(const struct op_elf_section *s)
{
	return s->flags & SHF_COMPRESSED || is_old(s);
}

static void old_header(const struct op_elf_section *s, struct packed *out)
{
	uint64_t size = 0;

	for (int i = 4; i < 12; i++)
		size = size << 8 | s->bytes.p[i];
	*out = (struct packed){ ZLIB, size,
				op_view(s->bytes.p + 12, s->bytes.n - 12) };
}

static int header(const struct op_elf *e, const struct op_elf_section *s,
		  struct packed *out, struct op_err *err)
{
	size_t n = e->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	Elf64_Chdr h;
	Elf32_Chdr small;

	if (!(s->flags & SHF_COMPRESSED)) {
		old_header(s, out);
		return OP_OK;
	}
	if (s->bytes.n < n)
		return op_fail_at(err, OP_EFORMAT, s->offset,
				  "truncated header of a compressed section");
	if (e->is_64) {
		memcpy(&h, s->bytes.p, sizeof(h));
		*out = (struct packed){ .kind = h.ch_type, .size = h.ch_size };
	} else {
		memcpy(&small, s->bytes.p, sizeof(small));
		*out = (struct packed){ .kind = small.ch_type,
					.size = small.ch_size };
	}
	out->data = op_view(s->bytes.p + n, s->bytes.n - n);
	return OP_OK;
}

static bool zlib(const struct packed *p, uint8_t *to, struct op_err *err)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result r;

	if (!d) {
		op_fail(err, OP_ENOMEM, "no memory to unpack a section");
		return false;
	}
	r = libdeflate_zlib_decompress(d, p->data.p, p->data.n, to,
				       (size_t)p->size, NULL);
	libdeflate_free_decompressor(d);
	return r == LIBDEFLATE_SUCCESS;
}

static bool zstd(const struct packed *p, uint8_t *to)
{
	return ZSTD_decompress(to, (size_t)p->size, p->data.p, p->data.n) ==
	       p->size;
}

/* The declared size is trusted only as far as it is possible: zlib expands a
 * byte to at most 1032. zstd has no such limit, so that of out applies alone.
 */
static int size_check(const struct packed *p, const struct op_elf_section *s,
		      const struct op_buf *out, struct op_err *err)
{
	enum { MAX_RATIO = 1032 };

	if (p->kind != ZLIB && p->kind != ZSTD)
		return op_fail_at(err, OP_EFORMAT, s->offset,
				  "a section is compressed with unknown method "
				  "%u",
				  p->kind);
	if (p->kind == ZLIB && p->size / MAX_RATIO > p->data.n)
		return op_fail_at(err, OP_EFORMAT, s->offset,
				  "a compressed section declares more than it "
				  "can hold");
	if (out->limit && p->size > out->limit - out->n)
		return op_fail_at(err, OP_ELIMIT, s->offset,
				  "a section unpacks to more than %zu bytes",
				  out->limit);
	return OP_OK;
}

int op_elf_unpack(const struct op_elf *e, const struct op_elf_section *s,
		  struct op_buf *out)
{
	struct packed p = { 0 };
	size_t before = out->n;
	uint8_t *to;

	if (!op_elf_is_packed(s)) {
		op_buf_view(out, s->bytes);
		return out->err->code;
	}
	if (header(e, s, &p, out->err) || size_check(&p, s, out, out->err))
		return out->err->code;
	to = op_buf_add(out, (size_t)p.size);
	if (!to)
		return out->err->code;
	if (p.kind == ZLIB ? zlib(&p, to, out->err) : zstd(&p, to))
		return OP_OK;
	out->n = before;
	return op_fail_at(out->err, OP_EFORMAT, s->offset,
			  "a compressed section is damaged");
}

/* --- the whole file --- */

bool op_elf_has_zstd(const struct op_elf *e)
{
	struct op_err ignored = { 0 };
	struct op_elf_section s;
	struct packed p = { 0 };

	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++)
		if (s.flags & SHF_COMPRESSED && !header(e, &s, &p, &ignored) &&
		    p.kind == ZSTD)
			return true;
	return false;
}

/* The row of a section in the copy of the file: it is at another offset, and no
 * longer compressed. */
static void row_set(const struct op_elf *e, uint32_t i, uint8_t *file,
		    uint64_t at, uint64_t n)
{
	uint8_t *row = file + e->sections.at + (uint64_t)i * e->sections.bytes;
	Elf64_Shdr h;
	Elf32_Shdr small;

	if (e->is_64) {
		memcpy(&h, row, sizeof(h));
		h.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		h.sh_offset = at;
		h.sh_size = n;
		memcpy(row, &h, sizeof(h));
	} else {
		memcpy(&small, row, sizeof(small));
		small.sh_flags &= ~(uint32_t)SHF_COMPRESSED;
		small.sh_offset = (uint32_t)at;
		small.sh_size = (uint32_t)n;
		memcpy(row, &small, sizeof(small));
	}
}

int op_elf_unpack_all(const struct op_elf *e, struct op_buf *out)
{
	enum { ALIGN = 16 };
	static const uint8_t zeros[ALIGN];
	struct op_elf_section s;

	op_buf_view(out, e->file);
	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++) {
		size_t at;

		if (!(s.flags & SHF_COMPRESSED))
			continue;
		op_buf_view(out,
			    op_view(zeros, (ALIGN - out->n % ALIGN) % ALIGN));
		at = out->n;
		if (op_elf_unpack(e, &s, out))
			break;
		row_set(e, i, out->p, at, out->n - at);
	}
	return out->err->code;
}
