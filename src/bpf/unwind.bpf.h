/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bpf/unwind.bpf.h: walks the stack of the current thread by unwind tables.
 *
 * The same steps as in sym/unwind.c, which says why they are taken. What is not
 * done here is left to the loader: enum op_bpf_end. */
#ifndef OP_BPF_UNWIND_BPF_H
#define OP_BPF_UNWIND_BPF_H

#include "event.h"
#include "kernel.h"
#include "../sym/regs_x86_64.h"
#include "../sym/unwind_rule.h"

enum {
	PAGE_BITS = 16,
	BLOCK_BITS = 10,
	PAGE_BLOCKS = 1 << (PAGE_BITS - BLOCK_BITS),
	PAGE_BYTES = 8 + 2 * PAGE_BLOCKS,
	MAX_STEPS = 16,
	CODE_STEPS = 0x8000,
	ROW_SEARCH = 11,   /* halvings of the rows of a KiB */
	RANGE_SEARCH = 18, /* of all ranges */
	NEAR = 8,	   /* words below the CFA that are read at once */
};

/* --- maps ----------------------------------------------------------------- */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, OP_BPF_MAX_PROCS);
	__type(key, __u32);
	__type(value, struct op_bpf_proc);
} procs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, OP_BPF_MAX_RANGES);
	__type(key, __u32);
	__type(value, struct op_bpf_range);
} ranges SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, OP_BPF_MAX_TABLES);
	__type(key, __u32);
	__type(value, struct op_bpf_table);
} tables SEC(".maps");

struct slab {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, OP_BPF_SLAB);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, OP_BPF_MAX_SLABS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct slab);
} slabs SEC(".maps");

/* --- state ---------------------------------------------------------------- */

struct unwind {
	struct op_bpf_proc proc;
	struct op_bpf_range range; /* of this frame */
	__u64 regs[32];		   /* of which OP_BPF_REGS are used */
	__u32 known;
	__u32 nr; /* frames */
	__u8 is_exact, end;
	__u64 near[NEAR];
	__u64 words[32]; /* registers as the kernel stores them */
};

/* What a function need not keep is lost to its caller. */
enum {
	KEPT_REGS = 1 << OP_RBX | 1 << OP_RBP | 1 << OP_R12 | 1 << OP_R13 |
		    1 << OP_R14 | 1 << OP_R15,
	ALL_REGS = (1 << OP_NR_REGS) - 1,
};

static __always_inline bool load(__u64 at, __u64 *out)
{
	return !bpf_probe_read_user(out, sizeof(*out), (const void *)at);
}

static __always_inline bool is_known(const struct unwind *u, __u32 reg)
{
	return u->known >> (reg & 31) & 1;
}

/* --- tables --------------------------------------------------------------- */

/* Eight aligned bytes at a place in the slabs. */
static __always_inline bool slab_word(__u32 at, __u64 *out)
{
	__u32 nr = at >> OP_BPF_SLAB_BITS, zero = 0;
	void *map = bpf_map_lookup_elem(&slabs, &nr);
	__u8 *bytes;

	if (!map)
		return false;
	bytes = bpf_map_lookup_elem(map, &zero);
	if (!bytes)
		return false;
	*out = *(__u64 *)(bytes + (at & (OP_BPF_SLAB - 8)));
	return true;
}

static __always_inline bool slab_u32(__u32 at, __u32 *out)
{
	__u64 w;

	if (!slab_word(at, &w))
		return false;
	*out = (__u32)(w >> 8 * (at & 4));
	return true;
}

static __always_inline bool slab_u16(__u32 at, __u32 *out)
{
	__u64 w;

	if (!slab_word(at, &w))
		return false;
	*out = (__u16)(w >> 8 * (at & 6));
	return true;
}

/* The row in effect at byte v of a page; its low half is where it begins. */
static __always_inline bool find_row(const struct op_bpf_table *t, __u32 page,
				     __u32 v, __u32 *row)
{
	__u32 block = v >> BLOCK_BITS, at = t->pages + page * PAGE_BYTES;
	__u32 first, nr_built, from, to, nr;

	if (!slab_u32(at, &first) || !slab_u32(at + 4, &nr_built) ||
	    !nr_built || !slab_u16(at + 8 + 2 * block, &from))
		return false;
	to = nr_built - 2;
	if (block + 1 < PAGE_BLOCKS && !slab_u16(at + 10 + 2 * block, &to))
		return false;
	at = t->rows + 4 * (first + from);
	nr = to - from + 1;
	if (!slab_u32(at, row))
		return false;
	for (int i = 0; i < ROW_SEARCH; i++) {
		__u32 half = nr / 2, middle;

		if (nr <= 1)
			break;
		if (!slab_u32(at + 4 * half, &middle))
			return false;
		if ((middle & 0xffff) <= v) {
			at += 4 * half;
			*row = middle;
		}
		nr -= half;
	}
	return true;
}

