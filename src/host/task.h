// SPDX-License-Identifier: Apache-2.0
/* host/task.h: processes and threads.
 *
 * They are rows of two tables. What ended is kept for a while, since samples of
 * it may still come. On a live host its row is then given to another, which the
 * caller recognizes by the version. */
#ifndef OP_HOST_TASK_H
#define OP_HOST_TASK_H

#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"
#include "host/record.h"

struct op_host_space;

struct op_host_process {
	uint32_t pid;
	struct op_host_space *space; /* NULL: nothing is mapped */
	uint32_t program;	     /* the binary; OP_NO_ID: not known */
	bool is_fresh;		     /* the next file mapped is its program */
	bool is_born;		     /* its start was seen: all threads known */
	bool is_free;		     /* a row that no process has */
	bool is_full;		     /* mappings were dropped: too many */
	uint32_t nr_threads;
	uint64_t version; /* changes with the process and its program */
	uint64_t ended;	  /* which end of a process it was; 0: none */
	void *user;	  /* the caller's; NULL at first */
};

struct op_host_thread {
	uint32_t tid, pid;
	struct op_view name;
	bool is_free;
	uint64_t life;	  /* changes with the thread that has the row */
	uint64_t version; /* changes with its process and its name, too */
	uint64_t ended;
};

/* How many processes and threads are remembered after their end. */
enum { OP_HOST_ENDED_PROCESSES = 256, OP_HOST_ENDED_THREADS = 1024 };

struct op_host_tasks {
	struct op_intern thread_index, process_index;
	OP_VEC(struct op_host_thread) threads;
	OP_VEC(struct op_host_process) processes;
	struct op_id_vec free_threads, free_processes;
	uint32_t ended_processes[OP_HOST_ENDED_PROCESSES];
	uint32_t ended_threads[OP_HOST_ENDED_THREADS];
	uint64_t nr_ended_processes, nr_ended_threads;
	/* Records were lost, and perhaps the start of a thread: a process of
	 * which all known threads ended may still run. */
	bool is_incomplete;
};

struct op_host;

/* Made if they are new; OP_NO_ID without memory. */
uint32_t op_host_process(struct op_host *h, uint32_t pid);
uint32_t op_host_thread(struct op_host *h, uint32_t pid, uint32_t tid);
/* OP_NO_ID if it is not known. */
uint32_t op_host_process_find(const struct op_host *h, uint32_t pid);
uint32_t op_host_thread_find(const struct op_host *h, uint32_t tid);
/* The path of its program; empty if it is not known. */
struct op_view op_host_program(const struct op_host *h, uint32_t process);

/* What records say. */
void op_host_comm(struct op_host *h, const struct op_host_comm *r);
void op_host_fork(struct op_host *h, const struct op_host_task *r);
void op_host_exit(struct op_host *h, const struct op_host_task *r);

/* Forgets a process and what it mapped. */
void op_host_process_drop(struct op_host *h, uint32_t process);

typedef bool op_host_alive_fn(void *arg, uint32_t pid);
/* The part of op_host_sweep() that is about processes and threads. */
void op_host_tasks_sweep(struct op_host *h, op_host_alive_fn *is_alive,
			 void *arg);

#endif
