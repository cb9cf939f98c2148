// SPDX-License-Identifier: Apache-2.0
#include "sym/unwind.h"

#include <signal.h>
#include <stdlib.h>

#include "sym/sigreturn.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"
#include "test.h"
#include "write/cfi.h"

enum { EH = 0x80000, CODE = 0x10000, STACK = 0x700000, WORDS = 64 };

/* Functions of 32 bytes each, by their number. */
enum function {
	LEAF,	   /* CFA rsp+8 */
	FRAME,	   /* rsp+32, rbp and rbx saved */
	POINTER,   /* rbp+16 */
	START,	   /* the outermost */
	BY_RBX,	   /* CFA rbx+8 */
	BY_R10,	   /* CFA r10+0 */
	DEREF,	   /* CFA [rbp-8] */
	PLT,	   /* lazy */
	VFORK,	   /* return address in rdi */
	HANDLER,   /* behind a signal handler */
	LOST_RBX,  /* rbx is not to be known */
	IN_PLACE,  /* CFA rsp+0 */
	EXPR,	   /* CFA by an expression */
	OTHER_RSP, /* the caller's rsp is saved below the CFA */
	NR_FUNCTIONS,
	BARE = NR_FUNCTIONS, /* code without a rule */
};

static const char *const programs[] = {
	[LEAF] = "",
	[FRAME] = "cfa rsp 32 offset rbp 2 offset rbx 3",
	[POINTER] = "cfa rbp 16 offset rbp 2",
	[START] = "undefined ra",
	[BY_RBX] = "cfa rbx 8",
	[BY_R10] = "cfa r10 0",
	[DEREF] = "cfa_expr 767806",
	[PLT] = "cfa_expr 770880003f1a3b2a332422",
	[VFORK] = "cfa rsp 0 register ra rdi",
	[HANDLER] = "cfa_expr 77a00106 expr ra 77a801 expr rbp 77f800 "
		    "expr rbx 778001 expr r12 77c800 expr r13 77d000 "
		    "expr r14 77d800 expr r15 77e000",
	[LOST_RBX] = "undefined rbx",
	[IN_PLACE] = "cfa rsp 0",
	[EXPR] = "cfa_expr 7700064022", /* [rsp] + 16 */
	[OTHER_RSP] = "offset rsp 2",
};

struct fixture {
	struct op_arena mem;
	struct op_unwind_table table;
	uint64_t words[WORDS]; /* from STACK on */
	struct op_unwind_regs regs;
	bool is_unbuilt;
};

static struct fixture f;

static uint64_t pc_of(enum function n)
{
	return CODE + 32 * (uint64_t)n + 16;
}

static void build(void)
{
	struct cfi_bytes eh = { .vaddr = EH, .encoding = 0x1b };
	struct op_cfi cfi = { .code_start = CODE, .code_end = CODE + 0x10000 };
	struct op_unwind_build b;
	struct op_err err = { 0 };

	op_arena_free(&f.mem);
	f = (struct fixture){ .regs.known = OP_ALL_REGS };
	for (uint64_t i = 0; i < NR_FUNCTIONS; i++) {
		cfi_cie(&eh, i == HANDLER ? "zRS" : "zR",
			"cfa rsp 8 offset ra 1");
		cfi_fde(&eh, CODE + 32 * i, 32, programs[i]);
	}
	cfi.eh = cfi_section(&eh);
	CHECK(!op_unwind_build_init(&b, &cfi, &f.mem, &err));
	CHECK(!op_unwind_build_all(&b));
	CHECK(!op_unwind_build_table(&b, &f.table));
	cfi_free(&eh);
	f.regs.r[OP_RSP] = STACK;
}

static bool read_word(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	(void)arg;
	if (at < STACK || at + n > STACK + sizeof(f.words))
		return false;
	*out = 0;
	memcpy(out, (const uint8_t *)f.words + (at - STACK), n);
	return true;
}

