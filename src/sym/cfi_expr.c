// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_expr.c: evaluates DWARF expressions of unwind rules. */
#include "sym/cfi_expr.h"

#include "sym/cfi.h"
#include "sym/cfi_int.h"

static bool is_breg(uint8_t op)
{
	return op >= OP_DW_breg0 && op <= OP_DW_breg31;
}

/* (pc & 15) >= lit, << 3, +: the offset of a lazy PLT entry. Such an entry
 * pushes its number with the instruction that ends at byte lit of its 16: 11,
 * or 9 and 10 if it begins with endbr64. */
static bool is_plt(struct op_cfi_bytes *b, int64_t *lit)
{
	static const uint8_t before[] = { OP_DW_breg0 + 16, 0, OP_DW_lit0 + 15,
					  OP_DW_and };
	static const uint8_t after[] = { OP_DW_ge, OP_DW_lit0 + 3, OP_DW_shl,
					 OP_DW_plus };
	enum { N = sizeof(before) + 1 + sizeof(after) };

	if (b->end - b->p != N || memcmp(b->p, before, sizeof(before)) ||
	    memcmp(b->p + N - sizeof(after), after, sizeof(after)))
		return false;
	*lit = b->p[sizeof(before)] - OP_DW_lit0;
	return *lit >= 0 && *lit <= 15;
}

struct op_expr op_expr_shape(struct op_view bytes)
{
	struct op_cfi_bytes b = { bytes.p, bytes.p + bytes.n, false };
	struct op_expr e = { .shape = OP_EXPR_OTHER };
	uint8_t op = (uint8_t)op_cfi_fixed(&b, 1);

	if (!is_breg(op))
		return e;
	e.reg = op - OP_DW_breg0;
	e.off = op_cfi_sleb(&b);
	if (b.is_broken)
		return e;
	if (b.p == b.end) {
		e.shape = OP_EXPR_REG;
		return e;
	}
	if (is_plt(&b, &e.arg)) {
		e.shape = OP_EXPR_PLT;
		return e;
	}
	if (op_cfi_fixed(&b, 1) != OP_DW_deref)
		return e;
	if (b.p < b.end) {
		if (op_cfi_fixed(&b, 1) != OP_DW_plus_uconst)
			return e;
		e.arg = (int64_t)op_cfi_uleb(&b);
	}
	if (!b.is_broken && b.p == b.end)
		e.shape = OP_EXPR_DEREF;
	return e;
}

struct machine {
	const struct op_expr_env *env;
	struct op_cfi_bytes b;
	const uint8_t *start;
	uint64_t stack[OP_EXPR_STACK];
	unsigned int nr;
	bool is_bad;
};

static void push(struct machine *m, uint64_t v)
{
	if (m->nr == OP_EXPR_STACK)
		m->is_bad = true;
	else
		m->stack[m->nr++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (!m->nr) {
		m->is_bad = true;
		return 0;
	}
	return m->stack[--m->nr];
}

static void push_reg(struct machine *m, uint64_t reg)
{
	int64_t off = op_cfi_sleb(&m->b);
	uint64_t v = 0;

	if (m->b.is_broken || !m->env->reg(m->env->arg, reg, &v))
		m->is_bad = true;
	push(m, v + (uint64_t)off);
}

static void load(struct machine *m, uint64_t n)
{
	uint64_t at = pop(m), v = 0;

	if (m->is_bad || !n || n > 8 ||
	    !m->env->read(m->env->arg, at, (unsigned int)n, &v))
		m->is_bad = true;
	push(m, v);
}

static void pick(struct machine *m, uint64_t depth)
{
	if (depth >= m->nr)
		m->is_bad = true;
	else
		push(m, m->stack[m->nr - 1 - depth]);
}

/* Rotates the top n by one: the first becomes the last of them. */
static void roll(struct machine *m, unsigned int n)
{
	uint64_t top;

	if (m->nr < n) {
		m->is_bad = true;
		return;
	}
	top = m->stack[m->nr - 1];
	for (unsigned int i = m->nr - 1; i > m->nr - n; i--)
		m->stack[i] = m->stack[i - 1];
	m->stack[m->nr - n] = top;
}

static void jump(struct machine *m, bool is_taken)
{
	int64_t by = (int16_t)op_cfi_fixed(&m->b, 2);

	if (m->b.is_broken || by > m->b.end - m->b.p || by < m->start - m->b.p)
		m->is_bad = true;
	else if (is_taken)
		m->b.p += by;
}

static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (!b || (a == INT64_MIN && b == -1)) {
		m->is_bad = true;
		return 0;
	}
	return (uint64_t)(a / b);
}

static uint64_t shift_right(int64_t a, uint64_t by)
{
	return (uint64_t)(a >> (by > 63 ? 63 : by));
}

