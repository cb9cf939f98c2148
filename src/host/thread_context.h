// SPDX-License-Identifier: Apache-2.0
/* host/thread_context.h: where threads keep their context (OTEP 4947).
 *
 * A process with a process context may have a thread-local variable
 * otel_thread_ctx_v1: a pointer to the trace and span IDs of the thread, and
 * NULL if there are none. A recorder reads it while the thread is interrupted;
 * all it needs to know beforehand is where the variable is, which is the same
 * for all threads of a process:
 *
 *	STATIC	thread pointer + offset
 *	DTV	block of a module + offset; as glibc on x86-64 has it:
 *		dtv = *(thread pointer + 8)
 *		block = *(dtv + 16 * module); all bits set: not allocated
 *		at most *(dtv - 16) modules, others are not allocated either
 *
 * The thread pointer is the base of FS. The variable is looked up as the
 * dynamic linker does it, in the tables of the program and its libraries, as
 * they are in the memory of the process: so containers, deleted files and
 * replaced files do not matter. Of a variable in the program the offset follows
 * from its segments. For one in a library, the dynamic linker has written it
 * where the code looks for it, in one of three ways:
 *
 *	TPOFF64		the offset (initial exec)
 *	TLSDESC		a function and either the offset, which is negative,
 *			or the address of { module, offset }
 *	DTPMOD64	{ module, offset } (general dynamic)
 *
 * A library whose variable is in static TLS may have it without any entry in
 * the DTV, so that STATIC is preferred. Only for x86-64. The DTV of musl has
 * another shape: of its libraries only those with STATIC are found. */
#ifndef OP_HOST_THREAD_CONTEXT_H
#define OP_HOST_THREAD_CONTEXT_H

#include "host/proc.h"

enum op_thread_context_kind {
	OP_THREAD_CONTEXT_NONE,
	OP_THREAD_CONTEXT_STATIC,
	OP_THREAD_CONTEXT_DTV,
};

struct op_thread_context {
	uint32_t kind;
	uint32_t module; /* of OP_THREAD_CONTEXT_DTV, from 1 on */
	int64_t offset;
};

/* False, and kind NONE, if the process has no process context or no such
 * variable, or if it cannot be read. A library that is loaded later may bring
 * it: worth asking again when the process context was updated. */
bool op_thread_context_find(const struct op_proc *p, uint32_t pid,
			    struct op_thread_context *out);

/* Whether a process context with this schema_version has thread contexts in
 * that variable. */
bool op_thread_context_is_schema(struct op_view version);

#endif
