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
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

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

/* A table that was made elsewhere, in the memory of the recording. A few bytes
 * of a file may ask for a table of megabytes, and so they are counted. */
static bool table_keep(struct op_perf *f, const struct op_unwind_table *from,
		       struct op_unwind_table *out)
{
	uint32_t n = from->head->bytes;
	void *block = NULL;

	if (f->unwind.table_bytes + n > MAX_TABLES)
		return false;
	block = op_arena_alloc(&f->mem, n);
	if (!block)
		return false;
	memcpy(block, from->head, n);
	f->unwind.table_bytes += n;
	out->head = block;
	return true;
}

/* A table of all of a binary, made when its code is first met. What it is made
 * of takes many times its place and goes. */
static bool table_make(struct op_perf *f, uint32_t binary,
		       struct op_perf_file *file)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_unwind_build build;
	struct op_unwind_table made;
	struct op_cfi cfi;
	struct op_elf elf;
	bool ok;

	ok = op_perf_binary_whole(f, binary, &mem, &elf) &&
	     !op_unwind_elf(&elf, &mem, &cfi, &err) &&
	     !op_unwind_build_init(&build, &cfi, &mem, &err) &&
	     !op_unwind_build_all(&build) &&
	     !op_unwind_build_table(&build, &made) &&
	     table_keep(f, &made, &file->table);
	op_arena_free(&mem);
	if (err.code == OP_ENOMEM)
		*f->err = err;
	return ok;
}

static bool table_of(struct op_perf *f, uint32_t binary,
		     struct op_unwind_table *out)
{
	struct op_perf_binary *b = op_perf_binary(f, binary);
	struct op_perf_file *file;

	if (!b)
		return false;
	file = b->file;
	if (!file->is_tried) {
		file->is_tried = true;
		file->has_table = table_make(f, binary, file);
	}
	*out = file->table;
	return file->has_table;
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
