// SPDX-License-Identifier: Apache-2.0
/* cli/record_view.c: what was recorded, as otprof top shows it. */
#include "record_view.h"

#include "answer.h"
#include "base/printable.h"
#include "top_view.h"

int record_view(const struct op_model *m, uint64_t rows, struct op_buf *out,
		struct op_err *err)
{
	struct answer a = { .nr_rows = rows, .keeps = true, .m = *m };

	a.err = a.out.err = a.mem.err = err;
	if (!op_group_by_parse(&a.by, NULL, err) && !answer_choose(&a)) {
		answer_head(&a);
		/* Names of processes may be anything. */
		op_buf_printable(out, op_view(a.out.p, a.out.n), "\n");
		a.out.n = 0;
		top_show(&a, false, a.type->total);
		op_buf_view(out, op_view(a.out.p, a.out.n));
	}
	op_buf_free(&a.out);
	op_arena_free(&a.mem);
	return err->code;
}
