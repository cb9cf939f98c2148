// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/otlp_json_int.h: OTLP/JSON, for the folder itself. */
#ifndef OP_FMT_OTLP_JSON_OTLP_JSON_INT_H
#define OP_FMT_OTLP_JSON_OTLP_JSON_INT_H

#include "fmt/format.h"

/* Writes the model as one object and a line feed. */
int op_otlp_json_write(const struct op_model *m, bool pretty,
		       struct op_sink *sink, struct op_err *err);

#endif
