// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/task.h: processes and threads, what they map. */
#ifndef OP_FMT_PERF_TASK_H
#define OP_FMT_PERF_TASK_H

#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"

struct op_perf_space;

struct op_perf_process {
	uint32_t pid;
	struct op_perf_space *space;
	struct op_view program;
	bool is_fresh; /* the next file mapped is its program */
	bool is_born;  /* its start was seen: all threads are known */
	uint32_t nr_threads;
	uint32_t version; /* counts changes of the program */
};

/* What a thread does, as far as is known. */
enum op_perf_state {
	OP_PERF_UNKNOWN,
	OP_PERF_GONE,
	OP_PERF_RUNNING,
	OP_PERF_UNSCHEDULED,
	OP_PERF_SLEEPING,
	OP_PERF_UNINTERRUPTIBLE,
	OP_PERF_BLOCKED,
};

/* How many processes are remembered after their end. */
enum { OP_PERF_ENDED = 256 };

struct op_perf_thread {
	uint32_t tid, pid;
	struct op_view name;
	uint32_t set;	     /* of attributes; OP_NO_ID: to be made */
	uint32_t of_version; /* of the process, that the set is of */
	/* The last set of it with a CPU and cgroup. */
	uint32_t more_set;
	uint32_t cpu;
	uint64_t cgroup;
	enum op_perf_state state;
	uint64_t since;
	uint32_t *frames; /* where it left its CPU */
	uint32_t nr_frames, cap_frames;
};

struct op_perf_cgroup {
	uint64_t id;
	struct op_view path;
};

struct op_perf_tasks {
	struct op_intern thread_index, process_index, cgroup_index;
	OP_VEC(struct op_perf_thread) threads;
	OP_VEC(struct op_perf_process) processes;
	uint32_t ended[OP_PERF_ENDED];
	uint64_t nr_ended;
	OP_VEC(struct op_perf_cgroup) cgroups;
};

struct op_perf;
struct op_perf_record;

/* Made if they are new. */
uint32_t op_perf_thread(struct op_perf *f, uint32_t pid, uint32_t tid);
uint32_t op_perf_process(struct op_perf *f, uint32_t pid);
/* OP_NO_ID if it is not known. */
uint32_t op_perf_thread_find(const struct op_perf *f, uint32_t tid);
void op_perf_comm(struct op_perf *f, const struct op_perf_record *r);
void op_perf_fork(struct op_perf *f, const struct op_perf_record *r);
void op_perf_exit(struct op_perf *f, const struct op_perf_record *r);
void op_perf_mmap(struct op_perf *f, const struct op_perf_record *r);
void op_perf_ksymbol(struct op_perf *f, const struct op_perf_record *r);
void op_perf_cgroup_add(struct op_perf *f, const struct op_perf_record *r);
struct op_view op_perf_cgroup(const struct op_perf *f, uint64_t id);

#endif
