// SPDX-License-Identifier: Apache-2.0
/* fmt/buf_sink.c: a sink that writes into memory. */
#include "fmt/buf_sink.h"

static int buf_write(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	struct op_buf_sink *s = (struct op_buf_sink *)sink;

	op_buf_view(&s->buf, v);
	return err->code;
}

struct op_buf_sink op_buf_sink(struct op_err *err)
{
	return (struct op_buf_sink){ .sink.write = buf_write, .buf.err = err };
}
