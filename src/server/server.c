// SPDX-License-Identifier: Apache-2.0
/* server/server.c: the loop: who connects, whose turn it is, when it ends.
 *
 * Answers have a lower priority than everything else: before each one the loop
 * has seen who left, so that a page which asks for the next view while the last
 * one is not shown yet does not wait for it.
 */
#include "server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"
#include "server/peer.h"
#include "server/server_int.h"

enum { MAX_CONNS = 64, MAX_WATCHED = 4 };

/* Of events; the default is the middle one. */
enum { PRIORITY_ANSWER = 2, NR_PRIORITIES = 3 };

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

struct watched {
	struct op_server *server;
	struct event *event;
	bool (*fn)(void *ctx, int fd);
	void *ctx;
};

struct op_server {
	struct op_arena mem; /* this struct is in it */
	struct op_server_opts opts;
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *signals[op_countof(endings)];
	struct event *tick, *answer;
	struct watched watched[MAX_WATCHED];
	uint32_t nr_watched;
	struct op_conn *conns; /* newest first */
	uint32_t nr_conns;
	struct op_conn *queue; /* whose turn it is first */
	struct op_push push;
	uint64_t beat_ns;
	bool own_user;
};

uint64_t op_server_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct event_base *op_server_base(struct op_server *s)
{
	return s->base;
}

struct op_site *op_server_site(struct op_server *s)
{
	return s->opts.site;
}

struct op_push *op_server_push(struct op_server *s)
{
	return &s->push;
}

/* --- connections --- */

void op_server_enter(struct op_server *s, struct op_conn *c)
{
	c->next = s->conns;
	c->prev = NULL;
	if (c->next)
		c->next->prev = c;
	s->conns = c;
	s->nr_conns++;
}

static void unqueue(struct op_server *s, struct op_conn *c)
{
	struct op_conn **at = &s->queue;

	while (*at && *at != c)
		at = &(*at)->behind;
	if (*at)
		*at = c->behind;
}

void op_server_leave(struct op_server *s, struct op_conn *c)
{
	unqueue(s, c);
	if (c->prev)
		c->prev->next = c->next;
	else
		s->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	s->nr_conns--;
}

/* Those that read an answer stay longest. */
static bool goes_before(const struct op_conn *a, const struct op_conn *b)
{
	bool a_writes = op_conn_writes(a), b_writes = op_conn_writes(b);

	return a_writes == b_writes ? a->used_ns < b->used_ns : b_writes;
}

/* Ends the one that was not used for the longest: nobody can keep others out by
 * connecting. false: all are needed. */
static bool make_room(struct op_server *s)
{
	struct op_conn *oldest = NULL;

	for (struct op_conn *c = s->conns; c; c = c->next)
		if (!c->is_queued && !c->is_stream &&
		    (!oldest || goes_before(c, oldest)))
			oldest = c;
	if (oldest)
		op_conn_close(oldest);
	return oldest;
}

static void on_accept(struct evconnlistener *l, evutil_socket_t fd,
		      struct sockaddr *from, int n, void *ctx)
{
	struct op_server *s = ctx;
	bool is_other;

	(void)l;
	(void)from;
	(void)n;
	is_other = s->own_user && op_peer_is_other(fd);
	if ((s->nr_conns >= MAX_CONNS && !make_room(s)) ||
	    !op_conn_open(s, fd, is_other))
		evutil_closesocket(fd);
}

/* There is no descriptor for another connection. If none can be had, it waits
 * for the next tick: the loop would call this again and again. */
static void on_no_accept(struct evconnlistener *l, void *ctx)
{
	if (!make_room(ctx))
		evconnlistener_disable(l);
}

/* --- the queue --- */

static void answer_soon(struct op_server *s)
{
	struct timeval now = { 0 };

	if (s->queue)
		event_add(s->answer, &now);
}

void op_server_queue(struct op_server *s, struct op_conn *c)
{
	struct op_conn **at = &s->queue;

	while (*at)
		at = &(*at)->behind;
	*at = c;
	c->behind = NULL;
	c->is_queued = true;
	answer_soon(s);
}

static void end_now(int sig)
{
	(void)sig;
	_exit(0);
}

/* Meanwhile the loop sees no signal, and it may take long: what is to end us
 * does so at once. Nothing is left behind. */
static void answer(struct op_server *s, struct op_conn *c)
{
	struct sigaction now = { .sa_handler = end_now };
	struct sigaction before[op_countof(endings)];

	for (size_t i = 0; i < op_countof(endings); i++)
		if (s->signals[i])
			sigaction(endings[i], &now, &before[i]);
	op_conn_answer(c);
	for (size_t i = 0; i < op_countof(endings); i++)
		if (s->signals[i])
			sigaction(endings[i], &before[i], NULL);
}

static void on_answer(evutil_socket_t fd, short what, void *ctx)
{
	struct op_server *s = ctx;
	struct op_conn *c = s->queue;

	(void)fd;
	(void)what;
	if (!c)
		return;
	s->queue = c->behind;
	answer(s, c);
	answer_soon(s);
}

/* --- time and signals --- */

static void on_signal(evutil_socket_t fd, short what, void *ctx)
{
	struct op_server *s = ctx;

	(void)fd;
	(void)what;
	event_base_loopbreak(s->base);
}

