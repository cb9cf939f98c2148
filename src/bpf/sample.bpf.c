// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/sample.bpf.c: takes a sample of the current thread when a perf event
 * fires. */
#include "event.h"
#include "kernel.h"
#include "unwind.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct op_bpf_config config;

enum { EVENTS = 4 << 20 };

/* How deep control groups are nested, at most, for --cgroup. */
enum { MAX_LEVELS = 32 };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENTS);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct op_bpf_counts);
} counts SEC(".maps");

/* A sample as it is made; too large for the stack. */
struct scratch {
	struct unwind u;
	struct op_bpf_sample head;
	/* With a page more than is used, which the verifier needs. */
	__u64 frames[OP_BPF_MAX_KERNEL + 1 + OP_BPF_MAX_USER +
		     sizeof(struct op_bpf_rest) / 8 + 512];
};

/* One for each CPU: the loader knows how many. Values of a map that is per CPU
 * may not be that large. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Before a variable is checked against a limit: keeps the compiler from
 * checking a copy of it, as the verifier would not see the limit of the
 * original. */
#define KEEP(variable) asm volatile("" : "+r"(variable))

static __always_inline struct scratch *scratch(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&scratches, &cpu);
}

/* Processes to sample, if not all are. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, OP_BPF_MAX_PROCS);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* --- who ------------------------------------------------------------------ */

static __always_inline bool take_ids(struct op_bpf_sample *h)
{
	struct bpf_pidns_info ns;
	__u64 both;

	if (config.pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(config.pid_ns_dev,
						config.pid_ns_ino, &ns,
						sizeof(ns)))
			return false;
		h->pid = ns.tgid;
		h->tid = ns.pid;
		return true;
	}
	both = bpf_get_current_pid_tgid();
	h->pid = (__u32)(both >> 32);
	h->tid = (__u32)both;
	return true;
}

/* Whether the current thread is in the group asked for, or in a group in it. */
static __always_inline bool is_in_group(void)
{
	__u64 id;

	for (int level = 0; level < MAX_LEVELS; level++) {
		id = bpf_get_current_ancestor_cgroup_id(level);
		if (id == config.cgroup)
			return true;
		if (!id)
			break;
	}
	return false;
}

/* --- trace context: OTEP 4947 --------------------------------------------- */

struct context {
	__u8 trace[16], span[8];
	__u8 valid, flags;
};

static __always_inline void take_context(struct op_bpf_sample *h,
					 const struct op_bpf_proc *p,
					 struct task_struct *task)
{
	__u64 at = task->thread.fsbase, dtv, nr_modules, record;
	struct context c;

	if (p->tls == OP_BPF_TLS_NONE)
		return;
	if (p->tls == OP_BPF_TLS_DTV) {
		if (!load(at + 8, &dtv) || !load(dtv - 16, &nr_modules) ||
		    p->tls_module > nr_modules ||
		    !load(dtv + 16 * (__u64)p->tls_module, &at) || at == ~0ull)
			return;
	}
	if (!load(at + (__u64)p->tls_offset, &record) || !record ||
	    bpf_probe_read_user(&c, sizeof(c), (const void *)record) ||
	    c.valid != 1)
		return;
	__builtin_memcpy(h->trace, c.trace, sizeof(c.trace));
	__builtin_memcpy(h->span, c.span, sizeof(c.span));
	h->has_trace = 1;
}

/* --- the user's stack ----------------------------------------------------- */

#define COPY_REGS(to, from)                \
	do {                               \
		(to)[OP_RAX] = (from).rax; \
		(to)[OP_RDX] = (from).rdx; \
		(to)[OP_RCX] = (from).rcx; \
		(to)[OP_RBX] = (from).rbx; \
		(to)[OP_RSI] = (from).rsi; \
		(to)[OP_RDI] = (from).rdi; \
		(to)[OP_RBP] = (from).rbp; \
		(to)[OP_RSP] = (from).rsp; \
		(to)[OP_R8] = (from).r8;   \
		(to)[OP_R9] = (from).r9;   \
		(to)[OP_R10] = (from).r10; \
		(to)[OP_R11] = (from).r11; \
		(to)[OP_R12] = (from).r12; \
		(to)[OP_R13] = (from).r13; \
		(to)[OP_R14] = (from).r14; \
		(to)[OP_R15] = (from).r15; \
		(to)[OP_RIP] = (from).rip; \
	} while (0)

static __always_inline bool is_kernel(__u64 address)
{
	return (__s64)address < 0;
}

static __always_inline bool take_regs(struct unwind *u,
				      struct bpf_perf_event_data *ctx,
				      struct task_struct *task)
{
	if (is_kernel(ctx->regs.rip)) {
		struct pt_regs *regs = (struct pt_regs *)u->words;

		if (bpf_probe_read_kernel(regs, sizeof(*regs),
					  (void *)bpf_task_pt_regs(task)))
			return false;
		COPY_REGS(u->regs, *regs);
	} else {
		COPY_REGS(u->regs, ctx->regs);
	}
	u->known = ALL_REGS;
	u->is_exact = true;
	return true;
}

/* Adds the frame and moves to its caller; 1 ends the loop. */
static int walk(__u32 i, void *unused)
{
	struct scratch *s = scratch();
	__u64 at;

	(void)unused;
	if (!s)
		return 1;
	at = s->head.nr_kernel + (__u64)i;
	KEEP(at);
	if (at >= OP_BPF_MAX_KERNEL + OP_BPF_MAX_USER)
		return 1;
	s->frames[at] = s->u.regs[OP_RIP] | (s->u.is_exact ? OP_BPF_EXACT : 0);
	s->u.nr = i + 1;
	if (!find_range(&s->u, s->u.regs[OP_RIP] - !s->u.is_exact)) {
		s->u.end = OP_BPF_NEW_CODE;
		return 1;
	}
	return !next_frame(&s->u);
}

