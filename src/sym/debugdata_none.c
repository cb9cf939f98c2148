// SPDX-License-Identifier: Apache-2.0
/* sym/debugdata_none.c: a build without LZMA. */
#include "sym/debugdata.h"

bool op_debugdata(const struct op_elf *e, struct op_buf *out)
{
	(void)e;
	(void)out;
	return false;
}
