// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/serve_int.h"

struct serve {
	int listener;
	int port;
	int stop[2]; /* a pipe, closed for writing when it is time to stop */
	char *dir;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;
	struct serve_answer answers[SERVE_MAX];
	size_t nr_answers, next;
	struct serve_request *requests[4096];
	size_t nr;
	struct serve_conn *conns[4096];
	size_t nr_conns;
};

const char serve_garbage[] = "\x01\x02 this is not what you hoped for\r\n\r\n";

static void must(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(2);
}

/* --- for the protocols --- */

const struct serve_answer *serve_next(struct serve *s)
{
	const struct serve_answer *a;

	pthread_mutex_lock(&s->lock);
	a = &s->answers[s->next];
	if (s->next + 1 < s->nr_answers)
		s->next++;
	pthread_mutex_unlock(&s->lock);
	return a;
}

static void file_write(const struct serve *s, size_t nr, const char *ending,
		       const void *p, size_t n)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%zu.%s", s->dir, nr, ending);
	f = fopen(path, "w");
	must(f && fwrite(p, 1, n, f) == n && !fclose(f), path);
}

void serve_keep(struct serve_conn *c, int version, struct serve_text head,
		struct serve_text body)
{
	struct serve *s = c->s;
	struct serve_request *r = malloc(sizeof(*r));
	char nr[16];

	serve_add(&body, "", 0);
	must(r, "malloc");
	*r = (struct serve_request){ head.p, (uint8_t *)body.p, body.n, version,
				     c->nr };
	pthread_mutex_lock(&s->lock);
	must(s->nr < 4096, "too many requests");
	s->requests[s->nr++] = r;
	if (s->dir) {
		file_write(s, s->nr, "connection", nr,
			   (size_t)snprintf(nr, sizeof(nr), "%d\n", c->nr));
		file_write(s, s->nr, "body", body.p, body.n);
		file_write(s, s->nr, "head", head.p, head.n);
	}
	pthread_mutex_unlock(&s->lock);
}

bool serve_write(struct serve_conn *c, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t w = write(c->out, at, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return false;
		at += w;
		n -= (size_t)w;
	}
	return true;
}

/* False: the server stops. */
static bool pause_for(const struct serve_conn *c, unsigned int ms)
{
	struct pollfd stop = { c->s->stop[0], POLLIN, 0 };

	return poll(&stop, 1, (int)ms) == 0;
}

void serve_raw(struct serve_conn *c, const struct serve_answer *a)
{
	enum { FULL = 65536 };
	struct serve_text more = { 0 };

	if (a->raw.n && !serve_write(c, a->raw.p, a->raw.n))
		return;
	/* Without a pause as fast as it goes. */
	while (a->again.n && more.n < (a->pause_ms ? 1 : FULL))
		serve_add(&more, a->again.p, a->again.n);
	while (more.n && serve_write(c, more.p, more.n) &&
	       pause_for(c, a->pause_ms))
		;
	free(more.p);
}

void serve_hang(struct serve_conn *c)
{
	struct pollfd fds[] = { { c->in, POLLIN, 0 },
				{ c->s->stop[0], POLLIN, 0 } };
	char drop[4096];

	while (poll(fds, 2, -1) >= 0 && !fds[1].revents)
		if (fds[0].revents && read(c->in, drop, sizeof(drop)) <= 0)
			return;
}

