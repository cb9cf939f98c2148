// SPDX-License-Identifier: Apache-2.0
/* rpc/http.c: requests by libcurl, supervised by a watchdog. */
#include "rpc/http.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "rpc/curl_load.h"
#include "rpc/watchdog.h"

enum {
	UPLOAD_CHUNK = 512 * 1024,
	MAX_FIELDS = 64 * 1024, /* bytes of headers that are kept */
	MAX_HEADERS = 256 *
		      1024, /* bytes that are read, of all interim responses */
	GRACE_MS = 250,	    /* libcurl's own error says more than ours */
};

struct op_http {
	struct op_curl lib;
	CURL *curl;
	struct op_watchdog *watchdog;
	bool is_reuse_broken; /* of HTTP/2 without TLS: see post_reusing() */
	bool has_plain_http2; /* a connection exists */
	/* Of the request under way. */
	const struct op_http_request *request;
	struct curl_slist *headers;
	struct op_http_answer *answer;
	size_t sent;	  /* bytes of prefix and body that curl has read */
	bool was_too_new; /* see on_prereq() */
	bool is_too_old;  /* the server responds to gRPC with HTTP/1.1 */
	size_t nr_header_bytes;
	size_t field_at[OP_HTTP_NR_FIELDS];
	struct op_err quiet; /* of buffers; we report their failures */
	char why[CURL_ERROR_SIZE];
};

/* 7.88.0 and 7.88.1 start HTTP/2 again in an HTTP/2 connection that they reuse,
 * and every request but the first fails. */
static bool is_reuse_broken(const struct op_curl *lib)
{
	unsigned int v = lib->version_info(CURLVERSION_NOW)->version_num;

	return v == 0x075800 || v == 0x075801;
}

/* Resets all options except one: libcurl must not change the handler of
 * SIGPIPE, which belongs to the host program. It would set and restore it even
 * while it only frees, and if two threads do so the signal stays ignored. */
static void curl_renew(struct op_http *h)
{
	h->lib.easy_reset(h->curl);
	h->lib.easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
}

int op_http_new(struct op_http **h, struct op_err *err)
{
	struct op_http *new = op_heap_resize(NULL, sizeof(*new), err);

	if (!new)
		return err->code;
	*new = (struct op_http){ 0 };
	/* libcurl counts the calls; op_http_free() undoes each. */
	if (!op_curl_load(&new->lib, err) &&
	    new->lib.global_init(CURL_GLOBAL_DEFAULT))
		op_fail(err, OP_EIO, "libcurl cannot be used");
	if (err->code) {
		op_heap_free(new);
		return err->code;
	}
	new->is_reuse_broken = is_reuse_broken(&new->lib);
	new->curl = new->lib.easy_init();
	if (!new->curl)
		op_fail(err, OP_ENOMEM, "no memory for a client");
	if (err->code || op_watchdog_new(&new->watchdog, err)) {
		op_http_free(new);
		return err->code;
	}
	curl_renew(new);
	*h = new;
	return OP_OK;
}

void op_http_free(struct op_http *h)
{
	if (!h)
		return;
	h->lib.easy_cleanup(h->curl); /* closes the sockets */
	op_watchdog_free(h->watchdog);
	h->lib.global_cleanup();
	op_heap_free(h);
}

void op_http_stop(struct op_http *h)
{
	op_watchdog_stop(h->watchdog);
}

void op_http_answer_free(struct op_http_answer *a)
{
	op_buf_free(&a->body);
	op_buf_free(&a->text);
}

/* --- what libcurl calls --- */

static bool is_cut(const struct op_http *h)
{
	return op_watchdog_cut(h->watchdog) != OP_CUT_NONE;
}

static curl_socket_t on_socket(void *ctx, curlsocktype purpose,
			       struct curl_sockaddr *to)
{
	struct op_http *h = ctx;
	int fd = socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);

	(void)purpose;
	if (fd >= 0 && !op_watchdog_add(h->watchdog, fd)) {
		close(fd);
		return CURL_SOCKET_BAD;
	}
	return fd;
}

