// SPDX-License-Identifier: Apache-2.0
/* agent/insn_x86_64.c: lengths of instructions, by the opcode maps of Intel's
 * Software Developer's Manual, volume 2, appendix A.
 *
 *	prefixes  REX | VEX | EVEX  opcode  ModRM  SIB  displacement  immediate
 *
 * Only what compilers use to change rsp is understood; instructions that write
 * any register and could write rsp by hand are taken for what they are. */
#include "agent/insn_x86_64.h"

#include <string.h>

/* What follows an opcode. */
enum {
	NONE = 0,
	M = 1,	  /* ModRM */
	B = 2,	  /* an immediate of one byte */
	Z = 4,	  /* of four, or of two with the prefix 66 and no REX.W */
	W = 8,	  /* of two */
	V = 16,	  /* like Z, but of eight with REX.W */
	Q = 32,	  /* an address of eight */
	BAD = 64, /* not in 64-bit code, or a prefix */
};

enum { REX_B = 1, REX_R = 4, REX_W = 8, RSP = 4, RBP = 5 };

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

/* Rows of 16 opcodes. */
static const uint8_t one_byte[256] = {
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD,
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD, /* 00 */
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD,
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD, /* 10 */
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD,
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD, /* 20 */
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD,
	M,     M,     M,   M,	  B,   Z,   BAD,   BAD, /* 30 */
	BAD,   BAD,   BAD, BAD,	  BAD, BAD, BAD,   BAD, /* 40 */
	BAD,   BAD,   BAD, BAD,	  BAD, BAD, BAD,   BAD, /* 48 */
	0,     0,     0,   0,	  0,   0,   0,	   0,
	0,     0,     0,   0,	  0,   0,   0,	   0,	/* 50 */
	BAD,   BAD,   BAD, M,	  BAD, BAD, BAD,   BAD, /* 60 */
	Z,     M | Z, B,   M | B, 0,   0,   0,	   0,	/* 68 */
	B,     B,     B,   B,	  B,   B,   B,	   B,
	B,     B,     B,   B,	  B,   B,   B,	   B, /* 70 */
	M | B, M | Z, BAD, M | B, M,   M,   M,	   M,
	M,     M,     M,   M,	  M,   M,   M,	   M, /* 80 */
	0,     0,     0,   0,	  0,   0,   0,	   0,
	0,     0,     BAD, 0,	  0,   0,   0,	   0, /* 90 */
	Q,     Q,     Q,   Q,	  0,   0,   0,	   0,
	B,     Z,     0,   0,	  0,   0,   0,	   0, /* a0 */
	B,     B,     B,   B,	  B,   B,   B,	   B,
	V,     V,     V,   V,	  V,   V,   V,	   V,	  /* b0 */
	M | B, M | B, W,   0,	  BAD, BAD, M | B, M | Z, /* c0 */
	W | B, 0,     W,   0,	  0,   B,   BAD,   0,	  /* c8 */
	M,     M,     M,   M,	  BAD, BAD, BAD,   0,
	M,     M,     M,   M,	  M,   M,   M,	   M, /* d0 */
	B,     B,     B,   B,	  B,   B,   B,	   B,
	Z,     Z,     BAD, B,	  0,   0,   0,	   0, /* e0 */
	BAD,   0,     BAD, BAD,	  0,   0,   M,	   M,
	0,     0,     0,   0,	  0,   0,   M,	   M, /* f0 */
};

struct parts {
	uint8_t rex, op, modrm, has_modrm, has_66;
	enum map map;
	int32_t disp;
	uint8_t sib;
	int32_t imm;
};

/* --- length --------------------------------------------------------------- */

static uint8_t follows_0f(uint8_t op)
{
	if (op >= 0x80 && op <= 0x8f)
		return Z;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac ||
	    op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6))
		return M | B;
	if ((op >= 0x30 && op <= 0x37) || (op >= 0xc8 && op <= 0xcf) ||
	    (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
	    (op >= 0x05 && op <= 0x09) || op == 0x0b || op == 0x77)
		return NONE;
	if (op == 0x04 || op == 0x0a || op == 0x0c || op == 0x0e || op == 0x0f)
		return BAD;
	return M;
}

