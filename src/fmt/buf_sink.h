// SPDX-License-Identifier: Apache-2.0
/* fmt/buf_sink.h: keeps what a writer writes in memory. */
#ifndef OP_FMT_BUF_SINK_H
#define OP_FMT_BUF_SINK_H

#include "fmt/format.h"

struct op_buf_sink {
	struct op_sink sink;
	struct op_buf buf; /* the caller's to free */
};

/* err is the one that the writer is given too. */
struct op_buf_sink op_buf_sink(struct op_err *err);

#endif
