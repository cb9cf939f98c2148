// SPDX-License-Identifier: Apache-2.0
/* Any bytes as registers and stack, under code with rules of every kind: an
 * unwinder ends, goes up between signals, and reads no memory but what is
 * there. */
#include <stdlib.h>

#include "fuzz/prop.h"
#include "sym/unwind.h"
#include "sym/unwind_build.h"
#include "write/cfi.h"

enum {
	CODE = 0x10000,
	SECTION = 0x80000,
	STACK = 0x70000000,
	REG_BYTES = 8 * OP_NR_REGS,
	MAX_FRAMES = 3000,
};

struct memory {
	struct op_view stack;
	struct op_unwind_table table;
	unsigned int kind;
};

/* Each function is 16 bytes of its own rule; what is not here has none. */
static const char *const programs[] = {
	"",
	"cfa rsp 16 offset rbp 2",
	"cfa rbp 16 offset rbp 2",
	"cfa rsp 64 offset rbx 7 offset r15 2 offset rbp 3",
	"cfa_expr 767806",		   /* [rbp-8] */
	"cfa_expr 770880003f1a3b2a332422", /* a PLT */
	"undefined ra",
	"register ra rdi cfa rsp 0",
	"cfa rbx 8 expr rbx 7708 expr rsp 7710",
	"cfa r10 0",
	"cfa_expr 770806231022 val_expr rbx 77081c", /* two on the stack */
	"cfa_expr 2fffff",			     /* jumps to itself */
	"val_offset rsp 1 offset rbp 200",
	"cfa rsp 0 same ra",
};

static void build(struct memory *m, struct op_arena *mem)
{
	struct cfi_bytes eh = { .vaddr = SECTION,
				.encoding = OP_PE_PCREL | OP_PE_SDATA4 };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x1000 };
	struct op_unwind_build b;
	struct op_err err = { 0 };
	uint64_t at = CODE;

	cfi_cie(&eh, "zR", "cfa rsp 8 offset ra 1");
	for (size_t i = 0; i < op_countof(programs); i++, at += 16)
		cfi_fde(&eh, at, 16, programs[i]);
	cfi_cie(&eh, "zRS", "cfa rsp 8 offset ra 1");
	cfi_fde(&eh, at, 16,
		"cfa_expr 77a00106 expr ra 77a801 expr rbp 77f800 "
		"expr rbx 778001 expr r12 77c800 expr r13 77d000 "
		"expr r14 77d800 expr r15 77e000");
	cfi.eh = cfi_section(&eh);
	PROP(!op_unwind_build_init(&b, &cfi, mem, &err) &&
	     !op_unwind_build_all(&b) && !op_unwind_build_table(&b, &m->table));
	cfi_free(&eh);
}

static bool read_stack(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	const struct memory *m = arg;

	PROP(n >= 1 && n <= 8);
	if (at < STACK || at - STACK > m->stack.n ||
	    m->stack.n - (at - STACK) < n)
		return false;
	*out = 0;
	memcpy(out, m->stack.p + (at - STACK), n);
	return true;
}

static enum op_code_kind code(void *arg, uint64_t pc,
			      struct op_unwind_code *out)
{
	const struct memory *m = arg;

	/* Small numbers are likely in what a fuzzer makes. */
	if (pc >= 0x1000000)
		return m->kind & 1 ? OP_CODE_NONE : OP_CODE_BARE;
	out->table = m->table;
	out->bias = m->kind & 2 ? -(uint64_t)CODE : 0;
	return OP_CODE_TABLE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct memory m;
	static struct op_arena mem;
	const struct op_unwind_env env = { read_stack, code, &m };
	struct op_unwind_regs regs = { .known = OP_ALL_REGS };
	struct op_unwind u;
	uint64_t sp;
	int frames = 0;

	if (n < REG_BYTES + 1)
		return 0;
	if (!m.table.head)
		build(&m, &mem);
	m.kind = data[0];
	memcpy(regs.r, data + 1, REG_BYTES);
	/* A stack pointer into the stack, so that there is something. */
	regs.r[OP_RSP] = STACK + regs.r[OP_RSP] % 256;
	if (m.kind & 4)
		regs.r[OP_RBP] = STACK + regs.r[OP_RBP] % 256;
	m.stack = op_view(data + 1 + REG_BYTES, n - 1 - REG_BYTES);
	op_unwind_begin(&u, &env, &regs);
	do {
		sp = u.regs.r[OP_RSP];
		if (frames++ == MAX_FRAMES)
			return 0; /* only signals can go in circles */
		if (!op_unwind_next(&u))
			break;
		PROP(u.how == OP_FRAME_SIGNAL || u.regs.r[OP_RSP] >= sp);
		PROP(u.kind != OP_CODE_NONE && u.regs.r[OP_RIP]);
	} while (true);
	PROP(u.end < OP_UNWIND_LIMIT && op_unwind_end_text(u.end)[0]);
	return 0;
}