static enum op_code_kind code(void *arg, uint64_t pc,
			      struct op_unwind_code *out)
{
	(void)arg;
	if (pc < CODE)
		return OP_CODE_NONE;
	if (pc >= CODE + 0x10000)
		return OP_CODE_BARE;
	*out = (struct op_unwind_code){ f.table, 0 };
	return OP_CODE_TABLE;
}

static const struct op_unwind_env env = { read_word, code, NULL };

/* The frames that come, as numbers of functions up to -1. */
static void check_frames(const int *want, enum op_unwind_end end)
{
	struct op_unwind_frame frames[32];
	struct op_unwind u;
	size_t n;

	op_unwind_begin(&u, &env, &f.regs);
	n = op_unwind_all(&u, frames, op_countof(frames));
	for (size_t i = 0; i < n; i++, want++)
		if (*want < 0 || frames[i].pc != pc_of((enum function) * want))
			TEST_FAIL("frame %zu at %llx", i,
				  (unsigned long long)frames[i].pc);
	CHECK_EQ(*want, -1);
	if (u.end != end)
		TEST_FAIL("end: %s", op_unwind_end_text(u.end));
}

#define FRAMES(...) ((const int[]){ __VA_ARGS__, -1 })

TEST(plain)
{
	build();
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.words[0] = pc_of(FRAME);
	/* FRAME: the CFA is word 5. */
	f.words[4] = pc_of(POINTER);
	f.words[3] = STACK + 8 * 10; /* its rbp */
	f.words[10] = 0;
	f.words[11] = pc_of(START);
	check_frames(FRAMES(LEAF, FRAME, POINTER, START), OP_UNWIND_DONE);
	/* No return address is as good as an end. */
	f.words[11] = 0;
	check_frames(FRAMES(LEAF, FRAME, POINTER), OP_UNWIND_DONE);
}

/* A register that is kept reaches the frame that needs it. */
TEST(kept_registers)
{
	build();
	f.regs.r[OP_RIP] = pc_of(FRAME);
	f.words[3] = pc_of(LEAF);
	f.words[1] = STACK + 8 * 9; /* rbx, saved at CFA - 24 */
	f.words[4] = pc_of(BY_RBX);
	f.words[9] = pc_of(START);
	check_frames(FRAMES(FRAME, LEAF, BY_RBX, START), OP_UNWIND_DONE);
	/* A function may have lost it. */
	f.words[3] = pc_of(LOST_RBX);
	check_frames(FRAMES(FRAME, LOST_RBX, BY_RBX), OP_UNWIND_LOST);
}

/* Only in the first frame are all registers known. */
TEST(lost_registers)
{
	build();
	f.regs.r[OP_RIP] = pc_of(BY_R10);
	f.regs.r[OP_R10] = STACK + 8 * 3;
	f.words[2] = pc_of(START);
	check_frames(FRAMES(BY_R10, START), OP_UNWIND_DONE);
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.words[0] = pc_of(BY_R10);
	check_frames(FRAMES(LEAF, BY_R10), OP_UNWIND_LOST);
}

TEST(special_rules)
{
	build();
	f.regs.r[OP_RIP] = pc_of(DEREF);
	f.regs.r[OP_RBP] = STACK + 8 * 4;
	f.words[3] = STACK + 8 * 8; /* the CFA */
	f.words[7] = pc_of(START);
	check_frames(FRAMES(DEREF, START), OP_UNWIND_DONE);

	build();
	f.regs.r[OP_RIP] = pc_of(VFORK);
	f.regs.r[OP_RDI] = pc_of(START);
	check_frames(FRAMES(VFORK, START), OP_UNWIND_DONE);

	build();
	f.regs.r[OP_RIP] = pc_of(EXPR);
	f.words[0] = STACK + 8 * 2;
	f.words[3] = pc_of(START);
	check_frames(FRAMES(EXPR, START), OP_UNWIND_DONE);
	f.regs.r[OP_RSP] = STACK - 8;
	check_frames(FRAMES(EXPR), OP_UNWIND_BAD_MEMORY);
	f.regs.known &= ~(1u << OP_RSP);
	check_frames(FRAMES(EXPR), OP_UNWIND_LOST);

	build();
	f.regs.r[OP_RIP] = pc_of(OTHER_RSP);
	f.regs.r[OP_RSP] = STACK + 8;
	f.words[0] = STACK + 8 * 20; /* rsp, at CFA - 16 */
	f.words[1] = pc_of(LEAF);
	f.words[20] = pc_of(START);
	check_frames(FRAMES(OTHER_RSP, LEAF, START), OP_UNWIND_DONE);
}

