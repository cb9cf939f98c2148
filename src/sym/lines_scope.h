// SPDX-License-Identifier: Apache-2.0
/* sym/lines_scope.h: the namespaces and classes around functions.
 *
 * A function that no other file can call has no linkage name, only the last
 * part of its name: run, ~box, operator(). The parts before it are the names of
 * the enclosing scopes. DWARF has no parent links, so they are recorded on the
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
	const char *full; /* full name, once computed */
};

struct op_scopes {
	OP_VEC(struct op_scope_row) rows;	/* the first is not a scope */
	OP_VEC(struct op_scope_member) members; /* by offset */
};

/* Adds a scope inside another (0: none); name must outlive it. 0 if out of
 * memory. */
uint32_t op_scopes_add(struct op_scopes *s, struct op_arena *mem,
		       uint32_t parent, const char *name);

/* Adds a function in a scope; offsets must be ascending. */
bool op_scopes_put(struct op_scopes *s, struct op_arena *mem, uint64_t offset,
		   uint32_t scope);

/* The qualified name of the function at an offset; NULL if it is in no scope,
 * or if out of memory. */
const char *op_scopes_name(struct op_scopes *s, struct op_arena *mem,
			   uint64_t offset, const char *name);

#endif
