// SPDX-License-Identifier: Apache-2.0
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/serve_int.h"

enum { MAX_FIELDS = 64 };

/* Freed with its session. */
struct stream {
	struct stream *next;
	struct serve_text path, head, body;
	const struct serve_answer *answer;
	size_t sent;
};

struct session {
	struct serve_conn *c;
	nghttp2_session *h2;
	struct stream *streams;
	bool is_over;
};

bool serve_has_http2(void)
{
	return true;
}

/* --- answers --- */

/* The lines of a text as fields, whose strings are in it. */
static size_t fields_of(char *text, nghttp2_nv *out, size_t nr)
{
	while (*text && nr < MAX_FIELDS) {
		size_t n = strcspn(text, "\n");
		char *colon = memchr(text, ':', n);

		if (!colon)
			abort();
		for (char *p = text; p < colon; p++)
			if (*p >= 'A' && *p <= 'Z')
				*p = (char)(*p | 0x20);
		out[nr++] = (nghttp2_nv){
			.name = (uint8_t *)text,
			.namelen = (size_t)(colon - text),
			.value = (uint8_t *)colon + 2,
			.valuelen = (size_t)(text + n - colon - 2),
		};
		text += n + 1;
	}
	return nr;
}

static void trailers_send(nghttp2_session *h2, int32_t id,
			  const struct serve_answer *a)
{
	nghttp2_nv fields[MAX_FIELDS];
	char *text = strdup(a->trailers.p);
	size_t nr = fields_of(text, fields, 0);

	nghttp2_submit_trailer(h2, id, fields, nr);
	free(text);
}

/* A cut answer ends its stream with a reset where its last byte would be. */
/* style: long: the library decides the parameters */
static ssize_t body_read(nghttp2_session *h2, int32_t id, uint8_t *to,
			 size_t room, uint32_t *flags,
			 nghttp2_data_source *source, void *ctx)
{
	struct stream *st = source->ptr;
	const struct serve_answer *a = st->answer;
	size_t all = a->body.n - (a->how == SERVE_CUT && a->body.n);
	size_t n = all - st->sent < room ? all - st->sent : room;

	(void)ctx;
	memcpy(to, a->body.p + st->sent, n);
	st->sent += n;
	if (st->sent < all)
		return (ssize_t)n;
	if (a->how == SERVE_CUT) {
		if (!n)
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
		return (ssize_t)n;
	}
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	if (a->trailers.n) {
		*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		trailers_send(h2, id, a);
	}
	return (ssize_t)n;
}

static void answer_send(struct session *s, struct stream *st, int32_t id)
{
	const struct serve_answer *a = st->answer;
	nghttp2_data_provider body = { { .ptr = st }, body_read };
	nghttp2_nv fields[MAX_FIELDS] = { 0 };
	struct serve_text text = { 0 };
	char status[16], line[64];
	size_t nr;

	snprintf(status, sizeof(status), "%d", a->status);
	fields[0].name = (uint8_t *)":status";
	fields[0].namelen = 7;
	fields[0].value = (uint8_t *)status;
	fields[0].valuelen = strlen(status);
	serve_add(&text, a->headers.p, a->headers.n);
	if (a->has_length) {
		snprintf(line, sizeof(line), "content-length: %zu\n",
			 a->body.n);
		serve_add(&text, line, strlen(line));
	}
	/* Without a body trailers are in the one block there is. */
	if (!a->body.n)
		serve_add(&text, a->trailers.p, a->trailers.n);
	nr = fields_of(text.p, fields, 1);
	nghttp2_submit_response(s->h2, id, fields, nr,
				a->body.n ? &body : NULL);
	free(text.p);
}

static void act(struct session *s, struct stream *st, int32_t id)
{
	const struct serve_answer *a = st->answer;

	usleep(a->delay_ms * 1000);
	switch (a->how) {
	case SERVE_CLOSE:
		s->is_over = true;
		break;
	case SERVE_RESET:
		nghttp2_submit_rst_stream(s->h2, NGHTTP2_FLAG_NONE, id,
					  NGHTTP2_INTERNAL_ERROR);
		break;
	case SERVE_GARBAGE:
		serve_write(s->c, serve_garbage, strlen(serve_garbage));
		s->is_over = true;
		break;
	case SERVE_RAW:
		serve_raw(s->c, a);
		s->is_over = true;
		break;
	case SERVE_HANG:
		break;
	default:
		answer_send(s, st, id);
	}
}

/* --- requests --- */

