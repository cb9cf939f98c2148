// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/info.h: the events of a recording, counted by type. */
#ifndef OP_FMT_JFR_INFO_H
#define OP_FMT_JFR_INFO_H

#include "fmt/format.h"
#include "fmt/source.h"

/* Calls fn for each type that has events, the most frequent first. */
int op_jfr_info(const struct op_source *in, op_info_fn *fn, void *ctx,
		struct op_err *err);

#endif