static __always_inline bool find_step(const struct op_bpf_table *t, __u32 run,
				      __u32 delta, __u32 *rule)
{
	__u32 at = t->steps + 4 * run, step, next;

	if (!slab_u32(at, &step))
		return false;
	for (int i = 1; i < MAX_STEPS; i++) {
		at += 4;
		if (!(step >> 8 & 0xff) || !slab_u32(at, &next) ||
		    (next & 0xff) > delta)
			break;
		step = next;
	}
	*rule = step >> 16;
	return true;
}

/* The rule of a vaddr. False: the table has none for it. A function of its own,
 * which the verifier looks at once and not on each way to it. */
__attribute__((noinline)) int find_rule(struct op_bpf_table *t, __u64 vaddr,
					struct op_rule *out)
{
	__u32 v = (__u32)vaddr & (OP_BPF_SLAB - 1), row, rule;
	__u64 page, words[2];

	if (!t || !out)
		return false;
	page = (vaddr - t->base) >> PAGE_BITS;
	if (page >= t->nr_pages || !find_row(t, (__u32)page, v, &row))
		return false;
	rule = row >> 16;
	if (rule & CODE_STEPS &&
	    !find_step(t, rule & ~CODE_STEPS, v - (row & 0xffff), &rule))
		return false;
	if (!slab_word(t->rules + 16 * rule, &words[0]) ||
	    !slab_word(t->rules + 16 * rule + 8, &words[1]))
		return false;
	__builtin_memcpy(out, words, sizeof(words));
	return out->cfa != OP_CFA_NONE;
}

/* --- code ----------------------------------------------------------------- */

/* Finds the range of an address; most frames are in that of the last. */
static __always_inline bool find_range(struct unwind *u, __u64 pc)
{
	__u32 at = u->proc.first, nr = u->proc.nr, half, key;
	struct op_bpf_range *r;

	if (pc >= u->range.start && pc < u->range.end)
		return true;
	for (int i = 0; i < RANGE_SEARCH; i++) {
		if (nr <= 1)
			break;
		half = nr / 2;
		key = at + half;
		r = bpf_map_lookup_elem(&ranges, &key);
		if (!r)
			return false;
		if (r->start <= pc)
			at += half;
		nr -= half;
	}
	r = bpf_map_lookup_elem(&ranges, &at);
	if (!nr || !r || pc < r->start || pc >= r->end)
		return false;
	u->range = *r;
	return true;
}

/* --- one frame ------------------------------------------------------------ */

static __always_inline bool stop(struct unwind *u, __u8 why)
{
	u->end = why;
	return false;
}

/* The signal trampoline of a C library without tables: mov $15,%rax or
 * mov $15,%eax; syscall. */
static __always_inline bool is_sigreturn(__u64 pc)
{
	const __u64 wide = 0x0f0000000fc0c748, narrow = 0x00050f0000000fb8;
	const __u64 narrow_mask = 0x00ffffffffffffff;
	__u64 w;
	__u8 last;

	if (!load(pc, &w))
		return false;
	if ((w & narrow_mask) == narrow)
		return true;
	return w == wide &&
	       !bpf_probe_read_user(&last, 1, (const void *)(pc + 8)) &&
	       last == 0x05;
}

/* struct sigcontext begins with these. */
static __always_inline bool apply_signal(struct unwind *u, __u64 at)
{
	static const __u8 order[] = { OP_R8,  OP_R9,  OP_R10, OP_R11, OP_R12,
				      OP_R13, OP_R14, OP_R15, OP_RDI, OP_RSI,
				      OP_RBP, OP_RBX, OP_RDX, OP_RAX, OP_RCX,
				      OP_RSP, OP_RIP };
	if (bpf_probe_read_user(u->words, 8 * OP_BPF_REGS, (const void *)at))
		return stop(u, OP_BPF_BAD_MEMORY);
#pragma unroll
	for (int i = 0; i < OP_BPF_REGS; i++)
		u->regs[order[i]] = u->words[i];
	u->known = ALL_REGS;
	u->is_exact = true;
	return true;
}

static __always_inline bool apply_pointer(struct unwind *u)
{
	__u64 bp = u->regs[OP_RBP], words[2];

	if (!is_known(u, OP_RBP))
		return stop(u, OP_BPF_NO_RULE);
	if (!bp)
		return stop(u, OP_BPF_DONE);
	if (bp & 7 || bp < u->regs[OP_RSP])
		return stop(u, OP_BPF_NO_RULE);
	if (bpf_probe_read_user(words, sizeof(words), (const void *)bp))
		return stop(u, OP_BPF_BAD_MEMORY);
	u->regs[OP_RBP] = words[0];
	u->regs[OP_RSP] = bp + 16;
	u->regs[OP_RIP] = words[1];
	u->known = 1 << OP_RBP | 1 << OP_RSP | 1 << OP_RIP;
	u->is_exact = false;
	return true;
}

