// SPDX-License-Identifier: Apache-2.0
#include "span_calls.h"

#include "otprof_span.h"

enum { DEPTH = 64 };

static struct otprof_span spans[DEPTH];
static unsigned char ids[24] = { 1, [16] = 2 };

void span_pairs(void *arg)
{
	(void)arg;
	for (int turn = 0; turn < SPAN_CALLS / DEPTH; turn++) {
		for (int i = 0; i < DEPTH; i++)
			otprof_span_attach(&spans[i], ids, ids + 16);
		for (int i = DEPTH; i-- > 0;)
			otprof_span_detach(&spans[i]);
	}
}

void span_attaches(void *arg)
{
	(void)arg;
	for (int turn = 0; turn < SPAN_CALLS / DEPTH; turn++) {
		for (int i = 0; i < DEPTH; i++)
			otprof_span_attach(&spans[i], ids, ids + 16);
		otprof_span_innermost_v1 = NULL;
		otel_thread_ctx_v1 = NULL;
	}
}