/* Both halves of an entry, before and behind its push. */
TEST(plt)
{
	struct op_unwind u;

	build();
	f.words[0] = pc_of(START);
	f.words[1] = pc_of(LEAF);
	f.regs.r[OP_RIP] = pc_of(PLT) + 10;
	op_unwind_begin(&u, &env, &f.regs);
	CHECK(op_unwind_next(&u) && u.regs.r[OP_RIP] == pc_of(START));
	CHECK_EQ(u.regs.r[OP_RSP], STACK + 8);
	f.regs.r[OP_RIP] = pc_of(PLT) + 11;
	op_unwind_begin(&u, &env, &f.regs);
	CHECK(op_unwind_next(&u) && u.regs.r[OP_RIP] == pc_of(LEAF));
	CHECK_EQ(u.regs.r[OP_RSP], STACK + 16);
}

/* A call may be the last instruction of a function: what is behind it is
 * another. What a signal interrupted is where it is. */
TEST(return_addresses)
{
	struct op_unwind_frame frames[8];
	struct op_unwind u;

	build();
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.words[0] = CODE + 32 * (FRAME + 1); /* the end of FRAME */
	f.words[4] = pc_of(START);
	op_unwind_begin(&u, &env, &f.regs);
	CHECK_EQ(op_unwind_all(&u, frames, 8), 3);
	CHECK_EQ(u.end, OP_UNWIND_DONE);
	CHECK(frames[0].is_exact && !frames[1].is_exact);

	/* The begin of FRAME, interrupted: looked up as it is. */
	f.regs.r[OP_RIP] = pc_of(HANDLER);
	f.words[(OP_SIGNAL_REGS + 8 * 16) / 8] = CODE + 32 * FRAME;
	f.words[(OP_SIGNAL_REGS + 8 * 15) / 8] = STACK + 8 * 40;
	f.words[43] = pc_of(START);
	op_unwind_begin(&u, &env, &f.regs);
	CHECK_EQ(op_unwind_all(&u, frames, 8), 3);
	CHECK_EQ(frames[1].pc, CODE + 32 * FRAME);
	CHECK(frames[1].is_exact && frames[1].how == OP_FRAME_SIGNAL);
	CHECK_EQ(frames[2].pc, pc_of(START));
}

/* All registers come back from a signal frame, which may be on a stack that
 * lies above. */
TEST(signals)
{
	struct op_unwind u;

	build();
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.regs.r[OP_RSP] = STACK + 8 * 20;
	f.words[20] = pc_of(HANDLER);
	for (int i = 0; i < OP_NR_REGS; i++)
		f.words[21 + OP_SIGNAL_REGS / 8 + op_sigcontext_word[i]] =
			0x100u + (unsigned int)i;
	f.words[21 + OP_SIGNAL_REGS / 8 + 15] = STACK;
	f.words[21 + OP_SIGNAL_REGS / 8 + 16] = pc_of(FRAME);
	f.words[3] = pc_of(START);
	op_unwind_begin(&u, &env, &f.regs);
	CHECK(op_unwind_next(&u) && u.regs.r[OP_RIP] == pc_of(HANDLER));
	CHECK(op_unwind_next(&u) && u.regs.r[OP_RIP] == pc_of(FRAME));
	CHECK_EQ(u.regs.known, OP_ALL_REGS);
	CHECK_EQ(u.regs.r[OP_RAX], 0x100);
	CHECK_EQ(u.regs.r[OP_R11], 0x100 + OP_R11);
	CHECK_EQ(u.regs.r[OP_RSP], STACK);
	CHECK(op_unwind_next(&u) && u.regs.r[OP_RIP] == pc_of(START));
}