static int on_close(void *ctx, curl_socket_t fd)
{
	struct op_http *h = ctx;

	op_watchdog_remove(h->watchdog, fd);
	return close(fd);
}

static size_t take(char *to, size_t room, struct op_view from, size_t at)
{
	size_t n;

	if (at >= from.n)
		return 0;
	n = from.n - at < room ? from.n - at : room;
	memcpy(to, from.p + at, n);
	return n;
}

static size_t on_read(char *to, size_t size, size_t nr, void *ctx)
{
	struct op_http *h = ctx;
	const struct op_http_request *r = h->request;
	size_t room = size * nr;
	size_t n = take(to, room, r->prefix, h->sent);

	n += take(to + n, room - n, r->body, h->sent + n - r->prefix.n);
	h->sent += n;
	return n;
}

/* Back to the start, for a second connection. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
	struct op_http *h = ctx;

	if (origin != SEEK_SET || offset < 0 ||
	    (size_t)offset > h->request->prefix.n + h->request->body.n)
		return CURL_SEEKFUNC_FAIL;
	h->sent = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

static size_t on_write(char *p, size_t size, size_t nr, void *ctx)
{
	struct op_http *h = ctx;
	struct op_http_answer *a = h->answer;
	size_t n = size * nr;

	if (n > h->request->max_answer - a->body.n) {
		a->is_too_large = true;
		return 0;
	}
	op_buf_view(&a->body, op_view(p, n));
	return h->quiet.code || is_cut(h) ? 0 : n;
}

/* Called before a request is sent. */
static int on_prereq(void *ctx, char *ip, char *local_ip, int port,
		     int local_port)
{
	struct op_http *h = ctx;
	long nr_new = 0;

	(void)ip, (void)local_ip, (void)port, (void)local_port;
	h->lib.easy_getinfo(h->curl, CURLINFO_NUM_CONNECTS, &nr_new);
	h->was_too_new = nr_new;
	return nr_new ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down,
		       curl_off_t up_all, curl_off_t up)
{
	struct op_http *h = ctx;

	(void)down_all, (void)down, (void)up_all, (void)up;
	return is_cut(h);
}

static const char *const field_names[OP_HTTP_NR_FIELDS] = {
	[OP_HTTP_CONTENT_TYPE] = "content-type:",
	[OP_HTTP_RETRY_AFTER] = "retry-after:",
	[OP_HTTP_GRPC_STATUS] = "grpc-status:",
	[OP_HTTP_GRPC_MESSAGE] = "grpc-message:",
	[OP_HTTP_GRPC_DETAILS] = "grpc-status-details-bin:",
};

static struct op_view trim(struct op_view v)
{
	while (v.n && v.p[0] <= ' ')
		v = op_view(v.p + 1, v.n - 1);
	while (v.n && v.p[v.n - 1] <= ' ')
		v.n--;
	return v;
}

/* Fields are kept as offsets until the text no longer moves. Fields that are
 * too long are ignored. */
static void field_keep(struct op_http *h, int i, struct op_view value)
{
	struct op_http_answer *a = h->answer;

	if (value.n > MAX_FIELDS - a->text.n)
		return;
	h->field_at[i] = a->text.n;
	a->fields[i].n = value.n;
	op_buf_view(&a->text, value);
}

/* One line of headers or trailers. A status line begins another response: one
 * with status 100 came before. gRPC expects nothing from HTTP/1.1, so reading
 * stops there: the length is not looked at, and the end might never come. */
