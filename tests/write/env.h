// SPDX-License-Identifier: Apache-2.0
/* tests/write/env.h: variables of a test; those of the process do not count. */
#ifndef OP_TESTS_WRITE_ENV_H
#define OP_TESTS_WRITE_ENV_H

#include <stdio.h>
#include <string.h>

#include "rpc/config.h"

struct env {
	const char *vars[8]; /* "NAME=value" */
	char warnings[1000]; /* one behind the other, a line each */
};

static inline const char *env_value(void *ctx, const char *name)
{
	const struct env *e = ctx;
	size_t n = strlen(name);

	for (size_t i = 0; i < op_countof(e->vars) && e->vars[i]; i++)
		if (!strncmp(e->vars[i], name, n) && e->vars[i][n] == '=')
			return e->vars[i] + n + 1;
	return NULL;
}

static inline void env_warn(void *ctx, const char *text)
{
	struct env *e = ctx;
	size_t n = strlen(e->warnings);

	snprintf(e->warnings + n, sizeof(e->warnings) - n, "%s%s",
		 n ? "\n" : "", text);
}

static inline struct op_rpc_env env_of(struct env *e)
{
	return (struct op_rpc_env){ env_value, env_warn, e };
}

#endif
