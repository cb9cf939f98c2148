// SPDX-License-Identifier: Apache-2.0
/* rpc/endpoint.c: parses server URLs. */
#include "rpc/endpoint.h"

#include <stdio.h>

static const char *const http_paths[] = {
	[OP_SIGNAL_PROFILES] = "v1development/profiles",
	[OP_SIGNAL_LOGS] = "v1/logs",
};

static const char *const grpc_paths[] = {
	[OP_SIGNAL_PROFILES] = "opentelemetry.proto.collector.profiles."
			       "v1development.ProfilesService/Export",
	[OP_SIGNAL_LOGS] = "opentelemetry.proto.collector.logs.v1."
			   "LogsService/Export",
};

/* The parts of a URL; missing parts are empty. */
struct parts {
	struct op_view scheme, authority, path, query;
	bool has_port;
};

static bool is_scheme(struct op_view v, const char *name)
{
	return op_view_eq_nocase(v, op_view_z(name));
}

static int port_check(struct op_view v, struct parts *u, struct op_err *err)
{
	uint32_t port = 0;

	if (!v.n)
		return OP_OK;
	for (size_t i = 1; i < v.n; i++) {
		if (v.p[i] < '0' || v.p[i] > '9' || port > UINT16_MAX)
			return op_fail(err, OP_EUSAGE, "invalid port number");
		port = port * 10 + (uint32_t)(v.p[i] - '0');
	}
	if (v.p[0] != ':' || !port || port > UINT16_MAX)
		return op_fail(err, OP_EUSAGE, "invalid port number");
	u->has_port = true;
	return OP_OK;
}

/* [user@]host[:port], where host may be [an address with colons]. */
static int authority_check(struct parts *u, struct op_err *err)
{
	struct op_view v = u->authority;
	const uint8_t *at = v.n ? memrchr(v.p, '@', v.n) : NULL;
	const uint8_t *end = v.p + v.n;
	const uint8_t *host_end;

	if (at)
		v = op_view(at + 1, (size_t)(end - at - 1));
	if (v.n && v.p[0] == '[')
		host_end = memchr(v.p, ']', v.n);
	else
		host_end = v.n ? memchr(v.p, ':', v.n) : NULL;
	if (v.n && v.p[0] == '[') {
		if (!host_end || host_end == v.p + 1)
			return op_fail(err, OP_EUSAGE, "invalid host name");
		host_end++;
	} else if (!host_end) {
		host_end = end;
	}
	if (host_end == v.p)
		return op_fail(err, OP_EUSAGE, "the host is missing");
	return port_check(op_view(host_end, (size_t)(end - host_end)), u, err);
}

static int split(const char *text, struct parts *u, struct op_err *err)
{
	const char *mark = strstr(text, "://");
	const char *p = text;

	for (; *p; p++)
		if ((uint8_t)*p <= ' ' || *p == 0x7f)
			return op_fail_at(err, OP_EUSAGE, (uint64_t)(p - text),
					  "contains a space");
	p = text;
	if (mark) {
		u->scheme = op_view(text, (size_t)(mark - text));
		p = mark + 3;
		if (!is_scheme(u->scheme, "http") &&
		    !is_scheme(u->scheme, "https"))
			return op_fail(err, OP_EUSAGE,
				       "it must begin with http:// or "
				       "https://");
	}
	u->authority = op_view(p, strcspn(p, "/?#"));
	p += u->authority.n;
	u->path = op_view(p, strcspn(p, "?#"));
	p += u->path.n;
	u->query = op_view(p, strcspn(p, "#"));
	return authority_check(u, err);
}

static const char *grpc_url(struct op_arena *mem, const struct op_endpoint *e,
			    const struct parts *u, size_t room)
{
	bool is_plain = u->scheme.n ? is_scheme(u->scheme, "http") :
				      e->is_insecure;
	bool wants_port = !u->scheme.n && !u->has_port;
	char *url = op_new_raw(mem, char, room);

	if (url)
		snprintf(url, room, "%s://%.*s%s/%s",
			 is_plain ? "http" : "https", (int)u->authority.n,
			 (const char *)u->authority.p,
			 wants_port ? ":4317" : "", grpc_paths[e->signal]);
	return url;
}

static const char *http_url(struct op_arena *mem, const struct op_endpoint *e,
			    const struct parts *u, size_t room)
{
	const char *path = e->is_base ? http_paths[e->signal] : "";
	const char *slash = u->path.n ? "" : "/";
	char *url = op_new_raw(mem, char, room);

	if (e->is_base && !op_view_ends(u->path, "/"))
		slash = "/";
	if (url)
		snprintf(url, room, "%s://%.*s%.*s%s%s%.*s",
			 is_scheme(u->scheme, "http") ? "http" : "https",
			 (int)u->authority.n, (const char *)u->authority.p,
			 (int)u->path.n, (const char *)u->path.p, slash, path,
			 (int)u->query.n, (const char *)u->query.p);
	return url;
}

const char *op_endpoint_url(struct op_arena *mem, const struct op_endpoint *e,
			    const char *text, bool *ignored, struct op_err *err)
{
	size_t room = strlen(text) + 128;
	bool is_grpc = e->protocol == OP_PROTOCOL_GRPC;
	struct parts u = { 0 };

	if (strlen(text) > 4096) {
		op_fail(err, OP_EUSAGE, "it is too long");
		return NULL;
	}
	if (split(text, &u, err))
		return NULL;
	if (!is_grpc && !u.scheme.n) {
		op_fail(err, OP_EUSAGE,
			"it must begin with http:// or https://");
		return NULL;
	}
	if (ignored)
		*ignored = is_grpc && (u.path.n > 1 || u.query.n);
	return is_grpc ? grpc_url(mem, e, &u, room) :
			 http_url(mem, e, &u, room);
}

bool op_endpoint_has_path(const char *text)
{
	const char *mark = strstr(text, "://");

	text = mark ? mark + 3 : text;
	return text[strcspn(text, "/?#")] == '/';
}
