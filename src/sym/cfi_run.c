// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_run.c: runs the instructions of an FDE. */
#include "sym/cfi_run.h"

#include "sym/cfi_expr.h"
#include "sym/cfi_int.h"
#include "sym/regs_x86_64.h"

_Static_assert(offsetof(struct op_rule, cfa_reg) == 1 &&
		       offsetof(struct op_rule, cfa_off) == 4,
	       "set_place() writes both at once");

struct runner {
	const struct op_cfi *cfi;
	const struct op_cfi_cie *cie;
	const struct op_cfi_state *begin;
	const struct op_cfi_sink *sink; /* NULL: a CIE, which has no rows */
	uint64_t start, loc, end;
	struct op_cfi_bytes b;
	struct op_cfi_state s;
	unsigned int nr_states;
	struct op_cfi_state states[OP_CFI_MAX_STATES];
};

enum step { GO_ON, STOP, BROKEN };

static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

int op_cfi_column_of(const struct op_cfi_cie *cie, uint64_t reg)
{
	static const int8_t columns[OP_NR_REGS] = {
		[OP_RAX] = -1,	       [OP_RDX] = -1,
		[OP_RCX] = -1,	       [OP_RBX] = OP_COL_RBX,
		[OP_RSI] = -1,	       [OP_RDI] = -1,
		[OP_RBP] = OP_COL_RBP, [OP_RSP] = OP_COL_RSP,
		[OP_R8] = -1,	       [OP_R9] = -1,
		[OP_R10] = -1,	       [OP_R11] = -1,
		[OP_R12] = OP_COL_R12, [OP_R13] = OP_COL_R13,
		[OP_R14] = OP_COL_R14, [OP_R15] = OP_COL_R15,
		[OP_RIP] = -1,
	};

	if (reg == cie->ra_reg)
		return OP_COL_RA;
	return reg < OP_NR_REGS ? columns[reg] : -1;
}

/* Copies a state, without columns that are never read. */
static void copy_state(struct op_cfi_state *to, const struct op_cfi_state *from)
{
	to->rule = from->rule;
	to->is_wide = from->is_wide;
	if (op_unlikely(from->is_wide))
		memcpy(to->col, from->col, sizeof(to->col));
}

static struct op_cfi_column column_saved(uint8_t n)
{
	if (n == OP_SAVED_SAME)
		return (struct op_cfi_column){ .how = OP_HOW_SAME };
	if (n == OP_SAVED_UNKNOWN)
		return (struct op_cfi_column){ .how = OP_HOW_UNKNOWN };
	return (struct op_cfi_column){ .how = OP_HOW_AT_CFA, .off = -8 * n };
}

struct op_cfi_column op_cfi_column(const struct op_cfi_state *s, int c)
{
	const struct op_rule *r = &s->rule;

	if (s->is_wide & 1u << c)
		return s->col[c];
	if (c < OP_NR_SAVED)
		return column_saved(r->saved[c]);
	if (c == OP_COL_RA)
		return column_saved(r->ra == OP_RA_END ? OP_SAVED_UNKNOWN : 1);
	if (c == OP_COL_RSP)
		return (struct op_cfi_column){ .how = OP_HOW_CFA };
	return (struct op_cfi_column){
		.how = r->cfa == OP_CFA_REG ? OP_HOW_REG : OP_HOW_UNKNOWN,
		.reg = r->cfa_reg,
		.off = r->cfa_off,
	};
}

/* The code of a column in a rule; -1 if there is none. */
static int saved_of(const struct op_cfi_column *v)
{
	switch (v->how) {
	case OP_HOW_SAME:
		return OP_SAVED_SAME;
	case OP_HOW_UNKNOWN:
		return OP_SAVED_UNKNOWN;
	case OP_HOW_AT_CFA:
		if (v->off & 7 || v->off >= 0 || v->off < -8 * OP_SAVED_MAX)
			return -1;
		return (int)(-v->off / 8);
	default:
		return -1;
	}
}

/* A rule is changed often and read as two words after each row. A load of a
 * word right after a store to a part of it has to wait for that store, so whole
 * words are written. */
static void set_bits(struct op_rule *r, size_t at, uint64_t mask, uint64_t v)
{
	uint8_t *word = (uint8_t *)r + at / 8 * 8;
	unsigned int shift = (unsigned int)(at % 8) * 8;
	uint64_t w;

	memcpy(&w, word, sizeof(w));
	w = (w & ~(mask << shift)) | v << shift;
	memcpy(word, &w, sizeof(w));
}

static void set_saved(struct op_rule *r, int c, uint8_t v)
{
	set_bits(r, offsetof(struct op_rule, saved) + (size_t)c, 0xff, v);
}

