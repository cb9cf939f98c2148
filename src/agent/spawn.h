// SPDX-License-Identifier: Apache-2.0
/* agent/spawn.h: starts the helper of a program. */
#ifndef OP_AGENT_SPAWN_H
#define OP_AGENT_SPAWN_H

#include "base/err.h"

struct op_spawn {
	const char *const *argv; /* of the helper; NULL ends it */
	char *const *env;
	const int *fds; /* that it keeps, under the same numbers */
	size_t nr_fds;
};

/* A copy of an environment without LD_PRELOAD, which is not freed: the program
 * may change its own at any time. */
char **op_spawn_env(char *const *from, struct op_err *err);

/* Executes a program that is no child of this process: the program never sees
 * it in wait() or as a signal. It keeps only the given descriptors and standard
 * error, and is in a session of its own. The cost does not depend on the size
 * of this process. */
int op_spawn(const struct op_spawn *s, struct op_err *err);

#endif
