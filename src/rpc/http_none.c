// SPDX-License-Identifier: Apache-2.0
/* rpc/http_none.c: for builds without libcurl: nothing can be sent. */
#include "rpc/http.h"

int op_http_new(struct op_http **h, struct op_err *err)
{
	(void)h;
	return op_fail(err, OP_EIO, "this otprof was built without libcurl");
}

void op_http_free(struct op_http *h)
{
	(void)h;
}

void op_http_post(struct op_http *h, const struct op_http_request *r,
		  struct op_http_answer *a)
{
	(void)h, (void)r;
	*a = (struct op_http_answer){ 0 };
}

void op_http_answer_free(struct op_http_answer *a)
{
	(void)a;
}

void op_http_stop(struct op_http *h)
{
	(void)h;
}
