// SPDX-License-Identifier: Apache-2.0
/* server/http1.h: HTTP/1.1, from bytes to requests and from replies to bytes.
 *
 * Knows nothing of sockets. A connection feeds what it receives:
 *
 *	READING --op_http1_feed()--> HEAD ------feed()-----> REQUEST
 *	   ^                         |                         |
 *	   |                         +--feed()--> FAILED       |
 *	   +------------------op_http1_next()-------------------+
 *
 * In HEAD everything but the body is known, so that a request can be refused
 * before its body is read. FAILED is the end of the connection: status says
 * what to reply.
 */
#ifndef OP_SERVER_HTTP1_H
#define OP_SERVER_HTTP1_H

#include "server/api.h"
#include "server/request.h"

enum {
	OP_HTTP1_MAX_HEAD = 16 << 10,
	OP_HTTP1_MAX_URL = 8 << 10,
	OP_HTTP1_MAX_HEADERS = 64,
};

enum op_http1_state {
	OP_HTTP1_READING,
	OP_HTTP1_HEAD,
	OP_HTTP1_REQUEST,
	OP_HTTP1_FAILED,
};

struct op_http1; /* one per connection */

/* NULL: out of memory. */
struct op_http1 *op_http1_new(struct op_err *err);
void op_http1_free(struct op_http1 *h);

/* Reads bytes up to the next change of the state. Gives how many it took; in
 * REQUEST and FAILED it takes none. In HEAD it begins to read the body, of at
 * most max_body bytes. */
size_t op_http1_feed(struct op_http1 *h, struct op_view in, uint64_t max_body);

enum op_http1_state op_http1_state(const struct op_http1 *h);

/* In HEAD without a body, in REQUEST with it. */
const struct op_request *op_http1_request(const struct op_http1 *h);

/* The same for who takes the body over. */
struct op_buf *op_http1_body(struct op_http1 *h);

/* In FAILED: the status of HTTP. */
int op_http1_status(const struct op_http1 *h);

/* After a request was answered: READING again. */
void op_http1_next(struct op_http1 *h);

/* Whether a request has begun that is not complete. */
bool op_http1_is_within(const struct op_http1 *h);

/* The text of a status: "Not Found". */
const char *op_status_text(int status);

/* How a reply is sent. */
enum {
	OP_HTTP1_CLOSES = 1,  /* the connection ends behind it */
	OP_HTTP1_STREAMS = 2, /* its end is that of the connection */
};

/* Appends the head of a reply, with the headers that keep a page safe. */
void op_response_head(struct op_buf *out, const struct op_response *r,
		      unsigned int how);

/* Makes a reply an error with this status and sentence. */
void op_response_error(struct op_response *r, int status, const char *text);

#endif
