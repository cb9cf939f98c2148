// SPDX-License-Identifier: Apache-2.0
/* agent/frame_search.c: finds the frame pointer of a frame.
 *
 * Functions of the C library that wait often leave rbp as it is, so that their
 * caller's is not on the stack. If the caller has set it as its frame pointer,
 * it is where the stack pointer was at that instruction, and how far the stack
 * pointer is below now is seen in the code:
 *
 *	push %rbp
 *	mov %rsp,%rbp	the unwind table says where this is
 *	push %rbx
 *	sub $N,%rsp
 *	...
 *	call read
 *
 * The instructions of the function are read one after the other. A function
 * that changes the stack pointer by an amount that is not in its code, as for
 * arrays of variable size, is left alone.
 *
 * An address that was computed so is accepted if, in addition, the stack looks
 * as it must: a return address is there, after a call, of this function if that
 * can be told; and from there tables lead to the end of the stack. Either alone
 * is not enough: a stack has remains of earlier calls, which look right, too.
 * Otherwise the stack stays cut, and marked.
 *
 * It costs at most MAX_CHANGES lookups, MAX_CODE bytes of code that are read,
 * and one more walk to the end of the stack. */
#include "agent/frame_search.h"

#include "agent/insn_x86_64.h"

enum {
	MAX_CHANGES = 64,
	MAX_CODE = 16 << 10,
	MAX_ENTRY = 256, /* bytes before mov %rsp,%rbp */
	STACK_ALIGN = 16,
};

/* --- tables --------------------------------------------------------------- */

static const struct op_rule *rule_at(const struct op_unwind_table *t,
				     uint64_t vaddr)
{
	const struct op_rule *r;

	return op_unwind_find(t, vaddr, &r) == OP_FOUND ? r : NULL;
}

/* Where the rule of a vaddr begins, or its page. */
static uint64_t rule_start(const struct op_unwind_table *t, uint64_t vaddr)
{
	const struct op_unwind_head *h = t->head;
	const struct op_unwind_page *p = op_unwind_pages(t) +
					 ((vaddr - h->base) >> OP_PAGE_BITS);
	const struct op_unwind_row *row = op_unwind_part(t, h->rows);
	const struct op_unwind_step *s = op_unwind_part(t, h->steps);
	uint32_t v = (uint32_t)vaddr & (OP_PAGE_BYTES - 1), delta = 0;

	row += op_unwind_row_of(p, row, v);
	if (row->code & OP_CODE_STEPS) {
		s += row->code & ~(uint32_t)OP_CODE_STEPS;
		for (; s->left && s[1].delta <= v - row->low; s++)
			delta = s[1].delta;
	}
	return vaddr - v + row->low + delta;
}

static bool is_cfa(const struct op_rule *r, uint8_t reg, int32_t off)
{
	return r && r->cfa == OP_CFA_REG && r->cfa_reg == reg &&
	       r->cfa_off == off && r->ra == OP_RA_BELOW;
}

/* The vaddr after the instruction that has set the frame pointer: there the CFA
 * becomes relative to that, by the same distance. */
static bool frame_begin(const struct op_unwind_table *t, uint64_t vaddr,
			int32_t off, uint64_t *out)
{
	uint64_t at = vaddr;

	for (int i = 0; i < MAX_CHANGES && vaddr - at < MAX_CODE; i++) {
		const struct op_rule *here = rule_at(t, at);

		if (!here)
			return false;
		at = rule_start(t, at);
		if (is_cfa(here, OP_RBP, off) &&
		    is_cfa(rule_at(t, at - 1), OP_RSP, off)) {
			*out = at;
			return true;
		}
		at--;
	}
	return false;
}

/* --- code ----------------------------------------------------------------- */

static bool code_read(const struct op_unwind *u, uint64_t at, uint64_t *out)
{
	return u->env->read(u->env->arg, at, 8, out);
}

static bool starts_with(uint64_t code, uint32_t bytes, unsigned int n)
{
	return (code & (((uint64_t)1 << 8 * n) - 1)) == bytes;
}

