// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stops a thread at its sample: sends it a signal, which it gets before its
 * next instruction, and continues as the program that takes samples. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { SIGSTOP = 19 };

const volatile __u32 target; /* process ID */

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} takes_samples SEC(".maps");

SEC("perf_event")
int stop_and_sample(void *ctx)
{
	if ((__u32)(bpf_get_current_pid_tgid() >> 32) == target &&
	    !bpf_send_signal_thread(SIGSTOP))
		bpf_tail_call(ctx, &takes_samples, 0);
	return 0;
}
