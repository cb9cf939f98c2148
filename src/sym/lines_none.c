// SPDX-License-Identifier: Apache-2.0
/* sym/lines_none.c: a build without libdw. */
#include "sym/lines.h"

struct op_lines *op_lines_open(const struct op_lines_source *s,
			       struct op_err *err)
{
	(void)s;
	(void)err;
	return NULL;
}

void op_lines_close(struct op_lines *l)
{
	(void)l;
}

size_t op_lines_find(struct op_lines *l, uint64_t vaddr,
		     struct op_line_frame *out, size_t most)
{
	(void)l;
	(void)vaddr;
	(void)out;
	(void)most;
	return 0;
}

bool op_lines_may_split(struct op_lines *l)
{
	(void)l;
	return false;
}
