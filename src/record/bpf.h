// SPDX-License-Identifier: Apache-2.0
/* record/bpf.h: the BPF programs of a recording, loaded and attached.
 *
 * bpf_none.c is in its place in a build without clang or libbpf. */
#ifndef OP_RECORD_BPF_H
#define OP_RECORD_BPF_H

#include <sys/types.h>

#include "base/err.h"
#include "base/view.h"
#include "bpf/event.h"
#include "record/slabs.h"

struct op_bpf;

struct op_bpf_opts {
	uint32_t hertz;
	bool user_only;
	bool has_targets; /* only processes of op_bpf_target_add() */
	uint64_t cgroup;  /* only of this one and those in it; 0: any */
};

/* Loads the programs. Fails with one sentence that names what is missing: a
 * capability, a setting of the kernel, a library. */
int op_bpf_open(struct op_bpf **out, const struct op_bpf_opts *opts,
		struct op_err *err);
void op_bpf_close(struct op_bpf *b);

/* From now on samples come, from all CPUs, until it is stopped. */
int op_bpf_start(struct op_bpf *b, struct op_err *err);
void op_bpf_stop(struct op_bpf *b);

/* Whether we are in a PID namespace, whose IDs BPF knows only of who runs. */
bool op_bpf_has_namespace(const struct op_bpf *b);

/* A process to be sampled. What it starts is added by itself. */
void op_bpf_target_add(struct op_bpf *b, uint32_t pid);
void op_bpf_target_drop(struct op_bpf *b, uint32_t pid);

/* A sample as it is in the ring buffer; good during the call. Its sizes were
 * checked. */
typedef void op_bpf_fn(void *ctx, const struct op_bpf_sample *s);

/* Calls fn for the samples that are there; returns how many. */
uint64_t op_bpf_drain(struct op_bpf *b, op_bpf_fn *fn, void *ctx);

/* Becomes readable when the ring buffer is half full. */
int op_bpf_fd(const struct op_bpf *b);

/* --- what BPF unwinds with --- */

const struct op_slab_maps *op_bpf_slab_maps(struct op_bpf *b);
/* OP_BPF_MAX_RANGES and OP_BPF_MAX_TABLES of them. */
struct op_bpf_range *op_bpf_ranges(struct op_bpf *b);
struct op_bpf_table *op_bpf_tables(struct op_bpf *b);
bool op_bpf_proc_set(struct op_bpf *b, uint32_t pid,
		     const struct op_bpf_proc *p);
void op_bpf_proc_drop(struct op_bpf *b, uint32_t pid);

/* --- what it did --- */

/* The sum over all CPUs. */
struct op_bpf_counts op_bpf_counts(const struct op_bpf *b);
/* CPU time of the programs so far; 0 if the kernel does not count it. */
uint64_t op_bpf_run_ns(const struct op_bpf *b, uint64_t *nr_runs);

#endif
