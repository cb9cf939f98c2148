// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/chunk_header.c: the header of a chunk, big-endian; events follow it.
 */
#include "fmt/jfr/chunk_header.h"

/* Offsets of its fields. */
enum {
	AT_MAGIC = 0,	     /* "FLR\0" */
	AT_MAJOR = 4,	     /* u16, version */
	AT_MINOR = 6,	     /* u16 */
	AT_SIZE = 8,	     /* u64, of the chunk */
	AT_POOLS = 16,	     /* u64, of its last checkpoint in the chunk */
	AT_META = 24,	     /* u64, of its metadata event in the chunk */
	AT_START = 32,	     /* u64, ns since 1970 */
	AT_DURATION = 40,    /* u64, ns */
	AT_START_TICKS = 48, /* u64, of its clock */
	AT_TICKS_PER_S = 56, /* u64 */
	AT_STATE = 64,	     /* u16: whether it is being written; not read */
	AT_FLAGS = 66,	     /* u16, bit 0: integers are packed */
};

_Static_assert(AT_FLAGS + 2 == OP_JFR_HEADER, "flags are the last field");

/* The number at an offset of the header. */
static uint64_t field(struct op_view header, unsigned int at,
		      unsigned int bytes)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < bytes; i++)
		v = v << 8 | header.p[at + i];
	return v;
}

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
	if (memcmp(bytes.p + AT_MAGIC, "FLR\0", 4))
		return op_fail_at(err, OP_EFORMAT, at,
				  "expected the start of a chunk");
	h->major = (uint16_t)field(bytes, AT_MAJOR, 2);
	h->minor = (uint16_t)field(bytes, AT_MINOR, 2);
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
	h->size = field(bytes, AT_SIZE, 8);
	h->pools_at = field(bytes, AT_POOLS, 8);
	h->meta_at = field(bytes, AT_META, 8);
	h->start_ns = field(bytes, AT_START, 8);
	h->duration_ns = field(bytes, AT_DURATION, 8);
	h->start_ticks = field(bytes, AT_START_TICKS, 8);
	h->ticks_per_s = field(bytes, AT_TICKS_PER_S, 8);
	h->packed = field(bytes, AT_FLAGS, 2) & 1;
	if (!h->ticks_per_s)
		return op_fail_at(err, OP_EFORMAT, at + AT_TICKS_PER_S,
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
