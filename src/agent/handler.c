// SPDX-License-Identifier: Apache-2.0
/* agent/handler.c: threads that take samples of themselves. */
#include "agent/handler.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
	int signal;
	pid_t pid; /* as it was opened: a forked child is asked nothing */
	uid_t uid;
	struct sigaction before;
	struct op_ask *asks; /* OP_MAX_ASKS; memory only for those used */
	uint32_t nr_asks;    /* that were ever used */
	uint32_t done;	     /* answers, ever; a futex */
	uint32_t wake_at;    /* the answer that wakes who waits */
} handler;

/* --- the answer ----------------------------------------------------------- */

static uint64_t thread_cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void answer(struct op_ask *a, const void *uc)
{
	struct op_unwind_regs regs;

	op_agent_regs(uc, &regs);
	a->nr = op_agent_unwind(&a->walk, &regs, a->frames, OP_AGENT_MAX_FRAMES,
				&a->end);
	a->cpu_ns = thread_cpu_ns();
	op_agent_context(&a->context);
	__atomic_store_n(&a->state, OP_ASK_DONE, __ATOMIC_RELEASE);
	if (__atomic_add_fetch(&handler.done, 1, __ATOMIC_SEQ_CST) ==
	    __atomic_load_n(&handler.wake_at, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &handler.done, FUTEX_WAKE_PRIVATE, 1, NULL,
			NULL, 0);
}

/* --- the signal ----------------------------------------------------------- */

/* The request that a signal brings; false: it is not ours. */
static bool is_ours(const siginfo_t *info, struct op_ask **out)
{
	uintptr_t at = (uintptr_t)info->si_value.sival_ptr;
	uintptr_t first = (uintptr_t)handler.asks;

	if (info->si_code != SI_QUEUE || info->si_pid != handler.pid ||
	    at < first || at >= first + OP_MAX_ASKS * sizeof(struct op_ask) ||
	    (at - first) % sizeof(struct op_ask))
		return false;
	*out = (struct op_ask *)at;
	return true;
}

static bool change(struct op_ask *a, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&a->state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A request may be withdrawn and used for another thread at any moment until
 * it is busy. */
static bool is_begun(struct op_ask *a, uint32_t tid)
{
	if (a->tid != tid || !change(a, OP_ASK_ASKED, OP_ASK_BUSY))
		return false;
	if (a->tid == tid)
		return true;
	change(a, OP_ASK_BUSY, OP_ASK_ASKED);
	return false;
}

/* The request to this thread. The kernel keeps one signal of a number for a
 * thread: the one that arrives may be of an earlier request, or of somebody
 * else, who sent it before. hint is NULL then. */
static struct op_ask *ask_begin(struct op_ask *hint, uint32_t tid)
{
	uint32_t nr = __atomic_load_n(&handler.nr_asks, __ATOMIC_ACQUIRE);

	if (hint && is_begun(hint, tid))
		return hint;
	for (uint32_t i = 0; i < nr; i++) {
		struct op_ask *a = &handler.asks[i];

		if (op_ask_state(a) == OP_ASK_FREE || a->tid != tid)
			continue;
		if (is_begun(a, tid))
			return a;
		change(a, OP_ASK_CANCELLED, OP_ASK_FREE);
	}
	return NULL;
}

static bool is_ignored(int sig)
{
	return sig == SIGURG || sig == SIGWINCH || sig == SIGCHLD ||
	       sig == SIGCONT;
}

/* A signal that somebody else has sent goes where it would have gone. */
static void pass_on(int sig, siginfo_t *info, void *uc)
{
	const struct sigaction *before = &handler.before;

	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(sig, info, uc);
	} else if (before->sa_handler == SIG_DFL && !is_ignored(sig)) {
		sigaction(sig, before, NULL);
		syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), sig);
	} else if (before->sa_handler != SIG_DFL &&
		   before->sa_handler != SIG_IGN) {
		before->sa_handler(sig);
	}
}

/* If the user has too many signals waiting, the kernel forgets who sent one. */
static bool is_of_nobody(const siginfo_t *info)
{
	return info->si_code == SI_USER && !info->si_pid && !info->si_uid;
}

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	int saved = errno;
	struct op_ask *hint = NULL, *a;
	bool is_request = is_ours(info, &hint);

	a = ask_begin(hint, (uint32_t)syscall(SYS_gettid));
	if (a)
		answer(a, uc);
	errno = saved;
	if (!is_request && !(a && is_of_nobody(info)))
		pass_on(sig, info, uc);
	errno = saved;
}

