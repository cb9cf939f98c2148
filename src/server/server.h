// SPDX-License-Identifier: Apache-2.0
/* server/server.h: a server on this machine, for this machine.
 *
 *	struct op_server *s = op_server_new(&opts, err);
 *	... op_server_port(s) ...
 *	op_server_run(s);
 *	op_server_free(s);
 *
 * One thread does everything. Requests are answered one after the other, those
 * that nobody waits for any longer not at all.
 */
#ifndef OP_SERVER_SERVER_H
#define OP_SERVER_SERVER_H

#include "server/site.h"

struct op_server;

struct op_server_opts {
	/* The guard's port is set when it is known. */
	struct op_site *site;
	uint16_t port; /* 0: any */
	/* Writes what has changed as JSON of one line, for those that are told
	 * of it. */
	void (*change)(void *ctx, char *json, size_t room);
	void *ctx;
	bool stays; /* when the last tab is gone */
};

/* Listens on the loopback interface. */
struct op_server *op_server_new(const struct op_server_opts *opts,
				struct op_err *err);
void op_server_free(struct op_server *s);

/* Calls fn when there is something to read, until it gives false. */
int op_server_watch(struct op_server *s, int fd, bool (*fn)(void *ctx, int fd),
		    void *ctx, struct op_err *err);

/* Tells all tabs that there is something new. */
void op_server_changed(struct op_server *s);

/* From now on it ends with the last tab, or does not. */
void op_server_stays(struct op_server *s, bool stays);

/* From now on other users of the machine are refused, but for root: the address
 * has become known to them. */
void op_server_own_user(struct op_server *s);

/* Runs until the last tab is gone, or SIGINT, SIGTERM or SIGHUP comes. If that
 * is while a request is answered, the process ends, with status 0. */
void op_server_run(struct op_server *s);

#endif