static int on_begin(nghttp2_session *h2, const nghttp2_frame *f, void *ctx)
{
	struct session *s = ctx;
	struct stream *st;

	if (f->hd.type != NGHTTP2_HEADERS)
		return 0;
	st = calloc(1, sizeof(*st));
	if (!st)
		abort();
	st->next = s->streams;
	s->streams = st;
	nghttp2_session_set_stream_user_data(h2, f->hd.stream_id, st);
	return 0;
}

static void rc_add(struct serve_text *t, nghttp2_rcbuf *rc)
{
	nghttp2_vec v = nghttp2_rcbuf_get_buf(rc);

	serve_add(t, v.base, v.len);
}

static int on_header(nghttp2_session *h2, const nghttp2_frame *f,
		     nghttp2_rcbuf *name, nghttp2_rcbuf *value, uint8_t flags,
		     void *ctx)
{
	struct stream *st = nghttp2_session_get_stream_user_data(
		h2, f->hd.stream_id);
	nghttp2_vec n = nghttp2_rcbuf_get_buf(name);

	(void)ctx, (void)flags;
	if (n.len == 5 && !memcmp(n.base, ":path", 5)) {
		rc_add(&st->path, value);
		return 0;
	}
	rc_add(&st->head, name);
	serve_add(&st->head, ": ", 2);
	rc_add(&st->head, value);
	serve_add(&st->head, "\n", 1);
	return 0;
}

static int on_data(nghttp2_session *h2, uint8_t flags, int32_t id,
		   const uint8_t *p, size_t n, void *ctx)
{
	struct stream *st = nghttp2_session_get_stream_user_data(h2, id);

	(void)ctx, (void)flags;
	serve_add(&st->body, p, n);
	return 0;
}

static void request_keep(struct session *s, struct stream *st)
{
	struct serve_text head = { 0 };

	serve_add(&head, "POST ", 5);
	serve_add(&head, st->path.p, st->path.n);
	serve_add(&head, "\n", 1);
	serve_add(&head, st->head.p, st->head.n);
	serve_keep(s->c, 2, head, st->body);
	st->body = (struct serve_text){ 0 };
}

static int on_frame(nghttp2_session *h2, const nghttp2_frame *f, void *ctx)
{
	struct session *s = ctx;
	struct stream *st = nghttp2_session_get_stream_user_data(
		h2, f->hd.stream_id);
	bool ends = f->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (!st ||
	    (f->hd.type != NGHTTP2_HEADERS && f->hd.type != NGHTTP2_DATA))
		return 0;
	if (!st->answer)
		st->answer = serve_next(s->c->s);
	if (!ends && st->answer->how != SERVE_EARLY)
		return 0;
	if (!ends && f->hd.type == NGHTTP2_DATA)
		return 0;
	request_keep(s, st);
	if (st->answer->how != SERVE_EARLY || f->hd.type == NGHTTP2_HEADERS)
		act(s, st, f->hd.stream_id);
	return 0;
}

static void streams_free(struct stream *st)
{
	while (st) {
		struct stream *next = st->next;

		free(st->path.p);
		free(st->head.p);
		free(st->body.p);
		free(st);
		st = next;
	}
}

/* --- the connection --- */

static nghttp2_session *session_new(struct session *s)
{
	nghttp2_settings_entry window = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
					  1 << 20 };
	nghttp2_session_callbacks *cb;
	nghttp2_session *h2;

	nghttp2_session_callbacks_new(&cb);
	nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin);
	nghttp2_session_callbacks_set_on_header_callback2(cb, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_server_new(&h2, cb, s);
	nghttp2_session_callbacks_del(cb);
	nghttp2_submit_settings(h2, NGHTTP2_FLAG_NONE, &window, 1);
	return h2;
}

static bool flush(struct session *s)
{
	const uint8_t *out;
	ssize_t n;

	while ((n = nghttp2_session_mem_send(s->h2, &out)) > 0)
		if (!serve_write(s->c, out, (size_t)n))
			return false;
	return n == 0;
}

void serve_http2(struct serve_conn *c, struct serve_text *got)
{
	struct session s = { .c = c };
	uint8_t in[65536];
	ssize_t n;

	s.h2 = session_new(&s);
	n = nghttp2_session_mem_recv(s.h2, (uint8_t *)got->p, got->n);
	while (n >= 0 && !s.is_over && flush(&s)) {
		n = read(c->in, in, sizeof(in));
		if (n <= 0)
			break;
		n = nghttp2_session_mem_recv(s.h2, in, (size_t)n);
	}
	nghttp2_session_del(s.h2);
	streams_free(s.streams);
}
