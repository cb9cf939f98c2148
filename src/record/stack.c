// SPDX-License-Identifier: Apache-2.0
/* record/stack.c: from the addresses of a sample to frames. */
#include <string.h>

#include "record/recorder_int.h"

/* --- what BPF left to us -------------------------------------------------- */

struct rest {
	struct op_recorder *r;
	struct op_rec_process *p;
	const struct op_bpf_sample *s;
	const struct op_bpf_rest *rest;
};

static const uint64_t *addresses(const struct op_bpf_sample *s)
{
	return (const uint64_t *)(s + 1);
}

static bool stack_read(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	const struct rest *t = arg;
	uint64_t in = at - t->rest->regs[OP_RSP];

	if (at < t->rest->regs[OP_RSP] || in > t->s->nr_stack ||
	    n > t->s->nr_stack - in)
		return false;
	*out = 0;
	memcpy(out, t->rest->stack + in, n);
	return true;
}

static enum op_code_kind code_at(void *arg, uint64_t pc,
				 struct op_unwind_code *out)
{
	const struct rest *t = arg;
	struct op_host_space *space = op_rec_space(t->r, t->p->pid);
	struct op_host_map *m = space ? op_host_map_find(space, pc) : NULL;

	if (!m) {
		op_rec_reread(t->r, t->p, t->s->time);
		space = op_rec_space(t->r, t->p->pid);
		m = space ? op_host_map_find(space, pc) : NULL;
	}
	if (!m)
		return OP_CODE_NONE;
	if (!op_rec_table(&t->r->binaries, t->p->pid, m, &out->table))
		return OP_CODE_BARE;
	out->bias = m->start - m->base;
	return OP_CODE_TABLE;
}

/* Continues from the last frame; returns why it ended and how many frames there
 * are, the first of which is that last frame. */
static enum op_unwind_end unwind_rest(struct rest *t, size_t *nr)
{
	const struct op_unwind_env env = { stack_read, code_at, t };
	struct op_unwind_regs regs = { .known = (uint32_t)t->rest->known };
	struct op_unwind u;

	memcpy(regs.r, t->rest->regs, sizeof(regs.r));
	op_unwind_begin(&u, &env, &regs);
	u.is_exact = t->s->is_exact;
	if (!u.is_exact)
		u.kind = code_at(t, regs.r[OP_RIP] - 1, &u.code);
	*nr = op_unwind_all(&u, t->r->unwound,
			    OP_BPF_MAX_USER - t->s->nr_user + 1u);
	return u.end;
}

/* --- frames --------------------------------------------------------------- */

static void add_kernel(struct op_recorder *r, uint64_t address, bool is_exact)
{
	struct op_live_frame f = { .address = address - !is_exact,
				   .binary = r->kernel_row,
				   .is_kernel = true };

	(void)op_vec_push(&r->mem, &r->frames, f);
}

static void add_user(struct op_recorder *r, struct op_rec_process *p,
		     uint64_t pc, bool is_exact)
{
	struct op_host_space *space = op_rec_space(r, p->pid);
	struct op_live_frame f = { .address = pc - !is_exact,
				   .binary = OP_NO_ID };
	struct op_host_map *m = space ? op_host_map_find(space, f.address) :
					NULL;

	if (m) {
		op_rec_locate(&r->binaries, p->pid, m);
		f.address = f.address - m->start + m->base;
		f.binary = op_rec_process_row(r, p, m);
	}
	(void)op_vec_push(&r->mem, &r->frames, f);
}

const char *op_rec_stack(struct op_recorder *r, struct op_rec_process *p,
			 const struct op_bpf_sample *s)
{
	const uint64_t *at = addresses(s);
	enum op_unwind_end end = (enum op_unwind_end)s->end;
	uint32_t nr = s->nr_user;
	size_t more = 0;

	r->frames.n = 0;
	for (uint32_t i = 0; i < s->nr_kernel; i++)
		add_kernel(r, at[i], !i);
	at += s->nr_kernel;
	if (s->end >= OP_BPF_NEW_PROCESS) {
		struct rest t = { r, p, s, (const void *)(at + nr) };

		op_rec_process_dirty(r, p);
		end = unwind_rest(&t, &more);
		nr--;
	}
	for (uint32_t i = 0; i < nr; i++)
		add_user(r, p, at[i] & ~OP_BPF_EXACT, at[i] & OP_BPF_EXACT);
	for (size_t i = 0; i < more; i++)
		add_user(r, p, r->unwound[i].pc, r->unwound[i].is_exact);
	return end == OP_UNWIND_DONE ? NULL : op_unwind_end_text(end);
}
