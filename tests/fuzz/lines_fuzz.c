// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a file with DWARF: whatever it says, asking ends, and what comes
 * is text. The corpus was made by
 *
 *	gcc -g -O2 -shared -fPIC -nostdlib, and clang-14 -gdwarf-4
 */
#include "fuzz/prop.h"
#include "sym/elf.h"
#include "sym/lines.h"

static void prop_text(const char *s)
{
	PROP(!s || strlen(s) < SIZE_MAX / 2);
}

static void ask(struct op_lines *l, uint64_t vaddr)
{
	struct op_line_frame f[OP_LINES_MAX];
	size_t n = op_lines_find(l, vaddr, f, OP_LINES_MAX);

	PROP(n <= OP_LINES_MAX);
	for (size_t i = 0; i < n; i++) {
		prop_text(f[i].name);
		prop_text(f[i].file);
		prop_text(f[i].dir);
		prop_text(f[i].function_file);
		PROP(f[i].line >= 0 && f[i].column >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_elf_section s;
	struct op_err err = { 0 };
	struct op_lines *l;
	struct op_elf e;

	if (op_elf_open(&e, op_view(p, n), &err))
		return 0;
	l = op_lines_open(&(struct op_lines_source){ .file = e.file, .fd = -1 },
			  &err);
	if (!l)
		return 0;
	if (op_elf_section(&e, ".text", &s))
		for (uint64_t i = 0; i < 64; i++)
			ask(l, s.vaddr + i * 3);
	ask(l, e.entry);
	op_lines_close(l);
	return 0;
}
