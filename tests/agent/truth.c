// SPDX-License-Identifier: Apache-2.0
/* tests/agent/truth.c: threads that sit in known functions and spans for 60, 30
 * and 10 % of the time, each in a way of its own: it runs, sleeps, waits for a
 * condition, or waits for input. Prints how long each was in each, in seconds:
 *
 *	NAME FUNCTION SECONDS
 *
 *	truth SECONDS */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

struct __attribute__((packed)) record {
	uint8_t trace[16], span[8];
	uint8_t valid, flags;
	uint16_t attr_bytes;
};

__attribute__((visibility(
	"default"))) __thread struct record *volatile otel_thread_ctx_v1;

enum { SIXTY, THIRTY, TEN, PARTS };

/* Not a multiple of any interval at which samples are taken. */
static const double part_s[PARTS] = { 0.0618, 0.0309, 0.0103 };
static volatile unsigned long sink;
static double end_s;

typedef void wait_fn(double seconds);

struct thread {
	const char *name;
	wait_fn *wait;
	double spent_s[PARTS];
	pthread_t id;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct timespec time_of(double s)
{
	return (struct timespec){ (time_t)s,
				  (long)((s - (double)(time_t)s) * 1e9) };
}

static void spin(double seconds)
{
	double end = now_s() + seconds;

	while (now_s() < end)
		for (int i = 0; i < 1000; i++)
			sink++;
}

static void sleep_for(double seconds)
{
	struct timespec t = time_of(seconds);

	nanosleep(&t, NULL);
}

static void wait_for(double seconds)
{
	pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec now, t;

	clock_gettime(CLOCK_REALTIME, &now);
	t = time_of((double)now.tv_nsec / 1e9 + seconds);
	t.tv_sec += now.tv_sec;
	pthread_mutex_lock(&mu);
	pthread_cond_timedwait(&cond, &mu, &t);
	pthread_mutex_unlock(&mu);
}

static void poll_for(double seconds)
{
	poll(NULL, 0, (int)(seconds * 1000));
}

APART void sixty(wait_fn *wait)
{
	wait(part_s[SIXTY]);
	sink++;
}

APART void thirty(wait_fn *wait)
{
	wait(part_s[THIRTY]);
	sink++;
}

APART void ten(wait_fn *wait)
{
	wait(part_s[TEN]);
	sink++;
}

static void *run(void *arg)
{
	static void (*const parts[PARTS])(wait_fn *) = { sixty, thirty, ten };
	static struct record spans[PARTS] = {
		{ { 0xab, [15] = 1 }, { [7] = 60 }, 1, 0, 0 },
		{ { 0xab, [15] = 1 }, { [7] = 30 }, 1, 0, 0 },
		{ { 0xab, [15] = 1 }, { [7] = 10 }, 1, 0, 0 },
	};
	struct thread *t = arg;

	pthread_setname_np(pthread_self(), t->name);
	while (now_s() < end_s)
		for (int i = 0; i < PARTS; i++) {
			double before = now_s();

			otel_thread_ctx_v1 = &spans[i];
			parts[i](t->wait);
			otel_thread_ctx_v1 = NULL;
			t->spent_s[i] += now_s() - before;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct thread threads[] = {
		{ "running", spin, { 0 }, 0 },
		{ "sleeping", sleep_for, { 0 }, 0 },
		{ "blocked", wait_for, { 0 }, 0 },
		{ "io", poll_for, { 0 }, 0 },
	};
	static const char *const names[PARTS] = { "sixty", "thirty", "ten" };
	const size_t nr = sizeof(threads) / sizeof(*threads);

	end_s = now_s() + (argc > 1 ? strtod(argv[1], NULL) : 1);
	for (size_t i = 0; i < nr; i++)
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	for (size_t i = 0; i < nr; i++) {
		pthread_join(threads[i].id, NULL);
		for (int k = 0; k < PARTS; k++)
			printf("%s %s %f\n", threads[i].name, names[k],
			       threads[i].spent_s[k]);
	}
	return 0;
}
