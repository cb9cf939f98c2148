// SPDX-License-Identifier: Apache-2.0
/* What a source file or library with spans of its own does for the test of
 * otprof_span.h. */
#ifndef OP_TESTS_UNIT_SPAN_PART_H
#define OP_TESTS_UNIT_SPAN_PART_H

#include <stdint.h>

#define SPAN_PART __attribute__((visibility("default")))

struct span_part {
	uintptr_t thread_pointer;
	uintptr_t variable; /* address of otel_thread_ctx_v1 */
	uintptr_t state;    /* address of what the process context has */
	int is_exported;
	int key; /* index of "part" */
};

typedef void span_part_fn(struct span_part *out);

/* Describes this file. */
SPAN_PART void span_part_describe(struct span_part *out);

/* Publishes the process context "part", and attaches trace 1...1 and span
 * 2...2 to the calling thread, for as long as the process lives. */
SPAN_PART void span_part_begin(struct span_part *out);

#endif
