// SPDX-License-Identifier: Apache-2.0
/* base/assert.h: what cannot happen, whatever the input is.
 *
 * A broken invariant is a bug of ours: to go on would be wrong without a word.
 * So op_assert() stays on in every build, NDEBUG or not, and is not for loops
 * that have to be fast. What an input can do is an error (base/err.h). */
#ifndef OP_BASE_ASSERT_H
#define OP_BASE_ASSERT_H

#include "base/port.h"

#define op_assert(cond)                                            \
	do {                                                       \
		if (op_unlikely(!(cond)))                          \
			op_assert_fail(__FILE__, __LINE__, #cond); \
	} while (0)

/* Says what is broken on stderr, and aborts. */
op_cold _Noreturn void op_assert_fail(const char *file, int line,
				      const char *cond);

#endif
