// SPDX-License-Identifier: Apache-2.0
/* tests/write/bomb.h: small things that take their readers long. */
#ifndef OP_TESTS_WRITE_BOMB_H
#define OP_TESTS_WRITE_BOMB_H

#include "write/elf.h"

/* A name whose types refer to one another, so that a demangler looks at each
 * of them twice as often as at the one before. */
enum { BOMB_NAME = 256 };
void bomb_name(char out[BOMB_NAME]);

/* DWARF in which all units name one long list of ranges; code is at 0x1000. */
void bomb_lines(struct elf *f);

#endif
