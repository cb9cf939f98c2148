// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a heap profile of V8. */
#include "fuzz/viewer_prop.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return viewer_fuzz(&op_format_heapprofile, data, n);
}
