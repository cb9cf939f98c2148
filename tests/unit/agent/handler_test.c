// SPDX-License-Identifier: Apache-2.0
#include "agent/handler.h"

#include <errno.h>
#include <signal.h>

#include "agent_fixture.h"

static struct fixture f;
static volatile int nr_foreign;

static void on_foreign(int sig)
{
	(void)sig;
	nr_foreign++;
}

static bool is_done(void *a)
{
	return op_ask_state(a) == OP_ASK_DONE;
}

static bool is_free(void *a)
{
	return op_ask_state(a) == OP_ASK_FREE;
}

static struct op_ask *ask(uint32_t tid)
{
	return op_ask(tid, op_agent_map(f.channel), f.tables);
}

TEST(installs)
{
	struct op_err err = { 0 };

	fixture_open(&f);
	fixture_helper(&f);
	signal(SIGURG, on_foreign);
	signal(SIGWINCH, on_foreign);
	CHECK_EQ(op_handler_open(0, &err), OP_EUSAGE);
	err = (struct op_err){ 0 };
	signal(SIGWINCH, SIG_IGN);
	CHECK_EQ(op_handler_open(0, &err), 0);
	CHECK_EQ(op_handler_signal(), SIGWINCH);
	signal(SIGURG, SIG_DFL);
	CHECK_EQ(op_handler_open(0, &err), 0);
	CHECK_EQ(op_handler_signal(), SIGURG);
	CHECK(op_handler_is_there());
	CHECK_EQ(op_handler_open(SIGKILL, &err), OP_EIO);
	err = (struct op_err){ 0 };
	CHECK_EQ(op_handler_open(SIGURG, &err), 0);
}

/* One that somebody else sends is ignored as before, or goes to whoever handled
 * it, and the handler stays. */
TEST(passes_on)
{
	struct op_err err = { 0 };

	raise(SIGURG);
	CHECK(op_handler_is_there());
	signal(SIGUSR1, on_foreign);
	CHECK_EQ(op_handler_open(SIGUSR1, &err), 0);
	raise(SIGUSR1);
	CHECK_EQ(nr_foreign, 1);
	CHECK(op_handler_is_there());
	signal(SIGUSR1, SIG_DFL);
	CHECK(!op_handler_is_there());
	CHECK_EQ(op_handler_open(SIGURG, &err), 0);
}

TEST(asks)
{
	struct worker w = { 0 };
	uint32_t done = op_asks_done();
	struct op_ask *a;

	worker_start(&w);
	a = ask(w.tid);
	CHECK(a && wait_until(is_done, a));
	CHECK(op_asks_done() > done);
	CHECK_EQ(a->tid, w.tid);
	CHECK_EQ(a->end, OP_UNWIND_DONE);
	CHECK(a->nr >= 3 && a->cpu_ns && !a->context.has_trace);
	CHECK(!op_ask_cancel(a));
	op_ask_free(a);
	CHECK(ask(w.tid) == a); /* its memory is used again */
	CHECK(wait_until(is_done, a));
	op_ask_free(a);
	worker_stop(&w);
	errno = 0;
	CHECK(!ask(w.tid));
	CHECK_EQ(errno, ESRCH);
}

static _Atomic int may_unblock, has_unblocked;

static void *blocks(void *arg)
{
	struct worker *w = arg;
	sigset_t urg;

	sigemptyset(&urg);
	sigaddset(&urg, SIGURG);
	pthread_sigmask(SIG_BLOCK, &urg, NULL);
	w->tid = own_tid();
	while (!may_unblock)
		w->sink++;
	pthread_sigmask(SIG_UNBLOCK, &urg, NULL);
	has_unblocked = true;
	while (!w->stop)
		w->sink++;
	return NULL;
}

static bool is_unblocked(void *arg)
{
	(void)arg;
	return has_unblocked;
}

/* The kernel keeps one signal: it answers the request that is open when it
 * arrives, whichever it was sent for. */
TEST(late_signal)
{
	struct worker w = { 0 };
	struct op_ask *first, *second;

	CHECK_EQ(pthread_create(&w.id, NULL, blocks, &w), 0);
	CHECK(wait_until(worker_is_there, &w));
	first = ask(w.tid);
	CHECK(first && op_ask_state(first) == OP_ASK_ASKED);
	CHECK(op_ask_cancel(first));
	CHECK_EQ(op_ask_state(first), OP_ASK_CANCELLED);
	second = ask(w.tid);
	CHECK(second && second != first);
	may_unblock = true;
	CHECK(wait_until(is_unblocked, NULL));
	CHECK(wait_until(is_done, second));
	op_ask_free(second);
	/* The next signal to the thread frees what was cancelled. */
	if (op_ask_state(first) == OP_ASK_CANCELLED)
		op_ask_free(first);
	CHECK(wait_until(is_free, first));
	w.stop = true;
	pthread_join(w.id, NULL);
}

/* If somebody else's signal waits already, the kernel drops ours. Theirs
 * answers the request, and still goes where it belongs. */
TEST(signal_merged)
{
	struct worker w = { 0 };
	struct op_ask *a;
	struct op_err err = { 0 };

	may_unblock = has_unblocked = false;
	nr_foreign = 0;
	signal(SIGURG, on_foreign);
	CHECK_EQ(op_handler_open(SIGURG, &err), 0);
	CHECK_EQ(pthread_create(&w.id, NULL, blocks, &w), 0);
	CHECK(wait_until(worker_is_there, &w));
	pthread_kill(w.id, SIGURG);
	a = ask(w.tid);
	may_unblock = true;
	CHECK(wait_until(is_unblocked, NULL));
	CHECK(a && wait_until(is_done, a));
	op_ask_free(a);
	CHECK_EQ(nr_foreign, 1);
	w.stop = true;
	pthread_join(w.id, NULL);
}

TEST(waits)
{
	op_asks_wait(op_asks_done(), 1, 1000000);
	op_asks_wait(op_asks_done() + 1, 1, 1000000000000); /* at once */
	op_handler_close();
	fixture_close(&f);
	CHECK(op_handler_is_there());
}

TEST_MAIN(installs, passes_on, asks, late_signal, signal_merged, waits)
