// SPDX-License-Identifier: Apache-2.0
/* bench/record_load.c: a fixed amount of work at a known depth, and what it
 * took.
 *
 *	record_load DEPTH LOOPS [HERTZ]
 *
 * Prints its CPU time in nanoseconds. The time of interrupts is charged to who
 * was interrupted, so that the difference between two runs is what interrupts
 * took. With HERTZ, a perf event with a BPF program that only returns fires
 * that often on its CPU: what sampling costs before anything is done with a
 * sample.
 *
 * It is to be compiled with frame pointers, for perf. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline, noclone)) static void recurse(int depth,
						       unsigned long loops)
{
	if (depth > 1)
		recurse(depth - 1, loops);
	else
		for (unsigned long i = 0; i < loops; i++)
			sink += i * i;
	/* What follows a call keeps it from becoming a jump. */
	sink++;
}

static void fail(const char *what)
{
	fprintf(stderr, "record_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* r0 = 0; exit */
static int empty_program(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)code,
		.insn_cnt = sizeof(code) / sizeof(*code),
		.license = (uintptr_t) "GPL",
	};
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));

	if (fd < 0)
		fail("the program cannot be loaded");
	return fd;
}

static void sample(long hertz)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / (uint64_t)hertz,
		.exclude_idle = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, -1, sched_getcpu(), -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, empty_program()))
		fail("there is no event");
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
	unsigned long loops = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
	uint64_t before;

	if (argc > 3)
		sample(strtol(argv[3], NULL, 10));
	before = cpu_ns();
	recurse(depth, loops);
	printf("%llu\n", (unsigned long long)(cpu_ns() - before));
	return 0;
}
