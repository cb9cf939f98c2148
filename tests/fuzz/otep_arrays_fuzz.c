// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a message of the "arrays" draft, or as an OTLP message to be
 * written as one (draft_prop.h). */
#include "fmt/otep_arrays/otep_arrays_int.h"
#include "fuzz/draft_prop.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct draft d = { op_otep_arrays_decode,
					op_otep_arrays_encode };

	draft_from_itself(&d, op_view(p, n));
	draft_from_otlp(&d, op_view(p, n));
	return 0;
}