static size_t on_header(char *p, size_t size, size_t nr, void *ctx)
{
	struct op_http *h = ctx;
	struct op_view v = op_view(p, size * nr);

	h->nr_header_bytes += v.n;
	if (h->nr_header_bytes > MAX_HEADERS || is_cut(h))
		return 0;
	if (h->request->is_grpc && v.n >= 7 && !memcmp(v.p, "HTTP/1.", 7)) {
		h->is_too_old = true;
		return 0;
	}
	if (v.n >= 5 && !memcmp(v.p, "HTTP/", 5)) {
		for (int i = 0; i < OP_HTTP_NR_FIELDS; i++)
			h->answer->fields[i].n = 0;
		h->answer->text.n = 0;
	}
	for (int i = 0; i < OP_HTTP_NR_FIELDS; i++) {
		size_t n = strlen(field_names[i]);

		if (v.n >= n && op_view_eq_nocase(op_view(p, n),
						  op_view(field_names[i], n)))
			field_keep(h, i, trim(op_view(v.p + n, v.n - n)));
	}
	return h->quiet.code ? 0 : v.n;
}

/* --- request --- */

static bool list_add(struct op_http *h, const char *text)
{
	struct curl_slist *more = h->lib.slist_append(h->headers, text);

	if (more)
		h->headers = more;
	return more;
}

/* Without a semicolon libcurl omits a header that has no value. */
static bool header_add(struct op_http *h, const char *text)
{
	size_t n = strcspn(text, ":");
	char name[256];

	if (text[n] && !text[n + 1 + strspn(text + n + 1, " \t")]) {
		if (n + 2 > sizeof(name))
			return false;
		memcpy(name, text, n);
		memcpy(name + n, ";", 2);
		text = name;
	}
	return list_add(h, text);
}

static bool header_pair(struct op_http *h, const char *name, const char *value)
{
	char text[128];

	snprintf(text, sizeof(text), "%s: %s", name, value);
	return header_add(h, text);
}

static bool grpc_headers(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	char timeout[32];

	if (!header_add(h, "te: trailers") ||
	    !header_add(h, "grpc-accept-encoding: identity,gzip,zstd"))
		return false;
	/* At most eight digits. */
	if (!r->timeout_ms || r->timeout_ms > 99999999)
		return true;
	snprintf(timeout, sizeof(timeout), "%llum",
		 (unsigned long long)r->timeout_ms);
	return header_pair(h, "grpc-timeout", timeout);
}

/* False without memory. */
static bool make_headers(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	const char *encoding = r->is_grpc ? "grpc-encoding" :
					    "Content-Encoding";
	/* Do not ask first whether the server accepts the body. */
	bool is_good = list_add(h, "Expect:") &&
		       header_pair(h, "Content-Type", r->content_type);

	if (r->encoding)
		is_good = is_good && header_pair(h, encoding, r->encoding);
	if (r->is_grpc)
		is_good = is_good && grpc_headers(h);
	for (size_t i = 0; i < r->nr_headers && is_good; i++)
		is_good = header_add(h, r->headers[i]);
	return is_good;
}

static void set_callbacks(struct op_http *h)
{
	CURL *c = h->curl;

	h->lib.easy_setopt(c, CURLOPT_READFUNCTION, on_read);
	h->lib.easy_setopt(c, CURLOPT_READDATA, h);
	h->lib.easy_setopt(c, CURLOPT_SEEKFUNCTION, on_seek);
	h->lib.easy_setopt(c, CURLOPT_SEEKDATA, h);
	h->lib.easy_setopt(c, CURLOPT_WRITEFUNCTION, on_write);
	h->lib.easy_setopt(c, CURLOPT_WRITEDATA, h);
	h->lib.easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	h->lib.easy_setopt(c, CURLOPT_HEADERDATA, h);
	h->lib.easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	h->lib.easy_setopt(c, CURLOPT_XFERINFODATA, h);
	h->lib.easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	h->lib.easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_socket);
	h->lib.easy_setopt(c, CURLOPT_OPENSOCKETDATA, h);
	h->lib.easy_setopt(c, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	h->lib.easy_setopt(c, CURLOPT_CLOSESOCKETDATA, h);
	h->lib.easy_setopt(c, CURLOPT_ERRORBUFFER, h->why);
}

