// SPDX-License-Identifier: Apache-2.0
/* host/task.c: processes and threads, as records tell of them. */
#include "host/task.h"

#include "base/hash.h"
#include "host/host.h"

static bool thread_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_host_thread *)table)[id].tid ==
	       *(const uint32_t *)key;
}

static bool process_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_host_process *)table)[id].pid ==
	       *(const uint32_t *)key;
}

static uint32_t hash_of(uint32_t id)
{
	uint64_t word = id;

	return op_hash_words(&word, 1);
}

/* --- rows --- */

static op_cold uint32_t process_new(struct op_host *h, uint32_t pid)
{
	struct op_host_tasks *t = &h->tasks;
	const struct op_host_process none = { .is_free = true };
	uint32_t id;

	if (!t->free_processes.n &&
	    (!op_vec_push(&h->mem, &t->processes, none) ||
	     !op_vec_push(&h->mem, &t->free_processes,
			  (uint32_t)t->processes.n - 1)))
		return OP_NO_ID;
	id = t->free_processes.p[t->free_processes.n - 1];
	if (!op_intern_add(&t->process_index, &h->mem, hash_of(pid), id))
		return OP_NO_ID;
	t->free_processes.n--;
	t->processes.p[id] = (struct op_host_process){
		.pid = pid,
		.program = OP_NO_ID,
		.is_fresh = true,
		.version = op_host_version(h)
	};
	return id;
}

uint32_t op_host_process_find(const struct op_host *h, uint32_t pid)
{
	return op_intern_find(&h->tasks.process_index, hash_of(pid), process_eq,
			      h->tasks.processes.p, &pid);
}

uint32_t op_host_process(struct op_host *h, uint32_t pid)
{
	uint32_t id = op_host_process_find(h, pid);

	return op_likely(id != OP_NO_ID) ? id : process_new(h, pid);
}

void op_host_process_drop(struct op_host *h, uint32_t process)
{
	struct op_host_process *p = &h->tasks.processes.p[process];

	/* The list of free rows first: without memory for it the row stays. */
	if (!op_vec_push(&h->mem, &h->tasks.free_processes, process))
		return;
	if (h->process_gone)
		h->process_gone(h->arg, p);
	op_host_space_drop(h, p->space);
	op_intern_remove(&h->tasks.process_index, hash_of(p->pid), process);
	*p = (struct op_host_process){ .is_free = true };
}

struct op_view op_host_program(const struct op_host *h, uint32_t process)
{
	uint32_t binary = h->tasks.processes.p[process].program;

	return binary == OP_NO_ID ? (struct op_view){ 0 } :
				    h->maps.binaries.p[binary].name;
}

static void thread_name(struct op_host *h, uint32_t thread, struct op_view name)
{
	struct op_host_thread *t = &h->tasks.threads.p[thread];
	struct op_view kept;

	if (op_view_eq(t->name, name) || !op_host_text_keep(h, name, &kept))
		return;
	op_host_text_drop(h, t->name);
	t->name = kept;
	t->version = op_host_version(h);
}

static op_cold uint32_t thread_new(struct op_host *h, uint32_t pid,
				   uint32_t tid)
{
	struct op_host_tasks *t = &h->tasks;
	const struct op_host_thread none = { .is_free = true };
	uint64_t life;
	uint32_t id;

	if (!t->free_threads.n && (!op_vec_push(&h->mem, &t->threads, none) ||
				   !op_vec_push(&h->mem, &t->free_threads,
						(uint32_t)t->threads.n - 1)))
		return OP_NO_ID;
	id = t->free_threads.p[t->free_threads.n - 1];
	if (!op_intern_add(&t->thread_index, &h->mem, hash_of(tid), id))
		return OP_NO_ID;
	t->free_threads.n--;
	life = op_host_version(h);
	t->threads.p[id] = (struct op_host_thread){
		.tid = tid, .pid = pid, .life = life, .version = life
	};
	/* What runs when nothing does. */
	if (!tid)
		thread_name(h, id, op_view_z("swapper"));
	return id;
}

uint32_t op_host_thread_find(const struct op_host *h, uint32_t tid)
{
	return op_intern_find(&h->tasks.thread_index, hash_of(tid), thread_eq,
			      h->tasks.threads.p, &tid);
}

/* A thread is of the process that the last record says. */
static op_cold void thread_move(struct op_host *h, uint32_t thread,
				uint32_t pid)
{
	h->tasks.threads.p[thread].pid = pid;
	h->tasks.threads.p[thread].version = op_host_version(h);
}

uint32_t op_host_thread(struct op_host *h, uint32_t pid, uint32_t tid)
{
	uint32_t id = op_host_thread_find(h, tid);

	if (op_unlikely(id == OP_NO_ID))
		return thread_new(h, pid, tid);
	if (op_unlikely(h->tasks.threads.p[id].pid != pid))
		thread_move(h, id, pid);
	return id;
}

static void thread_drop(struct op_host *h, uint32_t thread)
{
	struct op_host_thread *t = &h->tasks.threads.p[thread];

	if (!op_vec_push(&h->mem, &h->tasks.free_threads, thread))
		return;
	op_intern_remove(&h->tasks.thread_index, hash_of(t->tid), thread);
	op_host_text_drop(h, t->name);
	*t = (struct op_host_thread){ .is_free = true };
}

