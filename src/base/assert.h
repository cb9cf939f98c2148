// SPDX-License-Identifier: Apache-2.0
/* base/assert.h: assertions for conditions that no input can cause.
 *
 * A broken invariant is a bug, and continuing would produce silent errors.
 * Therefore op_assert() is enabled in every build, with or without NDEBUG, and
 * must not be used in hot loops. What input can cause is an error (base/err.h).
 */
#ifndef OP_BASE_ASSERT_H
#define OP_BASE_ASSERT_H

#include "base/port.h"

#define op_assert(cond)                                            \
	do {                                                       \
		if (op_unlikely(!(cond)))                          \
			op_assert_fail(__FILE__, __LINE__, #cond); \
	} while (0)

/* Reports the broken condition on stderr and aborts. */
op_cold _Noreturn void op_assert_fail(const char *file, int line,
				      const char *cond);

#endif