static void set_tls(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	CURL *c = h->curl;

	if (r->ca_file) {
		h->lib.easy_setopt(c, CURLOPT_CAINFO, r->ca_file);
		/* Trust only the certificates that the user named. */
		h->lib.easy_setopt(c, CURLOPT_CAPATH, NULL);
	}
	if (r->cert_file)
		h->lib.easy_setopt(c, CURLOPT_SSLCERT, r->cert_file);
	if (r->key_file)
		h->lib.easy_setopt(c, CURLOPT_SSLKEY, r->key_file);
}

static bool is_plain_http2(const struct op_http_request *r)
{
	return r->is_grpc && !strncmp(r->url, "http:", 5);
}

static void set_version(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	CURL *c = h->curl;
	long version = CURL_HTTP_VERSION_2TLS;

	if (!r->is_grpc) {
		h->lib.easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "gzip");
		h->lib.easy_setopt(c, CURLOPT_HTTP_VERSION, version);
		return;
	}
	if (is_plain_http2(r))
		version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
	h->lib.easy_setopt(c, CURLOPT_HTTP_VERSION, version);
	/* A proxy may not support HTTP/2: it must pass the bytes on. */
	h->lib.easy_setopt(c, CURLOPT_HTTPPROXYTUNNEL, 1L);
	/* libcurl 7.88 would not read anything after that many bytes, and the
	 * trailers come there. */
	h->lib.easy_setopt(c, CURLOPT_IGNORE_CONTENT_LENGTH, 1L);
}

/* getaddrinfo() cannot be ended. libcurl would wait for the thread that calls
 * it; from 7.87 on an option makes it leave that thread alone. */
static void set_quick_end(struct op_http *h)
{
	const struct curl_easyoption *o = h->lib.easy_option_by_name(
		"QUICK_EXIT");

	if (o)
		h->lib.easy_setopt(h->curl, o->id, 1L);
}

static void set_request(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	CURL *c = h->curl;

	h->lib.easy_setopt(c, CURLOPT_URL, r->url);
	h->lib.easy_setopt(c, CURLOPT_POST, 1L);
	h->lib.easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
			   (curl_off_t)(r->prefix.n + r->body.n));
	h->lib.easy_setopt(c, CURLOPT_HTTPHEADER, h->headers);
	/* Not sent to proxies. */
	h->lib.easy_setopt(c, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	h->lib.easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	h->lib.easy_setopt(c, CURLOPT_USERAGENT,
			   "otprof/" OTPROF_VERSION
			   " OTel-OTLP-Exporter-C/" OTPROF_VERSION);
	h->lib.easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)r->timeout_ms);
	if (r->timeout_ms)
		h->lib.easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)r->timeout_ms);
	h->lib.easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	if (r->body.n > UPLOAD_CHUNK)
		h->lib.easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE,
				   (long)UPLOAD_CHUNK);
	set_quick_end(h);
	set_callbacks(h);
	set_version(h);
	set_tls(h);
}

/* --- answer --- */

/* The number of bytes that a server may send for one response: its body, what
 * HTTP/2 adds to it and to a large request, and TLS. */
static uint64_t max_received(const struct op_http_request *r)
{
	return 2 * (uint64_t)r->max_answer + r->body.n / 4 + (1 << 20);
}

static void failed(struct op_http *h, CURLcode code, enum op_cut cut)
{
	struct op_http_answer *a = h->answer;

	if (cut == OP_CUT_STOPPED)
		op_fail(&a->err, OP_EIO, "stopped");
	else if (cut == OP_CUT_TIMEOUT)
		op_fail(&a->err, OP_EIO, "it took longer than %llu ms",
			(unsigned long long)h->request->timeout_ms);
	else if (cut == OP_CUT_FLOOD)
		op_fail(&a->err, OP_EIO,
			"the server sent more than %llu bytes without ending "
			"its response",
			(unsigned long long)max_received(h->request));
	else if (h->nr_header_bytes > MAX_HEADERS)
		op_fail(&a->err, OP_EIO,
			"the server sent more than %d bytes of headers",
			MAX_HEADERS);
	else if (h->is_too_old)
		op_fail(&a->err, OP_EIO, "the server does not support HTTP/2");
	else if (a->is_too_large)
		op_fail(&a->err, OP_ELIMIT,
			"the response has more than %zu bytes",
			h->request->max_answer);
	else if (h->quiet.code)
		op_fail(&a->err, OP_ENOMEM, "%s", h->quiet.text);
	else
		op_fail(&a->err, OP_EIO, "%s",
			h->why[0] ? h->why : h->lib.easy_strerror(code));
}

