// SPDX-License-Identifier: Apache-2.0
/* sym/helper.h: symbolizes addresses in another process.
 *
 * libdw, libelf and libiberty are made for trusted binaries: a file of a few
 * kilobytes can keep them busy for minutes, or exhaust memory. So they run in a
 * process with limits on both. It receives the open files and the addresses,
 * and returns frames; it opens no files itself.
 *
 *	struct op_helper h = { .program = "/usr/bin/otprof" };
 *	struct op_helper_binary b = { .fds = { fd, -1, -1 } };
 *
 *	op_helper_ask(&h, &b, vaddrs, n, fn, ctx, err);
 *	op_helper_close(&h);
 *
 * The program is otprof itself, which answers on its standard input if its only
 * argument is OP_HELPER_ARG; cli/symbol_helper.c is that side, and
 * helper_wire.h is the protocol.
 *
 * When a limit is reached:
 *
 *	a name takes too long		it is not demangled; after several, no
 *					name of that binary is
 *	an address takes too long, too	the binary is retried without its
 *	much memory, or the helper dies	DWARF, then skipped
 *	all together take too long	no more lookups
 *
 * Times are CPU times, so that load on the machine does not matter. The total
 * limit grows with the files and the addresses: normal files stay far below it.
 */
#ifndef OP_SYM_HELPER_H
#define OP_SYM_HELPER_H

#include <sys/types.h>

#include "base/buf.h"
#include "sym/helper_wire.h"

#define OP_HELPER_ARG "--symbol-helper"

/* 0: the default. */
struct op_helper_limits {
	uint32_t step_ms;  /* per address; 500, plus some for the files */
	uint32_t name_ms;  /* per name; 100 */
	uint32_t total_ms; /* 2500, plus some for files and addresses */
	uint32_t wall_ms;  /* wall-clock time without an answer; 30000 */
	uint32_t data_mib; /* memory; 512, plus some for the files */
};

struct op_helper {
	const char *program;
	struct op_helper_limits limits;

	/* The rest is private and must be zero. */
	pid_t pid; /* 0: not running */
	int fd;
	uint32_t nr_started;
	bool is_off;	    /* no more lookups */
	uint64_t spent_us;  /* by helpers that ended */
	uint64_t earned_us; /* on top of the total, for files and addresses */
	struct op_buf in, name;
	struct op_err in_err;
};

struct op_helper_binary {
	int fds[OP_BINARY_FILES]; /* -1: absent; all: the vDSO */
	bool may_split;		  /* .dwo files may be opened */

	/* The rest is private. */
	uint64_t file_bytes;
	uint32_t flags; /* OP_ASK_NO_ */
	uint32_t nr_slow_names;
	bool is_known, is_given_up;
};

/* The result for an address. */
enum op_helper_result {
	OP_HELPER_FRAMES,
	OP_HELPER_TOO_COSTLY, /* the lookup was not completed */
};

/* Called once for each address, in order. flags are the OP_ASK_NO_ that limits
 * made necessary. Views are valid until it returns. */
typedef void op_helper_fn(void *ctx, size_t i, enum op_helper_result result,
			  uint32_t flags, const struct op_sym_frame *frames,
			  size_t nr);

/* Looks up the functions at addresses of a binary. The caller keeps its
 * descriptors. Fails only if out of memory, or if no helper can be started. */
struct op_helper_question {
	struct op_helper_binary *binary;
	const uint64_t *vaddrs;
	size_t nr;
	op_helper_fn *fn;
	void *ctx;
};

int op_helper_ask(struct op_helper *h, const struct op_helper_question *q,
		  struct op_err *err);

/* Demangles a name that is not from a binary. The view is valid until the next
 * call, and empty if the name is not demangled; was_slow is set if that is
 * because of a limit. */
struct op_view op_helper_name(struct op_helper *h, struct op_view name,
			      bool *was_slow, struct op_err *err);

/* Limits on all lookups together begin anew; a helper that runs goes on. */
void op_helper_renew(struct op_helper *h);

/* CPU time of all its processes so far. */
uint64_t op_helper_spent_us(const struct op_helper *h);

void op_helper_close(struct op_helper *h);

#endif