static void set_ra(struct op_rule *r, enum op_ra ra)
{
	set_bits(r, offsetof(struct op_rule, ra), 0xff, ra);
}

static void set_place(struct op_rule *r, uint8_t reg, int32_t off)
{
	set_bits(r, 0, 0xffffffff0000ffff,
		 OP_CFA_REG | (uint64_t)reg << 8 |
			 (uint64_t)(uint32_t)off << 32);
}

/* Whether column c fits into the rule; if so, it is added. */
static bool narrow(struct op_rule *r, int c, const struct op_cfi_column *v)
{
	int n = saved_of(v);

	if (c == OP_COL_RSP)
		return v->how == OP_HOW_CFA && !v->off;
	if (c == OP_COL_RA) {
		if (n != 1 && n != OP_SAVED_UNKNOWN)
			return false;
		set_ra(r, n == 1 ? OP_RA_BELOW : OP_RA_END);
		return true;
	}
	if (n >= 0)
		set_saved(r, c, (uint8_t)n);
	return n >= 0;
}

static enum step set_column(struct runner *r, uint64_t reg,
			    struct op_cfi_column v)
{
	int c = op_cfi_column_of(r->cie, reg);

	if (c < 0)
		return GO_ON;
	r->s.is_wide &= ~(1u << c);
	if (op_likely(narrow(&r->s.rule, c, &v)))
		return GO_ON;
	if (!fits32(v.off))
		return BROKEN;
	/* The unused content of the rule must not distinguish wide rules. */
	if (c < OP_NR_SAVED)
		r->s.rule.saved[c] = 0;
	else if (c == OP_COL_RA)
		r->s.rule.ra = OP_RA_BELOW;
	r->s.is_wide |= 1u << c;
	r->s.col[c] = v;
	return GO_ON;
}

static enum step set_how(struct runner *r, uint64_t reg, enum op_how how,
			 int64_t off)
{
	return set_column(r, reg,
			  (struct op_cfi_column){ .how = (uint8_t)how,
						  .off = off });
}

/* Saved in a word below the CFA: nearly all that programs do with registers,
 * without a column in between. */
static enum step set_below(struct runner *r, uint64_t reg, int64_t off)
{
	int c = op_cfi_column_of(r->cie, reg);

	if (op_unlikely(c < 0 || c >= OP_NR_SAVED || off & 7 || off >= 0 ||
			off < -8 * OP_SAVED_MAX))
		return set_how(r, reg, OP_HOW_AT_CFA, off);
	r->s.is_wide &= ~(1u << c);
	set_saved(&r->s.rule, c, (uint8_t)(-off / 8));
	return GO_ON;
}

static int64_t factored(const struct runner *r, int64_t v)
{
	return (int64_t)((uint64_t)v * (uint64_t)r->cie->data_align);
}

static enum step set_cfa(struct runner *r, uint64_t reg, int64_t off)
{
	if (reg > UINT8_MAX || !fits32(off))
		return BROKEN;
	r->s.is_wide &= ~(1u << OP_COL_CFA);
	/* arg is 0 except after an expression. */
	if (op_unlikely(r->s.rule.cfa != OP_CFA_REG))
		r->s.rule.arg = 0;
	set_place(&r->s.rule, (uint8_t)reg, (int32_t)off);
	return GO_ON;
}

static enum step set_cfa_off(struct runner *r, int64_t off)
{
	if (r->s.rule.cfa != OP_CFA_REG)
		return BROKEN;
	return set_cfa(r, r->s.rule.cfa_reg, off);
}

static struct op_view block(struct runner *r)
{
	struct op_view v = op_cfi_take(&r->b, op_cfi_uleb(&r->b));

	if (v.n > OP_EXPR_MAX_BYTES)
		r->b.is_broken = true;
	return v;
}

static enum step set_cfa_expr(struct runner *r)
{
	struct op_view bytes = block(r);
	struct op_expr e = op_expr_shape(bytes);
	struct op_rule *rule = &r->s.rule;

	if (r->b.is_broken)
		return BROKEN;
	if (e.shape == OP_EXPR_OTHER || !fits32(e.off) ||
	    e.arg != (int16_t)e.arg) {
		rule->cfa = OP_CFA_EXPR;
		rule->cfa_reg = 0;
		rule->cfa_off = rule->arg = 0;
		r->s.is_wide |= 1u << OP_COL_CFA;
		r->s.col[OP_COL_CFA] = (struct op_cfi_column){
			.how = OP_HOW_EXPR, .expr = bytes
		};
		return GO_ON;
	}
	if (e.shape == OP_EXPR_REG)
		return set_cfa(r, e.reg, e.off);
	set_cfa(r, e.reg, e.off);
	rule->cfa = e.shape == OP_EXPR_PLT ? OP_CFA_PLT : OP_CFA_DEREF;
	rule->arg = (int16_t)e.arg;
	return GO_ON;
}

