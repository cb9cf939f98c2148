// SPDX-License-Identifier: Apache-2.0
/* base/closest.c: the edit distance of two short names. */
#include "base/closest.h"

enum { MAX_NAME = 64 };

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* By dynamic programming with three rows: the last two and the next. */
static unsigned int distance(struct op_view a, struct op_view b)
{
	unsigned int rows[3][MAX_NAME + 1];
	unsigned int *before = rows[0], *last = rows[1], *next = rows[2];

	for (unsigned int k = 0; k <= b.n; k++)
		last[k] = k;
	for (unsigned int i = 1; i <= a.n; i++) {
		unsigned int *spare = before;

		next[0] = i;
		for (unsigned int k = 1; k <= b.n; k++) {
			uint8_t x = op_ascii_lower(a.p[i - 1]);
			uint8_t y = op_ascii_lower(b.p[k - 1]);

			next[k] = least(last[k - 1] + (x != y),
					least(last[k], next[k - 1]) + 1);
			if (i > 1 && k > 1 && x == op_ascii_lower(b.p[k - 2]) &&
			    y == op_ascii_lower(a.p[i - 2]))
				next[k] = least(next[k], before[k - 2] + 1);
		}
		before = last;
		last = next;
		next = spare;
	}
	return last[b.n];
}

void op_closest_offer(struct op_closest *c, struct op_view name)
{
	size_t longer = name.n > c->wanted.n ? name.n : c->wanted.n;
	unsigned int d;

	if (!name.n || !c->wanted.n || longer > MAX_NAME)
		return;
	d = distance(c->wanted, name);
	if (d > (longer + 2) / 3 || (c->best.n && d >= c->distance))
		return;
	c->best = name;
	c->distance = d;
}
