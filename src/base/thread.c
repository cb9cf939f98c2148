// SPDX-License-Identifier: Apache-2.0
/* base/thread.c: starting threads with few signals and small stacks. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* All signals but those that a fault of a thread raises in that thread. */
static void block_set(sigset_t *out)
{
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL,
				      SIGTRAP };

	sigfillset(out);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(out, faults[i]);
}

int op_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx,
		    const char *what, struct op_err *err)
{
	enum { STACK = 512 << 10 };
	pthread_attr_t attr;
	sigset_t set, old;
	int rc;

	block_set(&set);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	rc = pthread_create(thread, &attr, run, ctx);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!rc)
		return OP_OK;
	errno = rc;
	return op_fail_sys(err, "cannot start %s", what);
}

void op_thread_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}
