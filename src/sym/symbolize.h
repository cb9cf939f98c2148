// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize.h: gives names and lines to the addresses of a model.
 *
 * A location with an address and without a named function gets the functions
 * that its binary has there, inlined calls included; locations with names stay
 * as they are. An address is looked up as it is: a frame that called has one
 * inside its call, as OTLP and pprof want it.
 *
 * Where an address lies within its mapping in memory, that mapping says where
 * in the file it is; any other address is one of the ELF file's own.
 *
 * Addresses of the kernel are looked up in /proc/kallsyms if the profile is of
 * this boot: its mapping of the kernel has the build id of the running kernel
 * and begins where that does. Addresses in no file are looked up in the perf
 * map of the process that all samples with that location are of.
 *
 * A location that stays without a name gets the attribute
 * otprof.location.unresolved, which says why:
 *
 *	no-file		the binary is not here
 *	other-build	what is here is of another build
 *	changed		it changed after the profile was taken, which names no
 *			build
 *	broken		it is not an ELF file, or may not be read
 *	no-symbol	it has no symbol there
 *	other-kernel	not known to be the running kernel, or it hides its
 *			addresses
 *	no-map		code that was made at run time, without a perf map
 *	too-costly	to look it up took more time or memory than symbols may
 *			take
 */
#ifndef OP_SYM_SYMBOLIZE_H
#define OP_SYM_SYMBOLIZE_H

#include "model/model.h"
#include "sym/find.h"
#include "sym/helper.h"

enum op_unresolved {
	OP_RESOLVED,
	OP_NO_FILE,
	OP_OTHER_BUILD,
	OP_CHANGED,
	OP_BROKEN,
	OP_NO_SYMBOL,
	OP_OTHER_KERNEL,
	OP_NO_MAP,
	OP_TOO_COSTLY,
	OP_NR_UNRESOLVED,
};

/* What the attribute says. */
extern const char *const op_unresolved_codes[OP_NR_UNRESOLVED];

struct op_symbolize_opts {
	struct op_find find;
	/* The otprof program, which reads binaries in a process of its own,
	 * with limits on time and memory (helper.h); NULL: they are read in
	 * this one, without. */
	const char *program;
	struct op_helper_limits limits;
	const char *kallsyms; /* NULL: /proc/kallsyms */
	const char *notes;    /* NULL: /sys/kernel/notes */
	const char *proc;     /* NULL: /proc */
	/* Told in a sentence without a period what stays without names, a
	 * file at a time; NULL: nobody listens. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

struct op_symbolize_result {
	uint64_t nr_kept;	       /* had names */
	uint64_t nr[OP_NR_UNRESOLVED]; /* by what became of them */
	uint64_t nr_unchecked;	       /* named by a file nobody checked */
	uint64_t nr_frames;	       /* functions that were put */
	uint64_t nr_opened;	       /* binaries, each once */
};

/* opts and result may be NULL. Fails only without memory or without a helper
 * that was asked for; m is then good, but has names for a part only. */
int op_symbolize(struct op_model *m, const struct op_symbolize_opts *opts,
		 struct op_symbolize_result *result, struct op_err *err);

#endif
