// SPDX-License-Identifier: Apache-2.0
/* agent/seccomp.h: whether the agent may make the system calls that it needs.
 *
 * A call that a filter only refuses fails, and the agent says so. But a filter
 * can also end the process, and nobody can ask the kernel what it would do:
 * what must not happen to the program is tried in a child. */
#ifndef OP_AGENT_SECCOMP_H
#define OP_AGENT_SECCOMP_H

#include "base/err.h"

/* Whether the calling thread has a filter, as far as /proc says. */
bool op_seccomp_has_filter(void);

/* Fails if the filter that this thread has would end the process. Without a
 * filter there is no child. */
int op_seccomp_check(struct op_err *err);

#endif
