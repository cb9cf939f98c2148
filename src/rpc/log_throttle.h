// SPDX-License-Identifier: Apache-2.0
/* rpc/log_throttle.h: reports problems once a minute.
 *
 * The first problem of a kind is reported at once; later ones are counted and
 * reported with the first that occurs after a minute. Lines are kept until the
 * caller can run callbacks without holding a lock. */
#ifndef OP_RPC_LOG_THROTTLE_H
#define OP_RPC_LOG_THROTTLE_H

#include "base/err.h"

enum op_trouble {
	OP_TROUBLE_RETRY,    /* an attempt failed */
	OP_TROUBLE_REFUSED,  /* by the server, for good */
	OP_TROUBLE_REJECTED, /* parts of messages, by the server */
	OP_TROUBLE_SAID,     /* a message of the server, which accepted all */
	OP_TROUBLE_FULL,     /* a limit was reached */
	OP_TROUBLE_LATE,     /* dropped after the retry time */
	OP_TROUBLE_SPOOL,    /* unusable */
	OP_TROUBLE_DAMAGED,  /* a file of the spool */
	OP_TROUBLE_FOREIGN,  /* files of other users there */
	OP_NR_TROUBLES,
};

enum { OP_TOLD_LINES = 4, OP_TOLD_TEXT = 400 };

/* Zero: nothing was reported yet. */
struct op_log_throttle {
	struct op_log_throttle_kind {
		uint64_t nr; /* since the last line */
		uint64_t next_ns;
	} kinds[OP_NR_TROUBLES];
	char lines[OP_TOLD_LINES][OP_TOLD_TEXT];
	unsigned int nr_lines;
};

/* Counts nr more, at a time of the monotonic clock. Returns a line to write to,
 * and how many problems it is about, or NULL if it is too early to report. */
char *op_log_throttle_due(struct op_log_throttle *t, enum op_trouble kind,
			  uint64_t nr, uint64_t now_ns, uint64_t *nr_out);

/* At the end: what was counted but not reported yet; false: nothing. line has
 * OP_TOLD_TEXT bytes. */
bool op_log_throttle_rest(const struct op_log_throttle *t, enum op_trouble kind,
			  char *line);

#endif
