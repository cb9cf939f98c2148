// SPDX-License-Identifier: Apache-2.0
/* examples/span_server.c: a server with threads that shows profilers which
 * span each of them works on.
 *
 *	span_server serve PORT             until it is killed
 *	span_server load PORT SECONDS      sends requests to it
 *	span_server demo SECONDS           both, in one process
 *
 *	otprof record -o demo.otlp -- build/examples/span_server demo 5
 *	otprof top --by span demo.otlp
 *
 * Two ways to profile it from inside, too: unchanged, with the agent preloaded,
 * and with the agent linked, for which WITH_AGENT adds two calls:
 *
 *	otprof run -o demo.otlp -- build/examples/span_server demo 5
 *	OTPROF_AGENT_OUTPUT=file:demo.otlp \
 *		build/examples/span_server_agent demo 5
 *
 * It serves HTTP on the loopback interface, one request per connection. The
 * trace and span come from the header "traceparent" of a request; a tracer
 * would start a span of its own below that one. There is no library to link,
 * only an option for the linker: see otprof_span.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <otprof_span.h>
#ifdef WITH_AGENT
#include <otprof.h>
#endif

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, CLIENTS = 3, MAX_REQUEST = 2048 };

/* --- what requests are about --- */

static double compute(int n)
{
	volatile double sum = 0;

	for (int i = 1; i <= n; i++)
		sum += 1.0 / i;
	return sum;
}

static double price(void)
{
	return 1.19 * compute(600000);
}

static double stock(void)
{
	return 1 + compute(300000);
}

static double search(void)
{
	return compute(100000) / 2;
}

static const struct route {
	const char *path;
	double (*run)(void);
} routes[] = {
	{ "/price", price },
	{ "/stock", stock },
	{ "/search", search },
};

enum { NR_ROUTES = sizeof(routes) / sizeof(routes[0]) };

/* --- requests --- */

struct request {
	const struct route *route;
	unsigned char trace_id[16], span_id[8], flags;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int bytes_read(const char *hex, unsigned char *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = digit(hex[2 * i]);
		int low = high < 0 ? -1 : digit(hex[2 * i + 1]);

		if (low < 0)
			return 0;
		out[i] = (unsigned char)(high * 16 + low);
	}
	return 1;
}

/* "00-", the trace, "-", the span, "-", flags. Without them there is none. */
static void traceparent_read(const char *p, struct request *r)
{
	struct request all = *r;

	if (strlen(p) < 55 || memcmp(p, "00-", 3) || p[35] != '-' ||
	    p[52] != '-' || !bytes_read(p + 3, all.trace_id, 16) ||
	    !bytes_read(p + 36, all.span_id, 8) ||
	    !bytes_read(p + 53, &all.flags, 1))
		return;
	*r = all;
}

static void request_read(const char *text, struct request *r)
{
	static const char name[] = "\r\ntraceparent: ";
	const char *header = strcasestr(text, name);

	memset(r, 0, sizeof(*r));
	if (header)
		traceparent_read(header + sizeof(name) - 1, r);
	if (strncmp(text, "GET ", 4))
		return;
	for (size_t i = 0; i < NR_ROUTES; i++) {
		size_t n = strlen(routes[i].path);

		if (!strncmp(text + 4, routes[i].path, n) && text[4 + n] == ' ')
			r->route = &routes[i];
	}
}

/* --- server --- */

static unsigned int route_key;

/* All that happens here belongs to the span of the request. */
static double request_handle(const struct request *r)
{
	struct otprof_span span;
	double result;

	otprof_span_attach(&span, r->trace_id, r->span_id);
	otprof_span_flags(&span, r->flags);
	otprof_span_attribute(&span, route_key, r->route->path,
			      strlen(r->route->path));
	result = r->route->run();
	otprof_span_detach(&span);
	return result;
}

/* Reads up to the empty line; there is no body. */
static int text_read(int fd, char *text, size_t max)
{
	size_t n = 0;
	ssize_t got;

	while (n < max - 1 && (got = read(fd, text + n, max - 1 - n)) > 0) {
		n += (size_t)got;
		text[n] = 0;
		if (strstr(text, "\r\n\r\n"))
			return 1;
	}
	return 0;
}

static void connection_serve(int fd)
{
	char text[MAX_REQUEST];
	struct request r;

	if (!text_read(fd, text, sizeof(text)))
		return;
	request_read(text, &r);
	if (r.route)
		snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n\r\n%.2f\n",
			 request_handle(&r));
	else
		snprintf(text, sizeof(text), "HTTP/1.1 404 Not Found\r\n\r\n");
	if (write(fd, text, strlen(text)) < 0)
		perror("span_server");
}

static void *worker_run(void *arg)
{
	int listener = *(int *)arg, fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		struct timeval limit = { 5, 0 };

		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		connection_serve(fd);
		close(fd);
	}
	return NULL;
}

