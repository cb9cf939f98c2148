// SPDX-License-Identifier: Apache-2.0
/* server/server_conn.c: a connection: bytes to requests, replies to bytes.
 *
 * A request is read whole, waits in the queue for its turn, and is answered.
 * Meanwhile no other is read from its connection, but a client that leaves is
 * noticed. The last reply of a connection is followed by a moment in which what
 * the client still sends is thrown away: closing at once could take the reply
 * from it.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "server/server_int.h"

enum {
	IDLE_S = 60,
	HEAD_S = 20,
	END_S = 2,
	MAX_INPUT = 256 << 10, /* bytes that wait to be parsed */
	MAX_STREAM = 64 << 10, /* bytes that a tab has not read */
};

/* The connection ends as if its client had left: by an event, since callers
 * still use it. */
static void drop(struct op_conn *c)
{
	if (c->is_stream)
		op_push_remove(op_server_push(c->server), &c->stream,
			       op_server_now());
	c->is_stream = false;
	c->closes = c->is_ended = true;
	shutdown(bufferevent_getfd(c->bev), SHUT_RDWR);
}

/* --- replies --- */

static void body_free(const void *p, size_t n, void *ctx)
{
	(void)n;
	(void)ctx;
	op_heap_free((void *)p);
}

/* Hands the bytes of a buffer over. */
static void give(struct op_conn *c, struct op_buf *b)
{
	struct evbuffer *out = bufferevent_get_output(c->bev);

	if (b->n && !evbuffer_add_reference(out, b->p, b->n, body_free, NULL))
		return;
	if (b->n)
		drop(c);
	op_buf_free(b);
}

static void timeouts(struct op_conn *c, int read_s, int write_s)
{
	struct timeval r = { .tv_sec = read_s }, w = { .tv_sec = write_s };

	bufferevent_set_timeouts(c->bev, read_s ? &r : NULL, &w);
}

/* Writes a reply and takes its body over. */
static void reply(struct op_conn *c, struct op_response *r, bool keeps_alive)
{
	bool is_head = op_http1_request(c->http)->method == OP_HEAD;
	struct op_err err = { 0 };
	struct op_buf head = { .err = &err };

	c->closes = !keeps_alive;
	op_response_head(&head, r, keeps_alive ? 0 : OP_HTTP1_CLOSES);
	if (err.code) {
		op_buf_free(&head);
		op_buf_free(&r->body);
		drop(c);
		return;
	}
	if (is_head)
		op_buf_free(&r->body);
	bufferevent_write(c->bev, head.p, head.n);
	op_buf_free(&head);
	give(c, &r->body);
}

static void reply_error(struct op_conn *c, int status, const char *text)
{
	struct op_err err = { 0 };
	struct op_response r = { .body.err = &err };

	op_response_error(&r, status, text);
	reply(c, &r, false);
}

/* --- tabs --- */

static struct op_conn *conn_of(struct op_stream *s)
{
	return (struct op_conn *)((char *)s - offsetof(struct op_conn, stream));
}

static void stream_write(struct op_stream *s, struct op_view text)
{
	struct op_conn *c = conn_of(s);
	struct evbuffer *out = bufferevent_get_output(c->bev);

	if (evbuffer_get_length(out) > MAX_STREAM)
		drop(c);
	else
		bufferevent_write(c->bev, text.p, text.n);
}

static void stream_close(struct op_stream *s)
{
	drop(conn_of(s));
}

static void stream_begin(struct op_conn *c)
{
	struct op_response r = { .status = 200, .type = "text/event-stream" };
	struct op_err err = { 0 };
	struct op_buf head = { .err = &err };

	op_response_head(&head, &r, OP_HTTP1_CLOSES | OP_HTTP1_STREAMS);
	if (err.code) {
		op_buf_free(&head);
		drop(c);
		return;
	}
	bufferevent_write(c->bev, head.p, head.n);
	op_buf_free(&head);
	timeouts(c, 0, IDLE_S);
	c->is_stream = true;
	c->stream.write = stream_write;
	c->stream.close = stream_close;
	op_push_add(op_server_push(c->server), &c->stream);
}

/* --- requests --- */

static void on_head(struct op_conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const struct op_request *q = op_http1_request(c->http);
	struct op_err err = { 0 };
	struct op_response r = { .body.err = &err };

	c->since_ns = 0;
	if (c->is_other) {
		reply_error(c, 403,
			    "this page is shown only to the user who "
			    "opened it; --no-browser lets others in");
		return;
	}
	if (!op_site_admit(op_server_site(c->server), q, &c->max_body, &r)) {
		reply(c, &r, false);
		return;
	}
	if (c->max_body && op_view_eq_nocase(op_header_text(&q->expect),
					     op_view_z("100-continue")))
		bufferevent_write(c->bev, go_on, sizeof(go_on) - 1);
}

static void on_request(struct op_conn *c)
{
	if (op_site_is_stream(op_server_site(c->server),
			      op_http1_request(c->http)))
		stream_begin(c);
	else
		op_server_queue(c->server, c);
}

static void on_failure(struct op_conn *c)
{
	int status = op_http1_status(c->http);

	reply_error(c, status,
		    status == 400 ? "this is not HTTP" :
				    op_status_text(status));
}

