// SPDX-License-Identifier: Apache-2.0
/* record/stack_copy.c: samples of perf events, with registers and a copy of the
 * stack.
 *
 *	 0  8  ip
 *	 8  8  pid, tid
 *	16  8  time
 *	24  8  cpu, 0
 *	32  8  number of addresses, and then the addresses: the kernel's frames
 *	    8  ABI of the registers: 0 none, 2 those of 64 bits
 *	    8  each of them, in the order of their bits in the mask
 *	    8  bytes of the copy, and then the copy; if there are any:
 *	    8  how many of them are valid
 */
#include "record/stack_copy.h"

#include <stddef.h>

#include "sym/regs_x86_64.h"

enum { ABI_64 = 2, HEAD = 8 };

/* The kernel's order of registers, of which flags and segments are left out. */
static const uint8_t order[] = {
	OP_RAX, OP_RBX, OP_RCX, OP_RDX, OP_RSI, OP_RDI, OP_RBP, OP_RSP, OP_RIP,
	OP_R8,	OP_R9,	OP_R10, OP_R11, OP_R12, OP_R13, OP_R14, OP_R15,
};
static const uint64_t order_mask = 0xff01ff;

void op_stack_copy_attr(struct perf_event_attr *a,
			const struct op_task_events_opts *o)
{
	a->config = PERF_COUNT_SW_CPU_CLOCK;
	a->sample_period = 1000000000 / o->hertz;
	a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_CPU |
			  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			  PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = order_mask;
	a->sample_stack_user = OP_BPF_STACK;
	a->exclude_callchain_user = 1;
	a->exclude_kernel = o->user_only;
	a->exclude_idle = 1;
	a->disabled = a->enable_on_exec = o->at_exec;
}

uint64_t op_stack_copy_time(const struct op_record *r)
{
	return r->size >= HEAD + 24 ? op_load_u64(r->p + HEAD + 16, false) : 0;
}

/* --- decoding --- */

struct reader {
	const uint8_t *p;
	size_t n;
	bool is_short;
};

static uint64_t take(struct reader *in)
{
	uint64_t v;

	if (in->n < 8) {
		in->is_short = true;
		return 0;
	}
	v = op_load_u64(in->p, false);
	in->p += 8;
	in->n -= 8;
	return v;
}

static bool is_context(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

static void take_kernel(struct reader *in, struct op_bpf_sample *s,
			struct op_buf *out)
{
	uint64_t nr = take(in), address;

	while (nr-- && !in->is_short) {
		address = take(in);
		if (is_context(address) || s->nr_kernel == OP_BPF_MAX_KERNEL)
			continue;
		op_buf_view(out, op_view(&address, sizeof(address)));
		s->nr_kernel++;
	}
}

static bool take_regs(struct reader *in, struct op_bpf_rest *rest)
{
	if (take(in) != ABI_64)
		return false;
	for (size_t i = 0; i < sizeof(order); i++)
		rest->regs[order[i]] = take(in);
	rest->known = (1u << OP_NR_REGS) - 1;
	return true;
}

static struct op_view take_stack(struct reader *in)
{
	uint64_t n = take(in), valid;
	const uint8_t *p = in->p;

	if (!n || n > in->n || n > OP_BPF_STACK)
		return (struct op_view){ 0 };
	in->p += n;
	in->n -= n;
	valid = take(in);
	return op_view(p, valid < n ? valid : n);
}

/* The one frame that is known, and what the others are found with. */
static void put_rest(struct op_bpf_sample *s, struct op_bpf_rest *rest,
		     struct op_view stack, struct op_buf *out)
{
	uint64_t pc = rest->regs[OP_RIP] | OP_BPF_EXACT;

	s->nr_user = 1;
	s->end = OP_BPF_NEW_PROCESS;
	s->is_exact = true;
	s->nr_stack = (uint32_t)stack.n;
	op_buf_view(out, op_view(&pc, sizeof(pc)));
	op_buf_view(out, op_view(rest, offsetof(struct op_bpf_rest, stack)));
	op_buf_view(out, stack);
	op_buf_add(out, 8); /* the size is rounded up */
}

const struct op_bpf_sample *op_stack_copy(const struct op_record *r,
					  struct op_buf *out)
{
	struct reader in = { r->p + HEAD, (size_t)r->size - HEAD, false };
	struct op_bpf_sample s = { 0 };
	struct op_bpf_rest rest;
	struct op_view stack;
	uint64_t ids;

	out->n = 0;
	op_buf_view(out, op_view(&s, sizeof(s)));
	take(&in);
	ids = take(&in);
	s.pid = (uint32_t)ids;
	s.tid = (uint32_t)(ids >> 32);
	s.time = take(&in);
	s.cpu = (uint32_t)take(&in);
	take_kernel(&in, &s, out);
	if (take_regs(&in, &rest)) {
		stack = take_stack(&in);
		put_rest(&s, &rest, stack, out);
	}
	if (in.is_short || out->err->code)
		return NULL;
	memcpy(out->p, &s, sizeof(s));
	return (const struct op_bpf_sample *)out->p;
}