static bool insn_at(const struct op_unwind *u, uint64_t at, struct op_insn *out)
{
	uint64_t code[OP_INSN_ROOM / 8] = { 0 };

	/* What is behind the end of a mapping is not part of it. */
	if (!code_read(u, at, &code[0]))
		return false;
	for (size_t i = 1; i < op_countof(code); i++)
		if (!code_read(u, at + 8 * i, &code[i]))
			break;
	*out = op_insn_decode((const uint8_t *)code);
	return out->bytes && out->kind != OP_INSN_WILD;
}

/* Bytes below the frame pointer where registers were pushed. */
static int64_t pushed(const struct op_rule *r)
{
	int64_t most = 0;

	for (int i = 0; i < OP_NR_SAVED; i++)
		if (r->saved[i] != OP_SAVED_UNKNOWN && r->saved[i] > most)
			most = r->saved[i];
	most *= 8;
	return most > r->cfa_off ? most - r->cfa_off : 0;
}

/* How far the stack pointer is below the frame pointer. */
struct depth {
	int64_t now;
	int64_t pushed, body; /* after the pushes, and after the prologue */
};

enum { AT_RETURN = -8 };

static bool depth_step(struct depth *d, const struct op_insn *i)
{
	switch (i->kind) {
	case OP_INSN_ADJUST:
		d->now -= i->amount;
		if (d->body == d->pushed && d->now > d->pushed)
			d->body = d->now;
		return true;
	case OP_INSN_FRAME:
		d->now = -(int64_t)i->amount;
		return true;
	case OP_INSN_LEAVE:
		d->now = AT_RETURN;
		return true;
	case OP_INSN_RETURN:
	case OP_INSN_JUMP:
		/* What follows is jumped to from the body. */
		if (d->now == AT_RETURN)
			d->now = d->body;
		else if (i->kind == OP_INSN_RETURN)
			return false;
		return true;
	default:
		return true;
	}
}

/* Reads a whole function, from where its frame pointer is set: what it does to
 * the stack pointer behind the call counts, too, in a loop. */
static bool depth_find(const struct op_unwind *u, const struct op_rule *r,
		       uint64_t begin, uint64_t *out)
{
	const struct op_unwind_table *t = &u->code.table;
	struct depth d = { 0, pushed(r), pushed(r) };
	struct op_insn i = { 0 };
	bool is_found = false;

	for (uint64_t at = begin; at - begin < MAX_CODE; at += i.bytes) {
		/* Outside of it, or what fills space between its parts. */
		bool is_out = d.now != AT_RETURN &&
			      !is_cfa(rule_at(t, at - u->code.bias), OP_RBP,
				      r->cfa_off);

		if (at == u->regs.r[OP_RIP] && i.kind == OP_INSN_CALL) {
			*out = (uint64_t)d.now;
			is_found = d.now >= d.pushed;
		}
		if (is_out && is_found)
			return true;
		if (!insn_at(u, at, &i) || !depth_step(&d, &i) ||
		    (is_out && i.kind != OP_INSN_OTHER))
			return false;
	}
	return false;
}

static bool sets_frame_pointer(const struct op_unwind *u, uint64_t end)
{
	enum { BYTES = 3 };
	uint64_t code;

	return code_read(u, end - BYTES, &code) &&
	       (starts_with(code, 0xe58948, BYTES) ||
		starts_with(code, 0xec8b48, BYTES));
}

/* --- the stack ------------------------------------------------------------ */

/* call *address, in 2 to 7 bytes before the end of code. */
static bool is_indirect_call(uint64_t code)
{
	for (unsigned int n = 2; n <= 7; n++) {
		uint8_t op = code >> 8 * (8 - n) & 0xff,
			modrm = code >> 8 * (9 - n) & 0xff, mod = modrm >> 6,
			rm = modrm & 7;
		unsigned int bytes = 2;

		if (op != 0xff || (modrm >> 3 & 7) != 2)
			continue;
		bytes += mod != 3 && rm == 4; /* has an index */
		bytes += mod == 1 ? 1 : 0;
		bytes += mod == 2 || (!mod && rm == 5) ? 4 : 0;
		if (bytes == n)
			return true;
	}
	return false;
}

