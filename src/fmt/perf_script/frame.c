// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/frame.c: frames, on lines of their own or behind an event,
 * and the lines that follow them. */
#include "fmt/perf_script/line.h"
#include "fmt/perf_script/word.h"

/* The text in the last parentheses, which may have others in them. */
static bool in_parens(struct op_view *v, struct op_view *out)
{
	size_t depth = 0;

	if (!v->n || v->p[v->n - 1] != ')')
		return false;
	for (size_t i = v->n; i-- > 0;) {
		depth += v->p[i] == ')';
		depth -= v->p[i] == '(';
		if (depth || (i && !op_script_is_blank(v->p[i - 1])))
			continue;
		*out = op_view(v->p + i + 1, v->n - i - 2);
		v->n = i;
		return true;
	}
	return false;
}

/* Without "+0x1f". */
static struct op_view without_offset(struct op_view v)
{
	uint64_t offset;

	for (size_t i = v.n; i-- > 0;) {
		if (v.p[i] == '+' && v.n - i > 3 && v.p[i + 1] == '0' &&
		    v.p[i + 2] == 'x' &&
		    op_script_hex(op_view(v.p + i + 3, v.n - i - 3), &offset))
			return op_view(v.p, i);
		if (op_hex_digit(v.p[i]) < 0 && v.p[i] != 'x')
			break;
	}
	return v;
}

/* What stands behind the address. */
static void names_of(struct op_view v, struct op_script_frame *out)
{
	struct op_view rest = op_script_trim(v), file = { 0 };

	if (in_parens(&rest, &file) && op_view_is(file, "inlined"))
		out->is_inlined = true;
	else if (!op_view_is(file, "[unknown]"))
		out->file = without_offset(file);
	rest = without_offset(op_script_trim(rest));
	if (!op_view_is(rest, "[unknown]"))
		out->symbol = rest;
}

bool op_script_frame(struct op_view line, struct op_script_frame *out)
{
	struct op_view rest = line;

	*out = (struct op_script_frame){ 0 };
	if (!op_script_hex(op_script_word(&rest), &out->address))
		return false;
	names_of(rest, out);
	return true;
}

/* perf prints addresses and weights right-aligned in 16 columns. */
static bool is_column(struct op_view before, struct op_view w)
{
	uint64_t ignored;

	return (size_t)(w.p + w.n - before.p) >= 16 &&
	       op_script_hex(w, &ignored);
}

bool op_script_is_aligned(struct op_view line)
{
	struct op_view rest = line, w = op_script_word(&rest);

	return w.n && is_column(line, w);
}

/* "from/to/P/-/-/4": predicted, in a transaction, aborted, cycles. */
static bool is_branch(struct op_view v)
{
	for (size_t i = 0; i + 8 <= v.n; i++) {
		const uint8_t *p = v.p + i;

		if (p[0] == '/' && memchr("PMN-", p[1], 4) && p[2] == '/' &&
		    memchr("X-", p[3], 2) && p[4] == '/' &&
		    memchr("A-", p[5], 2) && p[6] == '/' &&
		    op_script_is_digit(p[7]))
			return true;
	}
	return false;
}

/* Where a branch went, the branches before, registers, instructions. */
static struct op_view without_tail(struct op_view v)
{
	static const char *const tails[] = { " => ", " 0x",
					     " ABI:", " insn:", " ilen:" };

	for (size_t i = 0; i < op_countof(tails); i++) {
		const uint8_t *at = v.n ? memmem(v.p, v.n, tails[i],
						 strlen(tails[i])) :
					  NULL;

		if (at)
			v.n = (size_t)(at - v.p);
	}
	return v;
}

/* Branches by name follow the frame without a blank. */
static struct op_view without_branches(struct op_view v)
{
	struct op_view rest = v, w;
	const uint8_t *end;

	while ((w = op_script_word(&rest)).n && !is_branch(w))
		;
	if (!w.n)
		return v;
	end = memchr(w.p, w.p[0] == '(' ? ')' : ']', w.n);
	if (end && (w.p[0] == '(' || w.p[0] == '['))
		return op_view(v.p, (size_t)(end + 1 - v.p));
	return op_view(v.p, (size_t)(w.p - v.p));
}

/* The last number in a column that has names behind it. */
static bool column_frame(struct op_view more, struct op_script_frame *out)
{
	struct op_view rest = more, before = more, names = { 0 }, w;
	uint64_t address = 0, last = 0;
	bool after_column = false, is_open = false;

	while ((w = op_script_word(&rest)).n) {
		bool now = is_column(before, w);

		if (now) {
			if (is_open)
				names.n = (size_t)(before.p - names.p);
			is_open = false;
			op_script_hex(w, &last);
		} else if (after_column && w.p[0] != '|') {
			names = op_view(w.p, (size_t)(more.p + more.n - w.p));
			address = last;
			is_open = true;
		}
		after_column = now;
		before = rest;
	}
	*out = (struct op_script_frame){ .address = names.n ? address : last };
	names_of(without_branches(names), out);
	return names.n || (after_column && last);
}

bool op_script_own_frame(struct op_view more, struct op_script_frame *out)
{
	struct op_view v = without_tail(more);
	uint64_t number;

	if (column_frame(v, out))
		return true;
	/* Columns may be lost on the way here. */
	return op_script_frame(v, out) &&
	       (out->file.n || out->is_inlined ||
		(out->symbol.n && !memchr(out->symbol.p, ' ', out->symbol.n) &&
		 !op_script_number(out->symbol, &number)));
}

/* "file.so[1f40]" is all that is known of some. */
static bool is_place(struct op_view v)
{
	const uint8_t *open = v.n ? memrchr(v.p, '[', v.n) : NULL;
	uint64_t ignored;

	return open && open > v.p && v.p[v.n - 1] == ']' &&
	       op_script_hex(op_view(open + 1, (size_t)(v.p + v.n - 2 - open)),
			     &ignored);
}

bool op_script_source(struct op_view line, struct op_view *file, int64_t *nr)
{
	struct op_view v = op_script_trim(line);
	size_t n = v.n;
	uint64_t at;

	if (!v.n || !op_script_is_blank(line.p[0]))
		return false;
	if (is_place(v)) {
		*file = (struct op_view){ 0 };
		*nr = 0;
		return true;
	}
	while (n && op_script_is_digit(v.p[n - 1]))
		n--;
	if (n < 2 || v.p[n - 1] != ':' ||
	    !op_script_number(op_view(v.p + n, v.n - n), &at) || at > INT32_MAX)
		return false;
	*file = op_view(v.p, n - 1);
	*nr = (int64_t)at;
	return true;
}

bool op_script_is_extra(struct op_view line)
{
	static const char *const starts[] = { "ABI:", "insn:", "ilen:" };
	struct op_view v = op_script_trim(line), w;

	for (size_t i = 0; i < op_countof(starts); i++)
		if (op_script_begins(v, starts[i]))
			return true;
	while ((w = op_script_word(&v)).n)
		if (is_branch(w))
			return true;
	return false;
}
