// SPDX-License-Identifier: Apache-2.0
/* base/closest.h: the name that a misspelt one was meant to be.
 *
 *	struct op_closest c = { .wanted = name };
 *	op_closest_offer(&c, candidate);	for each that there is
 *	if (c.best.n) ... "did you mean '%s'?"
 */
#ifndef OP_BASE_CLOSEST_H
#define OP_BASE_CLOSEST_H

#include "base/view.h"

struct op_closest {
	struct op_view wanted;
	struct op_view best; /* empty: none is close */
	unsigned int distance;
};

/* Letters added, lost, changed or swapped with their neighbour count 1 each;
 * up to a third of the letters may be wrong. Upper case equals lower case. Of
 * equally close names the first counts. Names of more than 64 bytes do not. */
void op_closest_offer(struct op_closest *c, struct op_view name);

#endif