/* jmp *address, perhaps after endbr64: an entry of a linkage table. */
static bool is_stub(const struct op_unwind *u, uint64_t at)
{
	uint64_t code;

	if (!code_read(u, at, &code))
		return false;
	if (starts_with(code, 0xfa1e0ff3, 4)) {
		if (!code_read(u, at + 4, &code))
			return false;
	}
	return starts_with(code, 0x25ff, 2) || starts_with(code, 0x25fff2, 3);
}

/* Whether code at an address comes to begin, one instruction after the other,
 * with so many bytes on the stack since the call. */
static bool is_entry(const struct op_unwind *u, uint64_t at, uint64_t begin,
		     int32_t off)
{
	struct op_insn i;

	if (begin - at > MAX_ENTRY)
		return false;
	for (off -= 8; at < begin; at += i.bytes) {
		if (!insn_at(u, at, &i))
			return false;
		if (i.kind == OP_INSN_ADJUST)
			off += i.amount;
		else if (i.kind != OP_INSN_OTHER && i.kind != OP_INSN_CALL)
			return false;
	}
	return at == begin && !off;
}

/* Whether ra is after a call that can be one of the function that sets its
 * frame pointer before begin. A call within the same file has its address, or
 * that of a stub. */
static bool is_call(const struct op_unwind *u, uint64_t ra, uint64_t begin,
		    int32_t off)
{
	struct op_unwind_code code;
	uint64_t bytes, to;

	if (!code_read(u, ra - 8, &bytes))
		return false;
	if ((bytes >> 24 & 0xff) != 0xe8)
		return is_indirect_call(bytes);
	to = ra + (uint64_t)(int64_t)(int32_t)(bytes >> 32);
	if (is_entry(u, to, begin, off))
		return true;
	switch (u->env->code(u->env->arg, to, &code)) {
	case OP_CODE_TABLE:
		return code.table.head != u->code.table.head || is_stub(u, to);
	default:
		return false;
	}
}

static void frame_pointer_set(struct op_unwind *u, uint64_t v)
{
	u->regs.r[OP_RBP] = v;
	u->regs.known |= 1u << OP_RBP;
}

static bool is_right(const struct op_unwind *u, uint64_t pointer,
		     uint64_t begin, int32_t off, uint32_t max)
{
	struct op_unwind at = *u;
	uint32_t n = 1;
	bool is_called;

	frame_pointer_set(&at, pointer);
	if (pointer % STACK_ALIGN || !op_unwind_next(&at))
		return false;
	is_called = is_call(u, at.regs.r[OP_RIP], begin, off);
	for (; n < max && op_unwind_next(&at); n++) {
		/* The kernel has called it, to handle a signal. */
		if (n == 1 && at.how == OP_FRAME_SIGNAL)
			is_called = true;
	}
	return is_called && (n >= max || at.end == OP_UNWIND_DONE);
}

bool op_frame_search(struct op_unwind *u, uint32_t max)
{
	const struct op_unwind_table *t = &u->code.table;
	uint64_t vaddr = u->regs.r[OP_RIP] - 1 - u->code.bias;
	uint64_t begin, depth = 0, pointer;
	const struct op_rule *r;

	if (u->kind != OP_CODE_TABLE || u->is_exact ||
	    u->regs.known & 1u << OP_RBP || !(u->regs.known & 1u << OP_RSP))
		return false;
	r = rule_at(t, vaddr);
	if (!r || r->flags || !is_cfa(r, OP_RBP, r->cfa_off) ||
	    !frame_begin(t, vaddr, r->cfa_off, &begin))
		return false;
	begin += u->code.bias;
	if (!sets_frame_pointer(u, begin) || !depth_find(u, r, begin, &depth))
		return false;
	pointer = u->regs.r[OP_RSP] + depth;
	if (!is_right(u, pointer, begin, r->cfa_off, max))
		return false;
	frame_pointer_set(u, pointer);
	return true;
}