static uint8_t follows(const struct parts *p, uint8_t modrm)
{
	switch (p->map) {
	case MAP_0F:
		return follows_0f(p->op);
	case MAP_0F38:
		return M;
	case MAP_0F3A:
		return M | B;
	default:
		break;
	}
	/* test has an immediate; not, neg, mul and div have none. */
	if ((p->op == 0xf6 || p->op == 0xf7) && !(modrm & 0x30))
		return p->op == 0xf6 ? M | B : M | Z;
	return one_byte[p->op];
}

static bool is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 ||
	       b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65 || b == 0x67 ||
	       b == 0xf0;
}

/* Prefixes and the opcode; the number of bytes, or 0. */
static unsigned int read_opcode(const uint8_t *p, struct parts *out)
{
	enum { MAX_PREFIXES = 8 }; /* with all that can follow: 20 bytes */
	unsigned int n = 0;

	while (n < MAX_PREFIXES && is_prefix(p[n]))
		out->has_66 |= p[n++] == 0x66;
	if ((p[n] & 0xf0) == 0x40)
		out->rex = p[n++];
	if (p[n] == 0xc5) { /* VEX of two bytes */
		out->map = MAP_0F;
		n += 2;
	} else if (p[n] == 0xc4 || p[n] == 0x62) { /* VEX of three, EVEX */
		unsigned int map = p[n + 1] & 7;

		if (map < MAP_0F || map > MAP_0F3A)
			return 0;
		out->map = (enum map)map;
		n += p[n] == 0x62 ? 4 : 3;
	} else if (p[n] == 0x0f) {
		n++;
		out->map = p[n] == 0x38 ? MAP_0F38 :
			   p[n] == 0x3a ? MAP_0F3A :
					  MAP_0F;
		n += out->map != MAP_0F;
	}
	out->op = p[n++];
	return n;
}

