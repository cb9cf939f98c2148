// SPDX-License-Identifier: Apache-2.0
/* sym/kept.h: open files of binaries that their names do not lead to: those of
 * containers, and those that were replaced or deleted while they run.
 *
 * A recorder opens such a file through a process that maps it, and keeps it
 * while any process does, and until the names of the last samples are looked
 * up. Files are known by their htlhash. There are at most OP_KEPT_MAX: a file
 * that nobody maps gives way to another, else the other is not kept.
 *
 * One thread puts files, and another opens them. */
#ifndef OP_SYM_KEPT_H
#define OP_SYM_KEPT_H

#include "base/err.h"
#include "base/view.h"

enum { OP_KEPT_MAX = 256 };

struct op_kept;

/* NULL without memory, which is recorded in err. */
struct op_kept *op_kept_new(struct op_err *err);
void op_kept_free(struct op_kept *k);

/* Keeps a file, whose descriptor it then owns; one more binary with the same
 * hash is counted. False if it is not kept. */
bool op_kept_put(struct op_kept *k, struct op_view htlhash, int fd);
/* One of the binaries is not mapped any more. */
void op_kept_gone(struct op_kept *k, struct op_view htlhash);
/* A window ends. The names of the one before were looked up: files that were
 * gone when it ended are closed. */
void op_kept_window(struct op_kept *k);

/* A new descriptor of a file; -1 if it is not kept. */
int op_kept_open(struct op_kept *k, struct op_view htlhash);
/* How many there are. */
uint32_t op_kept_nr(struct op_kept *k);

#endif
