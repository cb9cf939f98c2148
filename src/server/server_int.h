// SPDX-License-Identifier: Apache-2.0
/* server/server_int.h: what the loop and the connections share.
 *
 *	server.c       the loop: who connects, whose turn it is, when it ends
 *	server_conn.c  a connection: bytes to requests, replies to bytes
 */
#ifndef OP_SERVER_SERVER_INT_H
#define OP_SERVER_SERVER_INT_H

#include "server/http1.h"
#include "server/push.h"
#include "server/server.h"

struct bufferevent;

struct op_conn {
	struct op_server *server;
	struct op_conn *next, *prev;
	struct op_conn *behind; /* in the queue */
	struct bufferevent *bev;
	struct op_http1 *http;
	uint64_t max_body;
	uint64_t since_ns; /* of the request that is being read; else 0 */
	uint64_t used_ns;
	struct op_stream stream;
	bool is_other; /* user */
	bool is_stream;
	bool is_queued;
	bool closes;   /* when all is written */
	bool is_ended; /* all is written: waits for the client to close */
};

/* A connection that was accepted; false: it could not be. is_other: nothing is
 * answered, as the client is not the user whose page it is. */
bool op_conn_open(struct op_server *s, int fd, bool is_other);
void op_conn_close(struct op_conn *c);

/* Answers the request of a connection that was in the queue. */
void op_conn_answer(struct op_conn *c);

/* Whether the client has not read all that it was told. */
bool op_conn_writes(const struct op_conn *c);

/* Ends a connection whose client takes too long to say what it wants. */
void op_conn_tick(struct op_conn *c, uint64_t now_ns);

/* Of the loop, for connections. */
struct event_base *op_server_base(struct op_server *s);
struct op_site *op_server_site(struct op_server *s);
struct op_push *op_server_push(struct op_server *s);
void op_server_enter(struct op_server *s, struct op_conn *c);
void op_server_leave(struct op_server *s, struct op_conn *c);
void op_server_queue(struct op_server *s, struct op_conn *c);
uint64_t op_server_now(void);

#endif
