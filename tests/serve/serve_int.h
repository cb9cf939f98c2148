// SPDX-License-Identifier: Apache-2.0
/* tests/serve/serve_int.h: for the folder itself. */
#ifndef OP_TESTS_SERVE_SERVE_INT_H
#define OP_TESTS_SERVE_SERVE_INT_H

#include <pthread.h>

#include "serve/serve.h"

enum serve_how {
	SERVE_ANSWER,
	SERVE_CLOSE,
	SERVE_RESET,
	SERVE_GARBAGE,
	SERVE_CUT,
	SERVE_HANG,
	SERVE_EARLY,
	SERVE_RAW,
};

/* A text that grows; always ended by a NUL. */
struct serve_text {
	char *p;
	size_t n;
};

void serve_add(struct serve_text *t, const void *p, size_t n);

struct serve_answer {
	enum serve_how how;
	int status;
	struct serve_text headers, trailers; /* lines "name: value\n" */
	struct serve_text body;
	struct serve_text raw, again;
	bool has_length;
	unsigned int delay_ms, pause_ms;
};

enum { SERVE_MAX = 64 };

/* script.c: at most SERVE_MAX answers; their number. */
size_t serve_script(const char *text, struct serve_answer *out);
void serve_answer_free(struct serve_answer *a);

struct serve_conn {
	struct serve *s;
	int in, out;
	int nr;
	bool is_hard; /* its end is a reset */
	pthread_t thread;
};

/* The answer to what comes next. */
const struct serve_answer *serve_next(struct serve *s);

/* Keeps a request; head and body go over to s. */
void serve_keep(struct serve_conn *c, int version, struct serve_text head,
		struct serve_text body);

/* Whole or not at all. */
bool serve_write(struct serve_conn *c, const void *p, size_t n);

/* Writes the raw bytes of an answer, those to be repeated until the other side
 * closes or the server stops. */
void serve_raw(struct serve_conn *c, const struct serve_answer *a);

/* Waits until the other side closes, or the server stops. */
void serve_hang(struct serve_conn *c);

/* Makes the close of the connection a reset. */
void serve_linger_none(struct serve_conn *c);

extern const char serve_garbage[];

/* http1.c, http2.c: until the connection ends. got: what was read already. */
void serve_http1(struct serve_conn *c, struct serve_text *got);
void serve_http2(struct serve_conn *c, struct serve_text *got);

#endif
