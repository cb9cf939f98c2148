// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/carry.h: what was made of the constants of the chunk before. */
#ifndef OP_FMT_JFR_CARRY_H
#define OP_FMT_JFR_CARRY_H

struct op_jfr_chunk;

/* Gives a chunk that was not walked yet what the one before it made of the
 * same constants. */
void op_jfr_carry(struct op_jfr_chunk *to, struct op_jfr_chunk *from);

#endif
