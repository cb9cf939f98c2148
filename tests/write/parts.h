// SPDX-License-Identifier: Apache-2.0
/* tests/write/parts.h: holds what op_split_message() makes of a message against
 * the message. */
#ifndef OP_TESTS_WRITE_PARTS_H
#define OP_TESTS_WRITE_PARTS_H

#include "fmt/otlp/split.h"

struct parts {
	size_t nr;	 /* messages */
	size_t smallest; /* bytes of one that is not the last */
	size_t whole;	 /* bytes of the message that they are of */
	size_t sum;	 /* bytes of all of them */
	char notes[600]; /* what was told, a line each */
	int code;	 /* what op_split_message() gave */
};

/* NULL if each part is at most max bytes, has profiles with ids that no other
 * has, breaks no rule that the whole keeps, and if together they are what the
 * whole is, or something was told to be left out. Else why not. */
const char *parts_check(struct op_view message, size_t max, struct parts *out);

#endif
