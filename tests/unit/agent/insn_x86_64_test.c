// SPDX-License-Identifier: Apache-2.0
#include "agent/insn_x86_64.h"

#include <string.h>

#include "test.h"

/* As GNU as encodes them. */
static const struct row {
	const char *text, *code;
	uint8_t bytes, kind;
	int32_t amount;
} rows[] = {
	{ "push %rbp", "\x55", 1, OP_INSN_ADJUST, -8 },
	{ "push %r12", "\x41\x54", 2, OP_INSN_ADJUST, -8 },
	{ "push $7", "\x6a\x07", 2, OP_INSN_ADJUST, -8 },
	{ "push 8(%rax)", "\xff\x70\x08", 3, OP_INSN_ADJUST, -8 },
	{ "pop %r12", "\x41\x5c", 2, OP_INSN_ADJUST, 8 },
	{ "pop %rsp", "\x5c", 1, OP_INSN_WILD, 0 },
	{ "sub $0x10,%rsp", "\x48\x83\xec\x10", 4, OP_INSN_ADJUST, -16 },
	{ "sub $0x1000,%rsp", "\x48\x81\xec\x00\x10\x00\x00", 7, OP_INSN_ADJUST,
	  -4096 },
	{ "add $-128,%rsp", "\x48\x83\xc4\x80", 4, OP_INSN_ADJUST, -128 },
	{ "cmp $8,%rsp", "\x48\x83\xfc\x08", 4, OP_INSN_OTHER, 0 },
	{ "and $-64,%rsp", "\x48\x83\xe4\xc0", 4, OP_INSN_WILD, 0 },
	{ "and $-64,%r12", "\x49\x83\xe4\xc0", 4, OP_INSN_OTHER, 0 },
	{ "sub %rax,%rsp", "\x48\x29\xc4", 3, OP_INSN_WILD, 0 },
	{ "sub %rsp,%rax", "\x48\x29\xe0", 3, OP_INSN_OTHER, 0 },
	{ "mov %rax,%rsp", "\x48\x89\xc4", 3, OP_INSN_WILD, 0 },
	{ "mov %rdi,%r12", "\x49\x89\xfc", 3, OP_INSN_OTHER, 0 },
	{ "mov %rbp,%rsp", "\x48\x89\xec", 3, OP_INSN_FRAME, 0 },
	{ "mov %rsp,%rbp", "\x48\x89\xe5", 3, OP_INSN_OTHER, 0 },
	{ "mov (%rax),%rsp", "\x48\x8b\x20", 3, OP_INSN_WILD, 0 },
	{ "lea -0x18(%rbp),%rsp", "\x48\x8d\x65\xe8", 4, OP_INSN_FRAME, -24 },
	{ "lea 0x10(%rsp),%rsp", "\x48\x8d\x64\x24\x10", 5, OP_INSN_ADJUST,
	  16 },
	{ "lea (%rsp,%rax),%rsp", "\x48\x8d\x24\x04", 4, OP_INSN_WILD, 0 },
	{ "leave", "\xc9", 1, OP_INSN_LEAVE, 0 },
	{ "ret", "\xc3", 1, OP_INSN_RETURN, 0 },
	{ "repz ret", "\xf3\xc3", 2, OP_INSN_RETURN, 0 },
	{ "call", "\xe8\x00\x00\x00\x00", 5, OP_INSN_CALL, 0 },
	{ "call *0x10(%rax)", "\xff\x50\x10", 3, OP_INSN_CALL, 0 },
	{ "call *0(%rip)", "\xff\x15\x00\x00\x00\x00", 6, OP_INSN_CALL, 0 },
	{ "jmp", "\xeb\x05", 2, OP_INSN_JUMP, 0 },
	{ "notrack jmp *%rax", "\x3e\xff\xe0", 3, OP_INSN_JUMP, 0 },
	{ "jne", "\x0f\x85\x00\x01\x00\x00", 6, OP_INSN_OTHER, 0 },
	{ "endbr64", "\xf3\x0f\x1e\xfa", 4, OP_INSN_OTHER, 0 },
	{ "mov %fs:0x28,%rax", "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9,
	  OP_INSN_OTHER, 0 },
	{ "movabs $1,%rax", "\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x00", 10,
	  OP_INSN_OTHER, 0 },
	{ "mov $1,%esp", "\xbc\x01\x00\x00\x00", 5, OP_INSN_WILD, 0 },
	{ "testb $1,(%rax)", "\xf6\x00\x01", 3, OP_INSN_OTHER, 0 },
	{ "neg %eax", "\xf7\xd8", 2, OP_INSN_OTHER, 0 },
	{ "movw $1,(%rax)", "\x66\xc7\x00\x01\x00", 5, OP_INSN_OTHER, 0 },
	{ "nopw", "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 11,
	  OP_INSN_OTHER, 0 },
	{ "pshufd $1,%xmm0,%xmm1", "\x66\x0f\x70\xc8\x01", 5, OP_INSN_OTHER,
	  0 },
	{ "vzeroupper", "\xc5\xf8\x77", 3, OP_INSN_OTHER, 0 },
	{ "vpshufb %ymm0,%ymm1,%ymm2", "\xc4\xe2\x75\x00\xd0", 5, OP_INSN_OTHER,
	  0 },
	{ "vpternlogd $1,%zmm0,%zmm0,%zmm0", "\x62\xf3\x7d\x48\x25\xc0\x01", 7,
	  OP_INSN_OTHER, 0 },
	{ "not in 64-bit code", "\x06\0\0\0\0\0\0\0\0\0", 0, OP_INSN_OTHER, 0 },
	{ "too long", "\x66\x66\x66\x66\x66\x66\x66\x66\x48\xc7\x84", 0,
	  OP_INSN_OTHER, 0 },
};

TEST(instructions)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t code[OP_INSN_ROOM] = { 0 };
		struct op_insn in;

		memcpy(code, rows[i].code, rows[i].bytes ? rows[i].bytes : 11);
		in = op_insn_decode(code);
		if (in.bytes != rows[i].bytes || in.kind != rows[i].kind ||
		    in.amount != rows[i].amount)
			TEST_FAIL("%s: %u bytes, kind %u, amount %d",
				  rows[i].text, in.bytes, in.kind, in.amount);
	}
}

TEST_MAIN(instructions)
