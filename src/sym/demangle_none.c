// SPDX-License-Identifier: Apache-2.0
/* sym/demangle_none.c: a build without libiberty. */
#include "sym/demangle.h"

bool op_demangle(struct op_view name, struct op_buf *out)
{
	(void)name;
	out->n = 0;
	return false;
}
