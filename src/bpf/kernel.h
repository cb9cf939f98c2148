/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bpf/kernel.h: the kernel's types as far as we use them.
 *
 * Only the names of the members count: libbpf finds their offsets in the
 * running kernel's BTF (CO-RE). */
#ifndef OP_BPF_KERNEL_H
#define OP_BPF_KERNEL_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#define KERNEL_TYPE __attribute__((preserve_access_index))

struct mm_struct;

struct thread_struct {
	unsigned long fsbase;
} KERNEL_TYPE;

struct task_struct {
	int tgid;
	struct mm_struct *mm;
	struct thread_struct thread;
} KERNEL_TYPE;

#endif
