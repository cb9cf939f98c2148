// SPDX-License-Identifier: Apache-2.0
/* sym/lines_scope.h: in which namespaces and classes functions are.
 *
 * A function that no other file can call has no name of the linker's, only the
 * last part of its name: run, ~box, operator(). The parts before it are the
 * names of what it stands in, but DWARF has no way up: so they are noted on the
 * way down. */
#ifndef OP_SYM_LINES_SCOPE_H
#define OP_SYM_LINES_SCOPE_H

#include "base/vec.h"

struct op_scope_row {
	uint32_t parent; /* 0: none */
	const char *name;
};

struct op_scope_member {
	uint64_t offset; /* of the function */
	uint32_t scope;
	const char *full; /* its whole name, once asked for */
};

struct op_scopes {
	OP_VEC(struct op_scope_row) rows;	/* the first is no scope */
	OP_VEC(struct op_scope_member) members; /* by offset */
};

/* A scope inside another (0: none); name must outlive it. 0 without memory. */
uint32_t op_scopes_add(struct op_scopes *s, struct op_arena *mem,
		       uint32_t parent, const char *name);

/* Notes a function that stands in a scope; offsets come in order. */
bool op_scopes_put(struct op_scopes *s, struct op_arena *mem, uint64_t offset,
		   uint32_t scope);

/* The name of the function at an offset with all before it; NULL if it is in
 * no scope, or without memory. */
const char *op_scopes_name(struct op_scopes *s, struct op_arena *mem,
			   uint64_t offset, const char *name);

#endif
