// SPDX-License-Identifier: Apache-2.0
/* rpc/watchdog.c: the thread that shuts down sockets.
 *
 *	idle -- begin() --> watching -- end() --> idle
 *	                      |  time, bytes or stop()
 *	                      v
 *	                     cut: shuts the sockets down again and again, as
 *	                     one that was not connected yet could come up later
 *
 * It looks every LOOK_NS while there is a request. end() does not wake it: it
 * finds out by itself that there is nothing to watch. */
#include "rpc/watchdog.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/arena.h"
#include "base/thread.h"

enum { MAX_SOCKETS = 16 };

static const uint64_t LOOK_NS = 200000000;
static const uint64_t NEVER = UINT64_MAX;
static const uint64_t second = 1000000000, millisecond = 1000000;

struct watched {
	int fd;
	uint64_t before; /* bytes received before this request */
};

struct op_watchdog {
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t wake;
	_Atomic(enum op_cut) cut;
	/* The mutex guards the rest. */
	bool is_ending, is_stopped;
	bool is_watching;
	uint64_t deadline_ns, max_bytes;
	uint64_t sleeps_until_ns;
	struct watched sockets[MAX_SOCKETS];
	size_t nr_sockets;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

/* --- sockets --- */

/* Bytes received over a connection; 0 if the system does not say. */
static uint64_t bytes_received(int fd)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) ||
	    n < offsetof(struct tcp_info, tcpi_bytes_received) +
			    sizeof(info.tcpi_bytes_received))
		return 0;
	return info.tcpi_bytes_received;
}

static bool is_flooded(const struct op_watchdog *w)
{
	for (size_t i = 0; i < w->nr_sockets; i++) {
		const struct watched *s = &w->sockets[i];

		if (bytes_received(s->fd) > s->before + w->max_bytes)
			return true;
	}
	return false;
}

static void shut_all(const struct op_watchdog *w)
{
	for (size_t i = 0; i < w->nr_sockets; i++)
		shutdown(w->sockets[i].fd, SHUT_RDWR);
}

bool op_watchdog_add(struct op_watchdog *w, int fd)
{
	bool has_room;

	pthread_mutex_lock(&w->mu);
	has_room = w->nr_sockets < MAX_SOCKETS &&
		   op_watchdog_cut(w) == OP_CUT_NONE;
	if (has_room)
		w->sockets[w->nr_sockets++] = (struct watched){ .fd = fd };
	pthread_mutex_unlock(&w->mu);
	return has_room;
}

void op_watchdog_remove(struct op_watchdog *w, int fd)
{
	pthread_mutex_lock(&w->mu);
	for (size_t i = 0; i < w->nr_sockets; i++)
		if (w->sockets[i].fd == fd) {
			w->sockets[i] = w->sockets[--w->nr_sockets];
			break;
		}
	pthread_mutex_unlock(&w->mu);
}

/* --- the thread --- */

static void look(struct op_watchdog *w, uint64_t now)
{
	if (op_watchdog_cut(w) == OP_CUT_NONE) {
		if (now >= w->deadline_ns)
			atomic_store(&w->cut, OP_CUT_TIMEOUT);
		else if (is_flooded(w))
			atomic_store(&w->cut, OP_CUT_FLOOD);
	}
	if (op_watchdog_cut(w) != OP_CUT_NONE)
		shut_all(w);
}

static void sleep_until(struct op_watchdog *w, uint64_t until)
{
	struct timespec t = { (time_t)(until / second),
			      (long)(until % second) };

	w->sleeps_until_ns = until;
	if (until == NEVER)
		pthread_cond_wait(&w->wake, &w->mu);
	else
		pthread_cond_timedwait(&w->wake, &w->mu, &t);
}

/* The next time to check, now that a request is being sent. */
static uint64_t next_look(const struct op_watchdog *w, uint64_t now)
{
	uint64_t next = now + LOOK_NS;

	return w->deadline_ns > now && w->deadline_ns < next ? w->deadline_ns :
							       next;
}

static void *run(void *ctx)
{
	struct op_watchdog *w = ctx;

	pthread_mutex_lock(&w->mu);
	while (!w->is_ending) {
		uint64_t now = now_ns();

		if (w->is_watching)
			look(w, now);
		sleep_until(w, w->is_watching ? next_look(w, now) : NEVER);
	}
	pthread_mutex_unlock(&w->mu);
	return NULL;
}

/* --- requests --- */

void op_watchdog_begin(struct op_watchdog *w, uint64_t timeout_ms,
		       uint64_t max_bytes)
{
	uint64_t now = now_ns();

	pthread_mutex_lock(&w->mu);
	w->deadline_ns = NEVER;
	if (timeout_ms && timeout_ms < (NEVER - now) / millisecond)
		w->deadline_ns = now + timeout_ms * millisecond;
	w->max_bytes = max_bytes;
	w->is_watching = true;
	atomic_store(&w->cut, w->is_stopped ? OP_CUT_STOPPED : OP_CUT_NONE);
	for (size_t i = 0; i < w->nr_sockets; i++)
		w->sockets[i].before = bytes_received(w->sockets[i].fd);
	if (next_look(w, now) < w->sleeps_until_ns)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mu);
}

enum op_cut op_watchdog_end(struct op_watchdog *w)
{
	enum op_cut cut;

	pthread_mutex_lock(&w->mu);
	w->is_watching = false;
	cut = op_watchdog_cut(w);
	pthread_mutex_unlock(&w->mu);
	return cut;
}

enum op_cut op_watchdog_cut(const struct op_watchdog *w)
{
	return atomic_load(&w->cut);
}

void op_watchdog_stop(struct op_watchdog *w)
{
	pthread_mutex_lock(&w->mu);
	w->is_stopped = true;
	atomic_store(&w->cut, OP_CUT_STOPPED);
	shut_all(w);
	pthread_mutex_unlock(&w->mu);
}

/* --- new and free --- */

int op_watchdog_new(struct op_watchdog **out, struct op_err *err)
{
	struct op_watchdog *w = op_heap_resize(NULL, sizeof(*w), err);

	if (!w)
		return err->code;
	memset(w, 0, sizeof(*w));
	w->sleeps_until_ns = NEVER;
	pthread_mutex_init(&w->mu, NULL);
	op_thread_cond_init(&w->wake);
	if (op_thread_start(&w->thread, run, w, "the watchdog's thread", err)) {
		pthread_cond_destroy(&w->wake);
		pthread_mutex_destroy(&w->mu);
		op_heap_free(w);
		return err->code;
	}
	*out = w;
	return OP_OK;
}

void op_watchdog_free(struct op_watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->mu);
	w->is_ending = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mu);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->mu);
	op_heap_free(w);
}
