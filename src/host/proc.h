// SPDX-License-Identifier: Apache-2.0
/* host/proc.h: running processes, from /proc.
 *
 * Whatever is read may be gone, unreadable or changing: then there is less of
 * it. Names come from programs and may be anything. */
#ifndef OP_HOST_PROC_H
#define OP_HOST_PROC_H

#include "base/intern.h"
#include "base/vec.h"
#include "host/host.h"

/* The build id of a file that was looked at. */
struct op_proc_id {
	uint64_t dev, ino, mtime_ns, size;
	uint8_t id_len; /* 0: it has none */
	uint8_t id[OP_HOST_ID_BYTES];
};

struct op_proc {
	const char *root; /* NULL: /proc */

	/* The rest is private and must be zero. Build ids are remembered, up to
	 * a limit. */
	struct op_arena mem;
	struct op_intern index;
	OP_VEC(struct op_proc_id) ids;
	uint64_t nr_opened; /* files, for their build ids */
};

/* Frees what is remembered. */
void op_proc_fini(struct op_proc *p);

/* Of the whole machine, and of a process; false if they cannot be listed. */
typedef void op_proc_id_fn(void *arg, uint32_t id);
bool op_proc_pids(const struct op_proc *p, op_proc_id_fn *fn, void *arg);
bool op_proc_tids(const struct op_proc *p, uint32_t pid, op_proc_id_fn *fn,
		  void *arg);

/* Whether there is such a process. */
bool op_proc_is_alive(const struct op_proc *p, uint32_t pid);

/* Executable mappings, in the order of their addresses, with the build id of
 * the file that is mapped, if it can be opened. The record is good until fn
 * returns. False if the process is gone or not ours. */
typedef void op_proc_map_fn(void *arg, const struct op_host_mmap *m);
bool op_proc_maps(struct op_proc *p, uint32_t pid, op_proc_map_fn *fn,
		  void *arg);

/* Every mapping as the kernel lists it, until fn returns false. False if the
 * process is gone or not ours. */
typedef bool op_proc_line_fn(void *arg, struct op_host_mmap *m);
bool op_proc_map_lines(const struct op_proc *p, uint32_t pid,
		       op_proc_line_fn *fn, void *arg);

/* A line of the text of maps; false if it is none. The name is a view of the
 * line. */
bool op_proc_map_line(struct op_view line, struct op_host_mmap *out);

/* A small file of a process, up to n bytes; how many there were, or -1. */
int64_t op_proc_file(const struct op_proc *p, uint32_t pid, const char *name,
		     void *out, size_t n);
/* Where a link of a process leads to, with a NUL; false if it cannot be read or
 * does not fit. */
bool op_proc_link(const struct op_proc *p, uint32_t pid, const char *name,
		  char *out, size_t n);

struct op_proc_stat {
	uint32_t parent_pid;
	uint32_t uid;
	uint64_t start_ticks; /* since boot; tells users of a pid apart */
};

bool op_proc_stat(const struct op_proc *p, uint32_t pid,
		  struct op_proc_stat *out);

/* Tells a host what runs in a process: names of threads, mappings, program. For
 * processes that began before the records did. False if it is gone. */
bool op_proc_read(struct op_proc *p, uint32_t pid, struct op_host *h);

#endif
