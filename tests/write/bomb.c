// SPDX-License-Identifier: Apache-2.0
#include "write/bomb.h"

#include <string.h>

static void add(char *out, const char *text)
{
	strncat(out, text, BOMB_NAME - strlen(out) - 1);
}

void bomb_name(char out[BOMB_NAME])
{
	enum { DEPTH = 30 };
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char back[] = "S0_E";

	*out = 0;
	add(out, "_Z1fDp");
	for (int i = 0; i < DEPTH; i++)
		add(out, "Fv");
	add(out, "1AS_E");
	for (int i = 0; i < DEPTH - 1; i++) {
		back[1] = digits[i];
		add(out, back);
	}
}

/* One unit without children, of DWARF 4: head, abbreviation 1, ranges. */
static const uint8_t unit[] = {
	12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0,
};

/* Abbreviation 1: a unit with its ranges (DW_FORM_sec_offset). */
static const uint8_t abbrev[] = { 1, 0x11, 0, 0x55, 0x17, 0, 0, 0 };

void bomb_lines(struct elf *f)
{
	enum { UNITS = 4000, RANGES = 5000 };
	static uint8_t info[UNITS * sizeof(unit)];
	static uint64_t ranges[2 * RANGES + 2];
	static const uint8_t code[64];

	for (int i = 0; i < UNITS; i++)
		memcpy(info + (size_t)i * sizeof(unit), unit, sizeof(unit));
	for (int i = 0; i < RANGES; i++) {
		ranges[2 * i] = 0x1000;
		ranges[2 * i + 1] = 0x1040;
	}
	elf_start(f, true);
	elf_segment(f, PT_LOAD, PF_R | PF_X, 0x1000,
		    elf_add(f, ".text", SHT_PROGBITS, 0x1000,
			    op_view(code, sizeof(code))));
	elf_add(f, ".debug_info", SHT_PROGBITS, 0, op_view(info, sizeof(info)));
	elf_add(f, ".debug_abbrev", SHT_PROGBITS, 0,
		op_view(abbrev, sizeof(abbrev)));
	elf_add(f, ".debug_ranges", SHT_PROGBITS, 0,
		op_view((const uint8_t *)ranges, sizeof(ranges)));
}
