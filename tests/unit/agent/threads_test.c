// SPDX-License-Identifier: Apache-2.0
#include "agent/threads.h"

#include <signal.h>
#include <sys/resource.h>

#include "agent_fixture.h"

static struct op_threads threads;
static struct op_err err;
static uint32_t gone;

static void on_gone(void *ctx, struct op_thread *t)
{
	(void)ctx;
	gone = t->tid;
}

static struct op_thread *find(uint32_t tid)
{
	for (uint32_t i = 0; i < threads.nr; i++)
		if (threads.p[i].tid == tid)
			return &threads.p[i];
	return NULL;
}

TEST(parses_places)
{
	static const struct {
		const char *text;
		enum op_thread_look is;
		int64_t call;
		uint64_t sp, pc;
	} rows[] = {
		{ "running\n", OP_LOOK_RUNS, 0, 0, 0 },
		{ "", OP_LOOK_GONE, 0, 0, 0 },
		{ "x", OP_LOOK_GONE, 0, 0, 0 },
		{ "7", OP_LOOK_GONE, 0, 0, 0 },
		{ "-1 0x10 0x20\n", OP_LOOK_BLOCKED, -1, 0x10, 0x20 },
		{ "35 0x1 0x2 0x3 0x4 0x5 0x6 0x7f00 0x7e00\n", OP_LOOK_BLOCKED,
		  35, 0x7f00, 0x7e00 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_thread_place p = { 0 };

		CHECK_EQ(op_thread_place_parse(rows[i].text, &p), rows[i].is);
		if (rows[i].is != OP_LOOK_BLOCKED)
			continue;
		CHECK_EQ(p.call, rows[i].call);
		CHECK_EQ(p.sp, rows[i].sp);
		CHECK_EQ(p.pc, rows[i].pc);
	}
}

TEST(states)
{
	CHECK_EQ(op_thread_state_of(-1), OP_STATE_UNINTERRUPTIBLE);
	CHECK_EQ(op_thread_state_of(SYS_clock_nanosleep), OP_STATE_SLEEPING);
	CHECK_EQ(op_thread_state_of(SYS_futex), OP_STATE_BLOCKED);
	CHECK_EQ(op_thread_state_of(SYS_epoll_wait), OP_STATE_IO);
}

TEST(lists)
{
	struct worker a = { .waits = true }, b = { .blocks = true };

	CHECK_EQ(op_threads_open(&threads, own_tid(), &err), 0);
	CHECK(op_threads_list(&threads, on_gone, NULL));
	CHECK(!find(own_tid()));
	CHECK_EQ(op_threads_count(&threads), threads.nr + 1);
	worker_start(&a);
	worker_start(&b);
	/* Sanitizers add one. */
	CHECK(op_threads_count(&threads) >= threads.nr + 3);
	CHECK(op_threads_list(&threads, on_gone, NULL));
	for (uint32_t i = 1; i < threads.nr; i++)
		CHECK(threads.p[i - 1].tid < threads.p[i].tid);
	CHECK(find(a.tid) && find(b.tid));
	if (find(a.tid)) {
		CHECK_STR(find(a.tid)->name, "worker");
		CHECK_EQ(find(a.tid)->pointer, a.id);
		CHECK_EQ(find(a.tid)->prio, 20 - getpriority(PRIO_PROCESS, 0));
		CHECK(find(a.tid)->syscall >= 0 && find(a.tid)->start_ns);
	}
	worker_stop(&a);
	CHECK(op_threads_list(&threads, on_gone, NULL));
	CHECK_EQ(gone, a.tid);
	CHECK(!find(a.tid) && find(b.tid));
	worker_stop(&b);
	op_threads_close(&threads);
}

TEST(looks)
{
	struct worker a = { .waits = true }, b = { .blocks = true };
	uint64_t runs, again;
	struct op_thread_place place = { 0 };
	struct op_thread *t;

	CHECK_EQ(op_threads_open(&threads, own_tid(), &err), 0);
	worker_start(&a);
	worker_start(&b);
	CHECK(op_threads_list(&threads, on_gone, NULL));
	t = find(a.tid);
	CHECK(op_thread_cpu_ns(t, &runs) && op_thread_cpu_ns(t, &again));
	CHECK(runs && runs == again);
	CHECK(op_thread_cpu_ns(find(b.tid), &runs));
	usleep(20000);
	CHECK(op_thread_cpu_ns(find(b.tid), &again) && again > runs);
	CHECK_EQ(op_thread_look(t, &place), OP_LOOK_BLOCKED);
	CHECK(place.call == SYS_read && place.pc && place.sp);
	CHECK(!op_thread_rename(t));
	pthread_setname_np(a.id, "other");
	CHECK(op_thread_rename(t));
	CHECK_STR(t->name, "other");
	CHECK(!op_thread_blocks(t, SIGURG));
	t = find(b.tid);
	CHECK(op_thread_blocks(t, SIGURG));
	CHECK(!op_thread_has_pending(t, SIGURG));
	pthread_kill(b.id, SIGURG);
	CHECK(op_thread_has_pending(t, SIGURG));
	CHECK_EQ(op_thread_look(t, &place), OP_LOOK_RUNS);
	worker_stop(&a);
	worker_stop(&b);
	CHECK_EQ(op_thread_look(find(a.tid), &place), OP_LOOK_GONE);
	CHECK(!op_thread_cpu_ns(find(a.tid), &runs));
	op_threads_close(&threads);
}

/* Numbers of descriptors that programs use are left to them. */
TEST(files)
{
	struct rlimit before, few = { 64, 64 };
	struct worker w = { .waits = true };
	struct op_thread_place place;
	int fd;

	fd = op_file_high(open("/dev/null", O_RDONLY));
	CHECK(fd >= 512);
	close(fd);
	worker_start(&w);
	getrlimit(RLIMIT_NOFILE, &before);
	few.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	fd = op_file_high(open("/dev/null", O_RDONLY));
	CHECK(fd >= 32 && fd < 64);
	close(fd);
	few.rlim_cur = 4; /* no share of these is ours */
	setrlimit(RLIMIT_NOFILE, &few);
	CHECK_EQ(op_threads_open(&threads, own_tid(), &err), 0);
	CHECK_EQ(threads.max_open, 1);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(op_threads_list(&threads, on_gone, NULL));
	CHECK(threads.nr_open <= 1);
	CHECK_EQ(op_thread_look(find(w.tid), &place), OP_LOOK_BLOCKED);
	op_threads_close(&threads);
	worker_stop(&w);
}

TEST_MAIN(parses_places, states, lists, looks, files)
