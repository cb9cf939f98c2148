// SPDX-License-Identifier: Apache-2.0
/* sym/unwind.c: walks a stack, given registers and a copy of the stack. */
#include "sym/unwind.h"

#include "sym/cfi_expr.h"
#include "sym/sigreturn.h"

static bool stop(struct op_unwind *u, enum op_unwind_end why)
{
	u->end = why;
	return false;
}

static bool is_known(const struct op_unwind_regs *regs, uint64_t reg)
{
	return reg < OP_NR_REGS && regs->known & 1u << reg;
}

static bool reg_value(struct op_unwind *u, uint64_t reg, uint64_t *out)
{
	if (!is_known(&u->regs, reg))
		return stop(u, OP_UNWIND_LOST);
	*out = u->regs.r[reg];
	return true;
}

static bool load(struct op_unwind *u, uint64_t at, uint64_t *out)
{
	if (!u->env->read(u->env->arg, at, 8, out))
		return stop(u, OP_UNWIND_BAD_MEMORY);
	return true;
}

static void know(struct op_unwind_regs *regs, int reg, uint64_t v)
{
	regs->r[reg] = v;
	regs->known |= 1u << reg;
}

static void forget(struct op_unwind_regs *regs, int reg)
{
	regs->known &= ~(1u << reg);
}

static const uint8_t saved_reg[OP_NR_SAVED] = {
	[OP_COL_RBX] = OP_RBX, [OP_COL_RBP] = OP_RBP, [OP_COL_R12] = OP_R12,
	[OP_COL_R13] = OP_R13, [OP_COL_R14] = OP_R14, [OP_COL_R15] = OP_R15,
};

/* Registers that the callee need not preserve are unknown in the caller. */
static const uint32_t kept_regs = 1u << OP_RBX | 1u << OP_RBP | 1u << OP_R12 |
				  1u << OP_R13 | 1u << OP_R14 | 1u << OP_R15;

/* --- expressions ---------------------------------------------------------- */

static bool expr_read(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	struct op_unwind *u = arg;

	if (!u->env->read(u->env->arg, at, n, out))
		return stop(u, OP_UNWIND_BAD_MEMORY);
	return true;
}

static bool expr_reg(void *arg, uint64_t reg, uint64_t *out)
{
	return reg_value(arg, reg, out);
}

static bool expr_value(struct op_unwind *u, const struct op_wide_column *c,
		       const uint64_t *cfa, uint64_t *out)
{
	const struct op_expr_env env = { expr_read, expr_reg, u };

	u->end = OP_UNWIND_LOST; /* unless a rule says otherwise */
	return op_expr_run(op_unwind_expr(&u->code.table, c), &env, cfa, out);
}

/* --- rules ---------------------------------------------------------------- */

static bool rule_cfa(struct op_unwind *u, const struct op_rule *r,
		     uint64_t *out)
{
	uint64_t base;

	if (r->cfa == OP_CFA_EXPR) {
		const struct op_wide_rule *w = op_unwind_wide(&u->code.table,
							      r);

		return expr_value(u, &w->col[OP_COL_CFA], NULL, out);
	}
	if (!reg_value(u, r->cfa_reg, &base))
		return false;
	base += (uint64_t)(int64_t)r->cfa_off;
	switch (r->cfa) {
	case OP_CFA_REG:
		*out = base;
		return true;
	case OP_CFA_DEREF:
		if (!load(u, base, out))
			return false;
		*out += (uint64_t)(int64_t)r->arg;
		return true;
	case OP_CFA_PLT:
		*out = base;
		if ((int64_t)(u->regs.r[OP_RIP] & 15) >= r->arg)
			*out += 8;
		return true;
	default:
		return stop(u, OP_UNWIND_NO_RULE);
	}
}

/* A register that was saved where it cannot be read becomes unknown; that
 * matters only if it is needed. */
static void restore_saved(struct op_unwind *u, const struct op_rule *r,
			  uint64_t cfa, struct op_unwind_regs *to)
{
	for (int i = 0; i < OP_NR_SAVED; i++) {
		uint8_t n = r->saved[i];
		uint64_t v;

		if (n == OP_SAVED_SAME)
			continue;
		if (n != OP_SAVED_UNKNOWN &&
		    u->env->read(u->env->arg, cfa - 8 * (uint64_t)n, 8, &v))
			know(to, saved_reg[i], v);
		else
			forget(to, saved_reg[i]);
	}
}

/* The value of a column of a wide rule; reg is its register. */
static bool column_value(struct op_unwind *u, const struct op_wide_column *c,
			 uint64_t cfa, int reg, uint64_t *out)
{
	uint64_t off = (uint64_t)(int64_t)c->off, v;

	switch (c->how) {
	case OP_HOW_SAME:
		return reg_value(u, (uint64_t)reg, out);
	case OP_HOW_AT_CFA:
		return load(u, cfa + off, out);
	case OP_HOW_CFA:
		*out = cfa + off;
		return true;
	case OP_HOW_AT_REG:
		return reg_value(u, c->reg, &v) && load(u, v + off, out);
	case OP_HOW_REG:
		if (!reg_value(u, c->reg, &v))
			return false;
		*out = v + off;
		return true;
	case OP_HOW_AT_EXPR:
		return expr_value(u, c, &cfa, &v) && load(u, v, out);
	case OP_HOW_EXPR:
		return expr_value(u, c, &cfa, out);
	default:
		return stop(u, OP_UNWIND_LOST);
	}
}