static enum step set_expr(struct runner *r, bool is_value)
{
	uint64_t reg = op_cfi_uleb(&r->b);
	struct op_view bytes = block(r);
	struct op_expr e = op_expr_shape(bytes);
	struct op_cfi_column v = { .reg = e.reg, .off = e.off };

	if (r->b.is_broken)
		return BROKEN;
	if (e.shape == OP_EXPR_REG && fits32(e.off)) {
		v.how = is_value ? OP_HOW_REG : OP_HOW_AT_REG;
		return set_column(r, reg, v);
	}
	v = (struct op_cfi_column){ .expr = bytes };
	v.how = is_value ? OP_HOW_EXPR : OP_HOW_AT_EXPR;
	return set_column(r, reg, v);
}

static enum step restore(struct runner *r, uint64_t reg)
{
	int c = op_cfi_column_of(r->cie, reg);

	if (c < 0)
		return GO_ON;
	return set_column(r, reg, op_cfi_column(r->begin, c));
}

static enum step row(struct runner *r, uint64_t next)
{
	if (op_unlikely(!r->sink || next < r->loc))
		return BROKEN; /* a CIE has no rows; or it goes backwards */
	if (!r->sink->row(r->sink->arg, r->loc, &r->s))
		return STOP;
	r->loc = next;
	return next < r->end ? GO_ON : STOP;
}

static enum step advance(struct runner *r, uint64_t n)
{
	uint64_t by;

	if (__builtin_mul_overflow(n, r->cie->code_align, &by))
		return BROKEN;
	return row(r, r->loc + by);
}

static enum step set_loc(struct runner *r)
{
	struct op_cfi_bases bases = {
		.s = r->cie->is_debug ? &r->cfi->debug : &r->cfi->eh,
		.text = r->cfi->text,
		.data = r->cfi->got,
		.func = r->start,
	};
	uint64_t to = op_cfi_pointer(&r->b, r->cie->encoding, &bases);

	return r->b.is_broken ? BROKEN : row(r, to);
}

static enum step remember(struct runner *r)
{
	if (r->nr_states == OP_CFI_MAX_STATES)
		return BROKEN;
	copy_state(&r->states[r->nr_states++], &r->s);
	return GO_ON;
}

static enum step recall(struct runner *r)
{
	if (!r->nr_states)
		return BROKEN;
	copy_state(&r->s, &r->states[--r->nr_states]);
	return GO_ON;
}

/* DW_CFA_register: the value is in another register. */
static enum step set_register(struct runner *r)
{
	uint64_t reg = op_cfi_uleb(&r->b), in = op_cfi_uleb(&r->b);

	if (in > UINT8_MAX)
		return BROKEN;
	return set_column(r, reg,
			  (struct op_cfi_column){ .how = OP_HOW_REG,
						  .reg = (uint8_t)in });
}

/* Instructions that are followed by operands. */
/* style: long: one case each */
static enum step run_extended(struct runner *r, uint8_t op)
{
	struct op_cfi_bytes *b = &r->b;
	uint64_t reg;

	switch (op) {
	case OP_DW_cfa_nop:
		return GO_ON;
	case OP_DW_set_loc:
		return set_loc(r);
	case OP_DW_advance_loc1:
		return advance(r, op_cfi_fixed(b, 1));
	case OP_DW_advance_loc2:
		return advance(r, op_cfi_fixed(b, 2));
	case OP_DW_advance_loc4:
		return advance(r, op_cfi_fixed(b, 4));
	case OP_DW_remember_state:
		return remember(r);
	case OP_DW_restore_state:
		return recall(r);
	case OP_DW_register:
		return set_register(r);
	case OP_DW_def_cfa_expression:
		return set_cfa_expr(r);
	case OP_DW_expression:
		return set_expr(r, false);
	case OP_DW_val_expression:
		return set_expr(r, true);
	case OP_DW_def_cfa_offset:
		return set_cfa_off(r, (int64_t)op_cfi_uleb(b));
	case OP_DW_def_cfa_offset_sf:
		return set_cfa_off(r, factored(r, op_cfi_sleb(b)));
	case OP_DW_GNU_args_size:
		op_cfi_uleb(b);
		return GO_ON;
	}
	reg = op_cfi_uleb(b); /* of all that are left */
	switch (op) {
	case OP_DW_offset_extended:
		return set_how(r, reg, OP_HOW_AT_CFA,
			       factored(r, (int64_t)op_cfi_uleb(b)));
	case OP_DW_offset_extended_sf:
		return set_how(r, reg, OP_HOW_AT_CFA,
			       factored(r, op_cfi_sleb(b)));
	case OP_DW_GNU_negative_offset_extended:
		return set_how(r, reg, OP_HOW_AT_CFA,
			       factored(r, -(int64_t)op_cfi_uleb(b)));
	case OP_DW_val_offset:
		return set_how(r, reg, OP_HOW_CFA,
			       factored(r, (int64_t)op_cfi_uleb(b)));
	case OP_DW_val_offset_sf:
		return set_how(r, reg, OP_HOW_CFA, factored(r, op_cfi_sleb(b)));
	case OP_DW_restore_extended:
		return restore(r, reg);
	case OP_DW_undefined:
		return set_how(r, reg, OP_HOW_UNKNOWN, 0);
	case OP_DW_same_value:
		return set_how(r, reg, OP_HOW_SAME, 0);
	case OP_DW_def_cfa:
		return set_cfa(r, reg, (int64_t)op_cfi_uleb(b));
	case OP_DW_def_cfa_sf:
		return set_cfa(r, reg, factored(r, op_cfi_sleb(b)));
	case OP_DW_def_cfa_register:
		return r->s.rule.cfa == OP_CFA_REG ?
			       set_cfa(r, reg, r->s.rule.cfa_off) :
			       BROKEN;
	default:
		return BROKEN;
	}
}

