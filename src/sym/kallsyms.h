// SPDX-License-Identifier: Apache-2.0
/* sym/kallsyms.h: the symbols of the running kernel and its modules.
 *
 * A line of /proc/kallsyms is
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0201000 t nf_init [nf_tables]
 *
 * with a tab before the module. Symbols are found with op_symtab_find().
 * Addresses are those of this boot; they are all zero for a reader who may not
 * see them.
 */
#ifndef OP_SYM_KALLSYMS_H
#define OP_SYM_KALLSYMS_H

#include "sym/symtab.h"

struct op_kallsyms {
	struct op_symtab symbols;
	struct op_view all;
	uint64_t text;	/* where the kernel begins, _text; 0: not known */
	uint64_t stext; /* where its code begins, _stext */
};

/* Reads the text, which must outlive k; k->symbols.mem is set before. What is
 * no such line is an error; a last line without an end is left out. OP_EUSAGE
 * if all addresses are hidden. */
int op_kallsyms_read(struct op_kallsyms *k, struct op_view text,
		     struct op_err *err);

/* The module that stands behind a symbol's name in the text: "nf_tables";
 * empty: the kernel itself. */
struct op_view op_kallsyms_module(const struct op_kallsyms *k,
				  const struct op_symbol *s);

#endif
