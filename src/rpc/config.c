// SPDX-License-Identifier: Apache-2.0
/* rpc/config.c: options and OTEL_EXPORTER_OTLP_* variables. */
#include "rpc/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "rpc/endpoint.h"
#include "base/pairs.h"
#include "rpc/reply.h"

static const char *const signal_names[] = {
	[OP_SIGNAL_PROFILES] = "PROFILES_",
	[OP_SIGNAL_LOGS] = "LOGS_",
};

enum { NAME_MAX_BYTES = 64 };

struct reader {
	struct op_rpc_config *c;
	const struct op_rpc_opts *opts;
	const struct op_rpc_env *env;
	bool is_insecure;
	/* Of the value being parsed. */
	bool is_base;
	const char *name; /* of the variable; NULL: an option */
	struct op_err *err;
};

/* Sets the option to a value, or reports in why that it is invalid. Without
 * memory, reports that in r->err. */
typedef void parse_fn(struct reader *r, const char *value, struct op_err *why);

/* --- saying what is wrong --- */

static void warn(struct reader *r, const char *fmt, ...) op_printf(2, 3);

static void warn(struct reader *r, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!r->env->warn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->env->warn(r->env->ctx, text);
}

/* Headers and values with a password are not logged. */
static void value_text(char *out, size_t n, const char *key, const char *value)
{
	if (!strcmp(key, "HEADERS") || strchr(value, '@'))
		snprintf(out, n, "...");
	else
		op_reply_clean(out, n, op_view_z(value));
}

static void ignore(struct reader *r, const char *key, const char *value,
		   const struct op_err *why)
{
	char shown[64];

	value_text(shown, sizeof(shown), key, value);
	warn(r, "%s=%s is ignored: %s", r->name, shown, why->text);
}

/* --- where a value comes from --- */

static const char *variable(struct reader *r, const char *name)
{
	const char *v = r->env->get ? r->env->get(r->env->ctx, name) : NULL;

	return v && *v ? v : NULL;
}

/* True: the value was used, or there is nothing more to try. */
static bool try_value(struct reader *r, const char *key, const char *value,
		      parse_fn *parse)
{
	struct op_err why = { 0 };
	char label[32], shown[64];
	size_t i;

	if (!value)
		return false;
	parse(r, value, &why);
	if (!why.code || r->err->code)
		return true;
	if (r->name) {
		ignore(r, key, value, &why);
		return false;
	}
	for (i = 0; key[i] && i + 1 < sizeof(label); i++)
		label[i] = (char)(key[i] == '_' ? ' ' : key[i] | 0x20);
	label[i] = 0;
	value_text(shown, sizeof(shown), key, value);
	op_fail(r->err, OP_EUSAGE, "%s '%s': %s", label, shown, why.text);
	return true;
}

static bool try_variable(struct reader *r, const char *key, const char *name,
			 parse_fn *parse)
{
	r->name = name;
	return !r->err->code && try_value(r, key, variable(r, name), parse);
}

static bool try_option(struct reader *r, const char *key, const char *value,
		       parse_fn *parse)
{
	r->name = NULL;
	r->is_base = value && !op_endpoint_has_path(value);
	return r->err->code || try_value(r, key, value, parse);
}

static bool try_signal(struct reader *r, const char *key, parse_fn *parse)
{
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_%s%s",
		 signal_names[r->c->signal], key);
	r->is_base = false;
	return try_variable(r, key, name, parse);
}

static bool try_general(struct reader *r, const char *key, parse_fn *parse)
{
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_%s", key);
	r->is_base = true;
	return try_variable(r, key, name, parse);
}

static void setting(struct reader *r, const char *key, const char *option,
		    parse_fn *parse)
{
	if (try_option(r, key, option, parse) || try_signal(r, key, parse))
		return;
	try_general(r, key, parse);
}

/* --- values --- */

static const char *copy(struct reader *r, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = op_new_raw(&r->c->mem, char, n);

	if (p)
		memcpy(p, s, n);
	return p;
}

static bool is_nocase(const char *a, const char *b)
{
	return op_view_eq_nocase(op_view_z(a), op_view_z(b));
}

static int one_of(const char *value, const char *const *names,
		  struct op_err *why)
{
	for (int i = 0; names[i]; i++)
		if (is_nocase(value, names[i]))
			return i;
	op_fail(why, OP_EUSAGE, "expected %s, %s or %s", names[0], names[1],
		names[2]);
	return 0;
}

static void protocol_parse(struct reader *r, const char *value,
			   struct op_err *why)
{
	static const char *const names[] = {
		[OP_PROTOCOL_HTTP] = "http/protobuf",
		[OP_PROTOCOL_GRPC] = "grpc",
		[OP_PROTOCOL_JSON] = "http/json",
		NULL,
	};
	int i = one_of(value, names, why);

	if (!why->code)
		r->c->protocol = (enum op_protocol)i;
}

