// SPDX-License-Identifier: Apache-2.0
#include "agent/context.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

struct record {
	uint8_t trace[16], span[8], is_valid;
};

extern __thread const struct record *otel_thread_ctx_v1;

static const struct record good = { { 1, [15] = 2 }, { 3, [7] = 4 }, 1 };

TEST(own)
{
	static const struct record invalid = { { 1 }, { 3 }, 0 };
	static const struct record other = { { 1 }, { 3 }, 2 };
	static const struct record no_trace = { { 0 }, { 3 }, 1 };
	const struct record *bad[] = { NULL, &invalid, &other, &no_trace,
				       (const void *)8 };
	struct op_agent_context c;

	for (size_t i = 0; i < op_countof(bad); i++) {
		otel_thread_ctx_v1 = bad[i];
		op_agent_context(&c);
		CHECK(!c.has_trace);
	}
	otel_thread_ctx_v1 = &good;
	op_agent_context(&c);
	CHECK(c.has_trace && !memcmp(c.trace, good.trace, 16) &&
	      !memcmp(c.span, good.span, 8));
	otel_thread_ctx_v1 = NULL;
}

static pthread_barrier_t barrier;
static uint32_t other_tid;

static void *other_thread(void *arg)
{
	otel_thread_ctx_v1 = arg;
	other_tid = (uint32_t)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

TEST(of_another_thread)
{
	struct op_agent_context c;
	uint64_t pointer;
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, other_thread, (void *)&good);
	pthread_barrier_wait(&barrier);
	pointer = op_agent_thread_pointer(other_tid);
	CHECK_EQ(pointer, t); /* as glibc has it */
	op_agent_context_of(pointer, &c);
	CHECK(c.has_trace && !memcmp(c.trace, good.trace, 16));
	CHECK_EQ(op_agent_thread_pointer((uint32_t)syscall(SYS_gettid)),
		 pthread_self());
	pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
	CHECK_EQ(op_agent_thread_pointer(other_tid), 0);
	op_agent_context_of(0, &c);
	CHECK(!c.has_trace);
	op_agent_context_of(4096, &c);
	CHECK(!c.has_trace);
}

TEST_MAIN(own, of_another_thread)
