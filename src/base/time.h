// SPDX-License-Identifier: Apache-2.0
/* base/time.h: parses points in time.
 *
 *	2024-05-01T12:30:00.25Z        RFC 3339; an offset (+02:00) for Z
 *	1714566600.25                  seconds since 1970
 *	+5s  -1.5m                     from a start, from an end
 *
 * Units of the last form are ns, us, ms, s, m, h and d. Times are nanoseconds
 * since 1970 in 64 bits, which end in the year 2554; digits beyond nanoseconds
 * are ignored.
 */
#ifndef OP_BASE_TIME_H
#define OP_BASE_TIME_H

#include "base/err.h"

enum op_time_kind {
	OP_TIME_NONE,
	OP_TIME_AT,	    /* ns since 1970 */
	OP_TIME_FROM_START, /* ns after it */
	OP_TIME_FROM_END,   /* ns before it */
};

struct op_time {
	enum op_time_kind kind;
	uint64_t ns;
};

/* OP_EUSAGE with the position in the text if it is none of these. */
int op_time_parse(const char *s, struct op_time *out, struct op_err *err);

/* Resolves a time, given the start and end that it may be relative to;
 * saturates. For OP_TIME_NONE the result is 0. */
uint64_t op_time_ns(struct op_time t, uint64_t start_ns, uint64_t end_ns);

#endif
