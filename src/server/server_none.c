// SPDX-License-Identifier: Apache-2.0
/* server/server_none.c: in place of server.c in a build without libevent or
 * http-parser. */
#include "server/server.h"

struct op_server *op_server_new(const struct op_server_opts *opts,
				struct op_err *err)
{
	(void)opts;
	op_fail(err, OP_EUSAGE,
		"this otprof was built without libevent and http-parser, "
		"which its page needs");
	return NULL;
}

void op_server_free(struct op_server *s)
{
	(void)s;
}

int op_server_watch(struct op_server *s, int fd, bool (*fn)(void *ctx, int fd),
		    void *ctx, struct op_err *err)
{
	(void)s;
	(void)fd;
	(void)fn;
	(void)ctx;
	return op_fail(err, OP_EUSAGE, "there is no server");
}

void op_server_changed(struct op_server *s)
{
	(void)s;
}

void op_server_stays(struct op_server *s, bool stays)
{
	(void)s;
	(void)stays;
}

void op_server_own_user(struct op_server *s)
{
	(void)s;
}

void op_server_run(struct op_server *s)
{
	(void)s;
}