static struct sockaddr_in loopback(unsigned int port)
{
	struct sockaddr_in to;

	memset(&to, 0, sizeof(to));
	to.sin_family = AF_INET;
	to.sin_port = htons((uint16_t)port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return to;
}

/* Returns the port; 0: none. Port 0 is any. */
static unsigned int listen_on(unsigned int port, int *listener)
{
	struct sockaddr_in at = loopback(port);
	socklen_t n = sizeof(at);
	int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 128) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		perror("span_server");
		if (fd >= 0)
			close(fd);
		return 0;
	}
	*listener = fd;
	return ntohs(at.sin_port);
}

/* Tells profilers who this is. The server works without them, too. */
static void context_publish(void)
{
	static const char *const keys[] = { "http.route", NULL };
	struct otprof_process_context about = { "span-server", NULL, keys,
						NULL };
	int code = otprof_context_publish(&about);

	if (code)
		fprintf(stderr, "span_server: no process context: %s\n",
			strerror(-code));
	if (!otprof_span_is_exported())
		fprintf(stderr, "span_server: link with "
				"-Wl,--export-dynamic-symbol="
				"otel_thread_ctx_v1 to show spans\n");
	route_key = (unsigned int)otprof_context_key(keys[0]);
}

/* --- clients --- */

struct client {
	unsigned int port, number;
	uint64_t end_ns;
	unsigned long done, failed;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Each client asks for one thing, always in the same trace. */
static int request_send(const struct client *c)
{
	struct sockaddr_in to = loopback(c->port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), is_ok = 0;
	char text[MAX_REQUEST];

	snprintf(text, sizeof(text),
		 "GET %s HTTP/1.1\r\nhost: localhost\r\ntraceparent: "
		 "00-ab%028d%02x-00000000000000%02x-01\r\n\r\n",
		 routes[c->number % NR_ROUTES].path, 0, c->number + 1,
		 c->number + 1);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		is_ok = text_read(fd, text, sizeof(text)) &&
			strstr(text, " 200 ");
	if (fd >= 0)
		close(fd);
	return is_ok;
}

static void *client_run(void *arg)
{
	struct client *c = (struct client *)arg;

	while (now_ns() < c->end_ns) {
		if (request_send(c))
			c->done++;
		else if (++c->failed == 100)
			break;
	}
	return NULL;
}

static int load(unsigned int port, double seconds)
{
	struct client clients[CLIENTS];
	pthread_t threads[CLIENTS];
	unsigned long done = 0, failed = 0;
	int nr = 0;

	memset(clients, 0, sizeof(clients));
	for (; nr < CLIENTS; nr++) {
		clients[nr].port = port;
		clients[nr].number = (unsigned int)nr;
		clients[nr].end_ns = now_ns() + (uint64_t)(seconds * 1e9);
		if (pthread_create(&threads[nr], NULL, client_run,
				   &clients[nr]))
			break;
	}
	for (int i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		done += clients[i].done;
		failed += clients[i].failed;
	}
	printf("%lu requests, %lu failed\n", done, failed);
	return nr < CLIENTS || failed || !done;
}

/* --- profiling --- */

static void agent_start(void)
{
#ifdef WITH_AGENT
	struct otprof_agent_opts opts;
	struct otprof_err err;

	memset(&opts, 0, sizeof(opts));
	memset(&err, 0, sizeof(err));
	opts.sz = sizeof(opts);
	opts.interval_ms = 10;
	/* A program goes on without its profiler. */
	if (otprof_agent_start(&opts, &err))
		fprintf(stderr, "span_server: no profile: %s\n", err.text);
#endif
}

static void agent_stop(void)
{
#ifdef WITH_AGENT
	otprof_agent_stop();
#endif
}

/* --- main --- */

/* Serves for as long as clients of its own send requests; without them,
 * forever. */
static int serve(unsigned int port, double seconds)
{
	pthread_t threads[WORKERS];
	int listener = -1, nr = 0, code = 0;

	port = listen_on(port, &listener);
	if (!port)
		return 1;
	context_publish();
	agent_start();
	while (nr < WORKERS &&
	       !pthread_create(&threads[nr], NULL, worker_run, &listener))
		nr++;
	if (nr && seconds > 0) {
		code = load(port, seconds);
		shutdown(listener, SHUT_RDWR);
	}
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	close(listener);
	agent_stop();
	return code || nr < WORKERS;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(how, "serve"))
		return serve((unsigned int)strtoul(argv[2], NULL, 10), 0);
	if (!strcmp(how, "demo") && atof(argv[2]) > 0)
		return serve(0, atof(argv[2]));
	if (!strcmp(how, "load") && argc > 3)
		return load((unsigned int)strtoul(argv[2], NULL, 10),
			    atof(argv[3]));
	fprintf(stderr, "usage: span_server serve PORT\n"
			"       span_server load PORT SECONDS\n"
			"       span_server demo SECONDS\n");
	return 2;
}
