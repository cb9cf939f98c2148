// SPDX-License-Identifier: Apache-2.0
/* tests/serve/http2_none.c: without libnghttp2 connections just end. */
#include "serve/serve_int.h"

bool serve_has_http2(void)
{
	return false;
}

void serve_http2(struct serve_conn *c, struct serve_text *got)
{
	(void)c, (void)got;
}
