// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a Go program: names and files lie in it, and a function is found
 * at an address if and only if a search of all of them finds one.
 *
 * The corpus was written with tests/write/go.h. */
#include "fuzz/prop.h"
#include "sym/go_table.h"

static void prop_text(struct op_view in, const char *s)
{
	if (!s)
		return;
	PROP((const uint8_t *)s >= in.p && (const uint8_t *)s < in.p + in.n);
	PROP(*s && memchr(s, 0, (size_t)(in.p + in.n - (const uint8_t *)s)));
}

static bool is_sorted(const struct op_go_table *t)
{
	for (uint32_t i = 0; i < t->nr_funcs; i++)
		if (op_go_entry(t, i) > op_go_entry(t, i + 1))
			return false;
	return true;
}

static bool slow_has(const struct op_go_table *t, uint64_t at)
{
	for (uint32_t i = 0; i < t->nr_funcs; i++)
		if (op_go_entry(t, i) <= at && at < op_go_entry(t, i + 1))
			return true;
	return false;
}

static void prop_place(const struct op_go_table *t, struct op_view in,
		       uint64_t at)
{
	struct op_line_frame frames[OP_LINES_MAX];
	size_t nr = op_go_table_find(t, at, frames, OP_LINES_MAX);

	PROP(nr <= OP_LINES_MAX);
	for (size_t i = 0; i < nr; i++) {
		PROP(frames[i].name);
		PROP(frames[i].line >= 0 && frames[i].function_line >= 0);
		prop_text(in, frames[i].name);
		prop_text(in, frames[i].file);
	}
	if (nr && is_sorted(t))
		PROP(slow_has(t, at));
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_view in = op_view(p, n);
	struct op_err err = { 0 };
	struct op_go_table t;
	struct op_elf e;

	if (op_elf_open(&e, in, &err) || !op_go_table_open(&t, &e))
		return 0;
	PROP(t.nr_funcs && t.nr_funcs <= n);
	for (uint32_t i = 0; i <= t.nr_funcs && i < 20; i++) {
		uint64_t entry = op_go_entry(&t, i);

		prop_place(&t, in, entry);
		prop_place(&t, in, entry - 1);
		prop_place(&t, in, entry + 0x10);
		prop_place(&t, in, entry + 0x14);
	}
	return 0;
}
