// SPDX-License-Identifier: Apache-2.0
/* agent/loads.c: whether libraries were loaded or unloaded.
 *
 * dl_iterate_phdr() holds a lock of the loader, which fork() in another thread
 * copies as it is: in the child nobody would ever release it. So fork() waits
 * until it is released; but not for long, since a program may itself fork
 * within dl_iterate_phdr(). */
#include "agent/loads.h"

#include <pthread.h>
#include <time.h>

/* Who has the lock may wait for a CPU that many threads want. */
enum { WAIT_S = 1 };

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((tls_model("initial-exec"))) __thread bool has_mu;

static void before_fork(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += WAIT_S;
	has_mu = !pthread_mutex_timedlock(&mu, &t);
}

static void after_fork(void)
{
	if (has_mu)
		pthread_mutex_unlock(&mu);
	has_mu = false;
}

/* A mutex that this thread could not get is held by a thread that the child
 * does not have. */
static void in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	mu = fresh;
	has_mu = false;
}

void op_loads_init(void)
{
	static bool is_done;

	if (!is_done)
		pthread_atfork(before_fork, after_fork, in_child);
	is_done = true;
}

struct counts {
	uint64_t loaded, unloaded;
};

static int count(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	(void)bytes;
	*(struct counts *)arg = (struct counts){ info->dlpi_adds,
						 info->dlpi_subs };
	return 1; /* once is enough */
}

void op_loads_each(int (*fn)(struct dl_phdr_info *info, size_t bytes,
			     void *arg),
		   void *arg)
{
	pthread_mutex_lock(&mu);
	dl_iterate_phdr(fn, arg);
	pthread_mutex_unlock(&mu);
}

uint64_t op_loads(void)
{
	struct counts n = { 0 };

	op_loads_each(count, &n);
	return n.loaded + n.unloaded;
}

uint64_t op_unloads(void)
{
	struct counts n = { 0 };

	op_loads_each(count, &n);
	return n.unloaded;
}
