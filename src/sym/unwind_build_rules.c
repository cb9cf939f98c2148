// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build_rules.c: rules, each stored once. A binary has a few
 * thousand, however large it is. */
#include "base/hash.h"
#include "sym/sigreturn.h"
#include "sym/unwind_build_int.h"

_Static_assert(sizeof(struct op_rule) == 16, "a rule is two words");

static bool rule_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_rule *rules = table;

	return !memcmp(&rules[id], key, sizeof(struct op_rule));
}

uint32_t op_build_rule_new(struct op_unwind_build *b, const struct op_rule *r)
{
	uint64_t words[2];
	uint32_t hash, id;

	memcpy(words, r, sizeof(words));
	hash = op_hash_words(words, 2);
	id = op_intern_find(&b->by_rule, hash, rule_eq, b->rules.p, r);
	if (op_likely(id != OP_NO_ID))
		return id;
	if (b->rules.n == OP_MAX_RULES) {
		b->nr_lost++;
		return 0;
	}
	id = (uint32_t)b->rules.n;
	if (!op_vec_push(b->mem, &b->rules, *r) ||
	    !op_intern_add(&b->by_rule, b->mem, hash, id))
		return 0;
	return id;
}

static bool wide_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_wide_rule *rules = table;

	return !memcmp(&rules[id], key, sizeof(struct op_wide_rule));
}

/* The position of an expression; there are few, so the search is linear. */
static int32_t expr_put(struct op_unwind_build *b, struct op_view e)
{
	const uint8_t *old = NULL;
	uint8_t *to;

	if (e.n && b->expr.n)
		old = memmem(b->expr.p, b->expr.n, e.p, e.n);
	if (old)
		return (int32_t)(old - b->expr.p);
	if (b->expr.n + e.n > INT16_MAX * (size_t)8)
		return -1;
	if (!op_vec_reserve(b->mem, &b->expr, e.n + 1))
		return -1;
	to = b->expr.p + b->expr.n;
	if (e.n)
		memcpy(to, e.p, e.n);
	b->expr.n += e.n;
	return (int32_t)(to - b->expr.p);
}

static bool wide_column(struct op_unwind_build *b,
			const struct op_cfi_column *c,
			struct op_wide_column *out)
{
	out->how = c->how;
	out->reg = c->reg;
	out->n = 0;
	out->off = (int32_t)c->off;
	if (c->how != OP_HOW_EXPR && c->how != OP_HOW_AT_EXPR)
		return true;
	out->n = (uint16_t)c->expr.n;
	out->off = expr_put(b, c->expr);
	return out->off >= 0;
}

static uint32_t wide_id(struct op_unwind_build *b, const struct op_wide_rule *w)
{
	uint32_t hash = op_hash32(w, sizeof(*w));
	uint32_t id = op_intern_find(&b->by_wide, hash, wide_eq, b->wide.p, w);

	if (id != OP_NO_ID)
		return id;
	if (b->wide.n > UINT16_MAX)
		return OP_NO_ID;
	id = (uint32_t)b->wide.n;
	if (op_vec_push(b->mem, &b->wide, *w) &&
	    op_intern_add(&b->by_wide, b->mem, hash, id))
		return id;
	return OP_NO_ID;
}

uint32_t op_build_wide(struct op_unwind_build *b, const struct op_cfi_state *s)
{
	struct op_rule r = s->rule;
	struct op_wide_rule w;
	uint32_t id;

	if (op_sigreturn_is(s)) {
		r = op_sigreturn_rule();
		return op_build_rule_new(b, &r);
	}
	memset(&w, 0, sizeof(w));
	for (int i = 0; i < OP_NR_COLS; i++) {
		struct op_cfi_column c = op_cfi_column(s, i);

		if (i == OP_COL_CFA && r.cfa != OP_CFA_EXPR)
			c = (struct op_cfi_column){ 0 };
		if (!wide_column(b, &c, &w.col[i])) {
			b->nr_lost++;
			return 0;
		}
	}
	id = wide_id(b, &w);
	if (id == OP_NO_ID) {
		b->nr_lost++;
		return 0;
	}
	memset(r.saved, 0, sizeof(r.saved));
	r.saved[0] = (uint8_t)id;
	r.saved[1] = (uint8_t)(id >> 8);
	r.ra = 0;
	r.flags |= OP_RULE_WIDE;
	return op_build_rule_new(b, &r);
}