static __always_inline void restore(struct unwind *u, __u8 saved, __u64 cfa,
				    __u32 reg)
{
	if (saved == OP_SAVED_SAME)
		return;
	if (saved <= NEAR)
		u->regs[reg] = u->near[(NEAR - saved) & (NEAR - 1)];
	else if (saved == OP_SAVED_UNKNOWN ||
		 !load(cfa - 8 * (__u64)saved, &u->regs[reg]))
		u->known &= ~(1 << reg);
	else
		u->known |= 1 << reg;
	if (saved <= NEAR)
		u->known |= 1 << reg;
}

static __always_inline bool find_cfa(struct unwind *u, const struct op_rule *r,
				     __u64 *cfa)
{
	if (!is_known(u, r->cfa_reg))
		return stop(u, OP_BPF_LOST);
	*cfa = u->regs[r->cfa_reg & 31] + (__s64)r->cfa_off;
	if (r->cfa == OP_CFA_DEREF) {
		if (!load(*cfa, cfa))
			return stop(u, OP_BPF_BAD_MEMORY);
		*cfa += (__s64)r->arg;
	}
	if (r->cfa == OP_CFA_PLT && (__s64)(u->regs[OP_RIP] & 15) >= r->arg)
		*cfa += 8;
	return true;
}

static __always_inline bool apply_rule(struct unwind *u,
				       const struct op_rule *r)
{
	__u64 cfa;

	if (r->cfa == OP_CFA_SIGNAL)
		return apply_signal(u, u->regs[OP_RSP] + (__s64)r->cfa_off);
	if (r->ra == OP_RA_END)
		return stop(u, OP_BPF_DONE);
	if (r->cfa == OP_CFA_EXPR || r->flags & OP_RULE_WIDE)
		return stop(u, OP_BPF_WIDE);
	if (!find_cfa(u, r, &cfa))
		return false;
	if (bpf_probe_read_user(u->near, sizeof(u->near),
				(const void *)(cfa - sizeof(u->near))))
		return stop(u, OP_BPF_BAD_MEMORY);
	u->known &= KEPT_REGS;
	restore(u, r->saved[OP_COL_RBX], cfa, OP_RBX);
	restore(u, r->saved[OP_COL_RBP], cfa, OP_RBP);
	restore(u, r->saved[OP_COL_R12], cfa, OP_R12);
	restore(u, r->saved[OP_COL_R13], cfa, OP_R13);
	restore(u, r->saved[OP_COL_R14], cfa, OP_R14);
	restore(u, r->saved[OP_COL_R15], cfa, OP_R15);
	u->regs[OP_RSP] = cfa;
	u->regs[OP_RIP] = u->near[NEAR - 1];
	u->known |= 1 << OP_RSP | 1 << OP_RIP;
	u->is_exact = r->flags & OP_RULE_SIGNAL;
	return true;
}

/* Moves to the caller. */
static __always_inline bool next_frame(struct unwind *u)
{
	__u64 pc = u->regs[OP_RIP], sp = u->regs[OP_RSP];
	__u64 at = pc - !u->is_exact - u->range.bias;
	struct op_bpf_table *t;
	struct op_rule r = { 0 };
	bool was_exact = u->is_exact, has_rule = false, is_signal = false;

	t = bpf_map_lookup_elem(&tables, &u->range.table);
	if (t && !t->nr_pages)
		return stop(u, OP_BPF_NEW_CODE);
	if (t) {
		t->used = 1;
		has_rule = find_rule(t, at, &r);
		/* Nobody calls the end of a signal handler. */
		if (!has_rule && !was_exact)
			has_rule = find_rule(t, at + 1, &r) &&
				   r.flags & OP_RULE_SIGNAL;
	}
	if (has_rule) {
		is_signal = r.flags & OP_RULE_SIGNAL;
		if (!apply_rule(u, &r))
			return false;
	} else if (is_sigreturn(pc)) {
		is_signal = true;
		if (!apply_signal(u, sp + OP_SIGNAL_REGS))
			return false;
	} else if (!apply_pointer(u)) {
		return false;
	}
	if (!u->regs[OP_RIP])
		return stop(u, OP_BPF_DONE);
	if (!is_signal && u->regs[OP_RSP] <= sp &&
	    !(was_exact && u->regs[OP_RSP] == sp))
		return stop(u, OP_BPF_NO_PROGRESS);
	return true;
}

#endif
