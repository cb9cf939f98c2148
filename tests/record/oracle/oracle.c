// SPDX-License-Identifier: Apache-2.0
/* usage: oracle STOP_OBJECT STACKS PROGRAM [ARG...]
 *
 * Records a program, stops the thread of each sample where the sample was
 * taken, and unwinds it with elfutils. The recorder is the library's own; two
 * of its functions are wrapped by the linker (--wrap):
 *
 *	op_bpf_start	attaches a program that sends SIGSTOP and then becomes
 *			the one that takes samples (stop.bpf.c)
 *	op_rec_stack	sees the stack of each sample and compares
 *
 * The thread is traced, so the signal stops only this thread, and it is not
 * delivered. Differences are described on stderr, sums on stdout. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/recorder_int.h"
#include "stopped.h"

enum { HERTZ = 499, MAX_TOLD = 20, MAX_MISSED = 1000, MAX_CPUS = 64 };

static struct {
	const char *path; /* of the object */
	struct bpf_object *object;
	int events[MAX_CPUS];
	int nr_events;
	pid_t pid;
	pid_t tid; /* the thread that waits to be compared; 0: none */
	struct stopped at;
	uint64_t pcs[MAX_FRAMES];
	size_t nr_pcs;
	const char *why;
	long wanted, stacks, equal, frames, equal_frames;
	long by_bpf;  /* unwound without the loader's help */
	long excused; /* for a reason that is known */
	long moved;   /* not stopped at the sample */
	long missed;  /* stopped, but no sample came */
	long told;
} o;

static void fail(const char *what)
{
	fprintf(stderr, "oracle: %s: %s\n", what, strerror(errno));
	if (o.pid)
		kill(o.pid, SIGKILL);
	exit(1);
}

/* --- BPF ------------------------------------------------------------------ */

/* The program that takes samples, which this process has loaded. */
static int sample_program(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct bpf_prog_info info = { 0 };
		uint32_t n = sizeof(info);

		if (!bpf_obj_get_info_by_fd(fd, &info, &n) &&
		    info.type == BPF_PROG_TYPE_PERF_EVENT &&
		    !strcmp(info.name, "sample"))
			return fd;
	}
	fail("no program takes samples");
	return -1;
}

static int stop_program(void)
{
	struct bpf_object *b = bpf_object__open_file(o.path, NULL);
	uint32_t pid = (uint32_t)o.pid, zero = 0;
	int sample = sample_program();

	if (!b ||
	    bpf_map__set_initial_value(bpf_object__find_map_by_name(b,
								    ".rodata"),
				       &pid, sizeof(pid)) ||
	    bpf_object__load(b) ||
	    bpf_map_update_elem(
		    bpf_object__find_map_fd_by_name(b, "takes_samples"), &zero,
		    &sample, BPF_ANY))
		fail(o.path);
	o.object = b;
	return bpf_program__fd(
		bpf_object__find_program_by_name(b, "stop_and_sample"));
}

int __wrap_op_bpf_start(struct op_bpf *b, struct op_err *err);

int __wrap_op_bpf_start(struct op_bpf *b, struct op_err *err)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / HERTZ,
		.exclude_idle = 1,
	};
	int program = stop_program();

	(void)b;
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN) && cpu < MAX_CPUS;
	     cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program))
			fail("perf event");
		o.events[o.nr_events++] = fd;
	}
	return err->code;
}

static void stop_stopping(void)
{
	while (o.nr_events)
		close(o.events[--o.nr_events]);
	bpf_object__close(o.object);
}

/* --- compare -------------------------------------------------------------- */

const char *__real_op_rec_stack(struct op_recorder *r, struct op_rec_process *p,
				const struct op_bpf_sample *s);
const char *__wrap_op_rec_stack(struct op_recorder *r, struct op_rec_process *p,
				const struct op_bpf_sample *s);

/* The frames of elfutils, in the terms of the recorder. */
static void translate(struct op_recorder *r, struct op_rec_process *p)
{
	static struct {
		struct op_bpf_sample head;
		uint64_t pcs[MAX_FRAMES];
	} s;

	memset(&s.head, 0, sizeof(s.head));
	s.head.pid = (uint32_t)o.pid;
	s.head.nr_user = (uint16_t)o.nr_pcs;
	s.head.end = OP_BPF_DONE;
	for (size_t i = 0; i < o.nr_pcs; i++)
		s.pcs[i] = o.pcs[i] | (i ? 0 : OP_BPF_EXACT);
	__real_op_rec_stack(r, p, &s.head);
}

static void tell_frame(const char *who, const struct op_live_frame *frames,
		       size_t n, size_t i)
{
	if (i < n)
		fprintf(stderr, "  %s %zu: %u+%" PRIx64 "\n", who, i,
			frames[i].binary, frames[i].address);
	else
		fprintf(stderr, "  %s %zu: none\n", who, i);
}

static void tell(const struct op_live_frame *ours, size_t nr_ours,
		 const struct op_live_frame *theirs, size_t at)
{
	const struct snap_map *m = snap_map_at(&o.at.snap,
					       o.pcs[at ? at - 1 : 0]);

	if (o.told++ >= MAX_TOLD)
		return;
	fprintf(stderr, "stack %ld: ours %zu, elfutils %zu (%s); after %s\n",
		o.stacks, nr_ours, o.nr_pcs, o.why, m ? m->path : "?");
	for (size_t i = at > 2 ? at - 2 : 0; i < at + 3; i++) {
		tell_frame("ours ", ours, nr_ours, i);
		tell_frame("libdw", theirs, o.nr_pcs, i);
	}
}

