// SPDX-License-Identifier: Apache-2.0
/* base/ids.h: packed lists of ids.
 *
 * A list of ids is a run of varints that are all below a limit, the number of
 * rows of a table. Such lists are most of the bytes of a profile, so they are
 * read with vector instructions if the machine has them. Both versions return
 * the same ids and stop at the same byte.
 */
#ifndef OP_BASE_IDS_H
#define OP_BASE_IDS_H

#include "base/cursor.h"

/* Up to this many ids may be written past the last one. */
enum { OP_IDS_SPARE = 8 };

/* Where reading stopped, in the input and in the output. */
struct op_ids_end {
	const uint8_t *p;
	uint32_t *to;
};

/* Reads ids below limit from p to end, the parts of a cursor. Stops at the
 * first number that is invalid or not below limit. to must have room for one id
 * per byte and OP_IDS_SPARE more. */
struct op_ids_end op_ids_read(const uint8_t *p, const uint8_t *end,
			      const uint8_t *words_end, uint32_t limit,
			      uint32_t *to);

/* The same, always without vector instructions. */
struct op_ids_end op_ids_read_portable(const uint8_t *p, const uint8_t *end,
				       const uint8_t *words_end, uint32_t limit,
				       uint32_t *to);

/* The same, but it may stop at any id: at the first if the machine lacks the
 * instructions. */
struct op_ids_end op_ids_read_vector(const uint8_t *p, const uint8_t *end,
				     const uint8_t *words_end, uint32_t limit,
				     uint32_t *to);

#endif
