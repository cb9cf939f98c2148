// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/chunk_header.c: the header of a chunk, big-endian.
 *
 *	offset  size  what
 *	     0     4  magic "FLR\0"
 *	     4     4  version: u16 major, u16 minor
 *	     8     8  size of the chunk
 *	    16     8  where its last checkpoint is, from its beginning
 *	    24     8  where its metadata event is, from its beginning
 *	    32     8  start, ns since 1970
 *	    40     8  duration, ns
 *	    48     8  start, ticks of its clock
 *	    56     8  ticks per second
 *	    64     2  state: whether it is being written
 *	    66     2  flags: bit 0: integers are packed
 *
 * Events follow it. */
#include "fmt/jfr/chunk_header.h"

#include "fmt/jfr/cursor.h"

int op_jfr_header_check(const struct op_source *file,
			const struct op_jfr_header *h, struct op_err *err)
{
	uint64_t left = file->n - h->at;

	if (h->size > left)
		return op_fail_at(err, OP_EFORMAT, h->at,
				  "the chunk declares %llu bytes, but only "
				  "%llu are left: --recover reads the intact "
				  "part",
				  (unsigned long long)h->size,
				  (unsigned long long)left);
	if (h->size < OP_JFR_HEADER || h->pools_at < OP_JFR_HEADER ||
	    h->pools_at >= h->size || h->meta_at < OP_JFR_HEADER ||
	    h->meta_at >= h->size)
		return op_fail_at(err, OP_EFORMAT, h->at,
				  "the chunk is not complete: --recover "
				  "reads the intact part");
	return OP_OK;
}

/* What the bytes at a byte of the file say. */
static int header_parse(struct op_view bytes, uint64_t at,
			struct op_jfr_header *h, struct op_err *err)
{
	struct op_cur c = op_cur(bytes, err);
	uint64_t flags;

	if (memcmp(c.p, "FLR\0", 4))
		return op_fail_at(err, OP_EFORMAT, at,
				  "expected the start of a chunk");
	c.p += 4;
	h->major = (uint16_t)op_jfr_wide(&c, 2);
	h->minor = (uint16_t)op_jfr_wide(&c, 2);
	if (h->major == 0 && h->minor == 9)
		return op_fail_at(err, OP_EFORMAT, at,
				  "a recording of version 0.9, written by "
				  "Oracle's JDK 7 or 8: only 1.0 and 2.x are "
				  "supported");
	if (h->major != 1 && h->major != 2)
		return op_fail_at(err, OP_EFORMAT, at,
				  "a recording of version %u.%u: only 1.0 and "
				  "2.x are supported",
				  h->major, h->minor);
	h->size = op_jfr_wide(&c, 8);
	h->pools_at = op_jfr_wide(&c, 8);
	h->meta_at = op_jfr_wide(&c, 8);
	h->start_ns = op_jfr_wide(&c, 8);
	h->duration_ns = op_jfr_wide(&c, 8);
	h->start_ticks = op_jfr_wide(&c, 8);
	h->ticks_per_s = op_jfr_wide(&c, 8);
	op_jfr_wide(&c, 2); /* state: whether it was being written */
	flags = op_jfr_wide(&c, 2);
	h->packed = flags & 1;
	if (!h->ticks_per_s)
		return op_fail_at(err, OP_EFORMAT, at + 56,
				  "the clock frequency is 0");
	return OP_OK;
}

int op_jfr_header_read(const struct op_source *file, uint64_t at,
		       struct op_jfr_header *h, struct op_err *err)
{
	struct op_buf room = { 0 };
	struct op_view bytes;

	*h = (struct op_jfr_header){ .at = at };
	if (file->n - at < OP_JFR_HEADER)
		return op_fail_at(err, OP_EFORMAT, at,
				  "truncated chunk header");
	bytes = op_source_part(file, at, OP_JFR_HEADER, &room, err);
	if (bytes.n)
		header_parse(bytes, at, h, err);
	op_buf_free(&room);
	return err->code;
}
