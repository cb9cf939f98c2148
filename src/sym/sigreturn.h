// SPDX-License-Identifier: Apache-2.0
/* sym/sigreturn.h: recognizes where a signal handler returns to.
 *
 * The kernel sets up the frame of a handler as if code that calls rt_sigreturn
 * had called it. glibc describes that code by an FDE, musl does not; in both
 * cases the interrupted registers are in a sigcontext on the stack. */
#ifndef OP_SYM_SIGRETURN_H
#define OP_SYM_SIGRETURN_H

#include "sym/cfi_run.h"

/* The rule that loads all registers from the sigcontext. */
struct op_rule op_sigreturn_rule(void);

/* Whether a state does exactly that, register by register. */
bool op_sigreturn_is(const struct op_cfi_state *s);

/* The first code in v that calls rt_sigreturn: its offset and length. */
bool op_sigreturn_find(struct op_view v, size_t *at, size_t *n);

/* Whether v begins with such code. */
bool op_sigreturn_at(struct op_view v);

/* Number of bytes that op_sigreturn_at() needs. */
enum { OP_SIGRETURN_BYTES = 16 };

/* The word of the sigcontext for a register, by its DWARF number. */
extern const uint8_t op_sigcontext_word[17];

#endif