/* --- what happens --- */

void op_host_comm(struct op_host *h, const struct op_host_comm *r)
{
	uint32_t thread = op_host_thread(h, r->pid, r->tid);
	uint32_t process = op_host_process(h, r->pid);
	struct op_host_process *p;

	if (h->err->code)
		return;
	thread_name(h, thread, r->name);
	if (!r->is_exec)
		return;
	/* The thread that called exec() has the number of the first thread from
	 * now on, which may have ended before. */
	h->tasks.threads.p[thread].ended = 0;
	/* A new program. While it is being loaded callers are still those of
	 * the old one, so that what was mapped stays until it is replaced;
	 * unless this is now, when the kernel has unmapped it. */
	p = &h->tasks.processes.p[process];
	p->is_fresh = true;
	if (h->is_live)
		op_host_unmap_all(h, r->pid);
}

/* The child begins with what the parent has. */
static void process_fork(struct op_host *h, uint32_t child, uint32_t parent_pid)
{
	uint32_t parent = op_host_process(h, parent_pid);
	struct op_host_process *c, *p;

	if (h->err->code)
		return;
	c = &h->tasks.processes.p[child];
	p = &h->tasks.processes.p[parent];
	/* Counted first, in case they are the same already. */
	if (p->space)
		p->space->nr_users++;
	op_host_space_drop(h, c->space);
	c->space = p->space;
	c->program = p->program;
	c->is_fresh = p->is_fresh;
	c->is_full = p->is_full;
	c->version = op_host_version(h);
	c->nr_threads = 1;
	c->is_born = true;
}

void op_host_fork(struct op_host *h, const struct op_host_task *r)
{
	uint32_t parent = op_host_thread(h, r->parent_pid, r->parent_tid);
	uint32_t thread = op_host_thread(h, r->pid, r->tid);
	uint32_t process = op_host_process(h, r->pid);
	struct op_host_process *p;

	if (h->err->code)
		return;
	if (parent != thread)
		thread_name(h, thread, h->tasks.threads.p[parent].name);
	h->tasks.threads.p[thread].ended = 0;
	p = &h->tasks.processes.p[process];
	p->ended = 0;
	if (r->pid != r->parent_pid)
		process_fork(h, process, r->parent_pid);
	else
		p->nr_threads++;
}

/* A process that has ended may still be met for a while: the kernel samples it
 * until it is gone. It is forgotten when many others have ended since; of a
 * file only what it had mapped, which takes the most memory. */
static void process_forget(struct op_host *h, uint32_t process)
{
	struct op_host_process *p = &h->tasks.processes.p[process];

	if (h->is_live) {
		op_host_process_drop(h, process);
		return;
	}
	op_host_space_drop(h, p->space);
	p->space = NULL;
}

static void process_end(struct op_host *h, uint32_t process)
{
	struct op_host_tasks *t = &h->tasks;
	uint64_t at = t->nr_ended_processes++;
	uint32_t *slot = &t->ended_processes[at % OP_HOST_ENDED_PROCESSES];

	if (at >= OP_HOST_ENDED_PROCESSES &&
	    t->processes.p[*slot].ended == at - OP_HOST_ENDED_PROCESSES + 1)
		process_forget(h, *slot);
	*slot = process;
	t->processes.p[process].ended = at + 1;
}

static void thread_end(struct op_host *h, uint32_t thread)
{
	struct op_host_tasks *t = &h->tasks;
	uint64_t at = t->nr_ended_threads++;
	uint32_t *slot = &t->ended_threads[at % OP_HOST_ENDED_THREADS];

	if (h->is_live && at >= OP_HOST_ENDED_THREADS &&
	    t->threads.p[*slot].ended == at - OP_HOST_ENDED_THREADS + 1)
		thread_drop(h, *slot);
	*slot = thread;
	t->threads.p[thread].ended = at + 1;
}

/* Only of a process whose start was seen all threads are known. */
void op_host_exit(struct op_host *h, const struct op_host_task *r)
{
	uint32_t thread = op_host_thread_find(h, r->tid);
	uint32_t process = op_host_process(h, r->pid);
	struct op_host_process *p;

	if (h->err->code)
		return;
	if (thread != OP_NO_ID)
		thread_end(h, thread);
	p = &h->tasks.processes.p[process];
	if (p->is_born && p->nr_threads && !--p->nr_threads &&
	    !h->tasks.is_incomplete)
		process_end(h, process);
}

/* Those that ended go when their turn comes. What is process 0 never ends. */
static void processes_sweep(struct op_host *h, op_host_alive_fn *is_alive,
			    void *arg)
{
	for (uint32_t i = 0; i < h->tasks.processes.n; i++) {
		const struct op_host_process *p = &h->tasks.processes.p[i];

		if (!p->is_free && !p->ended && p->pid &&
		    !is_alive(arg, p->pid))
			process_end(h, i);
	}
}

void op_host_tasks_sweep(struct op_host *h, op_host_alive_fn *is_alive,
			 void *arg)
{
	if (is_alive)
		processes_sweep(h, is_alive, arg);
	for (uint32_t i = 0; i < h->tasks.threads.n; i++) {
		const struct op_host_thread *t = &h->tasks.threads.p[i];

		if (!t->is_free && op_host_process_find(h, t->pid) == OP_NO_ID)
			thread_drop(h, i);
	}
}
