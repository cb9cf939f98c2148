// SPDX-License-Identifier: Apache-2.0
/* fmt/unsupported.h: files that people try, and that no format here reads. */
#ifndef OP_FMT_UNSUPPORTED_H
#define OP_FMT_UNSUPPORTED_H

#include "base/view.h"

/* What kind of file it is, as "a callgrind file"; NULL: none of those. */
const char *op_unsupported_kind(struct op_view in);

#endif
