// SPDX-License-Identifier: Apache-2.0
/* Threads of the library get no signals but those of their own faults. */
#include "base/thread.h"

#include <signal.h>

#include "test.h"

static void *mask_of(void *ctx)
{
	pthread_sigmask(SIG_BLOCK, NULL, ctx);
	return NULL;
}

TEST(signals)
{
	static const int blocked[] = { SIGTERM, SIGINT,	 SIGPROF,
				       SIGPIPE, SIGALRM, SIGUSR1 };
	static const int open[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP };
	struct op_err err = { 0 };
	sigset_t inside, mine;
	pthread_t thread;

	CHECK_EQ(op_thread_start(&thread, mask_of, &inside, "a thread", &err),
		 OP_OK);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < op_countof(blocked); i++)
		CHECK(sigismember(&inside, blocked[i]));
	for (size_t i = 0; i < op_countof(open); i++)
		CHECK(!sigismember(&inside, open[i]));
	pthread_sigmask(SIG_BLOCK, NULL, &mine);
	CHECK(!sigismember(&mine, SIGTERM));
}

TEST_MAIN(signals)
