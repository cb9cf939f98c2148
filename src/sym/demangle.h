// SPDX-License-Identifier: Apache-2.0
/* sym/demangle.h: names as the source has them: C++ and Rust (both schemes).
 *
 * demangle.c asks libiberty; demangle_none.c, for a build without it, leaves
 * every name as it is. */
#ifndef OP_SYM_DEMANGLE_H
#define OP_SYM_DEMANGLE_H

#include "base/buf.h"

enum {
	OP_DEMANGLE_NAME = 4096,  /* longest name that is looked at */
	OP_DEMANGLE_TEXT = 65536, /* longest text that is made of one */
};

/* Puts the readable form of a name into out, which is emptied first. False if
 * it has none, is too long, or there is no memory (then out's error is set):
 * the name stands for itself. */
bool op_demangle(struct op_view name, struct op_buf *out);

#endif
