// SPDX-License-Identifier: Apache-2.0
/* agent/threads.h: the threads of this process, as /proc has them.
 *
 * Files of a thread stay open from round to round, as far as the program can
 * spare descriptors. No memory is allocated from the program's heap. */
#ifndef OP_AGENT_THREADS_H
#define OP_AGENT_THREADS_H

#include "agent/handler.h"

enum { OP_MAX_THREADS = 64 << 10 };

struct op_thread {
	uint32_t tid, index;
	int syscall; /* a descriptor; -1: not open */
	int32_t prio, os_prio;
	uint64_t start_ns; /* CLOCK_BOOTTIME */
	uint64_t pointer;  /* thread pointer; 0: not known */
	char name[16];
	/* When it is read again, CLOCK_MONOTONIC, and after how long. */
	uint64_t rename_ns, rename_wait_ns;
	bool is_told; /* the helper knows it, by this name */
	bool is_gone; /* if it is listed, then another one has its ID */

	/* If the helper has a stack that it had when it last stopped running:
	 * how long it had run by then. */
	bool is_kept;
	uint64_t kept_ns;
	/* Version of the map that did not have all code of that stack; 0: it
	 * had. */
	uint64_t kept_without;

	/* It was asked, and had run for so long when it was looked at last. */
	struct op_ask *ask;
	uint64_t asked_ns;
	uint64_t silent_ns;   /* CLOCK_MONOTONIC; it answers after that */
	uint64_t asked_loads; /* what was loaded then, see op_loads() */

	/* For how many looks at its mask it still counts as one that blocks the
	 * signal; whether it has waited for signals; when the mask was looked
	 * at, of CLOCK_MONOTONIC. */
	uint8_t nr_blocked;
	bool has_awaited;
	uint64_t mask_ns;
};

struct op_threads {
	uint32_t own;	     /* the sampler, which is left out */
	struct op_thread *p; /* by tid */
	uint32_t nr;
	uint32_t nr_indexes;
	uint32_t nr_open, max_open; /* descriptors */
	int tasks;		    /* the directory; -1: not open */
	uint32_t *tids, nr_tids;    /* of the last list */
	uint32_t nr_over;	    /* threads beyond OP_MAX_THREADS */
	bool are_files_foreign; /* the program has closed ours: leave them */
};

uint64_t op_clock_ns(int clock);

int op_threads_open(struct op_threads *t, uint32_t own, struct op_err *err);
void op_threads_close(struct op_threads *t);

/* Finds new threads, and drops those that are gone: fn is called before. */
typedef void op_thread_gone_fn(void *ctx, struct op_thread *thread);
bool op_threads_list(struct op_threads *t, op_thread_gone_fn *gone, void *ctx);

/* How many there are, with this one: fast. */
uint32_t op_threads_count(const struct op_threads *t);

/* Gives a descriptor a number that programs do not expect to be free. */
int op_file_high(int fd);

/* How long it ran, ever; the same as before: it has not run since. False: it is
 * gone. */
bool op_thread_cpu_ns(const struct op_thread *thread, uint64_t *out);

/* Where a thread is that does not run. */
struct op_thread_place {
	int64_t call; /* number of the system call; -1: none */
	uint64_t pc, sp;
};

/* Hidden: it does not run, and where it waits only root may read. */
enum op_thread_look {
	OP_LOOK_BLOCKED,
	OP_LOOK_RUNS,
	OP_LOOK_GONE,
	OP_LOOK_HIDDEN,
};

enum op_thread_look op_thread_look(const struct op_thread *thread,
				   struct op_thread_place *out);

/* The text of /proc/PID/task/TID/syscall. */
enum op_thread_look op_thread_place_parse(const char *text,
					  struct op_thread_place *out);

/* Reads its name again; true if it has changed. */
bool op_thread_rename(struct op_thread *thread);

/* Whether a thread blocks a signal, and whether one that was sent to the thread
 * waits for it. False if it is gone. */
bool op_thread_blocks(const struct op_thread *thread, int signal);
bool op_thread_has_pending(const struct op_thread *thread, int signal);

/* What a thread waits for, as far as the system call tells. */
enum op_thread_state op_thread_state_of(int64_t call);

#endif