TEST(frame_pointer)
{
	build();
	f.regs.r[OP_RIP] = pc_of(BARE);
	f.regs.r[OP_RBP] = STACK + 8 * 2;
	f.words[2] = STACK + 8 * 6;
	f.words[3] = pc_of(BARE);
	f.words[6] = 0;
	f.words[7] = pc_of(POINTER);
	check_frames(FRAMES(BARE, BARE, POINTER), OP_UNWIND_BAD_MEMORY);
	f.words[6] = STACK + 8 * 9;
	f.words[9] = 0;
	f.words[10] = pc_of(BARE);
	check_frames(FRAMES(BARE, BARE, POINTER, BARE), OP_UNWIND_DONE);
	/* It points down, or at no word, or is not one. */
	f.words[2] = STACK;
	check_frames(FRAMES(BARE, BARE), OP_UNWIND_NO_RULE);
	f.words[2] = STACK + 8 * 6 + 1;
	check_frames(FRAMES(BARE, BARE), OP_UNWIND_NO_RULE);
	f.regs.known &= ~(1u << OP_RBP);
	check_frames(FRAMES(BARE), OP_UNWIND_NO_RULE);
}

/* Where nobody knows of code: a frame counts if it leads to some. */
TEST(unknown_code)
{
	struct op_unwind_frame frames[8];
	struct op_unwind u;

	build();
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.regs.r[OP_RBP] = STACK + 16;
	f.words[0] = 0x1234; /* below all code */
	f.words[2] = STACK + 48;
	f.words[3] = pc_of(START);
	op_unwind_begin(&u, &env, &f.regs);
	CHECK_EQ(op_unwind_all(&u, frames, op_countof(frames)), 3);
	CHECK_EQ(frames[1].pc, 0x1234);
	CHECK_EQ(frames[2].pc, pc_of(START));
	CHECK_EQ(u.end, OP_UNWIND_DONE);
	f.words[3] = 0x5678;
	check_frames(FRAMES(LEAF), OP_UNWIND_BAD_PC);
	/* Also over another. */
	f.words[6] = STACK + 80;
	f.words[7] = pc_of(START);
	op_unwind_begin(&u, &env, &f.regs);
	CHECK_EQ(op_unwind_all(&u, frames, op_countof(frames)), 4);
	CHECK_EQ(frames[2].pc, 0x5678);
	CHECK_EQ(frames[3].pc, pc_of(START));
	f.words[7] = 0;
	f.words[3] = 0;
	check_frames(FRAMES(LEAF), OP_UNWIND_BAD_PC);
	f.regs.r[OP_RBP] = 8;
	check_frames(FRAMES(LEAF), OP_UNWIND_BAD_PC);
}

TEST(ends)
{
	static const int leafs[] = { LEAF, LEAF, LEAF, LEAF, LEAF, LEAF, LEAF,
				     LEAF, LEAF, LEAF, LEAF, LEAF, LEAF, LEAF,
				     LEAF, LEAF, LEAF, LEAF, LEAF, LEAF, LEAF,
				     LEAF, LEAF, LEAF, LEAF, LEAF, LEAF, LEAF,
				     LEAF, LEAF, LEAF, LEAF, -1 };

	build();
	f.regs.r[OP_RIP] = pc_of(LEAF);
	f.words[0] = 77;
	check_frames(FRAMES(LEAF), OP_UNWIND_BAD_PC);
	f.regs.r[OP_RSP] = STACK - 8;
	check_frames(FRAMES(LEAF), OP_UNWIND_BAD_MEMORY);
	f.regs.r[OP_RSP] = STACK;
	for (size_t i = 0; i < WORDS; i++)
		f.words[i] = pc_of(LEAF);
	check_frames(leafs, OP_UNWIND_LIMIT);
	/* A frame that is not above the one before. */
	f.words[1] = pc_of(POINTER);
	f.regs.r[OP_RBP] = STACK;
	check_frames(FRAMES(LEAF, LEAF, POINTER), OP_UNWIND_NO_PROGRESS);
	f.words[1] = pc_of(IN_PLACE);
	check_frames(FRAMES(LEAF, LEAF, IN_PLACE), OP_UNWIND_NO_PROGRESS);
}