static bool apply_wide(struct op_unwind *u, const struct op_rule *r,
		       uint64_t cfa, struct op_unwind_regs *to)
{
	const struct op_wide_rule *w = op_unwind_wide(&u->code.table, r);
	uint64_t v;

	if (w->col[OP_COL_RA].how == OP_HOW_UNKNOWN)
		return stop(u, OP_UNWIND_DONE);
	if (!column_value(u, &w->col[OP_COL_RA], cfa, OP_RIP, &v))
		return false;
	know(to, OP_RIP, v);
	if (!column_value(u, &w->col[OP_COL_RSP], cfa, OP_RSP, &v))
		return false;
	know(to, OP_RSP, v);
	for (int i = 0; i < OP_NR_SAVED; i++) {
		if (column_value(u, &w->col[i], cfa, saved_reg[i], &v))
			know(to, saved_reg[i], v);
		else
			forget(to, saved_reg[i]);
	}
	return true;
}

static bool apply_signal(struct op_unwind *u, const struct op_rule *r,
			 struct op_unwind_regs *to)
{
	uint64_t base;

	if (!reg_value(u, r->cfa_reg, &base))
		return false;
	base += (uint64_t)(int64_t)r->cfa_off;
	for (int i = 0; i < OP_NR_REGS; i++)
		if (!load(u, base + 8u * op_sigcontext_word[i], &to->r[i]))
			return false;
	to->known = OP_ALL_REGS;
	return true;
}

static bool apply(struct op_unwind *u, const struct op_rule *r,
		  struct op_unwind_regs *to)
{
	uint64_t cfa, ra;

	if (r->cfa == OP_CFA_SIGNAL)
		return apply_signal(u, r, to);
	if (r->ra == OP_RA_END)
		return stop(u, OP_UNWIND_DONE);
	if (!rule_cfa(u, r, &cfa))
		return false;
	*to = u->regs;
	to->known &= kept_regs;
	if (r->flags & OP_RULE_WIDE)
		return apply_wide(u, r, cfa, to);
	if (!load(u, cfa - 8, &ra))
		return false;
	know(to, OP_RSP, cfa);
	know(to, OP_RIP, ra);
	restore_saved(u, r, cfa, to);
	return true;
}

/* --- code without a table ------------------------------------------------- */

static bool is_sigreturn(struct op_unwind *u)
{
	uint64_t words[OP_SIGRETURN_BYTES / 8], pc = u->regs.r[OP_RIP];

	for (size_t i = 0; i < op_countof(words); i++)
		if (!u->env->read(u->env->arg, pc + 8 * i, 8, &words[i]))
			return false;
	return op_sigreturn_at(op_view(words, sizeof(words)));
}

/* By the frame pointer: the caller's, and above it the return address. In code
 * without frame pointers it may point anywhere, so it must point up the stack.
 */
static bool apply_pointer(struct op_unwind *u, struct op_unwind_regs *to)
{
	const struct op_unwind_regs *from = &u->regs;
	uint64_t bp = from->r[OP_RBP], ra, up;

	if (!is_known(from, OP_RBP) || !is_known(from, OP_RSP))
		return stop(u, OP_UNWIND_NO_RULE);
	if (!bp)
		return stop(u, OP_UNWIND_DONE);
	if (bp & 7 || bp < from->r[OP_RSP])
		return stop(u, OP_UNWIND_NO_RULE);
	if (!load(u, bp, &up) || !load(u, bp + 8, &ra))
		return false;
	*to = *from;
	to->known = 0;
	know(to, OP_RBP, up);
	know(to, OP_RSP, bp + 16);
	know(to, OP_RIP, ra);
	return true;
}

/* --- frames --------------------------------------------------------------- */

static enum op_code_kind find_code(struct op_unwind *u, uint64_t pc)
{
	return u->env->code(u->env->arg, pc, &u->code);
}

/* A return address may be the first byte after the code that made the call. */
static uint64_t lookup_pc(const struct op_unwind *u)
{
	return u->regs.r[OP_RIP] - !u->is_exact;
}

/* The rule of this frame; NULL: unknown, or u->end says that it is not built
 * yet. */
static const struct op_rule *find_rule(struct op_unwind *u)
{
	const struct op_rule *r = NULL;
	uint64_t vaddr = lookup_pc(u) - u->code.bias;
	enum op_unwind_found found;

	if (u->kind != OP_CODE_TABLE)
		return NULL;
	found = op_unwind_find(&u->code.table, vaddr, &r);
	/* Nothing calls a signal trampoline: the byte before it may be
	 * anything. */
	if (found == OP_FOUND && r->cfa == OP_CFA_NONE && !u->is_exact) {
		found = op_unwind_find(&u->code.table, vaddr + 1, &r);
		if (found == OP_FOUND && !(r->flags & OP_RULE_SIGNAL))
			return NULL;
	}
	if (found == OP_FOUND_UNBUILT)
		u->end = OP_UNWIND_UNBUILT;
	return found == OP_FOUND && r->cfa != OP_CFA_NONE ? r : NULL;
}

