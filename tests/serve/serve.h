// SPDX-License-Identifier: Apache-2.0
/* tests/serve/serve.h: a server that answers as it is told and keeps what it
 * got. HTTP/1.1 and, without TLS, HTTP/2; a thread a connection.
 *
 * The script has a line for each answer, in order; the last is for all that
 * follow. A line has words; %XX in them stands for a byte.
 *
 *	status=503           of HTTP; 200 if nothing is said
 *	header=name:value    any number
 *	trailer=name:value   of HTTP/2, any number
 *	body=text            hex=0a0b in hex; both may be repeated
 *	fill=1000            so many more bytes of body
 *	length               content-length, also beside trailers
 *	grpc=14              trailer grpc-status, a content-type and, for 0
 *	                     without a body, an empty message
 *	delay=100            wait so many milliseconds before it
 *	close                no answer: close the connection
 *	reset                the same, hard; HTTP/2: reset the stream
 *	garbage              bytes that are no HTTP, then close
 *	cut                  the answer, but close before its last byte
 *	hang                 no answer at all
 *	early                answer before the body was read, then close
 *	raw=bytes            these bytes and nothing else, then close
 *	again=bytes          the same, and these again and again without end
 *	pause=10             with so many milliseconds in between
 */
#ifndef OP_TESTS_SERVE_SERVE_H
#define OP_TESTS_SERVE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serve;

struct serve_request {
	char *head; /* request line as "POST /path", then "name: value" lines */
	uint8_t *body;
	size_t n;
	int version;	/* 1 or 2 */
	int connection; /* the how manieth, from 1 on */
};

/* Listens on a port of 127.0.0.1 that is free. With dir each request is
 * written there, as N.head, N.body and N.connection, N from 1 on. Stops the
 * program if anything fails. */
struct serve *serve_start(const char *script, const char *dir);
/* The same on a port of which is known that it is free. */
struct serve *serve_start_at(const char *script, const char *dir, int port);
int serve_port(const struct serve *s);

/* The requests so far; serve_at() wants an index below that, and what it gives
 * is valid until serve_stop(). */
size_t serve_nr(struct serve *s);
const struct serve_request *serve_at(struct serve *s, size_t i);

/* The value of a header, until the next call; NULL if there is none. */
const char *serve_header(const struct serve_request *r, const char *name);

/* Serves one connection on file descriptors; for a tunnel. */
void serve_pipe(struct serve *s, int in, int out);

void serve_stop(struct serve *s);

/* Whether this build has HTTP/2. */
bool serve_has_http2(void);

#endif
