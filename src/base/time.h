// SPDX-License-Identifier: Apache-2.0
/* base/time.h: points in time as people write them.
 *
 *	2024-05-01T12:30:00.25Z        RFC 3339; an offset (+02:00) for Z
 *	1714566600.25                  seconds since 1970
 *	+5s  -1.5m                     from a start, from an end
 *
 * Units of the last are ns, us, ms, s, m, h and d. Times are nanoseconds since
 * 1970 in 64 bits, which end in the year 2554; digits beyond nanoseconds do
 * not count.
 */
#ifndef OP_BASE_TIME_H
#define OP_BASE_TIME_H

#include "base/err.h"

enum op_time_kind {
	OP_TIME_NONE,
	OP_TIME_AT,	    /* ns since 1970 */
	OP_TIME_FROM_START, /* ns behind it */
	OP_TIME_FROM_END,   /* ns before it */
};

struct op_time {
	enum op_time_kind kind;
	uint64_t ns;
};

/* OP_EUSAGE with the place in the text if it is not one of these. */
int op_time_parse(const char *s, struct op_time *out, struct op_err *err);

/* The point in time that it is, given the two it may be relative to; held at
 * the ends of uint64_t. Of OP_TIME_NONE it is 0. */
uint64_t op_time_ns(struct op_time t, uint64_t start_ns, uint64_t end_ns);

#endif
