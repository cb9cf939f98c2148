// SPDX-License-Identifier: Apache-2.0
/* cli/stack.c: runs the program on a stack of a known size. */
#include "stack.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Functions have buffers of up to 64 KiB, and symbols of C++ are demangled by
 * recursion. What the program is tested with is 8 MiB. */
enum { STACK = 8 << 20 };

struct call {
	cli_main_fn *fn;
	int argc, result;
	char **argv;
};

static void *run(void *arg)
{
	struct call *c = arg;

	c->result = c->fn(c->argc, c->argv);
	return NULL;
}

static int start(struct call *c, pthread_t *out)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	rc = pthread_attr_setstacksize(&attr, STACK);
	if (!rc)
		pthread_setattr_default_np(&attr);
	if (!rc)
		rc = pthread_create(out, &attr, run, c);
	pthread_attr_destroy(&attr);
	return rc;
}

/* Signals of the process are for the thread: that may block and await them. */
int cli_stack_run(cli_main_fn *fn, int argc, char **argv)
{
	struct call c = { .fn = fn, .argc = argc, .argv = argv };
	pthread_t thread;
	sigset_t all;

	if (start(&c, &thread))
		return fn(argc, argv);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_join(thread, NULL);
	return c.result;
}
