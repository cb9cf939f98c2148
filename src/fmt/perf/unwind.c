// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/unwind.c: callers, from registers and a copy of the stack. */
#include "fmt/perf/unwind.h"

#include "fmt/perf/binary.h"
#include "fmt/perf/event.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/rows.h"
#include "fmt/perf/sample.h"
#include "host/map.h"
#include "sym/unwind.h"

enum { MAX_FRAMES = 1024, MAX_TABLES = 256 << 20 };

struct op_perf_unwind {
	struct op_unwind_frame frames[MAX_FRAMES];
};

struct stack {
	struct op_perf *f;
	struct op_host_space *space;
	const struct op_perf_sample *s;
	uint64_t sp;
};

/* Only the part that was copied can be read. */
static bool stack_read(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	const struct stack *t = arg;
	uint64_t in = at - t->sp;

	if (at < t->sp || in > t->s->stack.n || n > t->s->stack.n - in)
		return false;
	*out = 0;
	memcpy(out, t->s->stack.p + in, n);
	return true;
}

struct whole {
	struct op_perf *f;
	uint32_t binary;
};

static bool whole_elf(void *arg, struct op_arena *mem, struct op_elf *out)
{
	const struct whole *w = arg;

	return op_perf_binary_whole(w->f, w->binary, mem, out);
}

/* A table of all of a binary, made when its code is first met. A few bytes of
 * a file may ask for a table of megabytes, and so all of them have a limit. */
static bool table_of(struct op_perf *f, uint32_t binary,
		     struct op_unwind_table *out)
{
	struct op_perf_binary *b = op_perf_binary(f, binary);
	struct whole whole = { f, binary };
	struct op_file_key key;

	if (!b)
		return false;
	if (!b->file->table) {
		key = (struct op_file_key){ .dev = b->file->dev,
					    .ino = b->file->ino };
		f->unwind.tables.max_bytes = MAX_TABLES;
		b->file->table = op_tables_get(&f->unwind.tables, &key,
					       whole_elf, &whole, f->err);
	}
	if (!b->file->table)
		return false;
	*out = b->file->table->table;
	return b->file->table->block.n;
}

/* Code made at run time, and that of binaries that are not at hand, may keep
 * a frame pointer. */
static enum op_code_kind code_at(void *arg, uint64_t pc,
				 struct op_unwind_code *out)
{
	const struct stack *t = arg;
	struct op_host_map *m = t->space ? op_host_map_find(t->space, pc) :
					   NULL;

	if (!m)
		return OP_CODE_NONE;
	if (!table_of(t->f, m->binary, &out->table))
		return OP_CODE_BARE;
	op_perf_locate(t->f, m, pc);
	out->bias = m->start - m->base;
	return OP_CODE_TABLE;
}

/* The kernel's numbers of registers are others than DWARF's. */
static void regs_read(const struct op_perf *f, uint64_t mask, const uint8_t *p,
		      struct op_unwind_regs *regs)
{
	static const uint8_t dwarf[] = {
		OP_RAX,	    OP_RBX,	OP_RCX,	    OP_RDX,	OP_RSI,
		OP_RDI,	    OP_RBP,	OP_RSP,	    OP_RIP,	OP_NR_REGS,
		OP_NR_REGS, OP_NR_REGS, OP_NR_REGS, OP_NR_REGS, OP_NR_REGS,
		OP_NR_REGS, OP_R8,	OP_R9,	    OP_R10,	OP_R11,
		OP_R12,	    OP_R13,	OP_R14,	    OP_R15,
	};

	regs->known = 0;
	for (unsigned int i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		if (i < op_countof(dwarf) && dwarf[i] < OP_NR_REGS) {
			regs->r[dwarf[i]] = op_perf_u64(f, p);
			regs->known |= 1u << dwarf[i];
		}
		p += 8;
	}
}

static bool is_known(const struct op_unwind_regs *regs, unsigned int reg)
{
	return regs->known >> reg & 1;
}

/* Of other machines the registers have other numbers. */
static bool can_unwind(const struct op_perf *f, const struct op_perf_event *e,
		       const struct op_perf_sample *s)
{
	enum { ABI_64 = 2, X86_64_MASK = 0xff0fff };

	if (!s->regs || s->abi != ABI_64)
		return false;
	return f->head.arch.n ? op_view_is(f->head.arch, "x86_64") :
				e->regs_user == X86_64_MASK;
}

const char *op_perf_unwind(struct op_perf *f, struct op_host_space *space,
			   const struct op_perf_event *e,
			   const struct op_perf_sample *s)
{
	struct stack t = { .f = f, .space = space, .s = s };
	const struct op_unwind_env env = { stack_read, code_at, &t };
	struct op_unwind_regs regs;
	struct op_unwind u;
	size_t n;

	if (!can_unwind(f, e, s))
		return NULL;
	regs_read(f, e->regs_user, s->regs, &regs);
	if (!is_known(&regs, OP_RIP) || !is_known(&regs, OP_RSP))
		return NULL;
	/* To guess callers from what may not be frame pointers is no use. */
	if (!op_perf_may_open(f)) {
		f->unwind.nr_refused++;
		op_perf_frame_add(f, space, regs.r[OP_RIP]);
		return "binaries may not be opened";
	}
	if (!f->unwind.room)
		f->unwind.room = op_new(&f->mem, struct op_perf_unwind, 1);
	if (!f->unwind.room)
		return NULL;
	t.sp = regs.r[OP_RSP];
	op_unwind_begin(&u, &env, &regs);
	n = op_unwind_all(&u, f->unwind.room->frames, MAX_FRAMES);
	for (size_t i = 0; i < n && !f->err->code; i++) {
		const struct op_unwind_frame *at = &f->unwind.room->frames[i];

		op_perf_frame_add(f, space, at->pc - !at->is_exact);
	}
	return u.end == OP_UNWIND_DONE ? NULL : op_unwind_end_text(u.end);
}
