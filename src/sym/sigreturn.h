// SPDX-License-Identifier: Apache-2.0
/* sym/sigreturn.h: where a signal handler returns to.
 *
 * The kernel makes a handler's frame as if code that calls rt_sigreturn had
 * called it. glibc describes that code by an FDE, musl does not; either way
 * the registers that were interrupted lie in a sigcontext on the stack. */
#ifndef OP_SYM_SIGRETURN_H
#define OP_SYM_SIGRETURN_H

#include "sym/cfi_run.h"

/* The rule that takes all registers from the sigcontext. */
struct op_rule op_sigreturn_rule(void);

/* Whether a state says just that, register by register. */
bool op_sigreturn_is(const struct op_cfi_state *s);

/* The first code in v that calls rt_sigreturn: its offset and length. */
bool op_sigreturn_find(struct op_view v, size_t *at, size_t *n);

/* Whether v begins with such code. */
bool op_sigreturn_at(struct op_view v);

/* Bytes that op_sigreturn_at() wants to see. */
enum { OP_SIGRETURN_BYTES = 16 };

/* The word of the sigcontext that has a register, by its DWARF number. */
extern const uint8_t op_sigcontext_word[17];

#endif
