// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build_int.h: what the parts of the builder share. */
#ifndef OP_SYM_UNWIND_BUILD_INT_H
#define OP_SYM_UNWIND_BUILD_INT_H

#include "sym/unwind_build.h"

enum { OP_SEEN_BITS = 14 };

int op_build_no_memory(struct op_unwind_build *b);

/* The number of a rule, of which there may be none yet. */
uint32_t op_build_rule_new(struct op_unwind_build *b, const struct op_rule *r);

/* The same of a state with columns that do not fit into a rule. */
op_cold uint32_t op_build_wide(struct op_unwind_build *b,
			       const struct op_cfi_state *s);

/* The number of the rule that a state is; 0 if it says nothing. A few hundred
 * rules are nearly all rows, so nearly all are found in the cache: two products
 * and one line of memory. An empty entry is the rule 0. */
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

/* Puts the rows of the page into the table. */
void op_build_rows(struct op_unwind_build *b);

#endif
