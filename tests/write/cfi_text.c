// SPDX-License-Identifier: Apache-2.0
#include "write/cfi_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sym/cfi_expr.h"

static const char *const names[] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
};

static const struct {
	uint8_t col, reg;
	const char *name;
} columns[] = {
	{ OP_COL_RA, 16, "ra" },   { OP_COL_RSP, 7, "rsp" },
	{ OP_COL_RBX, 3, "rbx" },  { OP_COL_RBP, 6, "rbp" },
	{ OP_COL_R12, 12, "r12" }, { OP_COL_R13, 13, "r13" },
	{ OP_COL_R14, 14, "r14" }, { OP_COL_R15, 15, "r15" },
};

op_printf(2, 3) static void say(struct cfi_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, fmt, ap);
	va_end(ap);
	t->n += (size_t)n;
	if (t->n >= sizeof(t->s))
		abort();
}

static void say_reg(struct cfi_text *t, unsigned int reg, int64_t off)
{
	if (reg < op_countof(names))
		say(t, "%s%+lld", names[reg], (long long)off);
	else
		say(t, "r%u%+lld", reg, (long long)off);
}

static void say_expr(struct cfi_text *t, struct op_view v)
{
	say(t, "(");
	for (size_t i = 0; i < v.n; i++)
		say(t, "%02x", v.p[i]);
	say(t, ")");
}

/* A column in either form. */
struct column {
	enum op_how how;
	unsigned int reg;
	int64_t off;
	struct op_view expr;
};

static bool goes_without_saying(int col, const struct column *c)
{
	if (col == OP_COL_RA)
		return c->how == OP_HOW_AT_CFA && c->off == -8;
	if (col == OP_COL_RSP)
		return c->how == OP_HOW_CFA && !c->off;
	return c->how == OP_HOW_SAME;
}

static void say_column(struct cfi_text *t, const char *name,
		       const struct column *c)
{
	say(t, " %s", name);
	switch (c->how) {
	case OP_HOW_SAME:
		say(t, "=same");
		break;
	case OP_HOW_UNKNOWN:
		say(t, "?");
		break;
	case OP_HOW_AT_CFA:
		say(t, "[cfa%+lld]", (long long)c->off);
		break;
	case OP_HOW_CFA:
		say(t, "=cfa%+lld", (long long)c->off);
		break;
	case OP_HOW_AT_REG:
		say(t, "[");
		say_reg(t, c->reg, c->off);
		say(t, "]");
		break;
	case OP_HOW_REG:
		say(t, "=");
		say_reg(t, c->reg, c->off);
		break;
	case OP_HOW_AT_EXPR:
	case OP_HOW_EXPR:
		say(t, c->how == OP_HOW_EXPR ? "=" : "@");
		say_expr(t, c->expr);
		break;
	}
}

static struct column saved_column(uint8_t n)
{
	if (n == OP_SAVED_SAME)
		return (struct column){ .how = OP_HOW_SAME };
	if (n == OP_SAVED_UNKNOWN)
		return (struct column){ .how = OP_HOW_UNKNOWN };
	return (struct column){ .how = OP_HOW_AT_CFA, .off = -8 * n };
}

static struct column table_column(const struct op_unwind_table *table,
				  const struct op_rule *r, int col)
{
	if (r->flags & OP_RULE_WIDE) {
		const struct op_wide_column *w =
			&op_unwind_wide(table, r)->col[col];
		struct column c = { .how = (enum op_how)w->how,
				    .reg = w->reg,
				    .off = w->off };

		if (w->how == OP_HOW_EXPR || w->how == OP_HOW_AT_EXPR)
			c.expr = op_unwind_expr(table, w);
		return c;
	}
	if (col < OP_NR_SAVED)
		return saved_column(r->saved[col]);
	if (col == OP_COL_RA)
		return saved_column(r->ra == OP_RA_END ? OP_SAVED_UNKNOWN : 1);
	return (struct column){ .how = OP_HOW_CFA };
}

static void say_cfa(struct cfi_text *t, const struct op_unwind_table *table,
		    const struct op_rule *r)
{
	switch (r->cfa) {
	case OP_CFA_REG:
		say_reg(t, r->cfa_reg, r->cfa_off);
		break;
	case OP_CFA_DEREF:
		say(t, "[");
		say_reg(t, r->cfa_reg, r->cfa_off);
		say(t, "]%+d", r->arg);
		break;
	case OP_CFA_PLT:
		say(t, "plt ");
		say_reg(t, r->cfa_reg, r->cfa_off);
		say(t, " %d", r->arg);
		break;
	default:
		say_expr(t, table_column(table, r, OP_COL_CFA).expr);
	}
}