/* One that is handled by nobody, and that is ignored by default: if a thread
 * executes another program just when it is asked, the signal waits, and arrives
 * when there is no handler any more. Any other signal would end it. */
static int free_signal(void)
{
	static const int can_be[] = { SIGURG, SIGWINCH };
	struct sigaction now;

	for (size_t i = 0; i < op_countof(can_be); i++)
		if (!sigaction(can_be[i], NULL, &now) &&
		    !(now.sa_flags & SA_SIGINFO) &&
		    (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
			return can_be[i];
	return 0;
}

int op_handler_open(int signal, struct op_err *err)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO | SA_RESTART |
					   SA_ONSTACK },
			 before;
	void *p = mmap(NULL, OP_MAX_ASKS * sizeof(struct op_ask),
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return op_fail_sys(err, "no address space for samples");
	handler.asks = p;
	handler.pid = getpid();
	handler.uid = getuid();
	handler.signal = signal ? signal : free_signal();
	if (!handler.signal)
		return op_fail(err, OP_EUSAGE,
			       "the program uses SIGURG and SIGWINCH; "
			       "OTPROF_AGENT_SIGNAL can name another signal");
	a.sa_sigaction = on_signal;
	sigfillset(&a.sa_mask);
	if (sigaction(handler.signal, &a, &before))
		return op_fail_sys(err, "signal %d cannot be used",
				   handler.signal);
	if (!(before.sa_flags & SA_SIGINFO) || before.sa_sigaction != on_signal)
		handler.before = before;
	return OP_OK;
}

int op_handler_signal(void)
{
	return handler.signal;
}

bool op_handler_is_there(void)
{
	struct sigaction now;

	return !sigaction(handler.signal, NULL, &now) &&
	       now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal;
}

/* The handler stays: a signal that is still under way would otherwise end the
 * program. */
void op_handler_close(void)
{
	for (uint32_t i = 0; i < handler.nr_asks; i++)
		op_ask_cancel(&handler.asks[i]);
}

/* --- requests ------------------------------------------------------------- */

static struct op_ask *free_ask(void)
{
	for (uint32_t i = 0; i < handler.nr_asks; i++)
		if (op_ask_state(&handler.asks[i]) == OP_ASK_FREE)
			return &handler.asks[i];
	if (handler.nr_asks == OP_MAX_ASKS)
		return NULL;
	__atomic_store_n(&handler.nr_asks, handler.nr_asks + 1,
			 __ATOMIC_RELEASE);
	return &handler.asks[handler.nr_asks - 1];
}

static bool ask_send(struct op_ask *a)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = handler.signal;
	info.si_code = SI_QUEUE;
	info.si_pid = handler.pid;
	info.si_uid = handler.uid;
	info.si_value.sival_ptr = a;
	return !syscall(SYS_rt_tgsigqueueinfo, (long)handler.pid, (long)a->tid,
			handler.signal, &info);
}

struct op_ask *op_ask(uint32_t tid, const struct op_channel_map *map,
		      const uint8_t *tables)
{
	struct op_ask *a = free_ask();

	if (!a) {
		errno = EAGAIN;
		return NULL;
	}
	a->tid = tid;
	a->nr_owed = 0;
	a->walk.map = map;
	a->walk.tables = tables;
	__atomic_store_n(&a->state, OP_ASK_ASKED, __ATOMIC_RELEASE);
	if (!ask_send(a)) {
		__atomic_store_n(&a->state, OP_ASK_FREE, __ATOMIC_RELAXED);
		return NULL;
	}
	return a;
}

enum op_ask_state op_ask_state(const struct op_ask *a)
{
	return (enum op_ask_state)__atomic_load_n(&a->state, __ATOMIC_ACQUIRE);
}

bool op_ask_cancel(struct op_ask *a)
{
	return change(a, OP_ASK_ASKED, OP_ASK_CANCELLED);
}

void op_ask_free(struct op_ask *a)
{
	__atomic_store_n(&a->state, OP_ASK_FREE, __ATOMIC_RELEASE);
}

uint32_t op_asks_done(void)
{
	return __atomic_load_n(&handler.done, __ATOMIC_ACQUIRE);
}

void op_asks_wait(uint32_t done, uint32_t nr, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000),
			      (long)(ns % 1000000000) };

	__atomic_store_n(&handler.wake_at, done + nr, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &handler.done, FUTEX_WAIT_PRIVATE, done, &t, NULL,
		0);
}
