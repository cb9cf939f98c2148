// SPDX-License-Identifier: Apache-2.0
/* rpc/log_throttle.h: tells of trouble once a minute.
 *
 * The first of a kind is told at once, later ones are counted and told with the
 * first that comes after a minute. Lines are kept until the caller can call
 * out, holding no lock. */
#ifndef OP_RPC_LOG_THROTTLE_H
#define OP_RPC_LOG_THROTTLE_H

#include "base/err.h"

enum op_trouble {
	OP_TROUBLE_RETRY,    /* a try failed */
	OP_TROUBLE_REFUSED,  /* by the server, for good */
	OP_TROUBLE_REJECTED, /* parts of messages, by the server */
	OP_TROUBLE_SAID,     /* by the server, which took all */
	OP_TROUBLE_FULL,     /* a bound was hit */
	OP_TROUBLE_LATE,     /* given up */
	OP_TROUBLE_SPOOL,    /* cannot be used */
	OP_TROUBLE_DAMAGED,  /* a file of the spool */
	OP_TROUBLE_FOREIGN,  /* files of others there */
	OP_NR_TROUBLES,
};

enum { OP_TOLD_LINES = 4, OP_TOLD_TEXT = 400 };

/* Zero: nothing was told yet. */
struct op_log_throttle {
	struct op_log_throttle_kind {
		uint64_t nr; /* since the last line */
		uint64_t next_ns;
	} kinds[OP_NR_TROUBLES];
	char lines[OP_TOLD_LINES][OP_TOLD_TEXT];
	unsigned int nr_lines;
};

/* Counts nr more, at a time of the monotonic clock. Gives a line to write into,
 * and how many it is about, or NULL if it is too early to tell. */
char *op_log_throttle_due(struct op_log_throttle *t, enum op_trouble kind,
			  uint64_t nr, uint64_t now_ns, uint64_t *nr_out);

/* At the end: what was counted and not told yet; false: nothing was. line holds
 * OP_TOLD_TEXT bytes. */
bool op_log_throttle_rest(const struct op_log_throttle *t, enum op_trouble kind,
			  char *line);

#endif
