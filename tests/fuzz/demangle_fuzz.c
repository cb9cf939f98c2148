// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a symbol's name: its text is short enough, and is made quickly
 * enough. */
#include "fuzz/prop.h"
#include "sym/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	if (op_demangle(op_view(p, n), &out))
		PROP(out.n && out.n <= OP_DEMANGLE_TEXT + 4);
	else
		PROP(!out.n);
	PROP(!err.code);
	op_buf_free(&out);
	return 0;
}
