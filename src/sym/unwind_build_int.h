// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build_int.h: shared by the files of the builder. */
#ifndef OP_SYM_UNWIND_BUILD_INT_H
#define OP_SYM_UNWIND_BUILD_INT_H

#include "sym/unwind_build.h"

enum { OP_SEEN_BITS = 14 };

/* The number of a rule, which is added if it is new. */
uint32_t op_build_rule_new(struct op_unwind_build *b, const struct op_rule *r);

/* The same for a state with columns that do not fit into a rule. */
op_cold uint32_t op_build_wide(struct op_unwind_build *b,
			       const struct op_cfi_state *s);

/* The number of the rule for a state; 0 if nothing is known. A few hundred
 * rules cover nearly all rows, so nearly all are found in the cache: two
 * multiplications and one cache line. An empty entry is rule 0. */
op_inline uint32_t op_build_rule(struct op_unwind_build *b,
				 const struct op_cfi_state *s)
{
	struct op_rule_cache *c;
	uint64_t w, x, h;

	if (!s || s->rule.cfa == OP_CFA_NONE)
		return 0;
	if (op_unlikely(s->is_wide))
		return op_build_wide(b, s);
	/* One by one, as they were written: see set_bits() in cfi_run.c. */
	memcpy(&w, &s->rule, sizeof(w));
	memcpy(&x, (const uint8_t *)&s->rule + sizeof(w), sizeof(x));
	h = w * 0x9e3779b97f4a7c15u ^ x * 0xd6e8feb86659fd93u;
	c = &b->cache[h >> (64 - OP_RULE_CACHE_BITS)];
	if (op_likely(!((c->words[0] ^ w) | (c->words[1] ^ x))))
		return c->id;
	c->id = op_build_rule_new(b, &s->rule);
	c->words[0] = w;
	c->words[1] = x;
	return c->id;
}

/* Adds the rows of the page to the table. */
void op_build_rows(struct op_unwind_build *b);

#endif