static __always_inline void walk_user(struct scratch *s)
{
	struct op_bpf_proc *p = bpf_map_lookup_elem(&procs, &s->head.pid);

	s->u.nr = 0;
	s->u.range.start = s->u.range.end = 0;
	s->u.end = OP_BPF_LIMIT;
	if (p) {
		s->u.proc = *p;
		bpf_loop(OP_BPF_MAX_USER, walk, NULL, 0);
	} else {
		s->u.proc.tls = OP_BPF_TLS_NONE;
		s->frames[s->head.nr_kernel & 0x7f] = s->u.regs[OP_RIP] |
						      OP_BPF_EXACT;
		s->u.nr = 1;
		s->u.end = OP_BPF_NEW_PROCESS;
	}
	s->head.nr_user = (__u16)s->u.nr;
	s->head.end = s->u.end;
	s->head.is_exact = s->u.is_exact;
}

/* Copies the registers and the stack, page by page as far as it is readable.
 * Returns the bytes that this adds to the sample. */
static __always_inline __u32 take_rest(struct scratch *s, __u32 at)
{
	struct op_bpf_rest *rest;
	__u64 sp = s->u.regs[OP_RSP];
	__u32 n = 0, room;

	if (at > OP_BPF_MAX_KERNEL + OP_BPF_MAX_USER)
		return 0;
	rest = (struct op_bpf_rest *)&s->frames[at];
	__builtin_memcpy(rest->regs, s->u.regs, sizeof(rest->regs));
	rest->known = s->u.known;
#pragma unroll
	for (int i = 0; i <= OP_BPF_STACK / 4096; i++) {
		room = 4096 - (__u32)((sp + n) & 4095);
		if (room > OP_BPF_STACK - n)
			room = OP_BPF_STACK - n;
		if (n >= OP_BPF_STACK || room > 4096)
			break;
		if (bpf_probe_read_user(rest->stack + n, room,
					(const void *)(sp + n)))
			break;
		n += room;
	}
	s->head.nr_stack = n;
	return (__u32) __builtin_offsetof(struct op_bpf_rest, stack) + n;
}

/* --- a sample ------------------------------------------------------------- */

static __always_inline void take_kernel(struct scratch *s,
					struct bpf_perf_event_data *ctx)
{
	long n;

	s->head.nr_kernel = 0;
	if (!config.has_kernel || !is_kernel(ctx->regs.rip))
		return;
	n = bpf_get_stack(ctx, s->frames, OP_BPF_MAX_KERNEL * 8, 0);
	if (n > 0)
		s->head.nr_kernel = (__u16)((__u64)n / 8);
}

/* The loader looks every now and then; it is woken only if half of the buffer
 * is full, or if it has something to write into the maps. */
static __always_inline __u64 wake(const struct op_bpf_sample *h)
{
	return h->end == OP_BPF_NEW_PROCESS || h->end == OP_BPF_NEW_CODE ||
			       bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) >
				       EVENTS / 2 ?
		       BPF_RB_FORCE_WAKEUP :
		       BPF_RB_NO_WAKEUP;
}

SEC("perf_event")
int sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s = scratch();
	struct op_bpf_counts *c;
	__u32 zero = 0, frames;
	__u64 size;

	c = bpf_map_lookup_elem(&counts, &zero);
	if (!s || !c || !(__u32)bpf_get_current_pid_tgid())
		return 0;
	s->head.cgroup = bpf_get_current_cgroup_id();
	if (config.cgroup && !is_in_group())
		return 0;
	if (!take_ids(&s->head)) {
		c->foreign += !config.has_targets;
		return 0;
	}
	if (config.has_targets && !bpf_map_lookup_elem(&targets, &s->head.pid))
		return 0;
	c->samples++;
	s->head.time = bpf_ktime_get_ns();
	s->head.cpu = bpf_get_smp_processor_id();
	s->head.nr_user = 0;
	s->head.nr_stack = 0;
	s->head.end = OP_BPF_DONE;
	s->head.has_trace = 0;
	bpf_get_current_comm(s->head.comm, sizeof(s->head.comm));
	take_kernel(s, ctx);
	if (task->mm && take_regs(&s->u, ctx, task)) {
		walk_user(s);
		take_context(&s->head, &s->u.proc, task);
	}
	frames = (__u32)s->head.nr_kernel + s->head.nr_user;
	size = sizeof(s->head) + 8 * frames;
	if (s->head.end >= OP_BPF_NEW_PROCESS)
		size += take_rest(s, frames);
	KEEP(size);
	if (size > sizeof(s->head) + sizeof(s->frames))
		return 0;
	if (bpf_ringbuf_output(&events, &s->head, size, wake(&s->head)))
		c->lost++;
	return 0;
}

/* --- a new program -------------------------------------------------------- */

/* What the maps say of a process is about its old program. Until the loader has
 * written the new one, it is a new process. */
SEC("tp_btf/sched_process_exec")
int execed(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 pid = (__u32)task->tgid;

	if (!config.pid_ns_ino)
		bpf_map_delete_elem(&procs, &pid);
	return 0;
}

/* --- children ------------------------------------------------------------- */

/* What a process to be sampled starts is sampled too, from its first moment on.
 * In a PID namespace of our own the loader does it, a little later. */
SEC("tp_btf/sched_process_fork")
int forked(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	__u32 from = (__u32)parent->tgid, to = (__u32)child->tgid, one = 1;

	if (from != to && !config.pid_ns_ino &&
	    bpf_map_lookup_elem(&targets, &from))
		bpf_map_update_elem(&targets, &to, &one, BPF_ANY);
	return 0;
}
