// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a recording of the Java Flight Recorder. */
#include "fuzz/jfr_prop.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	jfr_prop(op_view(p, n));
	return 0;
}
