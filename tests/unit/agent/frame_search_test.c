// SPDX-License-Identifier: Apache-2.0
#include "agent/frame_search.h"

#include <poll.h>

#include "agent/walk.h"
#include "agent_fixture.h"

static struct fixture f;

/* A thread that waits; __builtin_frame_address() makes the compiler use a frame
 * pointer. */
struct waiter {
	pthread_t id;
	_Atomic uint32_t tid;
	int pipe[2];
	uint64_t pointer; /* the frame that waits */
	void (*fn)(struct waiter *w);
	struct op_thread_place place;
};

static volatile int sink;

static void wait_here(struct waiter *w, void *pointer)
{
	w->pointer = (uint64_t)pointer;
	w->tid = own_tid();
}

static __attribute__((noinline)) void plain(struct waiter *w)
{
	struct pollfd p = { .fd = w->pipe[0], .events = POLLIN };

	wait_here(w, __builtin_frame_address(0));
	poll(&p, 1, -1);
	sink++;
}

static __attribute__((noinline)) void large(struct waiter *w)
{
	struct pollfd p = { .fd = w->pipe[0], .events = POLLIN };
	volatile char room[3000];

	room[1500] = 1;
	wait_here(w, __builtin_frame_address(0));
	poll(&p, 1, -1);
	sink += room[1500];
}

/* How large its frame is, is not in its code. */
static __attribute__((noinline)) void variable(struct waiter *w)
{
	struct pollfd p = { .fd = w->pipe[0], .events = POLLIN };
	volatile char *room = __builtin_alloca((size_t)sink % 100 + 100);

	room[0] = 1;
	wait_here(w, __builtin_frame_address(0));
	poll(&p, 1, -1);
	sink += room[0];
}

static void *run(void *arg)
{
	struct waiter *w = arg;

	w->fn(w);
	sink++;
	return NULL;
}

static bool is_waiting(void *arg)
{
	struct waiter *w = arg;
	struct op_thread t = { .tid = w->tid, .syscall = -1 };

	return w->tid && op_thread_look(&t, &w->place) == OP_LOOK_BLOCKED &&
	       w->place.call == SYS_poll;
}

static void start(struct waiter *w, void (*fn)(struct waiter *w))
{
	*w = (struct waiter){ .fn = fn };
	CHECK_EQ(pipe2(w->pipe, O_CLOEXEC), 0);
	CHECK_EQ(pthread_create(&w->id, NULL, run, w), 0);
	CHECK(wait_until(is_waiting, w));
}

static void stop(struct waiter *w)
{
	CHECK_EQ(write(w->pipe[1], "x", 1), 1);
	pthread_join(w->id, NULL);
	close(w->pipe[0]);
	close(w->pipe[1]);
}

/* --- its stack ------------------------------------------------------------ */

/* A word of it is read as another value. */
static struct {
	struct op_agent_walk walk;
	uint64_t at, value;
} memory;

static bool stack_read(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	(void)arg;
	if (at == memory.at) {
		*out = memory.value;
		return true;
	}
	return op_memory_read(&memory.walk.memory, at, n, out);
}

static enum op_code_kind code_at(void *arg, uint64_t pc,
				 struct op_unwind_code *out)
{
	const struct op_channel_map *m = memory.walk.map;

	(void)arg;
	for (uint32_t i = 0; i < m->nr; i++) {
		const struct op_channel_range *r = &m->ranges[i];

		if (pc < r->start || pc >= r->end)
			continue;
		if (!r->table)
			return OP_CODE_BARE;
		out->table.head = (const void *)(f.tables + r->table);
		out->bias = r->bias;
		return OP_CODE_TABLE;
	}
	return OP_CODE_NONE;
}

static const struct op_unwind_env env = { stack_read, code_at, NULL };

/* Unwinds from what the kernel tells; false: nothing was missing. */
static bool lose(const struct waiter *w, struct op_unwind *u)
{
	struct op_unwind_regs regs = { .known = 1 << OP_RIP | 1 << OP_RSP };

	memory.walk.map = op_agent_map(f.channel);
	op_memory_reset(&memory.walk.memory);
	regs.r[OP_RIP] = w->place.pc;
	regs.r[OP_RSP] = w->place.sp;
	op_unwind_begin(u, &env, &regs);
	while (op_unwind_next(u))
		;
	return u->end == OP_UNWIND_LOST;
}

static void begin(void)
{
	fixture_open(&f);
	fixture_helper(&f);
	memory.at = 0;
}

TEST(is_found)
{
	static void (*const fn[])(struct waiter * w) = { plain, large };
	struct waiter w;
	struct op_unwind u;

	begin();
	for (size_t i = 0; i < op_countof(fn); i++) {
		start(&w, fn[i]);
		if (lose(&w, &u)) {
			CHECK(op_frame_search(&u, OP_AGENT_MAX_FRAMES));
			CHECK_EQ(u.regs.r[OP_RBP], w.pointer);
			while (op_unwind_next(&u))
				;
			CHECK_EQ(u.end, OP_UNWIND_DONE);
		}
		stop(&w);
	}
	fixture_close(&f);
}

TEST(variable_frame)
{
	struct waiter w;
	struct op_unwind u;

	begin();
	start(&w, variable);
	if (lose(&w, &u)) {
		CHECK(!op_frame_search(&u, OP_AGENT_MAX_FRAMES));
		CHECK(!(u.regs.known & 1 << OP_RBP));
	}
	stop(&w);
	fixture_close(&f);
}

static __attribute__((noinline)) uint64_t after_call(void)
{
	sink++;
	return (uint64_t)__builtin_return_address(0);
}

TEST(wrong_stack)
{
	const struct {
		const char *name;
		int off; /* from the frame pointer */
		uint64_t value;
	} rows[] = {
		{ "no code", 8, 1 },
		{ "code, but not after a call", 8, (uint64_t)plain + 1 },
		{ "another function's call", 8, after_call() },
	};
	struct waiter w;
	struct op_unwind u;

	begin();
	start(&w, plain);
	for (size_t i = 0; i < op_countof(rows); i++) {
		memory.at = 0;
		if (!lose(&w, &u))
			break;
		memory.at = w.pointer + (uint64_t)rows[i].off;
		memory.value = rows[i].value;
		if (op_frame_search(&u, OP_AGENT_MAX_FRAMES))
			TEST_FAIL("%s: found", rows[i].name);
	}
	stop(&w);
	fixture_close(&f);
}

/* A frame that lacks nothing is left alone. */
TEST(nothing_missing)
{
	struct waiter w;
	struct op_unwind u;

	begin();
	start(&w, plain);
	if (lose(&w, &u)) {
		u.regs.known |= 1 << OP_RBP;
		CHECK(!op_frame_search(&u, OP_AGENT_MAX_FRAMES));
	}
	stop(&w);
	fixture_close(&f);
}

TEST_MAIN(is_found, variable_frame, wrong_stack, nothing_missing)
