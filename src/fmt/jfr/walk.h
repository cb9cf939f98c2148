// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/walk.h: all events of a chunk into the profiles. */
#ifndef OP_FMT_JFR_WALK_H
#define OP_FMT_JFR_WALK_H

struct op_jfr_chunk;

int op_jfr_walk(struct op_jfr_chunk *c);

#endif
