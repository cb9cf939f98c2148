// SPDX-License-Identifier: Apache-2.0
/* host/host.h: what runs on a machine: processes, threads, what they map.
 *
 *	record.c   records of the kernel, decoded
 *	task.c     processes and threads
 *	map.c      binaries, and a sorted set of mappings per process
 *	cgroup.c   control groups
 *	sideband.c what a record means
 *	proc.c     processes that run already, from /proc
 *	container.c containers and systemd units in the paths of cgroups
 *	resource.c resource attributes of a process
 *
 * The reader of perf's files and a live recorder share it. A recorder runs for
 * weeks: memory is bound by what runs at a time, not by what came and went. For
 * that it calls op_host_sweep() now and then.
 *
 * Errors are in the err that it was made with; after the first nothing more is
 * done. */
#ifndef OP_HOST_HOST_H
#define OP_HOST_HOST_H

#include "base/pool.h"
#include "host/cgroup.h"
#include "host/map.h"
#include "host/record.h"
#include "host/task.h"

enum {
	/* Of a process: it has fewer, unless its system was told otherwise. */
	OP_HOST_MAX_MAPS = 1 << 17,
};

struct op_host {
	struct op_err *err;
	/* Records are those of now: limits lead to dropped rows, not to an
	 * error, and exec drops what was mapped before. */
	bool is_live;
	/* For how many sweeps a binary that nobody maps stays. */
	uint8_t keep_sweeps;
	/* Called before a row of a binary or process goes; may be NULL. */
	void (*binary_gone)(void *arg, struct op_host_binary *b);
	void (*process_gone)(void *arg, struct op_host_process *p);
	void *arg;

	struct op_arena mem;
	struct op_pool texts; /* in mem */
	struct op_host_tasks tasks;
	struct op_host_maps maps;
	struct op_host_cgroups cgroups;
	uint64_t nr_versions;
	uint64_t nr_full; /* mappings dropped: their process had too many */
};

/* Its storage is the caller's, and zero but for the fields up to arg. It must
 * not move. */
void op_host_init(struct op_host *h, struct op_err *err);
void op_host_fini(struct op_host *h);

/* A mapping, of the kernel or of a process. What cannot be executed is
 * ignored. */
void op_host_mmap(struct op_host *h, const struct op_host_mmap *r);
void op_host_ksymbol(struct op_host *h, const struct op_host_ksymbol *r);
/* Any record of processes, threads, mappings and cgroups. False if it is none
 * of them, or if it ends too early. */
bool op_host_apply(struct op_host *h, const struct op_record *r);

/* Drops processes that are not alive, threads without a process, and binaries
 * that no process maps and nobody pinned, after keep_sweeps calls. Without a
 * function all processes are alive. */
void op_host_sweep(struct op_host *h, op_host_alive_fn *is_alive, void *arg);
/* Forgets what a process maps, before it is read anew. */
void op_host_unmap_all(struct op_host *h, uint32_t pid);

/* For the files of the folder: a number that nothing had before, and texts that
 * are given back. */
op_inline uint64_t op_host_version(struct op_host *h)
{
	return ++h->nr_versions;
}

bool op_host_text_keep(struct op_host *h, struct op_view text,
		       struct op_view *out);
void op_host_text_drop(struct op_host *h, struct op_view text);

#endif
