/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bpf/event.h: what the BPF programs and the program that loads them share.
 *
 * The programs write samples into a ring buffer. They unwind with tables that
 * the loader writes into maps:
 *
 *	procs	process ID -> struct op_bpf_proc: where its ranges are
 *	ranges	struct op_bpf_range: executable mappings, sorted in each process
 *	tables	struct op_bpf_table: where the unwind table of a binary is
 *	slabs	64 KiB each, allocated when needed: the bytes of the tables
 *
 * Where that does not suffice (a process or a mapping that the loader has not
 * written yet, a rule with an expression), the sample has the registers of the
 * last frame and a copy of the stack, and the loader continues.
 */
#ifndef OP_BPF_EVENT_H
#define OP_BPF_EVENT_H

#include <linux/types.h>

enum {
	OP_BPF_MAX_USER = 1024, /* frames */
	OP_BPF_MAX_KERNEL = 127,
	OP_BPF_STACK = 32 * 1024, /* bytes of a copied stack */
	OP_BPF_REGS = 17,	  /* by DWARF number, as in sym/regs_x86_64.h */

	OP_BPF_SLAB_BITS = 16,
	OP_BPF_SLAB = 1 << OP_BPF_SLAB_BITS,
	OP_BPF_MAX_SLABS = 2048, /* numbers of slabs, not slabs in use */
	OP_BPF_MAX_TABLES = 8192,
	OP_BPF_MAX_RANGES = 128 * 1024,
	OP_BPF_MAX_PROCS = 16 * 1024,
	OP_BPF_NO_TABLE = 0xffffffff,
};

/* How unwinding ended. The first eight are those of enum op_unwind_end. */
enum op_bpf_end {
	OP_BPF_DONE,
	OP_BPF_NO_RULE,
	OP_BPF_UNBUILT,
	OP_BPF_BAD_MEMORY,
	OP_BPF_BAD_PC,
	OP_BPF_LOST,
	OP_BPF_NO_PROGRESS,
	OP_BPF_LIMIT,
	/* The loader has to continue, from a copy of the stack. */
	OP_BPF_NEW_PROCESS,
	OP_BPF_NEW_CODE, /* no range has it, or its table is not there */
	OP_BPF_WIDE,	 /* a rule that BPF does not follow */
};

/* In the address of a user's frame: it is where the frame is; otherwise it is a
 * return address, and the call is just before. */
#define OP_BPF_EXACT (1ull << 63)

/* A sample is a head, the addresses of the kernel's frames and the user's, the
 * innermost first, and, if end says so, a struct op_bpf_rest. */
struct op_bpf_sample {
	__u64 time; /* CLOCK_MONOTONIC */
	__u64 cgroup;
	__u32 pid, tid;
	__u32 cpu;
	__u16 nr_kernel, nr_user;
	__u8 end;	/* enum op_bpf_end */
	__u8 is_exact;	/* the frame in regs is at its pc, not after a call */
	__u8 has_trace; /* trace and span are valid */
	__u8 unused;
	__u32 nr_stack; /* bytes of the copy */
	char comm[16];
	__u8 trace[16], span[8];
};

/* The frame at which the loader continues: it is the last of the frames. */
struct op_bpf_rest {
	__u64 regs[OP_BPF_REGS];
	__u64 known;		  /* one bit per register */
	__u8 stack[OP_BPF_STACK]; /* from regs[rsp] on; nr_stack bytes */
};

/* Where the thread context of a process is: OTEP 4947. */
enum op_bpf_tls {
	OP_BPF_TLS_NONE,
	OP_BPF_TLS_STATIC, /* at the thread pointer + offset */
	OP_BPF_TLS_DTV,	   /* at dtv[module] + offset */
};

struct op_bpf_proc {
	__u32 first, nr; /* of its ranges */
	__u32 tls;	 /* enum op_bpf_tls */
	__u32 tls_module;
	__s64 tls_offset;
};

struct op_bpf_range {
	__u64 start, end;
	__u64 bias;  /* memory address - vaddr */
	__u32 table; /* OP_BPF_NO_TABLE: follow the frame pointer */
	__u32 unused;
};

/* The head of a table (sym/unwind_table.h), with offsets as places in the
 * slabs: the number of the slab and, in the low 16 bits, the byte in it. */
struct op_bpf_table {
	__u64 base;
	__u32 nr_pages;
	__u32 pages, rows, rules, steps;
	__u32 used; /* set by BPF when it is, cleared by the loader */
};

/* Counters, one per CPU. */
struct op_bpf_counts {
	__u64 samples; /* of what was asked for */
	__u64 lost;    /* of them, no room in the ring buffer */
	__u64 foreign; /* not taken: not in our PID namespace */
};

/* What the loader sets before the programs run. */
struct op_bpf_config {
	__u64 pid_ns_dev, pid_ns_ino; /* 0: the initial namespace */
	__u64 cgroup;		      /* and those in it; 0: any */
	__u32 has_targets;	      /* only processes in the map */
	__u32 has_kernel;	      /* take the kernel's frames too */
};

#endif
