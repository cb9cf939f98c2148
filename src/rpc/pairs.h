// SPDX-License-Identifier: Apache-2.0
/* rpc/pairs.h: lists "key=value,key2=value2" of OTEL_ variables.
 *
 * Space around keys and values does not count, and an element without anything
 * in it is skipped. %XX stands for a byte in both. */
#ifndef OP_RPC_PAIRS_H
#define OP_RPC_PAIRS_H

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
 * place if text is no such list: an element without "=" or key, a broken
 * escape, %00. */
int op_pairs_read(struct op_pairs *out, struct op_arena *mem, const char *text,
		  struct op_err *err);

#endif
