// SPDX-License-Identifier: Apache-2.0
/* server/api_where.c: the conditions that select what an answer has. */
#include "server/api_int.h"

/* "main (7)" is what has a name and a number; either may stand alone, too. */
void op_api_where_note(struct op_api_where *w, struct op_view text,
		       struct op_err *err)
{
	size_t n = text.n, end;

	if (!n || text.p[--n] != ')')
		return;
	for (end = n; n && text.p[n - 1] >= '0' && text.p[n - 1] <= '9';)
		n--;
	if (n == end || n < 2 || memcmp(text.p + n - 2, " (", 2) != 0)
		return;
	op_text_put(&w->parts, op_view(text.p, n - 2), err);
	op_text_put(&w->parts, op_view(text.p + n, end - n), err);
}

void op_api_where_put(const struct op_api_where *w, struct op_view label,
		      struct op_view text, struct op_buf *out)
{
	struct op_err *err = out->err;
	struct op_buf absent = { .err = err };

	op_buf_z(&absent, "(no ");
	op_buf_view(&absent, label);
	op_buf_byte(&absent, ')');
	if (op_view_eq(text, op_view(absent.p, absent.n)))
		text.n = 0;
	op_buf_free(&absent);
	op_where_write(out, label, text);
	if (op_text_find(&w->parts, text) != OP_NO_ID)
		op_where_write_whole(out, label, text);
}

void op_api_where_free(struct op_api_where *w)
{
	op_text_table_free(&w->parts);
}
