// SPDX-License-Identifier: Apache-2.0
/* agent/context.c: the trace and span of a thread of this process.
 *
 * The variable is the one that the program has, if it exports one; that the
 * definition is weak lets the dynamic linker choose. In the initial-exec model
 * it is at the same distance from the thread pointer in every thread, and no
 * access allocates anything. */
#include "agent/context.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/memory.h"

struct record {
	uint8_t trace[16], span[8];
	uint8_t is_valid;
};

extern __thread const struct record *otel_thread_ctx_v1;
__attribute__((weak, visibility("default"),
	       tls_model("initial-exec"))) __thread const struct record
	*otel_thread_ctx_v1;

static void read_record(const struct record *at, struct op_agent_context *out)
{
	static const struct record none;
	struct record r;

	*out = (struct op_agent_context){ 0 };
	if (!at || !op_memory_copy((uintptr_t)at, &r, sizeof(r)) ||
	    r.is_valid != 1 || !memcmp(r.trace, none.trace, sizeof(r.trace)))
		return;
	out->has_trace = true;
	memcpy(out->trace, r.trace, sizeof(r.trace));
	memcpy(out->span, r.span, sizeof(r.span));
}

void op_agent_context(struct op_agent_context *out)
{
	read_record(*(const struct record *volatile *)&otel_thread_ctx_v1, out);
}

/* --- other threads --- */

static uint64_t own_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

/* Each thread has told the kernel where its list of robust mutexes is. glibc
 * keeps the list in the thread's descriptor, at the same distance from the
 * thread pointer in every thread. */
static uint64_t robust_list(uint32_t tid)
{
	void *head = NULL;
	size_t bytes;

	if (syscall(SYS_get_robust_list, (long)tid, &head, &bytes))
		return 0;
	return (uintptr_t)head;
}

uint64_t op_agent_thread_pointer(uint32_t tid)
{
	uint64_t own = robust_list((uint32_t)syscall(SYS_gettid));
	uint64_t other = robust_list(tid);

	return own && other ? other - (own - own_pointer()) : 0;
}

void op_agent_context_of(uint64_t pointer, struct op_agent_context *out)
{
	uint64_t distance = (uintptr_t)&otel_thread_ctx_v1 - own_pointer();
	const struct record *at = NULL;

	if (!pointer ||
	    !op_memory_copy(pointer + distance, (void *)&at, sizeof(at)))
		at = NULL;
	read_record(at, out);
}