void serve_linger_none(struct serve_conn *c)
{
	struct linger none = { .l_onoff = 1 };

	c->is_hard = true;
	setsockopt(c->out, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

/* --- connections --- */

static void converse(struct serve_conn *c)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	struct serve_text got = { 0 };
	char byte;

	/* One byte more than the first may belong to what follows. */
	while (got.n < sizeof(preface) - 1 &&
	       (!got.n || !memcmp(got.p, preface, got.n))) {
		if (read(c->in, &byte, 1) != 1)
			break;
		serve_add(&got, &byte, 1);
	}
	if (got.n == sizeof(preface) - 1 && !memcmp(got.p, preface, got.n))
		serve_http2(c, &got);
	else if (got.n)
		serve_http1(c, &got);
	free(got.p);
}

static void *conn_run(void *arg)
{
	struct serve_conn *c = arg;
	sigset_t set;

	/* A client that is gone is a failed write, not the end. */
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	converse(c);
	/* What the client still writes is taken, or it would get a reset
	 * before it reads the answer. */
	if (!c->is_hard) {
		shutdown(c->out, SHUT_WR);
		serve_hang(c);
	}
	pthread_mutex_lock(&c->s->lock);
	close(c->in);
	c->in = c->out = -1;
	pthread_mutex_unlock(&c->s->lock);
	return NULL;
}

static void *accept_run(void *arg)
{
	struct serve *s = arg;

	for (;;) {
		struct pollfd fds[] = { { s->listener, POLLIN, 0 },
					{ s->stop[0], POLLIN, 0 } };
		struct serve_conn *c;
		int fd;

		if (poll(fds, 2, -1) < 0 || fds[1].revents)
			return NULL;
		fd = accept(s->listener, NULL, NULL);
		if (fd < 0)
			continue;
		c = malloc(sizeof(*c));
		must(c && s->nr_conns < 4096, "connection");
		*c = (struct serve_conn){ .s = s, .in = fd, .out = fd };
		c->nr = (int)s->nr_conns + 1;
		s->conns[s->nr_conns++] = c;
		must(!pthread_create(&c->thread, NULL, conn_run, c),
		     "pthread_create");
	}
}

void serve_pipe(struct serve *s, int in, int out)
{
	struct serve_conn c = { .s = s, .in = in, .out = out, .nr = 1 };

	converse(&c);
}

/* --- from outside --- */

static void listen_on(struct serve *s, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int on = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = htons((uint16_t)port);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(s->listener >= 0 &&
		     !setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on,
				 sizeof(on)) &&
		     !bind(s->listener, (struct sockaddr *)&at, sizeof(at)) &&
		     !listen(s->listener, 64) &&
		     !getsockname(s->listener, (struct sockaddr *)&at, &n),
	     "listen");
	s->port = ntohs(at.sin_port);
}

struct serve *serve_start_at(const char *script, const char *dir, int port)
{
	struct serve *s = calloc(1, sizeof(*s));

	must(s && !pipe(s->stop), "serve");
	pthread_mutex_init(&s->lock, NULL);
	s->nr_answers = serve_script(script, s->answers);
	s->dir = dir ? strdup(dir) : NULL;
	listen_on(s, port);
	must(!pthread_create(&s->thread, NULL, accept_run, s),
	     "pthread_create");
	return s;
}

struct serve *serve_start(const char *script, const char *dir)
{
	return serve_start_at(script, dir, 0);
}

int serve_port(const struct serve *s)
{
	return s->port;
}

size_t serve_nr(struct serve *s)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->nr;
	pthread_mutex_unlock(&s->lock);
	return n;
}

const struct serve_request *serve_at(struct serve *s, size_t i)
{
	const struct serve_request *r;

	pthread_mutex_lock(&s->lock);
	r = s->requests[i];
	pthread_mutex_unlock(&s->lock);
	return r;
}

const char *serve_header(const struct serve_request *r, const char *name)
{
	static _Thread_local char value[1024];
	size_t n = strlen(name);
	const char *p = r->head;

	while ((p = strchr(p, '\n'))) {
		p++;
		if (strncasecmp(p, name, n) || p[n] != ':')
			continue;
		p += n + 1;
		p += strspn(p, " ");
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(p, "\n"),
			 p);
		return value;
	}
	return NULL;
}

static void conn_end(struct serve_conn *c)
{
	pthread_mutex_lock(&c->s->lock);
	if (c->in >= 0)
		shutdown(c->in, SHUT_RDWR);
	pthread_mutex_unlock(&c->s->lock);
	pthread_join(c->thread, NULL);
	free(c);
}

void serve_stop(struct serve *s)
{
	close(s->stop[1]);
	pthread_join(s->thread, NULL);
	for (size_t i = 0; i < s->nr_conns; i++)
		conn_end(s->conns[i]);
	close(s->stop[0]);
	close(s->listener);
	for (size_t i = 0; i < s->nr; i++) {
		free(s->requests[i]->head);
		free(s->requests[i]->body);
		free(s->requests[i]);
	}
	for (size_t i = 0; i < s->nr_answers; i++)
		serve_answer_free(&s->answers[i]);
	pthread_mutex_destroy(&s->lock);
	free(s->dir);
	free(s);
}
