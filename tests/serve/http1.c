// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "serve/serve_int.h"

static bool read_more(struct serve_conn *c, struct serve_text *t)
{
	char part[65536];
	ssize_t n = read(c->in, part, sizeof(part));

	if (n <= 0)
		return false;
	serve_add(t, part, (size_t)n);
	return true;
}

/* The lines of the head: without carriage returns, and of the request line
 * without the version. */
static struct serve_text head_of(const struct serve_text *got, size_t n)
{
	struct serve_text head = { 0 };
	const char *version = strstr(got->p, " HTTP/");

	for (size_t i = 0; i < n; i++) {
		if (version && got->p + i == version)
			i += strlen(" HTTP/1.1");
		if (got->p[i] != '\r')
			serve_add(&head, got->p + i, 1);
	}
	return head;
}

static size_t length_of(const struct serve_text *head)
{
	struct serve_request r = { .head = head->p };
	const char *value = serve_header(&r, "content-length");

	return value ? strtoul(value, NULL, 10) : 0;
}

/* Takes n bytes from the front of got, which is made to hold them. */
static bool body_take(struct serve_conn *c, struct serve_text *got, size_t n,
		      struct serve_text *body)
{
	while (got->n < n)
		if (!read_more(c, got))
			return false;
	serve_add(body, got->p, n);
	memmove(got->p, got->p + n, got->n - n + 1);
	got->n -= n;
	return true;
}

static bool answer(struct serve_conn *c, const struct serve_answer *a)
{
	struct serve_text out = { 0 };
	size_t n;
	char line[64];
	bool good;

	snprintf(line, sizeof(line), "HTTP/1.1 %d Whatever\r\n", a->status);
	serve_add(&out, line, strlen(line));
	for (const char *p = a->headers.p; *p; p += n + 1) {
		n = strcspn(p, "\n");
		serve_add(&out, p, n);
		serve_add(&out, "\r\n", 2);
	}
	snprintf(line, sizeof(line), "Content-Length: %zu\r\n\r\n", a->body.n);
	serve_add(&out, line, strlen(line));
	serve_add(&out, a->body.p, a->body.n);
	good = serve_write(c, out.p, out.n - (a->how == SERVE_CUT));
	free(out.p);
	return good && a->how == SERVE_ANSWER;
}

/* True if the connection goes on. */
static bool act(struct serve_conn *c, const struct serve_answer *a)
{
	usleep(a->delay_ms * 1000);
	switch (a->how) {
	case SERVE_CLOSE:
		return false;
	case SERVE_RESET:
		serve_linger_none(c);
		return false;
	case SERVE_GARBAGE:
		serve_write(c, serve_garbage, strlen(serve_garbage));
		return false;
	case SERVE_RAW:
		serve_raw(c, a);
		return false;
	case SERVE_HANG:
		serve_hang(c);
		return false;
	default:
		return answer(c, a);
	}
}

static bool exchange(struct serve_conn *c, struct serve_text *got)
{
	const struct serve_answer *a;
	struct serve_text head, body = { 0 };
	char *end;

	while (!(end = got->p ? strstr(got->p, "\r\n\r\n") : NULL))
		if (!read_more(c, got))
			return false;
	head = head_of(got, (size_t)(end - got->p) + 2);
	end += 4;
	got->n -= (size_t)(end - got->p);
	memmove(got->p, end, got->n + 1);
	a = serve_next(c->s);
	if (a->how != SERVE_EARLY &&
	    !body_take(c, got, length_of(&head), &body)) {
		free(head.p);
		free(body.p);
		return false;
	}
	serve_keep(c, 1, head, body);
	return act(c, a);
}

void serve_http1(struct serve_conn *c, struct serve_text *got)
{
	while (exchange(c, got))
		;
}
