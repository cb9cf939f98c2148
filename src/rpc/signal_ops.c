// SPDX-License-Identifier: Apache-2.0
/* rpc/signal_ops.c: the table of signals. */
#include "rpc/signal_ops.h"

#include "fmt/buf_sink.h"
#include "fmt/logs/logs.h"
#include "fmt/otlp/otlp.h"

static int profiles_to_json(struct op_view message, struct op_buf *out,
			    struct op_err *err)
{
	struct op_buf_sink s = op_buf_sink(err);
	struct op_model m = { 0 };

	if (!op_otlp_decode(&m, message, NULL, err))
		op_format_otlp_json.write(&m, NULL, &s.sink, err);
	op_model_free(&m);
	*out = s.buf;
	return err->code;
}

const struct op_signal_ops op_signals[OP_NR_SIGNALS] = {
	[OP_SIGNAL_PROFILES] = { .rows = "profiles",
				 .to_json = profiles_to_json,
				 .split = op_split_message },
	[OP_SIGNAL_LOGS] = { .rows = "records", .to_json = op_logs_to_json },
};