static int32_t number(const uint8_t *p, unsigned int bytes)
{
	int32_t wide = 0;
	int16_t half;

	if (bytes == 1)
		return (int8_t)p[0];
	memcpy(&half, p, sizeof(half));
	if (bytes == 2)
		return half;
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

static unsigned int read_modrm(const uint8_t *p, struct parts *out)
{
	unsigned int n = 1, bytes = 0, mod = p[0] >> 6, rm = p[0] & 7;

	out->modrm = p[0];
	out->has_modrm = 1;
	if (mod != 3 && rm == RSP)
		out->sib = p[n++];
	if (mod == 1)
		bytes = 1;
	else if (mod == 2 || (!mod && rm == RBP) ||
		 (!mod && rm == RSP && (out->sib & 7) == RBP))
		bytes = 4;
	if (bytes)
		out->disp = number(p + n, bytes);
	return n + bytes;
}

static unsigned int immediate_bytes(const struct parts *p, uint8_t what)
{
	unsigned int n = 0;

	if (what & V && p->rex & REX_W)
		n += 8;
	else if (what & (V | Z))
		n += p->has_66 && !(p->rex & REX_W) ? 2 : 4;
	n += what & B ? 1 : 0;
	n += what & W ? 2 : 0;
	n += what & Q ? 8 : 0;
	return n;
}

/* --- what it does --------------------------------------------------------- */

/* The register that ModRM has as operand, or as destination. */
static unsigned int rm_of(const struct parts *p)
{
	return (p->modrm & 7) | (p->rex & REX_B ? 8 : 0);
}

static unsigned int reg_of(const struct parts *p)
{
	return (p->modrm >> 3 & 7) | (p->rex & REX_R ? 8 : 0);
}

static bool is_rsp(const struct parts *p)
{
	return p->modrm >> 6 == 3 && rm_of(p) == RSP;
}

static struct op_insn as(enum op_insn_kind kind, int32_t amount)
{
	return (struct op_insn){ .kind = (uint8_t)kind, .amount = amount };
}

static struct op_insn lea(const struct parts *p)
{
	unsigned int mod = p->modrm >> 6;

	if (reg_of(p) != RSP)
		return as(OP_INSN_OTHER, 0);
	if ((mod == 1 || mod == 2) && rm_of(p) == RBP)
		return as(OP_INSN_FRAME, p->disp);
	if ((mod == 1 || mod == 2) && rm_of(p) == RSP && p->sib == 0x24)
		return as(OP_INSN_ADJUST, p->disp);
	return as(OP_INSN_WILD, 0);
}

/* Opcodes 80 to 83: the operation is in ModRM. */
static struct op_insn arithmetic(const struct parts *p)
{
	enum { ADD = 0, SUB = 5, CMP = 7 };
	unsigned int what = p->modrm >> 3 & 7;

	if (!is_rsp(p) || what == CMP)
		return as(OP_INSN_OTHER, 0);
	if (!(p->rex & REX_W) || (what != ADD && what != SUB))
		return as(OP_INSN_WILD, 0);
	return as(OP_INSN_ADJUST, what == ADD ? p->imm : -p->imm);
}

/* Opcode ff: inc, dec, call, call far, jmp, jmp far, push. */
static struct op_insn group_5(const struct parts *p)
{
	switch (p->modrm >> 3 & 7) {
	case 0:
	case 1:
		return as(is_rsp(p) ? OP_INSN_WILD : OP_INSN_OTHER, 0);
	case 2:
		return as(OP_INSN_CALL, 0);
	case 4:
		return as(OP_INSN_JUMP, 0);
	case 6:
		return as(OP_INSN_ADJUST, -8);
	default:
		return as(OP_INSN_WILD, 0);
	}
}

/* Opcodes up to 3b with two operands; mov and xchg. */
static struct op_insn two_operands(const struct parts *p)
{
	bool to_reg = p->op & 2, writes = (p->op & 0xf8) != 0x38;

	if (p->op == 0x89 && is_rsp(p) && reg_of(p) == RBP)
		return as(OP_INSN_FRAME, 0);
	if (p->op == 0x86 || p->op == 0x87)
		return as(is_rsp(p) || reg_of(p) == RSP ? OP_INSN_WILD :
							  OP_INSN_OTHER,
			  0);
	if (writes && (to_reg ? reg_of(p) == RSP : is_rsp(p)))
		return as(OP_INSN_WILD, 0);
	return as(OP_INSN_OTHER, 0);
}

static struct op_insn one_byte_insn(const struct parts *p)
{
	uint8_t op = p->op;

	if (op < 0x40 && (op & 7) < 4 && op & 1)
		return two_operands(p);
	if (op >= 0x50 && op <= 0x57)
		return as(OP_INSN_ADJUST, -8);
	if (op >= 0x58 && op <= 0x5f)
		return op == 0x58 + RSP && !(p->rex & REX_B) ?
			       as(OP_INSN_WILD, 0) :
			       as(OP_INSN_ADJUST, 8);
	switch (op) {
	case 0x68:
	case 0x6a:
	case 0x9c:
		return as(OP_INSN_ADJUST, -8);
	case 0x81:
	case 0x83:
		return arithmetic(p);
	case 0x87:
	case 0x89:
	case 0x8b:
		return two_operands(p);
	case 0x8d:
		return lea(p);
	case 0x8f:
	case 0x9d:
		return as(OP_INSN_ADJUST, 8);
	case 0xb8 + RSP:
		return as(p->rex & REX_B ? OP_INSN_OTHER : OP_INSN_WILD, 0);
	case 0xc2:
	case 0xc3:
		return as(OP_INSN_RETURN, 0);
	case 0xc7:
	case 0xc1:
	case 0xd1:
	case 0xd3:
		return as(is_rsp(p) ? OP_INSN_WILD : OP_INSN_OTHER, 0);
	case 0xc8:
		return as(OP_INSN_WILD, 0);
	case 0xc9:
		return as(OP_INSN_LEAVE, 0);
	case 0xe8:
		return as(OP_INSN_CALL, 0);
	case 0xe9:
	case 0xeb:
		return as(OP_INSN_JUMP, 0);
	case 0xff:
		return group_5(p);
	default:
		return as(OP_INSN_OTHER, 0);
	}
}

struct op_insn op_insn_decode(const uint8_t *p)
{
	struct parts parts = { 0 };
	struct op_insn out = { 0 };
	unsigned int n = read_opcode(p, &parts), bytes;
	uint8_t what;

	if (!n)
		return out;
	what = follows(&parts, p[n]);
	if (what & BAD)
		return out;
	if (what & M)
		n += read_modrm(p + n, &parts);
	bytes = immediate_bytes(&parts, what);
	if (n + bytes > OP_INSN_MAX)
		return out;
	if (bytes)
		parts.imm = number(p + n, bytes);
	if (parts.map == MAP_ONE)
		out = one_byte_insn(&parts);
	/* With a prefix, these are something rare. */
	if (parts.has_66 && out.kind == OP_INSN_ADJUST)
		out.kind = OP_INSN_WILD;
	out.bytes = (uint8_t)(n + bytes);
	return out;
}