/* On an existing connection libcurl must not begin HTTP/2 again: it continues
 * with what the connection uses. If there is no connection, nothing is sent,
 * and a new one is opened in the right way. */
static CURLcode post_reusing(struct op_http *h)
{
	CURL *c = h->curl;
	CURLcode code;

	if (h->has_plain_http2) {
		h->was_too_new = false;
		h->lib.easy_setopt(c, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_2TLS);
		h->lib.easy_setopt(c, CURLOPT_PREREQFUNCTION, on_prereq);
		h->lib.easy_setopt(c, CURLOPT_PREREQDATA, h);
		code = h->lib.easy_perform(c);
		if (!h->was_too_new)
			return code;
		h->lib.easy_setopt(c, CURLOPT_PREREQFUNCTION, NULL);
		h->lib.easy_setopt(c, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
		h->sent = 0;
	}
	h->lib.easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
	code = h->lib.easy_perform(c);
	h->has_plain_http2 = code == CURLE_OK;
	return code;
}

static bool is_interim(const struct op_http_answer *a)
{
	return a->status > 0 && a->status < 200;
}

/* A status below 200 precedes the response. If nothing followed, there was no
 * response, and its headers do not count. */
static void drop_interim(struct op_http_answer *a)
{
	if (!is_interim(a))
		return;
	op_fail(&a->err, OP_EIO,
		"only an interim response was received, HTTP "
		"%d",
		a->status);
	a->status = 0;
	a->is_whole = false;
	for (int i = 0; i < OP_HTTP_NR_FIELDS; i++)
		a->fields[i].n = 0;
}

static void perform(struct op_http *h)
{
	const struct op_http_request *r = h->request;
	struct op_http_answer *a = h->answer;
	enum op_cut cut;
	CURLcode code;
	long status = 0;

	op_watchdog_begin(h->watchdog,
			  r->timeout_ms ? r->timeout_ms + GRACE_MS : 0,
			  max_received(r));
	code = h->is_reuse_broken && is_plain_http2(r) ?
		       post_reusing(h) :
		       h->lib.easy_perform(h->curl);
	cut = op_watchdog_end(h->watchdog);
	h->lib.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	a->status = h->is_too_old ? 0 : (int)status;
	a->is_whole = code == CURLE_OK;
	/* libcurl's message does not mention the interim response. */
	if (code && (cut != OP_CUT_NONE || !is_interim(a)))
		failed(h, code, cut);
	drop_interim(a);
	for (int i = 0; i < OP_HTTP_NR_FIELDS; i++)
		a->fields[i].p = a->text.p ? a->text.p + h->field_at[i] : NULL;
}

void op_http_post(struct op_http *h, const struct op_http_request *r,
		  struct op_http_answer *a)
{
	*a = (struct op_http_answer){ 0 };
	if (op_watchdog_cut(h->watchdog) == OP_CUT_STOPPED) {
		op_fail(&a->err, OP_EIO, "stopped");
		return;
	}
	h->request = r;
	h->answer = a;
	h->headers = NULL;
	h->sent = 0;
	h->is_too_old = false;
	h->nr_header_bytes = 0;
	h->quiet = (struct op_err){ 0 };
	h->why[0] = 0;
	a->body.err = a->text.err = &h->quiet;
	if (make_headers(h)) {
		curl_renew(h);
		set_request(h);
		perform(h);
		/* libcurl must not keep pointers to what is freed now. */
		curl_renew(h);
	} else {
		op_fail(&a->err, OP_ENOMEM, "no memory for a request");
	}
	h->lib.slist_free_all(h->headers);
	h->headers = NULL;
	h->request = NULL;
	h->answer = NULL;
}
