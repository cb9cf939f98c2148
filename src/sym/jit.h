// SPDX-License-Identifier: Apache-2.0
/* sym/jit.h: names of JIT-compiled code.
 *
 * A perf map (/tmp/perf-PID.map) is text, one line per function:
 *
 *	7f3d60021000 1c0 LazyCompile:*parse app.js:12
 *
 * A jitdump file (jit-PID.dump) is binary, with timestamps, so that code can be
 * distinguished from code that replaced it:
 *
 *	header	"DTiJ", version, size of it, machine, pad, pid, time, flags
 *	record	id, size of it, time, then by id
 *	  0 load   pid, tid, address, address, size, index, name, 0, the code
 *	  1 move   pid, tid, address, old one, new one, size, index
 *	  others are skipped
 *
 * Both are hints from another process: invalid lines and records are skipped,
 * and so is what exceeds the limits.
 */
#ifndef OP_SYM_JIT_H
#define OP_SYM_JIT_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/vec.h"

/* Any time: the newest name is used. */
#define OP_JIT_NOW UINT64_MAX

struct op_jit_code {
	uint64_t start, end;
	uint64_t since; /* time, or the order of lines */
	uint64_t reach; /* largest end so far, in order */
	struct op_view name;
};

struct op_jit {
	struct op_arena *mem;
	size_t max; /* functions; 0: OP_JIT_MAX */
	OP_VEC(struct op_jit_code) codes;
	uint64_t nr_skipped; /* invalid lines or records */
};

/* Limits on the number of functions and the length of a name. */
enum { OP_JIT_MAX = 1 << 22, OP_JIT_NAME = 4096 };

/* Adds a perf map; the text must outlive j. */
int op_jit_perf_map(struct op_jit *j, struct op_view text, struct op_err *err);

/* Adds a jitdump file, which must outlive j. Fails if it does not begin like
 * one; a truncated one yields what it has. */
int op_jit_dump(struct op_jit *j, struct op_view file, struct op_err *err);

/* Call once, after everything was added. */
void op_jit_finish(struct op_jit *j);

/* The name of the code that was there at a time (of the jitdump's clock); empty
 * if there is none. */
struct op_view op_jit_find(const struct op_jit *j, uint64_t address,
			   uint64_t time);

/* Reads /tmp/perf-PID.map, or jit-PID.dump, of a running process as that
 * process sees it: in its own root and by its PID in its own PID namespace; if
 * it is not running any more, from our own /tmp. The file must be regular,
 * belong to us or to the user of the process, and not be writable by anybody
 * else; at most out's limit of it is read. A process that started after
 * before_ns (0: any time), or at another time than since_ns, is another one
 * with the same PID; a file that was written before the process started is that
 * of an earlier one. OP_EIO if there is no such file. */
struct op_jit_place {
	const char *proc; /* NULL: /proc */
	const char *tmp;  /* NULL: /tmp */
	uint32_t pid;
	uint64_t before_ns; /* since 1970 */
	uint64_t since_ns;  /* when it started; 0: not known */
	bool is_dump;
};

int op_jit_map_read(const struct op_jit_place *at, struct op_buf *out);

/* The same in two steps: a descriptor and its status, or -1; then the content,
 * which closes it. */
int op_jit_map_open(const struct op_jit_place *at, struct stat *st,
		    struct op_err *err);
int op_jit_map_take(int fd, struct op_buf *out);

#endif
