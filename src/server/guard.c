// SPDX-License-Identifier: Apache-2.0
/* server/guard.c: who may ask a server on this machine. */
#include "server/guard.h"

#include <stdio.h>
#include <sys/random.h>

static const char *const names[] = { "127.0.0.1", "localhost" };

int op_guard_init(struct op_guard *g, struct op_err *err)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[OP_TOKEN_CHARS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return op_fail_sys(err, "no random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		g->token[2 * i] = digits[bytes[i] >> 4];
		g->token[2 * i + 1] = digits[bytes[i] & 15];
	}
	g->token[OP_TOKEN_CHARS] = 0;
	return OP_OK;
}

/* With the port, which browsers leave out if it is that of HTTP. */
static bool is_own_host(const struct op_guard *g, struct op_view host)
{
	char own[40];

	for (size_t i = 0; i < op_countof(names); i++) {
		snprintf(own, sizeof(own), "%s:%u", names[i], g->port);
		if (op_view_eq_nocase(host, op_view_z(own)))
			return true;
		if (g->port == 80 &&
		    op_view_eq_nocase(host, op_view_z(names[i])))
			return true;
	}
	return false;
}

/* "http://" and the host that the request is for. */
static bool is_own_origin(struct op_view origin, struct op_view host)
{
	static const char scheme[] = "http://";
	size_t n = sizeof(scheme) - 1;

	return origin.n > n && !memcmp(origin.p, scheme, n) &&
	       op_view_eq_nocase(op_view(origin.p + n, origin.n - n), host);
}

const char *op_guard_refuses(const struct op_guard *g,
			     const struct op_request *r)
{
	struct op_view host = op_header_text(&r->host);
	struct op_view site = op_header_text(&r->fetch_site);

	if (!is_own_host(g, host))
		return "this server answers only to the address that otprof "
		       "printed";
	if ((r->origin.nr_given &&
	     !is_own_origin(op_header_text(&r->origin), host)) ||
	    (r->fetch_site.nr_given && !op_view_is(site, "same-origin") &&
	     !op_view_is(site, "none")))
		return "this server does not answer to other pages";
	return NULL;
}

/* Takes as long whatever is different, so that a token cannot be guessed
 * letter by letter. */
static bool is_token(const struct op_guard *g, const uint8_t *p)
{
	unsigned int different = 0;

	for (size_t i = 0; i < OP_TOKEN_CHARS; i++)
		different |= p[i] ^ (uint8_t)g->token[i];
	return !different;
}

bool op_guard_enter(const struct op_guard *g, struct op_view *path)
{
	size_t n = OP_TOKEN_CHARS + 1;

	if (path->n < n || path->p[0] != '/' || !is_token(g, path->p + 1) ||
	    (path->n > n && path->p[n] != '/'))
		return false;
	*path = op_view(path->p + n, path->n - n);
	return true;
}