/* Operations with two operands. */
static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_DW_and:
		return a & b;
	case OP_DW_div:
		return divide(m, sa, sb);
	case OP_DW_minus:
		return a - b;
	case OP_DW_mod:
		m->is_bad |= !b;
		return b ? a % b : 0;
	case OP_DW_mul:
		return a * b;
	case OP_DW_or:
		return a | b;
	case OP_DW_plus:
		return a + b;
	case OP_DW_shl:
		return b < 64 ? a << b : 0;
	case OP_DW_shr:
		return b < 64 ? a >> b : 0;
	case OP_DW_shra:
		return shift_right(sa, b);
	case OP_DW_xor:
		return a ^ b;
	case OP_DW_eq:
		return sa == sb;
	case OP_DW_ge:
		return sa >= sb;
	case OP_DW_gt:
		return sa > sb;
	case OP_DW_le:
		return sa <= sb;
	case OP_DW_lt:
		return sa < sb;
	case OP_DW_ne:
		return sa != sb;
	default:
		m->is_bad = true;
		return 0;
	}
}

static uint64_t absolute(uint64_t v)
{
	return v >> 63 ? -v : v;
}

/* Constants in the code. False: the operation is another. */
static bool constant(struct machine *m, uint8_t op)
{
	struct op_cfi_bytes *b = &m->b;

	switch (op) {
	case OP_DW_const1u:
		push(m, op_cfi_fixed(b, 1));
		return true;
	case OP_DW_const1s:
		push(m, (uint64_t)(int8_t)op_cfi_fixed(b, 1));
		return true;
	case OP_DW_const2u:
		push(m, op_cfi_fixed(b, 2));
		return true;
	case OP_DW_const2s:
		push(m, (uint64_t)(int16_t)op_cfi_fixed(b, 2));
		return true;
	case OP_DW_const4u:
		push(m, op_cfi_fixed(b, 4));
		return true;
	case OP_DW_const4s:
		push(m, (uint64_t)(int32_t)op_cfi_fixed(b, 4));
		return true;
	case OP_DW_const8u:
	case OP_DW_const8s:
		push(m, op_cfi_fixed(b, 8));
		return true;
	case OP_DW_constu:
		push(m, op_cfi_uleb(b));
		return true;
	case OP_DW_consts:
		push(m, (uint64_t)op_cfi_sleb(b));
		return true;
	default:
		return false;
	}
}

/* Other operations on the stack. False: the operation is another. */
static bool unary(struct machine *m, uint8_t op)
{
	switch (op) {
	case OP_DW_deref:
		load(m, 8);
		return true;
	case OP_DW_deref_size:
		load(m, op_cfi_fixed(&m->b, 1));
		return true;
	case OP_DW_dup:
		pick(m, 0);
		return true;
	case OP_DW_drop:
		pop(m);
		return true;
	case OP_DW_over:
		pick(m, 1);
		return true;
	case OP_DW_pick:
		pick(m, op_cfi_fixed(&m->b, 1));
		return true;
	case OP_DW_swap:
		roll(m, 2);
		return true;
	case OP_DW_rot:
		roll(m, 3);
		return true;
	case OP_DW_abs:
		push(m, absolute(pop(m)));
		return true;
	case OP_DW_neg:
		push(m, -pop(m));
		return true;
	case OP_DW_not:
		push(m, ~pop(m));
		return true;
	case OP_DW_plus_uconst:
		push(m, pop(m) + op_cfi_uleb(&m->b));
		return true;
	case OP_DW_bra:
		jump(m, pop(m) != 0);
		return true;
	case OP_DW_skip:
		jump(m, true);
		return true;
	case OP_DW_nop:
		return true;
	default:
		return false;
	}
}

static void run_one(struct machine *m)
{
	uint8_t op = (uint8_t)op_cfi_fixed(&m->b, 1);
	uint64_t a, b;

	if (op >= OP_DW_lit0 && op <= OP_DW_lit31) {
		push(m, op - (uint64_t)OP_DW_lit0);
	} else if (is_breg(op)) {
		push_reg(m, op - (uint64_t)OP_DW_breg0);
	} else if (op == OP_DW_bregx) {
		push_reg(m, op_cfi_uleb(&m->b));
	} else if (!constant(m, op) && !unary(m, op)) {
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
	}
}

bool op_expr_run(struct op_view bytes, const struct op_expr_env *env,
		 const uint64_t *first, uint64_t *out)
{
	struct machine m = {
		.env = env,
		.b = { bytes.p, bytes.p + bytes.n, false },
		.start = bytes.p,
	};

	if (first)
		push(&m, *first);
	for (int i = 0; m.b.p < m.b.end; i++) {
		if (i == OP_EXPR_MAX_OPS)
			return false;
		run_one(&m);
		if (m.is_bad || m.b.is_broken)
			return false;
	}
	if (!m.nr)
		return false;
	*out = m.stack[m.nr - 1];
	return true;
}
