// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read_legacy.h: wire versions v1.4 to v1.7. */
#ifndef OP_FMT_OTLP_READ_LEGACY_H
#define OP_FMT_OTLP_READ_LEGACY_H

#include "base/cursor.h"
#include "fmt/otlp/dialect.h"
#include "model/model.h"

struct op_read_opts;

/* As op_otlp_decode(), for a message known to be of this version. IDs past
 * their table are always an error. read may be NULL; of the shape, no_data is
 * set. */
int op_legacy_decode(struct op_model *m, struct op_cur in,
		     const struct op_dialect *dialect,
		     const struct op_read_opts *read, struct op_shape *shape);

#endif