static void compression_parse(struct reader *r, const char *value,
			      struct op_err *why)
{
	static const char *const names[] = {
		[OP_COMPRESSION_NONE] = "none",
		[OP_COMPRESSION_GZIP] = "gzip",
		[OP_COMPRESSION_ZSTD] = "zstd",
		NULL,
	};
	int i = one_of(value, names, why);

	if (!why->code)
		r->c->compression = (enum op_compression)i;
}

static void insecure_parse(struct reader *r, const char *value,
			   struct op_err *why)
{
	if (!is_nocase(value, "true") && !is_nocase(value, "false"))
		op_fail(why, OP_EUSAGE, "expected true or false");
	else
		r->is_insecure = is_nocase(value, "true");
}

static void timeout_parse(struct reader *r, const char *value,
			  struct op_err *why)
{
	uint64_t ms = 0;

	for (const char *p = value; *p; p++) {
		if (*p < '0' || *p > '9' || ms > UINT32_MAX) {
			op_fail(why, OP_EUSAGE,
				"expected a number of milliseconds");
			return;
		}
		ms = ms * 10 + (uint64_t)(*p - '0');
	}
	r->c->timeout_ms = ms;
}

/* A file that a variable names is kept even if it cannot be read: without it we
 * would trust servers that the user does not. */
static const char *file(struct reader *r, const char *value, struct op_err *why)
{
	if (!access(value, R_OK))
		return copy(r, value);
	if (!r->name) {
		op_fail(why, OP_EUSAGE, "the file cannot be read");
		return NULL;
	}
	warn(r, "%s=%s cannot be read: no TLS connection is possible", r->name,
	     value);
	return copy(r, value);
}

static void ca_parse(struct reader *r, const char *value, struct op_err *why)
{
	r->c->ca_file = file(r, value, why);
}

static void cert_parse(struct reader *r, const char *value, struct op_err *why)
{
	r->c->cert_file = file(r, value, why);
}

static void key_parse(struct reader *r, const char *value, struct op_err *why)
{
	r->c->key_file = file(r, value, why);
}

/* --- headers --- */

/* Headers that describe the body: users cannot set them. */
static bool is_ours(const char *name)
{
	static const char *const ours[] = {
		"content-type",	     "content-length", "content-encoding",
		"transfer-encoding", "connection",     "te",
		"grpc-encoding",     "grpc-timeout"
	};

	for (size_t i = 0; i < op_countof(ours); i++)
		if (is_nocase(name, ours[i]))
			return true;
	return false;
}

static bool is_token(const char *s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (; *s; s++) {
		uint8_t letter = (uint8_t)*s | 0x20;

		if ((letter < 'a' || letter > 'z') && (*s < '0' || *s > '9') &&
		    !strchr(others, *s))
			return false;
	}
	return true;
}

