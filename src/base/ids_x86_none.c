// SPDX-License-Identifier: Apache-2.0
/* base/ids_x86_none.c: no vector instructions to read ids with. */
#include "base/ids.h"

struct op_ids_end op_ids_read_vector(const uint8_t *p, const uint8_t *end,
				     const uint8_t *words_end, uint32_t limit,
				     uint32_t *to)
{
	(void)end, (void)words_end, (void)limit;
	return (struct op_ids_end){ p, to };
}
