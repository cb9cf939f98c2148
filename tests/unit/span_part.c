// SPDX-License-Identifier: Apache-2.0
/* A source file with spans beside that of the test; as a library, one per way
 * to access thread-local variables. */
#include "span_part.h"

#include <pthread.h>

#include "otprof_span.h"

static struct otprof_span span;

void span_part_describe(struct span_part *out)
{
	out->thread_pointer = (uintptr_t)pthread_self();
	out->variable = (uintptr_t)&otel_thread_ctx_v1;
	out->state = (uintptr_t)&otprof_context_state_v1;
	out->is_exported = otprof_span_is_exported();
	out->key = otprof_context_key("part");
}

void span_part_begin(struct span_part *out)
{
	struct otprof_process_context about = { "part", NULL, NULL, NULL };
	unsigned char ids[24];

	memset(ids, 0x11, 16);
	memset(ids + 16, 0x22, 8);
	span_part_describe(out);
	if (otprof_context_publish(&about) ||
	    otprof_span_attach(&span, ids, ids + 16) ||
	    otprof_span_attribute(&span, (unsigned int)out->key, "x", 1))
		out->variable = 0;
}
