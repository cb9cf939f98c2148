// SPDX-License-Identifier: Apache-2.0
/* record/recorder_int.h: a recording, as the files of the folder share it.
 *
 *	recorder.c     what happens in which order
 *	binary.c       binaries that processes map: tables, rows of the model
 *	process.c      processes: what BPF knows of them, rows of the model
 *	kernel.c       the kernel as a binary
 *	stack.c        from the addresses of a sample to frames
 *
 * Sources:
 *	bpf.c          BPF programs: samples that are unwound already
 *	stack_copy.c   perf events: samples with a copy of the stack
 *	task_events.c  processes that start, map files and end
 *	perf_ring.c    the ring buffer of a perf event
 *	libbpf.c       finds libbpf
 *
 * What BPF unwinds with:
 *	tables.c       unwind tables of binaries
 *	slabs.c        their memory
 *	ranges.c       places for the mappings of processes
 *	elf_part.c     files of which only parts are read */
#ifndef OP_RECORD_RECORDER_INT_H
#define OP_RECORD_RECORDER_INT_H

#include "host/context.h"
#include "host/host.h"
#include "host/proc.h"
#include "host/thread_context.h"
#include "live/live.h"
#include "record/binary.h"
#include "record/bpf.h"
#include "record/ranges.h"
#include "record/recorder.h"
#include "record/tables.h"
#include "record/task_events.h"
#include "sym/unwind.h"

/* What is kept of a process: op_host_process.user. */
struct op_rec_process {
	uint32_t pid;
	uint32_t live;	    /* its resource; OP_NO_ID: none yet */
	uint32_t code;	    /* row of op_live for code made at run time */
	uint64_t of;	    /* the version of the process that it is of */
	uint64_t space;	    /* the version of the space that BPF has; 0: none */
	uint32_t first, nr; /* its ranges */
	bool is_target;	    /* to be sampled, where not all are */
	bool is_known;	    /* BPF has it */
	bool is_wanted;	    /* it is of the user asked for */
	uint64_t start_ticks; /* since boot; 0: not known */
	bool is_dirty;	      /* to be written at the end of the tick */
	struct op_thread_context context;
	struct op_context_watch watch;
	uint64_t read_ns; /* when its mappings were read last */
};

struct op_rec_pending; /* a sample that waits for task events */

struct op_recorder {
	struct op_recorder_opts opts;
	struct op_err *err;
	struct op_arena mem;
	struct op_host host;
	struct op_proc proc;
	char host_name[256];
	struct op_live live;
	struct op_live_type type;

	struct op_bpf *bpf; /* NULL: copies of stacks */
	struct op_task_events tasks;
	struct op_rec_tables tables;
	struct op_binaries binaries;
	struct op_ranges ranges;
	struct op_id_vec dirty; /* process rows */
	int epoll;		/* wakes who waits for the next tick */
	int wait_ms;		/* until then */

	/* Of the sample at hand. */
	OP_VEC(struct op_live_frame) frames;
	struct op_unwind_frame unwound[OP_BPF_MAX_USER];

	struct op_buf pending; /* samples newer than the task events read */
	struct op_buf copy;    /* a sample of a perf event */
	uint64_t until;	       /* of task events read */
	uint64_t swept_ns, checked_ns, ticked_ns;
	size_t nr_swept; /* binaries that the last sweep left */
	uint64_t mono_to_unix;
	uint32_t kernel_row; /* of op_live */
	struct op_recorder_counts counts;
};

/* --- process.c --- */

/* The process of a sample, read if it is new; NULL without memory. */
struct op_rec_process *op_rec_process(struct op_recorder *r, uint32_t pid,
				      uint64_t now);
/* All that run now. */
void op_rec_scan(struct op_recorder *r);
/* Its mappings may have changed in a way that no record tells. */
void op_rec_reread(struct op_recorder *r, struct op_rec_process *p,
		   uint64_t now);
/* To be sampled, with what it starts. */
void op_rec_target(struct op_recorder *r, uint32_t pid);
void op_rec_forked(struct op_recorder *r, uint32_t from, uint32_t to);
/* Whether filters let a thread of it through. */
bool op_rec_is_wanted(struct op_recorder *r, const struct op_rec_process *p,
		      struct op_view thread);
/* BPF shall have it. */
void op_rec_process_dirty(struct op_recorder *r, struct op_rec_process *p);
void op_rec_process_flush(struct op_recorder *r);
void op_rec_process_gone(void *arg, struct op_host_process *p);
/* Its resource. */
uint32_t op_rec_resource(struct op_recorder *r, struct op_rec_process *p,
			 struct op_view thread);
/* The row of op_live for a mapping of it; OP_NO_ID: none. */
uint32_t op_rec_process_row(struct op_recorder *r, struct op_rec_process *p,
			    struct op_host_map *m);
struct op_host_space *op_rec_space(struct op_recorder *r, uint32_t pid);

/* --- kernel.c --- */

/* Its row of op_live. */
uint32_t op_rec_kernel(struct op_recorder *r);

/* --- stack.c --- */

/* Frames of a sample in r->frames. Returns why the stack ended, NULL: it is
 * complete. */
const char *op_rec_stack(struct op_recorder *r, struct op_rec_process *p,
			 const struct op_bpf_sample *s);

#endif
