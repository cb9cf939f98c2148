// SPDX-License-Identifier: Apache-2.0
/* A library in C++ with spans that exceptions end. */
#include "otprof_span.h"

#include <stdexcept>

static const unsigned char ids[24] = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				       0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };

static void nested(int depth)
{
	otprof::Span span(ids, ids + 16);

	span.flags(1);
	if (span.attribute(0, "deep", 4) || otel_thread_ctx_v1->span_id[0] != 1)
		return;
	if (!depth)
		throw std::runtime_error("as expected");
	nested(depth - 1);
}

/* Whether the spans are gone after an exception, and the outer one is back. */
extern "C" __attribute__((visibility("default"))) int span_throw()
{
	otprof_thread_context *before = otel_thread_ctx_v1;
	otprof::Span outer(ids, ids + 16);
	otprof_thread_context *current = otel_thread_ctx_v1;
	bool has_caught = false;

	try {
		nested(20);
	} catch (const std::runtime_error &) {
		has_caught = true;
	}
	return has_caught && current != before && otel_thread_ctx_v1 == current;
}
