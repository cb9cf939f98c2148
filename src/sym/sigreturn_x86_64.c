// SPDX-License-Identifier: Apache-2.0
/* sym/sigreturn_x86_64.c: recognizes the kernel's signal trampoline. */
#include "sym/regs_x86_64.h"
#include "sym/sigreturn.h"

/* struct sigcontext, arch/x86/include/uapi/asm/sigcontext.h: r8 is first. */
const uint8_t op_sigcontext_word[OP_NR_REGS] = {
	[OP_R8] = 0,   [OP_R9] = 1,   [OP_R10] = 2,  [OP_R11] = 3,
	[OP_R12] = 4,  [OP_R13] = 5,  [OP_R14] = 6,  [OP_R15] = 7,
	[OP_RDI] = 8,  [OP_RSI] = 9,  [OP_RBP] = 10, [OP_RBX] = 11,
	[OP_RDX] = 12, [OP_RAX] = 13, [OP_RCX] = 14, [OP_RSP] = 15,
	[OP_RIP] = 16,
};

/* mov $15,%rax or mov $15,%eax; syscall */
static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t narrow[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

struct op_rule op_sigreturn_rule(void)
{
	return (struct op_rule){
		.cfa = OP_CFA_SIGNAL,
		.cfa_reg = OP_RSP,
		.cfa_off = OP_SIGNAL_REGS,
		.flags = OP_RULE_SIGNAL,
	};
}

static int64_t place(int reg)
{
	return OP_SIGNAL_REGS + 8 * op_sigcontext_word[reg];
}

bool op_sigreturn_is(const struct op_cfi_state *s)
{
	static const struct {
		uint8_t col, reg;
	} rows[] = {
		{ OP_COL_RBX, OP_RBX }, { OP_COL_RBP, OP_RBP },
		{ OP_COL_R12, OP_R12 }, { OP_COL_R13, OP_R13 },
		{ OP_COL_R14, OP_R14 }, { OP_COL_R15, OP_R15 },
		{ OP_COL_RSP, OP_RSP }, { OP_COL_RA, OP_RIP },
	};
	const struct op_rule *r = &s->rule;

	if (!(r->flags & OP_RULE_SIGNAL) || r->cfa != OP_CFA_DEREF ||
	    r->cfa_reg != OP_RSP || r->cfa_off != place(OP_RSP) || r->arg)
		return false;
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_cfi_column c = op_cfi_column(s, rows[i].col);

		/* The stack pointer is the CFA; that needs no rule. */
		if (rows[i].col == OP_COL_RSP && c.how == OP_HOW_CFA && !c.off)
			continue;
		if (c.how != OP_HOW_AT_REG || c.reg != OP_RSP ||
		    c.off != place(rows[i].reg))
			return false;
	}
	return true;
}

static bool begins(struct op_view v, const uint8_t *code, size_t n)
{
	return v.n >= n && !memcmp(v.p, code, n);
}

bool op_sigreturn_at(struct op_view v)
{
	return begins(v, wide, sizeof(wide)) ||
	       begins(v, narrow, sizeof(narrow));
}

/* Whether code ends at a place, of which before bytes are known. */
static bool ends(const uint8_t *end, size_t before, const uint8_t *code,
		 size_t n)
{
	return before >= n && !memcmp(end - n, code, n);
}

/* Both end with the same bytes, so that one search finds them. */
bool op_sigreturn_find(struct op_view v, size_t *at, size_t *n)
{
	const size_t tail = sizeof(narrow) - 1;
	const uint8_t *p = v.p, *stop = v.p + v.n;

	while ((p = memmem(p, (size_t)(stop - p), narrow + 1, tail))) {
		const uint8_t *end = p + tail;
		size_t before = (size_t)(end - v.p);

		*n = 0;
		if (ends(end, before, wide, sizeof(wide)))
			*n = sizeof(wide);
		else if (ends(end, before, narrow, sizeof(narrow)))
			*n = sizeof(narrow);
		if (*n) {
			*at = before - *n;
			return true;
		}
		p++;
	}
	return false;
}
