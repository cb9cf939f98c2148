// SPDX-License-Identifier: Apache-2.0
/* base/assert.c: the end of a program whose invariants are broken. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void op_assert_fail(const char *file, int line, const char *cond)
{
	fprintf(stderr, "otprof: %s:%d: this cannot happen: !(%s)\n", file,
		line, cond);
	abort();
}