/* --- one's own stack ------------------------------------------------------ */

extern const char __ehdr_start; /* by the linker: where the file begins */

static struct {
	struct op_arena mem;
	struct op_unwind_code code;
	uint64_t start, end; /* of its code, in memory */
	struct op_unwind_frame frames[64];
	size_t nr;
} own;

static bool read_own(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	(void)arg;
	*out = 0;
	memcpy(out, (const void *)(uintptr_t)at, n);
	return true;
}

static enum op_code_kind own_code(void *arg, uint64_t pc,
				  struct op_unwind_code *out)
{
	(void)arg;
	*out = own.code;
	return pc >= own.start && pc < own.end ? OP_CODE_TABLE : OP_CODE_NONE;
}

static struct op_view own_file(void)
{
	static uint8_t *bytes;
	FILE *file = fopen("/proc/self/exe", "rb");
	size_t cap = 64 << 20, n = 0;

	if (!bytes)
		bytes = malloc(cap);
	if (file && bytes)
		n = fread(bytes, 1, cap, file);
	if (file)
		fclose(file);
	return op_view(bytes, n);
}

static void own_build(void)
{
	struct op_elf_segment first = { 0 };
	struct op_unwind_build b;
	struct op_err err = { 0 };
	struct op_cfi cfi;
	struct op_elf e;

	CHECK(!op_elf_open(&e, own_file(), &err));
	for (uint32_t i = 0; op_elf_segment(&e, i, &first); i++)
		if (first.type == 1) /* PT_LOAD */
			break;
	CHECK(!op_unwind_elf(&e, &own.mem, &cfi, &err));
	CHECK(!op_unwind_build_init(&b, &cfi, &own.mem, &err));
	CHECK(!op_unwind_build_all(&b));
	CHECK(!op_unwind_build_table(&b, &own.code.table));
	own.code.bias = (uint64_t)(uintptr_t)&__ehdr_start - first.vaddr;
	own.start = cfi.code_start + own.code.bias;
	own.end = cfi.code_end + own.code.bias;
}

/* Unwinds what was interrupted, up to the library's code, then goes on behind
 * the instruction of two bytes that made the signal. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	static const uint8_t gregs[OP_NR_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	const struct op_unwind_env env_own = { read_own, own_code, NULL };
	ucontext_t *uc = context;
	struct op_unwind_regs regs = { .known = OP_ALL_REGS };
	struct op_unwind u;

	(void)sig, (void)info;
	for (int i = 0; i < OP_NR_REGS; i++)
		regs.r[i] = (uint64_t)uc->uc_mcontext.gregs[gregs[i]];
	op_unwind_begin(&u, &env_own, &regs);
	own.nr = op_unwind_all(&u, own.frames, op_countof(own.frames));
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static uint64_t own_ra[8];

__attribute__((noinline)) static int deep(int n)
{
	int below = 0;

	own_ra[n] = (uint64_t)(uintptr_t)__builtin_return_address(0);
	if (n)
		below = deep(n - 1);
	else
		__asm__ volatile("ud2" : : : "memory");
	__asm__ volatile("" : "+r"(below)); /* lest it become a loop */
	return below + n;
}

TEST(in_a_handler)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO }, old;

	own_build();
	action.sa_sigaction = on_signal;
	CHECK(!sigaction(SIGILL, &action, &old));
	CHECK_EQ(deep(7), 28);
	CHECK(!sigaction(SIGILL, &old, NULL));
	CHECK(own.nr > 9);
	for (size_t i = 0; i < 8; i++)
		CHECK(own.frames[i + 1].pc == own_ra[i]);
	op_arena_free(&own.mem);
}

TEST_MAIN(unknown_code, plain, kept_registers, lost_registers, special_rules,
	  plt, return_addresses, signals, frame_pointer, ends, in_a_handler)
