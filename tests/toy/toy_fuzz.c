// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a toy file: what can be read keeps the model's invariants. */
#include "fmt/format.h"
#include "fuzz/prop.h"

static int check(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)ctx;
	prop_model(m);
	op_model_free(m);
	return err->code;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (op_format_toy.read(op_view(p, n), &opts, check, NULL, &err))
		prop_error(&err, n);
	return 0;
}
