// SPDX-License-Identifier: Apache-2.0
/* sym/names.h: names that are remembered from one model to the next.
 *
 * For who symbolizes one model after the other, such as a recorder. Kept are
 *
 *	functions by binary and address, up to a number of bytes
 *	the process that reads binaries
 *	the symbols of the running kernel, parsed once
 *	perf maps, read again when their files have changed
 *
 * A binary is identified by its path and the build IDs of the profile; then no
 * file is opened for an address that is known. Without a build ID the file is
 * looked at each time, and identified by device, inode, time and size. That a
 * file was not found is not remembered. Not thread-safe. */
#ifndef OP_SYM_NAMES_H
#define OP_SYM_NAMES_H

#include "sym/symbolize.h"

#define OP_NAMES_MAX_BYTES ((size_t)16 << 20)

struct op_names;

/* opts, of which pointers must stay valid, may be NULL. max_bytes: of the
 * functions by address; 0: they are not kept. NULL without memory, which is
 * recorded in err. */
struct op_names *op_names_new(const struct op_symbolize_opts *opts,
			      size_t max_bytes, struct op_err *err);
void op_names_free(struct op_names *n);

/* Bytes that remembered functions take now. */
size_t op_names_bytes(const struct op_names *n);

/* CPU time of the processes that read binaries. */
uint64_t op_names_helper_us(const struct op_names *n);

/* op_symbolize() with what is remembered. */
int op_symbolize_with(struct op_names *n, struct op_model *m,
		      struct op_symbolize_result *result, struct op_err *err);

#endif
