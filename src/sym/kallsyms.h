// SPDX-License-Identifier: Apache-2.0
/* sym/kallsyms.h: the symbols of the running kernel and its modules.
 *
 * A line of /proc/kallsyms is
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0201000 t nf_init [nf_tables]
 *
 * with a tab before the module. Symbols are found with op_symtab_find().
 * Addresses are those of this boot; they are all zero for users who may not see
 * them.
 */
#ifndef OP_SYM_KALLSYMS_H
#define OP_SYM_KALLSYMS_H

#include "sym/symtab.h"

struct op_kallsyms {
	struct op_symtab symbols;
	uint64_t text;	/* start of the kernel, _text; 0: unknown */
	uint64_t stext; /* start of its code, _stext */
};

/* Parses the text, which must outlive k; k->symbols.mem must be set before. An
 * invalid line is an error; an incomplete last line is ignored. OP_EUSAGE if
 * all addresses are hidden. */
int op_kallsyms_read(struct op_kallsyms *k, struct op_view text,
		     struct op_err *err);

#endif
