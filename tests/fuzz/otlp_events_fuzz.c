// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a message of events, or as an OTLP message to be written as one
 * (draft_prop.h). */
#include "fmt/otlp_events/otlp_events_int.h"
#include "fuzz/draft_prop.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct draft d = { op_events_decode, op_events_encode };

	draft_from_itself(&d, op_view(p, n));
	draft_from_otlp(&d, op_view(p, n));
	return 0;
}