static enum step run_one(struct runner *r, uint8_t op)
{
	uint8_t low = op & 0x3f;

	switch (op & 0xc0) {
	case OP_DW_advance_loc:
		return advance(r, low);
	case OP_DW_offset:
		return set_below(r, low,
				 factored(r, (int64_t)op_cfi_uleb(&r->b)));
	case OP_DW_restore:
		return restore(r, low);
	default:
		return run_extended(r, op);
	}
}

/* Most programs consist only of these: an advance, a new CFA offset below 128,
 * a register saved below it. Runs these three without a call, in the usual
 * order, and stops at any other. */
static enum step run_usual(struct runner *r)
{
	const uint8_t *p = r->b.p, *end = r->b.end;
	enum step done = GO_ON;

	while (end - p >= 4 && (*p & 0xc0) == OP_DW_advance_loc) {
		done = advance(r, *p++ & 0x3f);
		if (op_unlikely(done != GO_ON))
			break;
		if (op_likely(p[0] == OP_DW_def_cfa_offset && p[1] < 0x80 &&
			      r->s.rule.cfa == OP_CFA_REG)) {
			set_place(&r->s.rule, r->s.rule.cfa_reg, p[1]);
			p += 2;
		}
		if (end - p >= 2 && (p[0] & 0xc0) == OP_DW_offset &&
		    p[1] < 0x80) {
			done = set_below(r, p[0] & 0x3f, factored(r, p[1]));
			p += 2;
			if (op_unlikely(done != GO_ON))
				break;
		}
	}
	r->b.p = p;
	return done;
}

static enum step run_all(struct runner *r, struct op_view program)
{
	r->b = (struct op_cfi_bytes){ program.p, program.p + program.n, false };
	for (;;) {
		enum step done = run_usual(r);

		if (done == GO_ON && r->b.p == r->b.end)
			return GO_ON;
		if (done == GO_ON)
			done = run_one(r, *r->b.p++);
		if (op_unlikely(done != GO_ON || r->b.is_broken))
			return done == STOP && !r->b.is_broken ? STOP : BROKEN;
	}
}

bool op_cfi_begin(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		  struct op_cfi_state *out)
{
	struct op_cfi_state zero = { 0 };
	struct runner r;

	/* Only remembered states are ever read. */
	r.cfi = cfi;
	r.cie = cie;
	r.begin = &zero;
	r.sink = NULL;
	r.start = r.loc = r.end = 0;
	r.nr_states = 0;
	r.s = zero;
	if (cie->is_signal)
		zero.rule.flags = r.s.rule.flags = OP_RULE_SIGNAL;
	if (run_all(&r, cie->program) != GO_ON)
		return false;
	*out = r.s;
	return true;
}

void op_cfi_run(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		const struct op_cfi_state *begin, const struct op_cfi_fde *fde,
		const struct op_cfi_sink *sink)
{
	struct runner r;

	r.cfi = cfi;
	r.cie = cie;
	r.begin = begin;
	r.sink = sink;
	r.start = r.loc = fde->start;
	r.end = fde->start + fde->size;
	r.nr_states = 0;
	copy_state(&r.s, begin);
	switch (run_all(&r, fde->program)) {
	case GO_ON:
		sink->row(sink->arg, r.loc, &r.s);
		break;
	case BROKEN:
		sink->row(sink->arg, r.loc, NULL);
		break;
	case STOP:
		break;
	}
}
