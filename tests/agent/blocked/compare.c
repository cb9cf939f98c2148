// SPDX-License-Identifier: Apache-2.0
/* compare.c: whether stacks of blocked threads are right.
 *
 *	compare PID
 *
 * Unwinds every blocked thread of a process twice: as the agent does, from the
 * program counter and the stack pointer that the kernel tells, and from all
 * registers, for which the thread is stopped. Prints the number of threads
 * whose stacks are equal, cut (the beginning of the right stack, marked as
 * truncated) and wrong; the last is the exit status. Needs the right to trace
 * the process. */
#include <elf.h>
#include <inttypes.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "unit/agent/agent_fixture.h"

/* The agent reads its own process: here that is another one. */
static pid_t target;

pid_t getpid(void)
{
	return target;
}

struct stack {
	uint32_t nr;
	uint8_t end;
	uint64_t frames[OP_AGENT_MAX_FRAMES];
};

static struct fixture f;
static struct op_agent_walk walk;
static struct stack told, whole;
static int equal, cut, wrong, moved;

static bool look(uint32_t tid, struct op_thread_place *out)
{
	char path[64], text[256] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/syscall", target, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && op_thread_place_parse(text, out) == OP_LOOK_BLOCKED;
}

static void unwind(const struct op_unwind_regs *regs, struct stack *out)
{
	out->nr = op_agent_unwind(&walk, regs, out->frames, OP_AGENT_MAX_FRAMES,
				  &out->end);
}

/* All registers of a thread that is stopped meanwhile. */
static bool registers(uint32_t tid, struct op_unwind_regs *out)
{
	struct user_regs_struct r = { 0 };
	struct iovec to = { &r, sizeof(r) };
	pid_t t = (pid_t)tid;
	bool ok;

	if (ptrace(PTRACE_SEIZE, t, NULL, NULL))
		return false;
	ptrace(PTRACE_INTERRUPT, t, NULL, NULL);
	waitpid(t, NULL, __WALL);
	ok = !ptrace(PTRACE_GETREGSET, t, (void *)NT_PRSTATUS, &to);
	*out = (struct op_unwind_regs){
		.r = { [OP_RAX] = r.rax,
		       [OP_RDX] = r.rdx,
		       [OP_RCX] = r.rcx,
		       [OP_RBX] = r.rbx,
		       [OP_RSI] = r.rsi,
		       [OP_RDI] = r.rdi,
		       [OP_RBP] = r.rbp,
		       [OP_RSP] = r.rsp,
		       [OP_R8] = r.r8,
		       [OP_R9] = r.r9,
		       [OP_R10] = r.r10,
		       [OP_R11] = r.r11,
		       [OP_R12] = r.r12,
		       [OP_R13] = r.r13,
		       [OP_R14] = r.r14,
		       [OP_R15] = r.r15,
		       [OP_RIP] = r.rip },
		.known = OP_ALL_REGS,
	};
	if (ok)
		unwind(out, &whole);
	ptrace(PTRACE_DETACH, t, NULL, NULL);
	return ok;
}

static void show(uint32_t tid, const char *what)
{
	printf("%s: thread %u: %u frames (%s) of %u (%s)\n", what, tid, told.nr,
	       op_unwind_end_text((enum op_unwind_end)told.end), whole.nr,
	       op_unwind_end_text((enum op_unwind_end)whole.end));
	for (uint32_t i = 0; i < told.nr || i < whole.nr; i++)
		printf("\t%16" PRIx64 " %16" PRIx64 "\n",
		       i < told.nr ? told.frames[i] & ~OP_AGENT_EXACT : 0,
		       i < whole.nr ? whole.frames[i] & ~OP_AGENT_EXACT : 0);
}

static void compare(uint32_t tid)
{
	uint32_t same = 0;

	while (same < told.nr && same < whole.nr &&
	       told.frames[same] == whole.frames[same])
		same++;
	if (same == told.nr && same == whole.nr && told.end == whole.end) {
		equal++;
	} else if (same == told.nr && told.end != OP_UNWIND_DONE) {
		cut++;
		show(tid, "cut");
	} else {
		wrong++;
		show(tid, "wrong");
	}
}

static void check(void *arg, uint32_t tid)
{
	struct op_unwind_regs regs = { .known = 1 << OP_RIP | 1 << OP_RSP },
			      all;
	struct op_thread_place place;

	(void)arg;
	if (!look(tid, &place))
		return;
	regs.r[OP_RIP] = place.pc;
	regs.r[OP_RSP] = place.sp;
	unwind(&regs, &told);
	if (!registers(tid, &all) || all.r[OP_RIP] != place.pc ||
	    all.r[OP_RSP] != place.sp) {
		moved++;
		return;
	}
	compare(tid);
}

int main(int argc, char **argv)
{
	struct op_proc proc = { 0 };

	target = argc > 1 ? (pid_t)strtol(argv[1], NULL, 10) : 0;
	if (target <= 0)
		return 2;
	fixture_open(&f);
	fixture_helper(&f);
	walk.map = op_agent_map(f.channel);
	walk.tables = f.tables;
	op_proc_tids(&proc, (uint32_t)target, check, NULL);
	op_proc_fini(&proc);
	printf("%d equal, %d cut, %d wrong, %d moved\n", equal, cut, wrong,
	       moved);
	fixture_close(&f);
	return wrong > 0;
}
