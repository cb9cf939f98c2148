// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize.h: adds names and lines to the addresses of a model.
 *
 * A location with an address and without a named function gets the functions
 * that its binary has there, including inlined calls; locations with names stay
 * unchanged. An address is looked up as is: the address of a calling frame is
 * inside its call instruction, as OTLP and pprof require.
 *
 * If an address is inside its mapping in memory, the mapping determines the
 * file offset; any other address is an ELF virtual address.
 *
 * Kernel addresses are looked up in /proc/kallsyms if the profile is of this
 * boot: its mapping of the kernel has the build ID of the running kernel and
 * begins at the same address. Addresses that are not in a file are looked up in
 * the perf map of the process, if all samples with that location belong to one.
 *
 * A location that stays without a name gets the attribute
 * otprof.location.unresolved with the reason:
 *
 *	no-file		the binary was not found
 *	other-build	the file found is of another build
 *	changed		the file changed after the profile was taken, which has
 *			no build ID
 *	broken		it is not an ELF file, or not readable
 *	no-symbol	there is no symbol at the address
 *	other-kernel	not known to be the running kernel, or it hides its
 *			addresses
 *	no-map		JIT-compiled code without a perf map
 *	no-build-id	the profile has no build ID of the binary, and
 *			named_builds_only is set
 *	too-costly	the lookup exceeded a limit on time or memory
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
	OP_NO_BUILD_ID,
	OP_TOO_COSTLY,
	OP_NR_UNRESOLVED,
};

/* Values of the attribute. */
extern const char *const op_unresolved_codes[OP_NR_UNRESOLVED];

struct op_symbolize_opts {
	struct op_find find;
	/* Only binaries whose build ID the profile has, and the kernel; no perf
	 * maps. */
	bool named_builds_only;
	/* The otprof program, which reads binaries in a separate process with
	 * limits on time and memory (helper.h); NULL: they are read in this
	 * process, without limits. */
	const char *program;
	struct op_helper_limits limits;
	/* Memory for perf maps and jitdump files of all processes; one gets
	 * half of it at most. 0: each is read, up to a size. */
	size_t jit_bytes;
	const char *kallsyms; /* NULL: /proc/kallsyms */
	const char *notes;    /* NULL: /sys/kernel/notes */
	const char *proc;     /* NULL: /proc */
	/* Receives one diagnostic message, without a period, for each file that
	 * leaves addresses unresolved; may be NULL. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

struct op_symbolize_result {
	uint64_t nr_kept;	       /* had names */
	uint64_t nr[OP_NR_UNRESOLVED]; /* by result */
	uint64_t nr_unchecked;	/* from a file without a build ID check */
	uint64_t nr_frames;	/* functions added */
	uint64_t nr_searched;	/* mappings whose file was looked for */
	uint64_t nr_opened;	/* binaries, each once */
	uint64_t nr_remembered; /* addresses looked up before: names.h */
};

/* opts and result may be NULL. Fails only if out of memory or if the requested
 * helper cannot run; m is then valid, but only partly symbolized. */
int op_symbolize(struct op_model *m, const struct op_symbolize_opts *opts,
		 struct op_symbolize_result *result, struct op_err *err);

#endif
