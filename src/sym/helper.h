// SPDX-License-Identifier: Apache-2.0
/* sym/helper.h: names for addresses, by another process.
 *
 * libdw, libelf and libiberty were made for binaries that one trusts: a file
 * of a few kilobytes keeps them busy for minutes, or takes all memory. So they
 * are run in a process with limits on both. It is handed the open files and
 * the addresses, and answers with frames; it opens no file by itself.
 *
 *	struct op_helper h = { .program = "/usr/bin/otprof" };
 *	struct op_helper_binary b = { .fds = { fd, -1, -1 } };
 *
 *	op_helper_ask(&h, &b, vaddrs, n, fn, ctx, err);
 *	op_helper_close(&h);
 *
 * The program is otprof itself, which answers on its standard input if its
 * only argument is OP_HELPER_ARG; cli/symbol_helper.c is that side, and
 * helper_wire.h is what goes between the two.
 *
 * What happens when a limit is met:
 *
 *	a name takes too long		it stays as the linker has it; after
 *					several, all names of that binary do
 *	an address takes too long, too	the binary is asked again without its
 *	much memory, or the helper dies	DWARF, then not at all
 *	all together take too long	nothing is asked any more
 *
 * Time is that of the processor, so that a busy machine changes nothing. All
 * of it has a limit that grows with the files and with the addresses: honest
 * files stay far below it.
 */
#ifndef OP_SYM_HELPER_H
#define OP_SYM_HELPER_H

#include <sys/types.h>

#include "base/buf.h"
#include "sym/helper_wire.h"

#define OP_HELPER_ARG "--symbol-helper"

/* 0: the default. */
struct op_helper_limits {
	uint32_t step_ms;  /* for one address; 500 and some for the files */
	uint32_t name_ms;  /* for one name; 100 */
	uint32_t total_ms; /* for all; 2500 and some for files and addresses */
	uint32_t wall_ms;  /* by the clock, without an answer; 30000 */
	uint32_t data_mib; /* memory; 512 and some for the files */
};

struct op_helper {
	const char *program;
	struct op_helper_limits limits;

	/* The rest is its own; zero is the begin. */
	pid_t pid; /* 0: none is running */
	int fd;
	uint32_t nr_started;
	bool is_off;	    /* nothing is asked any more */
	uint64_t spent_us;  /* by those that ended */
	uint64_t earned_us; /* beyond the total, by files and addresses */
	struct op_buf in, name;
	struct op_err in_err;
};

struct op_helper_binary {
	int fds[OP_BINARY_FILES]; /* -1: not there; all: the vdso */
	bool may_split;		  /* .dwo files may be opened */

	/* The rest is the helper's. */
	uint64_t file_bytes;
	uint32_t flags; /* OP_ASK_NO_ */
	uint32_t nr_slow_names;
	bool is_known, is_given_up;
};

/* What became of an address. */
enum op_helper_result {
	OP_HELPER_FRAMES,
	OP_HELPER_TOO_COSTLY, /* it was not looked up to the end */
};

/* Called once for each address, in their order. flags are the OP_ASK_NO_ that
 * limits made necessary. Views are good until it returns. */
typedef void op_helper_fn(void *ctx, size_t i, enum op_helper_result result,
			  uint32_t flags, const struct op_sym_frame *frames,
			  size_t nr);

/* Asks for the functions at addresses of a binary, whose descriptors stay the
 * caller's. Fails only if there is no memory, or no helper to be had. */
struct op_helper_question {
	struct op_helper_binary *binary;
	const uint64_t *vaddrs;
	size_t nr;
	op_helper_fn *fn;
	void *ctx;
};

int op_helper_ask(struct op_helper *h, const struct op_helper_question *q,
		  struct op_err *err);

/* Makes a name readable that is not from a binary. The view is good until the
 * next call, and empty if the name stands for itself; was_slow is set if a
 * limit is the reason. */
struct op_view op_helper_name(struct op_helper *h, struct op_view name,
			      bool *was_slow, struct op_err *err);

void op_helper_close(struct op_helper *h);

#endif
