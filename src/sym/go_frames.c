// SPDX-License-Identifier: Apache-2.0
/* sym/go_frames.c: makes call frame information of the table of a Go program.
 *
 * The result is a .debug_frame: one CIE, and an FDE for each function. The CFA
 * is the stack pointer plus the value of the table plus the return address. A
 * function that has moved the stack pointer has pushed the frame pointer first.
 * The first function of a thread has no caller. */
#include "sym/go_frames.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "sym/go_table.h"
#include "sym/regs_x86_64.h"

enum {
	FIELD_FRAMES = 4, /* of a record: the value table of frames */
	TOP_FRAME = 1,	  /* a flag */
	MAX_SECTION = 256 << 20,
	MAX_FRAME = 1 << 29,
	FDE_SIZE = 16, /* where an FDE has the size of its code */

	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_ADVANCE4 = 0x04,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_OFFSET = 0x0e,
};

struct frames {
	struct op_go_table t;
	struct op_buf out;
	uint64_t steps; /* left, for all functions */
};

struct func {
	uint64_t start, end;
	struct op_view record, values;
	bool is_top;
};

/* Of the value table of a function. */
struct row {
	struct op_view rest; /* of the table */
	uint64_t start, end;
	uint32_t frame; /* bytes between stack pointer and return address */
};

/* --- writing -------------------------------------------------------------- */

static void put_number(struct op_buf *b, uint64_t v, size_t n)
{
	uint8_t *p = op_buf_add(b, n);

	if (p)
		memcpy(p, &v, n);
}

static void put_uleb(struct op_buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		op_buf_byte(b, (int)(v & 0x7f) | 0x80);
	op_buf_byte(b, (int)v);
}

/* The length of an entry is known when it ends. */
static void end_entry(struct op_buf *b, size_t at)
{
	uint32_t n = (uint32_t)(b->n - at - 4);

	if (!b->err->code)
		memcpy(b->p + at, &n, sizeof(n));
}

static void put_cie(struct op_buf *b)
{
	static const uint8_t program[] = { CFA_DEF_CFA, OP_RSP, 8,
					   CFA_OFFSET | OP_RIP, 1 };
	/* Version 3, no augmentation, factors 1 and -8. */
	static const uint8_t head[] = { 3, 0, 1, 0x78, OP_RIP };

	put_number(b, 0, 4);
	put_number(b, UINT32_MAX, 4);
	op_buf_view(b, op_view(head, sizeof(head)));
	op_buf_view(b, op_view(program, sizeof(program)));
	end_entry(b, 0);
}

static void put_advance(struct op_buf *b, uint64_t n)
{
	if (n < 0x40) {
		op_buf_byte(b, CFA_ADVANCE | (int)n);
		return;
	}
	op_buf_byte(b, CFA_ADVANCE4);
	put_number(b, n, 4);
}

/* The frame begins with the return address and the frame pointer. */
static void put_frame(struct op_buf *b, uint64_t frame, bool *is_pushed)
{
	op_buf_byte(b, CFA_DEF_CFA_OFFSET);
	put_uleb(b, frame + 8);
	if (frame >= 8 && !*is_pushed) {
		op_buf_byte(b, CFA_OFFSET | OP_RBP);
		op_buf_byte(b, 2);
	} else if (frame < 8 && *is_pushed) {
		op_buf_byte(b, CFA_SAME_VALUE);
		op_buf_byte(b, OP_RBP);
	}
	*is_pushed = frame >= 8;
}

/* --- reading -------------------------------------------------------------- */

static bool take_varint(struct op_view *v, uint64_t *out)
{
	struct op_varint x = op_varint_read(v->p, v->p + v->n);

	if (!x.p)
		return false;
	*v = op_view(x.p, (size_t)(v->p + v->n - x.p));
	*out = x.v;
	return true;
}

/* The next row of a value table: a change of the value and a length. Only the
 * first may change nothing; another that does ends the table. */
static bool take_row(struct frames *f, const struct func *fn, struct row *r)
{
	uint64_t change, n;

	r->start = r->end;
	if (!f->steps || r->start >= fn->end)
		return false;
	if (!take_varint(&r->rest, &change) || !take_varint(&r->rest, &n))
		return false;
	if ((!change && r->start != fn->start) || !n || n > UINT32_MAX / 4)
		return false;
	f->steps--;
	r->frame += (uint32_t)(change & 1 ? ~(change >> 1) : change >> 1);
	r->end += n * f->t.quantum;
	return true;
}