static bool is_field(const char *s)
{
	for (; *s; s++)
		if (((uint8_t)*s < ' ' && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

static void header_add(struct reader *r, const char *name, const char *value)
{
	size_t n = strlen(name) + strlen(value) + 3;
	char *text = op_new_raw(&r->c->mem, char, n);

	if (!text || !op_vec_push(&r->c->mem, &r->c->headers, text))
		return;
	snprintf(text, n, "%s: %s", name, value);
	for (size_t i = 0; r->c->protocol == OP_PROTOCOL_GRPC && name[i]; i++)
		if (name[i] >= 'A' && name[i] <= 'Z')
			text[i] = (char)(name[i] | 0x20);
}

static void headers_parse(struct reader *r, const char *value,
			  struct op_err *why)
{
	struct op_pairs pairs = { 0 };

	if (op_pairs_read(&pairs, &r->c->mem, value, why))
		return;
	for (size_t i = 0; i < pairs.n; i++) {
		if (!is_token(pairs.p[i].key) || !is_field(pairs.p[i].value))
			op_fail(why, OP_EUSAGE, "no headers found");
		else if (is_ours(pairs.p[i].key))
			op_fail(why, OP_EUSAGE, "%s cannot be set",
				pairs.p[i].key);
	}
	for (size_t i = 0; i < pairs.n && !why->code; i++)
		header_add(r, pairs.p[i].key, pairs.p[i].value);
}

/* --- endpoint --- */

static void endpoint_parse(struct reader *r, const char *value,
			   struct op_err *why)
{
	struct op_endpoint e = { .signal = r->c->signal,
				 .protocol = r->c->protocol,
				 .is_base = r->is_base,
				 .is_insecure = r->is_insecure };
	bool ignored = false;

	r->c->url = op_endpoint_url(&r->c->mem, &e, value, &ignored, why);
	if (ignored && r->name)
		warn(r, "the path in %s is ignored: gRPC has its own", r->name);
}

/* Splunk's variable is a base URL, but may already have the path. */
static bool try_splunk(struct reader *r)
{
	static const char name[] = "SPLUNK_PROFILER_LOGS_ENDPOINT";
	const char *value;

	if (!r->opts->is_splunk)
		return false;
	value = variable(r, name);
	r->is_base = value && !op_view_ends(op_view_z(value), "/v1/logs");
	return try_variable(r, "ENDPOINT", name, endpoint_parse);
}

static bool is_realm(const char *s)
{
	return strlen(s) < 32 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
					     "0123456789-")] == 0;
}

static void realm_parse(struct reader *r, const char *value, struct op_err *why)
{
	char url[80];

	if (!is_realm(value)) {
		op_fail(why, OP_EUSAGE, "invalid realm name");
		return;
	}
	snprintf(url, sizeof(url), "https://ingest.%s.signalfx.com", value);
	endpoint_parse(r, url, why);
}

static bool try_realm(struct reader *r)
{
	const char *realm = variable(r, "SPLUNK_REALM");

	if (!r->opts->is_splunk || !realm || !strcmp(realm, "none"))
		return false;
	r->is_base = true;
	return try_variable(r, "REALM", "SPLUNK_REALM", realm_parse);
}

static const char *default_endpoint(const struct reader *r)
{
	if (r->c->protocol != OP_PROTOCOL_GRPC)
		return "http://localhost:4318";
	/* The default of OTLP when Splunk's convention was written. */
	return r->opts->is_splunk ? "https://localhost:4317" :
				    "http://localhost:4317";
}

static void endpoint(struct reader *r)
{
	if (try_option(r, "ENDPOINT", r->opts->endpoint, endpoint_parse) ||
	    try_splunk(r) || try_signal(r, "ENDPOINT", endpoint_parse) ||
	    try_general(r, "ENDPOINT", endpoint_parse) || try_realm(r))
		return;
	r->is_base = true;
	r->name = NULL;
	if (!r->err->code)
		endpoint_parse(r, default_endpoint(r), r->err);
}

static bool has_header(const struct op_rpc_config *c, const char *name)
{
	struct op_view want = op_view_z(name);

	for (size_t i = 0; i < c->headers.n; i++) {
		struct op_view header = op_view_z(c->headers.p[i]);

		if (op_view_eq_nocase(op_view_first(header, want.n), want) &&
		    header.n > want.n && header.p[want.n] == ':')
			return true;
	}
	return false;
}

static void token_parse(struct reader *r, const char *value, struct op_err *why)
{
	if (!is_field(value))
		op_fail(why, OP_EUSAGE, "contains a control character");
	else
		header_add(r, "X-SF-TOKEN", value);
}

static void splunk_token(struct reader *r)
{
	if (r->opts->is_splunk && !has_header(r->c, "X-SF-TOKEN"))
		try_variable(r, "HEADERS", "SPLUNK_ACCESS_TOKEN", token_parse);
}

/* --- all of it --- */

static void pair_check(struct reader *r)
{
	if (!r->c->key_file || r->c->cert_file || r->err->code)
		return;
	if (r->opts->key_file)
		op_fail(r->err, OP_EUSAGE,
			"a client key requires a client certificate");
	else
		warn(r, "the client key is ignored: there is no client "
			"certificate");
	r->c->key_file = NULL;
}

int op_rpc_config_read(struct op_rpc_config *c, enum op_signal signal,
		       const struct op_rpc_opts *opts,
		       const struct op_rpc_env *env, struct op_err *err)
{
	static const struct op_rpc_opts no_opts;
	static const struct op_rpc_env no_env;
	struct reader r = { .c = c,
			    .opts = opts ? opts : &no_opts,
			    .env = env ? env : &no_env,
			    .err = err };

	*c = (struct op_rpc_config){ .signal = signal,
				     .timeout_ms = 10000,
				     .max_request = 64 << 20,
				     .max_response = 4 << 20 };
	op_arena_tells(&c->mem, err);
	if (r.opts->max_request)
		c->max_request = r.opts->max_request;
	if (r.opts->is_splunk || r.opts->is_grpc)
		c->protocol = OP_PROTOCOL_GRPC;
	/* The protocol first: the other rules depend on it. */
	setting(&r, "PROTOCOL", r.opts->protocol, protocol_parse);
	setting(&r, "COMPRESSION", r.opts->compression, compression_parse);
	setting(&r, "TIMEOUT", r.opts->timeout_ms, timeout_parse);
	setting(&r, "CERTIFICATE", r.opts->ca_file, ca_parse);
	setting(&r, "CLIENT_CERTIFICATE", r.opts->cert_file, cert_parse);
	setting(&r, "CLIENT_KEY", r.opts->key_file, key_parse);
	pair_check(&r);
	setting(&r, "HEADERS", r.opts->headers, headers_parse);
	splunk_token(&r);
	setting(&r, "INSECURE", NULL, insecure_parse);
	endpoint(&r);
	return err->code;
}

void op_rpc_config_free(struct op_rpc_config *c)
{
	op_arena_free(&c->mem);
	*c = (struct op_rpc_config){ 0 };
}

size_t op_rpc_config_max(const struct op_rpc_config *c)
{
	enum { JSON_GROWTH = 8 };

	return c->protocol == OP_PROTOCOL_JSON ? c->max_request / JSON_GROWTH :
						 c->max_request;
}