void op_unwind_begin(struct op_unwind *u, const struct op_unwind_env *env,
		     const struct op_unwind_regs *regs)
{
	*u = (struct op_unwind){ .env = env, .regs = *regs, .is_exact = true };
	u->kind = find_code(u, regs->r[OP_RIP]);
}

/* Computes the registers of the caller, and how they were found. */
static bool caller(struct op_unwind *u, struct op_unwind_regs *to,
		   enum op_frame_how *how)
{
	const struct op_rule *r;
	struct op_rule sigreturn;

	u->end = OP_UNWIND_DONE;
	r = find_rule(u);
	if (!r && u->end == OP_UNWIND_UNBUILT)
		return false;
	if (!r && is_sigreturn(u)) {
		sigreturn = op_sigreturn_rule();
		r = &sigreturn;
	}
	if (!r) {
		*how = OP_FRAME_POINTER;
		return apply_pointer(u, to);
	}
	*how = r->flags & OP_RULE_SIGNAL ? OP_FRAME_SIGNAL : OP_FRAME_RULE;
	return apply(u, r, to);
}

/* The frame of a caller is above that of its callee. Only the code that a
 * signal interrupts may be elsewhere, and it may have released its frame. */
static bool is_progress(const struct op_unwind *u,
			const struct op_unwind_regs *to, enum op_frame_how how)
{
	uint64_t sp = u->regs.r[OP_RSP];

	if (how == OP_FRAME_SIGNAL || !is_known(&u->regs, OP_RSP))
		return true;
	return to->r[OP_RSP] > sp || (u->is_exact && to->r[OP_RSP] == sp);
}

/* Code that was made executable after it was mapped, as by JIT compilers, may
 * be in no table. A frame there is accepted if frame pointers lead back to
 * known code, over a few more frames of that kind. */
static bool leads_to_code(const struct op_unwind *u,
			  const struct op_unwind_regs *regs)
{
	enum { FEW = 32 };
	struct op_unwind at = *u;
	struct op_unwind_regs to;

	at.regs = *regs;
	at.is_exact = false;
	for (int i = 0; i < FEW; i++) {
		if (!apply_pointer(&at, &to) || !to.r[OP_RIP] ||
		    !is_progress(&at, &to, OP_FRAME_POINTER))
			return false;
		if (find_code(&at, to.r[OP_RIP] - 1) != OP_CODE_NONE)
			return true;
		at.regs = to;
	}
	return false;
}

bool op_unwind_next(struct op_unwind *u)
{
	struct op_unwind_regs to;
	enum op_frame_how how;
	struct op_unwind_code code = u->code;
	enum op_code_kind kind;

	if (!caller(u, &to, &how))
		return false;
	if (!to.r[OP_RIP])
		return stop(u, OP_UNWIND_DONE);
	if (!is_progress(u, &to, how))
		return stop(u, OP_UNWIND_NO_PROGRESS);
	kind = find_code(u, to.r[OP_RIP] - (how != OP_FRAME_SIGNAL));
	if (kind == OP_CODE_NONE && how != OP_FRAME_SIGNAL &&
	    leads_to_code(u, &to))
		kind = OP_CODE_BARE;
	if (kind == OP_CODE_NONE) {
		u->code = code;
		return stop(u, OP_UNWIND_BAD_PC);
	}
	u->kind = kind;
	u->regs = to;
	u->how = how;
	u->is_exact = how == OP_FRAME_SIGNAL;
	return true;
}

size_t op_unwind_all(struct op_unwind *u, struct op_unwind_frame *out,
		     size_t max)
{
	size_t n = 0;

	u->end = OP_UNWIND_LIMIT;
	while (n < max) {
		out[n++] = (struct op_unwind_frame){ u->regs.r[OP_RIP],
						     u->is_exact, u->how };
		if (n == max || !op_unwind_next(u))
			break;
		u->end = OP_UNWIND_LIMIT;
	}
	return n;
}

const char *op_unwind_end_text(enum op_unwind_end end)
{
	static const char *const text[] = {
		[OP_UNWIND_DONE] = "complete",
		[OP_UNWIND_NO_RULE] = "no unwind table",
		[OP_UNWIND_UNBUILT] = "unwind table not built yet",
		[OP_UNWIND_BAD_MEMORY] = "stack memory missing",
		[OP_UNWIND_BAD_PC] = "return address outside of code",
		[OP_UNWIND_LOST] = "register not known",
		[OP_UNWIND_NO_PROGRESS] = "frames do not go up",
		[OP_UNWIND_LIMIT] = "too many frames",
	};

	return (unsigned int)end < op_countof(text) ? text[end] : "unknown";
}