/* The flags are the third byte before the value tables, behind fields of which
 * each enum op_go_version has more. */
static size_t flags_at(const struct op_go_table *t)
{
	static const uint8_t nr_fields[] = { 0, 7, 8, 8, 9 };
	size_t entry = t->version >= OP_GO_1_18 ? 4 : t->pointer;

	return entry + 4 * nr_fields[t->version] + 1;
}

static bool take_func(const struct op_go_table *t, uint32_t i, struct func *out)
{
	size_t n = t->version >= OP_GO_1_18 ? 4 : t->pointer;
	struct op_view all = t->version == OP_GO_1_2 ? t->bytes : t->funcs;
	uint64_t at = op_go_number(t->funcs, (2 * (uint64_t)i + 1) * n, n);
	uint64_t values;

	out->start = op_go_entry(t, i);
	out->end = op_go_entry(t, i + 1);
	if (at >= all.n || out->end <= out->start)
		return false;
	out->record = op_view(all.p + at, all.n - (size_t)at);
	values = op_go_number(out->record, n + 4 * (FIELD_FRAMES - 1), 4);
	out->is_top = op_go_number(out->record, flags_at(t), 1) & TOP_FRAME;
	if (!values || values >= t->values.n)
		return false;
	out->values = op_view(t->values.p + values,
			      t->values.n - (size_t)values);
	return true;
}

static void begin_fde(struct op_buf *b, const struct func *fn, uint64_t start)
{
	put_number(b, 0, 4);
	put_number(b, 0, 4); /* the CIE */
	put_number(b, start, 8);
	put_number(b, 0, 8);
	if (fn->is_top) {
		op_buf_byte(b, CFA_UNDEFINED);
		op_buf_byte(b, OP_RIP);
	}
}

static void end_fde(struct op_buf *b, size_t at, uint64_t bytes)
{
	end_entry(b, at);
	if (!b->err->code)
		memcpy(b->p + at + FDE_SIZE, &bytes, sizeof(bytes));
}

/* Code that changes to another stack has a frame of a huge size: nothing is
 * known of it, and it is in no FDE. What follows the last row is padding. */
static void put_func(struct frames *f, const struct func *fn)
{
	struct row r = { .rest = fn->values, .end = fn->start, .frame = ~0u };
	struct op_buf *b = &f->out;
	bool is_open = false, is_pushed = false;
	uint64_t from = 0, last = 0;
	size_t at = 0;

	while (take_row(f, fn, &r)) {
		if (r.frame > MAX_FRAME) {
			if (is_open)
				end_fde(b, at, r.start - from);
			is_open = false;
			continue;
		}
		if (is_open) {
			put_advance(b, r.start - last);
		} else {
			at = b->n;
			from = r.start;
			is_open = true;
			is_pushed = false;
			begin_fde(b, fn, from);
		}
		last = r.start;
		put_frame(b, r.frame, &is_pushed);
	}
	if (is_open)
		end_fde(b, at, fn->end - from);
}

int op_go_frames(const struct op_elf *e, struct op_arena *mem,
		 struct op_cfi_section *out, struct op_err *err)
{
	struct frames f = { .out = { .limit = MAX_SECTION, .err = err } };
	struct func fn;
	uint8_t *copy;

	if (!op_go_table_open(&f.t, e))
		return OP_OK;
	/* Functions may share value tables, but few do. */
	f.steps = 4 * (uint64_t)f.t.bytes.n;
	put_cie(&f.out);
	for (uint32_t i = 0; i < f.t.nr_funcs && !err->code; i++)
		if (take_func(&f.t, i, &fn))
			put_func(&f, &fn);
	copy = err->code ? NULL : op_arena_alloc(mem, f.out.n);
	if (copy) {
		memcpy(copy, f.out.p, f.out.n);
		*out = (struct op_cfi_section){ op_view(copy, f.out.n), 0,
						true };
	}
	op_buf_free(&f.out);
	return err->code;
}
