// SPDX-License-Identifier: Apache-2.0
/* base/thread.h: threads of the library inside a host program. */
#ifndef OP_BASE_THREAD_H
#define OP_BASE_THREAD_H

#include <pthread.h>

#include "base/err.h"

/* Starts a thread that leaves the signals of the program to the program's own
 * threads. Only signals raised by a fault of the thread itself (SIGBUS and the
 * like) stay as the caller has them: if they were blocked, they would kill the
 * process before its handler could run. `what` names the thread in the error.
 */
int op_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx,
		    const char *what, struct op_err *err);

/* A condition variable that uses the monotonic clock. */
void op_thread_cond_init(pthread_cond_t *cond);

#endif
