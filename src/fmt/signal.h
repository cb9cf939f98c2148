// SPDX-License-Identifier: Apache-2.0
/* fmt/signal.h: the signals of OTLP that are sent. */
#ifndef OP_FMT_SIGNAL_H
#define OP_FMT_SIGNAL_H

#include "base/err.h"
#include "base/view.h"

enum op_signal { OP_SIGNAL_PROFILES, OP_SIGNAL_LOGS, OP_NR_SIGNALS };

/* Takes a message, valid during the call. */
typedef int op_message_fn(void *ctx, struct op_view message,
			  struct op_err *err);

#endif
