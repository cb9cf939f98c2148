// SPDX-License-Identifier: Apache-2.0
/* rpc/log_throttle.c: counts problems and decides when to log them. */
#include "rpc/log_throttle.h"

#include <stdio.h>

#define MINUTE 60000000000ull

char *op_log_throttle_due(struct op_log_throttle *t, enum op_trouble kind,
			  uint64_t nr, uint64_t now_ns, uint64_t *nr_out)
{
	struct op_log_throttle_kind *k = &t->kinds[kind];

	k->nr += nr;
	if (now_ns < k->next_ns || t->nr_lines == OP_TOLD_LINES)
		return NULL;
	*nr_out = k->nr;
	k->nr = 0;
	k->next_ns = now_ns + MINUTE;
	return t->lines[t->nr_lines++];
}

bool op_log_throttle_rest(const struct op_log_throttle *t, enum op_trouble kind,
			  char *line)
{
	static const char *const words[OP_NR_TROUBLES] = {
		[OP_TROUBLE_RETRY] = "failed tries",
		[OP_TROUBLE_REFUSED] = "messages refused and dropped",
		[OP_TROUBLE_REJECTED] = "profiles or records rejected",
		[OP_TROUBLE_SAID] = "messages accepted with a warning",
		[OP_TROUBLE_FULL] = "messages dropped at a limit",
		[OP_TROUBLE_LATE] = "messages dropped, not sent in time",
		[OP_TROUBLE_SPOOL] = "failures of the spool",
		[OP_TROUBLE_DAMAGED] = "damaged files, not sent",
		[OP_TROUBLE_FOREIGN] = "foreign files in the spool, not sent",
	};

	if (!t->kinds[kind].nr)
		return false;
	snprintf(line, OP_TOLD_TEXT, "more %s: %llu", words[kind],
		 (unsigned long long)t->kinds[kind].nr);
	return true;
}