static void on_tick(evutil_socket_t fd, short what, void *ctx)
{
	struct op_server *s = ctx;
	uint64_t now = op_server_now();
	struct op_conn *next;

	(void)fd;
	(void)what;
	for (struct op_conn *c = s->conns; c; c = next) {
		next = c->next;
		op_conn_tick(c, now);
	}
	evconnlistener_enable(s->listener);
	if (now - s->beat_ns >= (uint64_t)OP_PUSH_BEAT_S * 1000000000) {
		s->beat_ns = now;
		op_push_beat(&s->push);
	}
	if (!s->opts.stays && op_push_is_over(&s->push, now))
		event_base_loopbreak(s->base);
}

/* A signal that who started us ignores, as nohup does, stays ignored. */
static bool is_ignored(int sig)
{
	struct sigaction act;

	return !sigaction(sig, NULL, &act) && act.sa_handler == SIG_IGN;
}

/* --- begin and end --- */

static int listen_on(struct op_server *s, struct op_err *err)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(s->opts.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return op_fail_sys(err, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		op_fail_sys(err, "cannot listen on port %u of this machine",
			    s->opts.port);
		close(fd);
		return err->code;
	}
	s->opts.site->guard.port = ntohs(at.sin_port);
	s->listener = evconnlistener_new(
		s->base, on_accept, s,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, fd);
	if (s->listener) {
		evconnlistener_set_error_cb(s->listener, on_no_accept);
		return OP_OK;
	}
	close(fd);
	return op_fail(err, OP_ENOMEM, "no memory for a server");
}

static int events_make(struct op_server *s, struct op_err *err)
{
	struct timeval second = { .tv_sec = 1 };

	s->base = event_base_new();
	if (s->base && !event_base_priority_init(s->base, NR_PRIORITIES)) {
		s->tick = event_new(s->base, -1, EV_PERSIST, on_tick, s);
		s->answer = event_new(s->base, -1, 0, on_answer, s);
	}
	if (!s->tick || !s->answer ||
	    event_priority_set(s->answer, PRIORITY_ANSWER) ||
	    event_add(s->tick, &second))
		return op_fail(err, OP_ENOMEM, "no memory for a server");
	return OP_OK;
}

static int signals_catch(struct op_server *s, struct op_err *err)
{
	for (size_t i = 0; i < op_countof(endings); i++) {
		if (is_ignored(endings[i]))
			continue;
		s->signals[i] = evsignal_new(s->base, endings[i], on_signal, s);
		if (!s->signals[i] || event_add(s->signals[i], NULL))
			return op_fail(err, OP_ENOMEM,
				       "no memory for a server");
	}
	return OP_OK;
}

struct op_server *op_server_new(const struct op_server_opts *opts,
				struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct op_server *s = op_new(&mem, struct op_server, 1);

	if (!s)
		return NULL;
	s->mem = mem;
	s->mem.err = NULL;
	s->opts = *opts;
	s->beat_ns = op_server_now();
	if (!events_make(s, err) && !listen_on(s, err) &&
	    !signals_catch(s, err))
		return s;
	op_server_free(s);
	return NULL;
}

static void event_end(struct event *e)
{
	if (e)
		event_free(e);
}

void op_server_free(struct op_server *s)
{
	struct op_arena mem;

	if (!s)
		return;
	while (s->conns)
		op_conn_close(s->conns);
	for (size_t i = 0; i < op_countof(endings); i++)
		event_end(s->signals[i]);
	for (uint32_t i = 0; i < s->nr_watched; i++)
		event_end(s->watched[i].event);
	event_end(s->tick);
	event_end(s->answer);
	if (s->listener)
		evconnlistener_free(s->listener);
	if (s->base)
		event_base_free(s->base);
	mem = s->mem;
	op_arena_free(&mem);
}

/* --- for the caller --- */

static void on_watched(evutil_socket_t fd, short what, void *ctx)
{
	struct watched *w = ctx;

	(void)what;
	if (!w->fn(w->ctx, fd))
		event_del(w->event);
}

int op_server_watch(struct op_server *s, int fd, bool (*fn)(void *ctx, int fd),
		    void *ctx, struct op_err *err)
{
	struct watched *w = &s->watched[s->nr_watched];

	if (s->nr_watched >= MAX_WATCHED)
		return op_fail(err, OP_ELIMIT, "too much to watch");
	*w = (struct watched){ .server = s, .fn = fn, .ctx = ctx };
	w->event = event_new(s->base, fd, EV_READ | EV_PERSIST, on_watched, w);
	if (!w->event || event_add(w->event, NULL))
		return op_fail(err, OP_ENOMEM, "no memory for a server");
	s->nr_watched++;
	return OP_OK;
}

void op_server_changed(struct op_server *s)
{
	char json[200] = "{}";

	if (s->opts.change)
		s->opts.change(s->opts.ctx, json, sizeof(json));
	op_push_send(&s->push, "change", json);
}

void op_server_stays(struct op_server *s, bool stays)
{
	s->opts.stays = stays;
}

void op_server_own_user(struct op_server *s)
{
	s->own_user = true;
}

void op_server_run(struct op_server *s)
{
	event_base_dispatch(s->base);
}
