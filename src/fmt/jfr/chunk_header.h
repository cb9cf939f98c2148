// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/chunk_header.h: headers of chunks, and the clock that they give. */
#ifndef OP_FMT_JFR_CHUNK_HEADER_H
#define OP_FMT_JFR_CHUNK_HEADER_H

#include "fmt/source.h"
#include "fmt/jfr/metadata.h"

/* Bytes of a header. */
enum { OP_JFR_HEADER = 68 };

struct op_jfr_header {
	uint64_t at; /* where it begins in the file */
	uint64_t size;
	uint64_t pools_at, meta_at; /* from its beginning */
	uint64_t start_ns, duration_ns;
	uint64_t start_ticks, ticks_per_s;
	uint16_t major, minor;
	bool packed; /* integers are of varying length */
};

/* The header at a byte of the file. */
int op_jfr_header_read(const struct op_source *file, uint64_t at,
		       struct op_jfr_header *h, struct op_err *err);

/* Fails if its sizes lead nowhere. */
int op_jfr_header_check(const struct op_source *file,
			const struct op_jfr_header *h, struct op_err *err);

op_inline uint64_t op_jfr_ticks_ns(const struct op_jfr_header *h,
				   uint64_t ticks)
{
	if (op_likely(h->ticks_per_s == 1000000000))
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * 1000000000 /
			  h->ticks_per_s);
}

/* The moment of an event; those before the chunk began count backwards. */
op_inline uint64_t op_jfr_time_ns(const struct op_jfr_header *h, uint64_t ticks)
{
	if (ticks >= h->start_ticks)
		return h->start_ns + op_jfr_ticks_ns(h, ticks - h->start_ticks);
	return h->start_ns - op_jfr_ticks_ns(h, h->start_ticks - ticks);
}

op_inline int64_t op_jfr_span_ns(const struct op_jfr_header *h,
				 enum op_jfr_unit unit, uint64_t v)
{
	switch (unit) {
	case OP_JFR_TICKS:
		return (int64_t)op_jfr_ticks_ns(h, v);
	case OP_JFR_MILLIS:
		return v > INT64_MAX / 1000000 ? INT64_MAX :
						 (int64_t)v * 1000000;
	default:
		return (int64_t)v;
	}
}

#endif
