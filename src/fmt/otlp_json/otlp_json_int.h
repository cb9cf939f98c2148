// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/otlp_json_int.h: OTLP/JSON, for the folder itself. */
#ifndef OP_FMT_OTLP_JSON_OTLP_JSON_INT_H
#define OP_FMT_OTLP_JSON_OTLP_JSON_INT_H

#include "fmt/format.h"
#include "pb/json_read.h"

/* The reader of a text, behind the mark of UTF-8 that some texts begin with. */
struct op_json_in op_otlp_json_begin(struct op_view in, struct op_err *err);

int op_otlp_json_read(struct op_view v, const struct op_read_opts *opts,
		      op_model_fn *fn, void *ctx, struct op_err *err);

/* Writes the model as one object and a line feed. */
int op_otlp_json_write(const struct op_model *m, bool pretty,
		       struct op_sink *sink, struct op_err *err);

#endif
