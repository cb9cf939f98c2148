// SPDX-License-Identifier: Apache-2.0
/* cli/record_view.h: what was recorded, as otprof top shows it. */
#ifndef OP_CLI_RECORD_VIEW_H
#define OP_CLI_RECORD_VIEW_H

#include "base/buf.h"
#include "model/model.h"

/* Appends the answer, of at most so many rows. The model stays the caller's. */
int record_view(const struct op_model *m, uint64_t rows, struct op_buf *out,
		struct op_err *err);

#endif
