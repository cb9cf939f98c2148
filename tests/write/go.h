// SPDX-License-Identifier: Apache-2.0
/* tests/write/go.h: ELF files with the function table of a small Go program.
 *
 *	0x1000	main.main	main.go:10	12 from 0x1010 on
 *	0x1010	 main.twice	twice.go:20	in main.go:11, to 0x1020
 *	0x1014	 main.once	twice.go:30	in twice.go:21, to 0x1018
 *	0x1040	main.other	main.go:50
 *	0x1060	the end
 *
 * main.main has a frame of 8 bytes from 0x1004 to 0x1034, in between of 40 from
 * 0x100c to 0x1030. main.other has none, and no caller.
 */
#ifndef OP_TESTS_WRITE_GO_H
#define OP_TESTS_WRITE_GO_H

#include "sym/go_table.h"
#include "write/elf.h"

struct go_program {
	enum op_go_version version;
	bool is_32;
	bool is_moved;	  /* the module data is in relocations */
	bool no_module;	  /* it is not there */
	bool no_sections; /* no section headers */
	bool no_text;	  /* the table does not say where code begins */
};

enum { GO_TEXT = 0x1000, GO_TABLE = 0x4000, GO_TREES = 0x9000 };

void go_write(struct elf *f, const struct go_program *g);

#endif