static bool is_reading(const struct op_conn *c)
{
	return !c->is_queued && !c->is_stream && !c->closes;
}

/* Parses some input. false: no more for now. */
static bool step(struct op_conn *c, struct op_view in)
{
	struct evbuffer *from = bufferevent_get_input(c->bev);

	if (!c->since_ns && !op_http1_is_within(c->http))
		c->since_ns = op_server_now();
	evbuffer_drain(from, op_http1_feed(c->http, in, c->max_body));
	switch (op_http1_state(c->http)) {
	case OP_HTTP1_HEAD:
		on_head(c);
		break;
	case OP_HTTP1_REQUEST:
		on_request(c);
		return false;
	case OP_HTTP1_FAILED:
		on_failure(c);
		return false;
	case OP_HTTP1_READING:
		break;
	}
	return is_reading(c);
}

static void conn_read(struct op_conn *c)
{
	struct evbuffer *in = bufferevent_get_input(c->bev);
	struct evbuffer_iovec v;

	c->used_ns = op_server_now();
	/* A tab has nothing to say, and behind the last reply nobody listens.
	 */
	if (c->is_stream || c->closes)
		evbuffer_drain(in, evbuffer_get_length(in));
	while (is_reading(c) && evbuffer_peek(in, -1, NULL, &v, 1) > 0)
		if (!step(c, op_view(v.iov_base, v.iov_len)))
			return;
}

void op_conn_answer(struct op_conn *c)
{
	const struct op_request *q = op_http1_request(c->http);
	struct op_response r = { 0 };
	bool keeps_alive = q->keeps_alive;
	bool is_new = op_site_answer(op_server_site(c->server), q,
				     op_http1_body(c->http), &r);
	struct op_server *s = c->server;

	c->is_queued = false;
	c->used_ns = op_server_now();
	reply(c, &r, keeps_alive);
	if (is_new)
		op_server_changed(s);
}

void op_conn_tick(struct op_conn *c, uint64_t now_ns)
{
	if (is_reading(c) && c->since_ns &&
	    now_ns - c->since_ns >= (uint64_t)HEAD_S * 1000000000)
		reply_error(c, 408, "the request takes too long");
}

/* --- events --- */

/* While the input is full, the loop calls this again and again, ahead of all
 * answers. No browser sends that much before it has been answered. */
static void on_read(struct bufferevent *bev, void *ctx)
{
	struct op_conn *c = ctx;

	conn_read(c);
	if (evbuffer_get_length(bufferevent_get_input(bev)) >= MAX_INPUT)
		op_conn_close(c);
}

/* All was written. */
static void on_write(struct bufferevent *bev, void *ctx)
{
	struct op_conn *c = ctx;

	(void)bev;
	if (c->is_stream || c->is_queued || c->is_ended)
		return;
	if (c->closes) {
		c->is_ended = true;
		shutdown(bufferevent_getfd(c->bev), SHUT_WR);
		timeouts(c, END_S, END_S);
		return;
	}
	/* After "100 Continue" the body is still to come. */
	if (op_http1_state(c->http) != OP_HTTP1_REQUEST)
		return;
	op_http1_next(c->http);
	c->since_ns = 0;
	conn_read(c);
}

bool op_conn_writes(const struct op_conn *c)
{
	return evbuffer_get_length(bufferevent_get_output(c->bev));
}

/* A client that waits for its answer, or reads it, has nothing to say. */
static void on_event(struct bufferevent *bev, short what, void *ctx)
{
	struct op_conn *c = ctx;

	if (what & BEV_EVENT_TIMEOUT && what & BEV_EVENT_READING &&
	    (c->is_queued || op_conn_writes(c)))
		bufferevent_enable(bev, EV_READ);
	else
		op_conn_close(c);
}

bool op_conn_open(struct op_server *s, int fd, bool is_other)
{
	struct op_err err = { 0 };
	struct op_conn *c = op_heap_resize(NULL, sizeof(*c), &err);

	if (!c)
		return false;
	*c = (struct op_conn){ .server = s,
			       .is_other = is_other,
			       .used_ns = op_server_now() };
	c->http = op_http1_new(&err);
	c->bev = bufferevent_socket_new(op_server_base(s), fd, 0);
	if (!c->http || !c->bev) {
		if (c->bev)
			bufferevent_free(c->bev);
		op_http1_free(c->http);
		op_heap_free(c);
		return false;
	}
	op_server_enter(s, c);
	bufferevent_setcb(c->bev, on_read, on_write, on_event, c);
	bufferevent_setwatermark(c->bev, EV_READ, 0, MAX_INPUT);
	timeouts(c, IDLE_S, IDLE_S);
	bufferevent_enable(c->bev, EV_READ | EV_WRITE);
	return true;
}

void op_conn_close(struct op_conn *c)
{
	evutil_socket_t fd = bufferevent_getfd(c->bev);

	if (c->is_stream)
		op_push_remove(op_server_push(c->server), &c->stream,
			       op_server_now());
	op_server_leave(c->server, c);
	bufferevent_free(c->bev);
	evutil_closesocket(fd);
	op_http1_free(c->http);
	op_heap_free(c);
}
