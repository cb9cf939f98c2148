// SPDX-License-Identifier: Apache-2.0
/* sym/demangle.h: demangles C++ and Rust names (both schemes).
 *
 * demangle.c uses libiberty; demangle_none.c, for builds without it, leaves
 * every name unchanged. */
#ifndef OP_SYM_DEMANGLE_H
#define OP_SYM_DEMANGLE_H

#include "base/buf.h"

enum {
	OP_DEMANGLE_NAME = 4096,  /* longest mangled name */
	OP_DEMANGLE_TEXT = 65536, /* longest demangled name */
};

/* Demangles a name into out, which is cleared first. False if the name is not
 * mangled, is too long, or if out of memory (then out's error is set): use the
 * name itself. */
bool op_demangle(struct op_view name, struct op_buf *out);

#endif
