// SPDX-License-Identifier: Apache-2.0
/* base/pairs.h: lists "key=value,key2=value2" of OTEL_ variables.
 *
 * Whitespace around keys and values is ignored, and empty elements are skipped.
 * Both may contain %XX escapes. */
#ifndef OP_BASE_PAIRS_H
#define OP_BASE_PAIRS_H

#include "base/err.h"
#include "base/vec.h"

struct op_pair {
	const char *key;
	const char *value;
};

struct op_pairs {
	struct op_pair *p;
	size_t n;
	size_t cap;
};

/* Appends the pairs of text to out; strings are in mem. OP_EUSAGE with the
 * position if text is not such a list: an element without "=" or key, an
 * invalid escape, %00. That there is no memory is recorded where mem records
 * it. */
int op_pairs_read(struct op_pairs *out, struct op_arena *mem, const char *text,
		  struct op_err *err);

#endif