void cfi_text_rule(struct cfi_text *t, const struct op_unwind_table *table,
		   const struct op_rule *r)
{
	t->n = 0;
	if (r->cfa == OP_CFA_NONE) {
		say(t, "none");
		return;
	}
	if (r->cfa == OP_CFA_SIGNAL) {
		say(t, "signal");
		return;
	}
	say_cfa(t, table, r);
	for (size_t i = 0; i < op_countof(columns); i++) {
		struct column c = table_column(table, r, columns[i].col);

		if (!goes_without_saying(columns[i].col, &c))
			say_column(t, columns[i].name, &c);
	}
	if (r->flags & OP_RULE_SIGNAL)
		say(t, " S");
}

void cfi_text_find(struct cfi_text *t, const struct op_unwind_table *table,
		   uint64_t vaddr)
{
	const struct op_rule *r = NULL;

	t->n = 0;
	switch (op_unwind_find(table, vaddr, &r)) {
	case OP_FOUND:
		cfi_text_rule(t, table, r);
		break;
	case OP_FOUND_OUTSIDE:
		say(t, "outside");
		break;
	case OP_FOUND_UNBUILT:
		say(t, "unbuilt");
		break;
	}
}

/* --- the second reading --------------------------------------------------- */

enum { DEEPEST = OP_CFI_MAX_STATES };

struct naive_state {
	struct column cfa;     /* OP_HOW_UNKNOWN: none yet */
	struct column reg[17]; /* 16 is the return address */
};

struct naive {
	const struct op_cfi_index *ix;
	const struct op_cfi_cie *cie;
	struct op_cfi_bytes b;
	uint64_t start, loc, want, end;
	bool is_cie, is_broken;
	struct naive_state now, begin, stack[DEEPEST];
	int depth;
};

