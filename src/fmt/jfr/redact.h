// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/redact.h: passwords and the like, taken out. */
#ifndef OP_FMT_JFR_REDACT_H
#define OP_FMT_JFR_REDACT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/view.h"

bool op_jfr_is_secret(struct op_view name);
/* A text without the secrets in it; itself if there are none. */
struct op_view op_jfr_redact(struct op_arena *mem, struct op_view text,
			     struct op_err *err);

#endif
