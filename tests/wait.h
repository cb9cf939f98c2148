// SPDX-License-Identifier: Apache-2.0
/* tests/wait.h: waiting for what another thread or process does. */
#ifndef OP_TESTS_WAIT_H
#define OP_TESTS_WAIT_H

#include <stdbool.h>
#include <time.h>

/* Waits until the condition holds, at most a minute, which is far more than
 * a slow machine takes; gives whether it does. */
static inline bool wait_until(bool (*holds)(void *ctx), void *ctx)
{
	const struct timespec pause = { 0, 1000000 };
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 60;
	while (!holds(ctx)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end.tv_sec)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

#endif
