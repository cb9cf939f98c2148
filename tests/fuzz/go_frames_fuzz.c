// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a Go program: what is made of its table is call frame
 * information without a broken entry, and each FDE is in one of its functions.
 *
 * The corpus was written with tests/write/go.h. */
#include "fuzz/prop.h"
#include "sym/go_frames.h"
#include "sym/go_table.h"

static bool is_inside(const struct op_go_table *t, const struct op_cfi_fde *fde)
{
	uint64_t end = fde->start + fde->size;

	for (uint32_t i = 0; i < t->nr_funcs; i++)
		if (op_go_entry(t, i) <= fde->start &&
		    op_go_entry(t, i + 1) >= end)
			return true;
	return false;
}

static void prop_section(const struct op_go_table *t,
			 const struct op_cfi_section *s)
{
	const struct op_cfi cfi = { .debug = *s };
	struct op_cfi_entry e = op_cfi_entry(s, 0);
	struct op_cfi_cie cie;
	struct op_cfi_fde fde;

	PROP(e.kind == OP_CFI_CIE && op_cfi_cie_read(s, &e, &cie));
	for (uint32_t i = 0;; i++) {
		e = op_cfi_entry(s, e.next);
		if (e.kind == OP_CFI_END)
			break;
		PROP(e.kind == OP_CFI_FDE && e.cie_at == cie.at);
		PROP(op_cfi_fde_read(&cfi, s, &e, &cie, &fde));
		if (i < 20)
			PROP(is_inside(t, &fde));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi_section s = { 0 };
	struct op_go_table t;
	struct op_elf e;

	if (op_elf_open(&e, op_view(p, n), &err))
		return 0;
	PROP(!op_go_frames(&e, &mem, &s, &err));
	PROP(op_go_table_open(&t, &e) == (s.bytes.n > 0));
	if (s.bytes.n)
		prop_section(&t, &s);
	op_arena_free(&mem);
	return 0;
}