static bool fits32(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

static void set(struct naive *n, uint64_t reg, struct column c)
{
	bool is_kept = reg == 3 || reg == 6 || reg == 7 ||
		       (reg >= 12 && reg <= 15);

	if (reg == n->cie->ra_reg)
		reg = 16;
	else if (!is_kept)
		return;
	if (!fits32(c.off) || c.reg > UINT8_MAX)
		n->is_broken = true;
	n->now.reg[reg] = c;
}

static void set_how(struct naive *n, uint64_t reg, enum op_how how, int64_t off)
{
	set(n, reg, (struct column){ .how = how, .off = off });
}

static void set_cfa(struct naive *n, uint64_t reg, int64_t off)
{
	if (reg > UINT8_MAX || !fits32(off))
		n->is_broken = true;
	n->now.cfa = (struct column){ .how = OP_HOW_REG,
				      .reg = (unsigned int)reg,
				      .off = off };
}

static struct op_view block(struct naive *n)
{
	struct op_view v = op_cfi_take(&n->b, op_cfi_uleb(&n->b));

	if (v.n > OP_EXPR_MAX_BYTES)
		n->is_broken = true;
	return v;
}

static void set_expr(struct naive *n, bool is_value)
{
	uint64_t reg = op_cfi_uleb(&n->b);
	struct op_view v = block(n);
	struct op_expr e = op_expr_shape(v);

	if (n->b.is_broken || n->is_broken)
		return;
	if (e.shape == OP_EXPR_REG && fits32(e.off))
		set(n, reg,
		    (struct column){ is_value ? OP_HOW_REG : OP_HOW_AT_REG,
				     e.reg,
				     e.off,
				     { 0 } });
	else
		set(n, reg,
		    (struct column){ .how = is_value ? OP_HOW_EXPR :
						       OP_HOW_AT_EXPR,
				     .expr = v });
}

/* An expression with the shape reg + off is the same as a register. */
static void set_cfa_expr(struct naive *n)
{
	struct op_view v = block(n);
	struct op_expr e = op_expr_shape(v);

	if (e.shape == OP_EXPR_REG && fits32(e.off))
		set_cfa(n, e.reg, e.off);
	else
		n->now.cfa = (struct column){ .how = OP_HOW_EXPR, .expr = v };
}

/* True: the row that is wanted is the one that ends here. */
static bool go(struct naive *n, uint64_t to)
{
	if (n->is_cie || to < n->loc) {
		n->is_broken = true;
		return false;
	}
	if (to > n->want)
		return true;
	n->loc = to;
	return false;
}

static bool go_by(struct naive *n, uint64_t by)
{
	unsigned __int128 to = (unsigned __int128)by * n->cie->code_align +
			       n->loc;

	if (n->b.is_broken)
		return false;
	if ((unsigned __int128)by * n->cie->code_align > UINT64_MAX ||
	    to > UINT64_MAX)
		n->is_broken = true;
	return !n->is_broken && go(n, (uint64_t)to);
}

static bool go_to_address(struct naive *n)
{
	const struct op_cfi *cfi = &n->ix->cfi;
	struct op_cfi_bases bases = { n->cie->is_debug ? &cfi->debug : &cfi->eh,
				      cfi->text, cfi->got, n->start };
	uint64_t to = op_cfi_pointer(&n->b, n->cie->encoding, &bases);

	return !n->b.is_broken && go(n, to);
}

static void push(struct naive *n)
{
	if (n->depth == DEEPEST)
		n->is_broken = true;
	else
		n->stack[n->depth++] = n->now;
}

static void pop(struct naive *n)
{
	if (!n->depth)
		n->is_broken = true;
	else
		n->now = n->stack[--n->depth];
}

static void restore(struct naive *n, uint64_t reg)
{
	if (reg == n->cie->ra_reg)
		reg = 16;
	else if (reg >= 16)
		return;
	n->now.reg[reg] = n->begin.reg[reg];
}

static int64_t scaled(const struct naive *n, uint64_t v)
{
	return (int64_t)(v * (uint64_t)n->cie->data_align);
}

static void set_cfa_off(struct naive *n, int64_t off)
{
	if (n->now.cfa.how != OP_HOW_REG)
		n->is_broken = true;
	else
		set_cfa(n, n->now.cfa.reg, off);
}

/* One instruction; true if the row that is wanted has ended. */
/* style: long: one case an instruction */
static bool step(struct naive *n)
{
	struct op_cfi_bytes *b = &n->b;
	uint8_t op = *b->p++;
	uint64_t reg;

	switch (op >> 6) {
	case 1:
		return go_by(n, op & 0x3f);
	case 2:
		reg = op_cfi_uleb(b);
		set_how(n, op & 0x3f, OP_HOW_AT_CFA, scaled(n, reg));
		return false;
	case 3:
		restore(n, op & 0x3f);
		return false;
	}
	switch (op) {
	case 0x00:
		return false;
	case 0x01:
		return go_to_address(n);
	case 0x02:
		return go_by(n, op_cfi_fixed(b, 1));
	case 0x03:
		return go_by(n, op_cfi_fixed(b, 2));
	case 0x04:
		return go_by(n, op_cfi_fixed(b, 4));
	case 0x0a:
		push(n);
		return false;
	case 0x0b:
		pop(n);
		return false;
	case 0x0e:
		set_cfa_off(n, (int64_t)op_cfi_uleb(b));
		return false;
	case 0x0f:
		set_cfa_expr(n);
		return false;
	case 0x10:
	case 0x16:
		set_expr(n, op == 0x16);
		return false;
	case 0x13:
		set_cfa_off(n, scaled(n, (uint64_t)op_cfi_sleb(b)));
		return false;
	case 0x2e:
		op_cfi_uleb(b);
		return false;
	}
	reg = op_cfi_uleb(b);
	switch (op) {
	case 0x05:
		set_how(n, reg, OP_HOW_AT_CFA, scaled(n, op_cfi_uleb(b)));
		break;
	case 0x06:
		restore(n, reg);
		break;
	case 0x07:
		set_how(n, reg, OP_HOW_UNKNOWN, 0);
		break;
	case 0x08:
		set_how(n, reg, OP_HOW_SAME, 0);
		break;
	case 0x09: {
		uint64_t in = op_cfi_uleb(b);

		n->is_broken |= in > UINT8_MAX;
		set(n, reg,
		    (struct column){ .how = OP_HOW_REG,
				     .reg = (unsigned int)in & 255 });
		break;
	}
	case 0x0c:
		set_cfa(n, reg, (int64_t)op_cfi_uleb(b));
		break;
	case 0x0d:
		if (n->now.cfa.how == OP_HOW_REG)
			set_cfa(n, reg, n->now.cfa.off);
		else
			n->is_broken = true;
		break;
	case 0x11:
		set_how(n, reg, OP_HOW_AT_CFA,
			scaled(n, (uint64_t)op_cfi_sleb(b)));
		break;
	case 0x12:
		set_cfa(n, reg, scaled(n, (uint64_t)op_cfi_sleb(b)));
		break;
	case 0x14:
		set_how(n, reg, OP_HOW_CFA, scaled(n, op_cfi_uleb(b)));
		break;
	case 0x15:
		set_how(n, reg, OP_HOW_CFA,
			scaled(n, (uint64_t)op_cfi_sleb(b)));
		break;
	case 0x2f:
		set_how(n, reg, OP_HOW_AT_CFA, scaled(n, -op_cfi_uleb(b)));
		break;
	default:
		n->is_broken = true;
	}
	return false;
}

static void run(struct naive *n, struct op_view program)
{
	n->b = (struct op_cfi_bytes){ program.p, program.p + program.n, false };
	while (n->b.p < n->b.end && !n->is_broken) {
		if (step(n) && !n->b.is_broken)
			return;
		n->is_broken |= n->b.is_broken;
	}
}

static void say_naive_cfa(struct cfi_text *t, const struct column *c)
{
	struct op_expr e = op_expr_shape(c->expr);

	if (c->how == OP_HOW_REG) {
		say_reg(t, c->reg, c->off);
	} else if (e.shape == OP_EXPR_OTHER || !fits32(e.off) ||
		   e.arg < INT16_MIN || e.arg > INT16_MAX) {
		say_expr(t, c->expr);
	} else if (e.shape == OP_EXPR_PLT) {
		say(t, "plt ");
		say_reg(t, e.reg, e.off);
		say(t, " %d", (int)e.arg);
	} else {
		say(t, "[");
		say_reg(t, e.reg, e.off);
		say(t, "]%+d", (int)e.arg);
	}
}

static const char sigreturn[] =
	"[rsp+160]+0 ra[rsp+168] rsp[rsp+160] rbx[rsp+128] rbp[rsp+120] "
	"r12[rsp+72] r13[rsp+80] r14[rsp+88] r15[rsp+96] S";
static const char sigreturn_short[] =
	"[rsp+160]+0 ra[rsp+168] rbx[rsp+128] rbp[rsp+120] "
	"r12[rsp+72] r13[rsp+80] r14[rsp+88] r15[rsp+96] S";

static void say_naive(struct cfi_text *t, const struct naive *n)
{
	if (n->is_broken || n->now.cfa.how == OP_HOW_UNKNOWN) {
		say(t, "none");
		return;
	}
	say_naive_cfa(t, &n->now.cfa);
	for (size_t i = 0; i < op_countof(columns); i++) {
		const struct column *c = &n->now.reg[columns[i].reg];

		if (!goes_without_saying(columns[i].col, c))
			say_column(t, columns[i].name, c);
	}
	if (n->cie->is_signal)
		say(t, " S");
	if (!strcmp(t->s, sigreturn) || !strcmp(t->s, sigreturn_short)) {
		t->n = 0;
		say(t, "signal");
	}
}

void cfi_text_naive(struct cfi_text *t, const struct op_cfi_index *ix,
		    uint64_t vaddr)
{
	uint64_t at = vaddr - ix->base;
	const struct op_cfi_range *r = NULL;
	const struct op_cfi_section *s;
	static struct naive n;
	size_t i;

	t->n = 0;
	i = at < ix->size ? op_cfi_index_find(ix, (uint32_t)at) : SIZE_MAX;
	if (i < ix->ranges.n)
		r = &ix->ranges.p[i];
	if (!r || at < r->start) {
		say(t, "none");
		return;
	}
	memset(&n, 0, sizeof(n));
	n.ix = ix;
	n.cie = &ix->cies.p[r->cie].cie;
	if (n.cie->at == SIZE_MAX) {
		say(t, "signal");
		return;
	}
	n.now.cfa.how = OP_HOW_UNKNOWN;
	n.now.reg[7].how = OP_HOW_CFA;
	n.now.reg[16] = (struct column){ .how = OP_HOW_AT_CFA, .off = -8 };
	n.begin = n.now;
	n.is_cie = true;
	run(&n, n.cie->program);
	n.begin = n.now;
	n.is_cie = false;
	n.depth = 0;
	n.start = n.loc = ix->base + r->start;
	n.want = vaddr;
	s = n.cie->is_debug ? &ix->cfi.debug : &ix->cfi.eh;
	if (!n.is_broken && r->program_bytes)
		run(&n, op_view(s->bytes.p + r->program, r->program_bytes));
	say_naive(t, &n);
}
