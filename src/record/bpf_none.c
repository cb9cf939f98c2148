// SPDX-License-Identifier: Apache-2.0
/* record/bpf_none.c: a build without BPF. */
#include "record/bpf.h"

int op_bpf_open(struct op_bpf **out, const struct op_bpf_opts *opts,
		struct op_err *err)
{
	(void)opts;
	*out = NULL;
	return op_fail(err, OP_EUSAGE,
		       "this build of otprof has no BPF programs");
}

/* Nobody has an object to call these with. */

void op_bpf_close(struct op_bpf *b)
{
	(void)b;
}

int op_bpf_start(struct op_bpf *b, struct op_err *err)
{
	(void)b;
	return err->code;
}

void op_bpf_stop(struct op_bpf *b)
{
	(void)b;
}

bool op_bpf_has_namespace(const struct op_bpf *b)
{
	(void)b;
	return false;
}

void op_bpf_target_add(struct op_bpf *b, uint32_t pid)
{
	(void)b;
	(void)pid;
}

void op_bpf_target_drop(struct op_bpf *b, uint32_t pid)
{
	(void)b;
	(void)pid;
}

uint64_t op_bpf_drain(struct op_bpf *b, op_bpf_fn *fn, void *ctx)
{
	(void)b;
	(void)fn;
	(void)ctx;
	return 0;
}

int op_bpf_fd(const struct op_bpf *b)
{
	(void)b;
	return -1;
}

const struct op_slab_maps *op_bpf_slab_maps(struct op_bpf *b)
{
	(void)b;
	return NULL;
}

struct op_bpf_range *op_bpf_ranges(struct op_bpf *b)
{
	(void)b;
	return NULL;
}

struct op_bpf_table *op_bpf_tables(struct op_bpf *b)
{
	(void)b;
	return NULL;
}

bool op_bpf_proc_set(struct op_bpf *b, uint32_t pid,
		     const struct op_bpf_proc *p)
{
	(void)b;
	(void)pid;
	(void)p;
	return false;
}

void op_bpf_proc_drop(struct op_bpf *b, uint32_t pid)
{
	(void)b;
	(void)pid;
}

struct op_bpf_counts op_bpf_counts(const struct op_bpf *b)
{
	(void)b;
	return (struct op_bpf_counts){ 0 };
}

uint64_t op_bpf_run_ns(const struct op_bpf *b, uint64_t *nr_runs)
{
	(void)b;
	*nr_runs = 0;
	return 0;
}