static const char *excuse(size_t at, size_t nr_ours)
{
	const struct snap_map *m;

	if (at == nr_ours && at + 1 == o.nr_pcs) {
		m = snap_map_at(&o.at.snap, o.pcs[at]);
		return m && m->is_code ? NULL : "ends where no code is";
	}
	if (at == o.nr_pcs && at && at < nr_ours)
		return ours_excuse(&o.at.snap, o.pcs[at - 1]);
	return NULL;
}

static bool is_same(const struct op_live_frame *a,
		    const struct op_live_frame *b)
{
	return a->binary == b->binary && a->address == b->address;
}

static void compare_frames(const struct op_live_frame *ours, size_t nr_ours,
			   const struct op_live_frame *theirs, size_t nr)
{
	size_t most = nr > nr_ours ? nr : nr_ours, n = 0;

	while (n < nr && n < nr_ours && is_same(&ours[n], &theirs[n]))
		n++;
	if (!n) {
		o.moved++;
		return;
	}
	o.stacks++;
	o.frames += (long)most;
	o.equal_frames += (long)n;
	if (n == most)
		o.equal++;
	else if (excuse(n, nr_ours))
		o.excused++;
	else
		tell(ours, nr_ours, theirs, n);
}

const char *__wrap_op_rec_stack(struct op_recorder *r, struct op_rec_process *p,
				const struct op_bpf_sample *s)
{
	static struct op_live_frame ours[MAX_FRAMES + OP_BPF_MAX_KERNEL];
	const char *why = __real_op_rec_stack(r, p, s);
	size_t nr = r->frames.n;

	if ((pid_t)s->tid != o.tid || nr <= s->nr_kernel)
		return why;
	o.tid = 0;
	o.by_bpf += s->end < OP_BPF_NEW_PROCESS;
	memcpy(ours, r->frames.p, nr * sizeof(*ours));
	translate(r, p);
	compare_frames(ours + s->nr_kernel, nr - s->nr_kernel, r->frames.p,
		       r->frames.n);
	return __real_op_rec_stack(r, p, s);
}

/* --- the program ---------------------------------------------------------- */

/* It waits until the other end is closed. */
static pid_t start(char **argv, int ends[2])
{
	pid_t pid;
	char c;
	int null;

	if (pipe2(ends, O_CLOEXEC))
		fail("pipe");
	pid = fork();
	if (pid)
		return pid;
	close(ends[1]);
	(void)!read(ends[0], &c, 1);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execvp(argv[0], argv);
	_exit(127);
}

/* A thread that was stopped at a sample: both stacks are compared. */
static void look(struct op_recorder *r, pid_t tid)
{
	if (!stopped_take(&o.at, tid))
		return;
	o.nr_pcs = libdw_unwind(&o.at.snap, o.pcs, &o.why);
	o.tid = tid;
	if (op_recorder_tick(r))
		fail("tick");
	o.missed += o.tid != 0;
	o.tid = 0;
}

/* False: the program has ended. */
static bool next_stop(struct op_recorder *r)
{
	int status, sig;
	pid_t tid = waitpid(-1, &status, __WALL);

	if (tid < 0)
		return errno == EINTR;
	if (!WIFSTOPPED(status))
		return tid != o.pid;
	sig = WSTOPSIG(status);
	if (status >> 16) {
		sig = 0; /* an event: a new thread */
	} else if (sig == SIGSTOP) {
		look(r, tid);
		sig = 0;
	}
	ptrace(PTRACE_CONT, tid, NULL, (void *)(long)sig);
	return true;
}

static void run(char **argv)
{
	struct op_recorder_opts opts = { .hertz = HERTZ, .uid = -1 };
	struct op_err err = { 0 };
	struct op_recorder *r;
	struct op_model model;
	int ends[2], status;

	o.pid = o.at.pid = start(argv, ends);
	opts.command = o.pid;
	if (op_recorder_open(&r, &opts, &err) || op_recorder_start(r)) {
		fprintf(stderr, "oracle: %s\n", err.text);
		kill(o.pid, SIGKILL);
		exit(1);
	}
	if (ptrace(PTRACE_SEIZE, o.pid, NULL, PTRACE_O_TRACECLONE))
		fail("ptrace");
	close(ends[1]);
	close(ends[0]);
	while (o.stacks < o.wanted && o.missed < MAX_MISSED && next_stop(r))
		;
	stop_stopping();
	kill(o.pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR)
		;
	op_recorder_take(r, &model);
	op_recorder_close(r);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	o.path = argv[1];
	o.wanted = strtol(argv[2], NULL, 10);
	o.at.stack = malloc(STOPPED_STACK);
	if (!o.at.stack)
		return 1;
	/* A program may end before there are enough. */
	for (int i = 0; i < 100 && o.stacks < o.wanted; i++)
		run(argv + 3);
	printf("stacks %ld equal %ld explained %ld frames %ld equal %ld "
	       "in BPF alone %ld, not at the sample %ld, no sample %ld\n",
	       o.stacks, o.equal, o.excused, o.frames, o.equal_frames, o.by_bpf,
	       o.moved, o.missed);
	return o.stacks < o.wanted;
}
