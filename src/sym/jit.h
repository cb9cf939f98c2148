// SPDX-License-Identifier: Apache-2.0
/* sym/jit.h: names of code that a program made while it ran.
 *
 * A perf map (/tmp/perf-PID.map) is text, a line a function:
 *
 *	7f3d60021000 1c0 LazyCompile:*parse app.js:12
 *
 * A jitdump file (jit-PID.dump) is binary, with times, so that code which took
 * the place of other code can be told from it:
 *
 *	header	"DTiJ", version, size of it, machine, pad, pid, time, flags
 *	record	id, size of it, time, then by id
 *	  0 load   pid, tid, address, address, size, index, name, 0, the code
 *	  1 move   pid, tid, address, old one, new one, size, index
 *	  others are skipped
 *
 * Both are hints from another process: lines and records that make no sense
 * are skipped, and what is past the limits is left out.
 */
#ifndef OP_SYM_JIT_H
#define OP_SYM_JIT_H

#include "base/buf.h"
#include "base/vec.h"

/* Whenever: the newest name counts. */
#define OP_JIT_NOW UINT64_MAX

struct op_jit_code {
	uint64_t start, end;
	uint64_t since; /* time, or the order of lines */
	uint64_t reach; /* largest end of those before and this one */
	struct op_view name;
};

struct op_jit {
	struct op_arena *mem;
	OP_VEC(struct op_jit_code) codes;
	uint64_t nr_skipped; /* lines or records without sense */
};

/* Most codes that are kept, and most bytes of a name. */
enum { OP_JIT_MAX = 1 << 22, OP_JIT_NAME = 4096 };

/* Adds what a perf map says; the text must outlive j. */
int op_jit_perf_map(struct op_jit *j, struct op_view text, struct op_err *err);

/* Adds what a jitdump file says; it must outlive j. Fails if it does not begin
 * as one; one that is cut off gives what it has. */
int op_jit_dump(struct op_jit *j, struct op_view file, struct op_err *err);

/* Due once, after all was added. */
void op_jit_finish(struct op_jit *j);

/* The name of the code that was there at a time (of the jitdump's clock);
 * empty if there is none. */
struct op_view op_jit_find(const struct op_jit *j, uint64_t address,
			   uint64_t time);

/* Reads /tmp/perf-PID.map, or jit-PID.dump, of a process that runs, as that
 * process sees it: in its own root and by the number it has in its own pid
 * namespace; else, where it does not run any more, our own /tmp. Only an
 * ordinary file is read that belongs to us or to the process's user, and that
 * nobody else may write, and at most out's limit of it. A process that began
 * after before_ns (0: whenever) is another one, with the same number. OP_EIO
 * if there is no such file. */
struct op_jit_place {
	const char *proc; /* NULL: /proc */
	const char *tmp;  /* NULL: /tmp */
	uint32_t pid;
	uint64_t before_ns; /* since 1970 */
	bool is_dump;
};

int op_jit_map_read(const struct op_jit_place *at, struct op_buf *out);

#endif
