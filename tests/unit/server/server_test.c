// SPDX-License-Identifier: Apache-2.0
/* The server runs in a child; what clients send are the bytes of sockets. */
#include "server/server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

enum { BIG = 3 << 20 };

struct serving {
	pid_t pid;
	uint16_t port;
	int said; /* the server writes the names of what it was asked */
	int more; /* a byte into it is a change */
};

static int said_to;

/* "big" is larger than the buffers of a socket, "slow" takes a while, "endless"
 * long, and says when it is over. */
static void ask(const struct op_api *api, const char *name,
		const struct op_params *params, struct op_response *out)
{
	const struct timespec while_ns = { 0, 200000000 };

	(void)api;
	(void)params;
	CHECK(write(said_to, name, 1) == 1);
	out->status = 200;
	out->type = "text/plain";
	op_buf_z(&out->body, name);
	if (!strcmp(name, "big"))
		for (int i = 0; i < BIG / 16; i++)
			op_buf_z(&out->body, "0123456789abcdef");
	if (!strcmp(name, "slow"))
		nanosleep(&while_ns, NULL);
	if (strcmp(name, "endless"))
		return;
	for (int i = 0; i < 100; i++)
		nanosleep(&while_ns, NULL);
	CHECK(write(said_to, "!", 1) == 1);
}

static int open_file(void *ctx, const char *name, struct op_buf *bytes,
		     uint32_t *file_out, struct op_err *err)
{
	(void)ctx;
	(void)name;
	(void)err;
	*file_out = (uint32_t)bytes->n;
	op_buf_free(bytes);
	return OP_OK;
}

static void change(void *ctx, char *json, size_t room)
{
	(void)ctx;
	snprintf(json, room, "{\"observations\":7}");
}

static bool on_more(void *ctx, int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		return false;
	op_server_changed(*(struct op_server **)ctx);
	return true;
}

static bool own_user;

static void serve(int port_to, int more)
{
	struct op_site site = { .guard = { .token = TOKEN },
				.ask = ask,
				.open = open_file,
				.max_file = BIG };
	struct op_server_opts o = { .site = &site, .change = change };
	struct op_err err = { 0 };
	struct op_server *s = op_server_new(&o, &err);

	if (!s || op_server_watch(s, more, on_more, &s, &err) ||
	    write(port_to, &site.guard.port, 2) != 2)
		_exit(1);
	if (own_user)
		op_server_own_user(s);
	op_server_run(s);
	op_server_free(s);
	_exit(test_failed ? 2 : 0);
}

static struct serving start(void)
{
	struct serving s = { 0 };
	int port[2], said[2], more[2];

	CHECK(!pipe(port) && !pipe(said) && !pipe(more));
	s.pid = fork();
	if (!s.pid) {
		close(said[0]);
		close(more[1]);
		said_to = said[1];
		serve(port[1], more[0]);
	}
	close(port[1]);
	close(said[1]);
	close(more[0]);
	CHECK_EQ(read(port[0], &s.port, 2), 2);
	close(port[0]);
	s.said = said[0];
	s.more = more[1];
	return s;
}

/* It ends without a leak or another complaint. */
static void stop(struct serving *s)
{
	int status = 1;

	kill(s->pid, SIGTERM);
	CHECK_EQ(waitpid(s->pid, &status, 0), s->pid);
	CHECK_EQ(status, 0);
	close(s->said);
	close(s->more);
}

static int client(const struct serving *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(s->port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK_EQ(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void say(const struct serving *s, int fd, const char *line,
		const char *more)
{
	char text[2000];
	int n = snprintf(text, sizeof(text),
			 "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", line,
			 s->port, more);

	CHECK_EQ(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
}

/* Reads until the text was seen, the connection ends or nothing comes for
 * long. Gives how much it was. */
static size_t hear(int fd, const char *until, char *out, size_t room)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got;

	out[0] = 0;
	while (n + 1 < room && poll(&p, 1, 30000) == 1) {
		got = read(fd, out + n, room - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
		out[n] = 0;
		if (until && strstr(out, until))
			break;
	}
	return n;
}

static int status_of(const char *text)
{
	int status = 0;

	return sscanf(text, "HTTP/1.1 %d ", &status) == 1 ? status : 0;
}

TEST(keep_alive)
{
	struct serving s = start();
	int fd = client(&s);
	char text[4000];

	say(&s, fd, "GET /" TOKEN "/api/one", "");
	hear(fd, "\r\n\r\none", text, sizeof(text));
	CHECK_EQ(status_of(text), 200);
	/* Two at once. */
	say(&s, fd, "GET /" TOKEN "/api/two", "");
	say(&s, fd, "HEAD /" TOKEN "/api/three", "");
	say(&s, fd, "GET /" TOKEN "/api/four", "Connection: close\r\n");
	hear(fd, NULL, text, sizeof(text));
	CHECK(strstr(text, "\r\n\r\ntwoHTTP/1.1 200 OK\r\n"));
	CHECK(strstr(text, "Content-Length: 5\r\n"));
	CHECK(!strstr(text, "three"));
	CHECK(strstr(text, "\r\n\r\nfour"));
	close(fd);
	stop(&s);
}

TEST(refused)
{
	static const struct {
		const char *bytes;
		int status;
	} cases[] = {
		{ "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403 },
		{ "PUT / HTTP/1.1\r\n\r\n", 405 },
		{ "\x16\x03\x01\x02\x03", 405 },
		{ "GET / HTTP/1.1\r\n:\r\n\r\n", 400 },
	};
	struct serving s = start();
	char text[4000];

	for (size_t i = 0; i < op_countof(cases); i++) {
		int fd = client(&s);

		send(fd, cases[i].bytes, strlen(cases[i].bytes), MSG_NOSIGNAL);
		hear(fd, NULL, text, sizeof(text));
		CHECK_EQ(status_of(text), cases[i].status);
		close(fd);
	}
	stop(&s);
}

/* The reply comes although the client has not stopped sending. */
TEST(too_large)
{
	struct serving s = start();
	static char junk[1 << 20];
	char text[4000];
	int fd = client(&s);

	memset(junk, 'a', sizeof(junk));
	say(&s, fd, "GET /" TOKEN "/", "X: ");
	send(fd, junk, 200000, MSG_NOSIGNAL);
	hear(fd, NULL, text, sizeof(text));
	CHECK_EQ(status_of(text), 431);
	close(fd);
	fd = client(&s);
	say(&s, fd, "POST /" TOKEN "/api/open",
	    "Content-Length: 100000000\r\n");
	send(fd, junk, 200000, MSG_NOSIGNAL);
	hear(fd, NULL, text, sizeof(text));
	CHECK_EQ(status_of(text), 413);
	close(fd);
	stop(&s);
}

TEST(files)
{
	struct serving s = start();
	static char junk[1 << 20];
	char text[4000];
	int fd = client(&s);

	say(&s, fd, "POST /" TOKEN "/api/open?name=x",
	    "Expect: 100-continue\r\nContent-Length: 1048576\r\n");
	hear(fd, "\r\n\r\n", text, sizeof(text));
	CHECK_EQ(status_of(text), 100);
	CHECK_EQ(send(fd, junk, sizeof(junk), MSG_NOSIGNAL), sizeof(junk));
	hear(fd, "}", text, sizeof(text));
	CHECK(strstr(text, "{\"file\":1048576}"));
	close(fd);
	stop(&s);
}

/* Clients that send slowly, read slowly or leave do not keep others waiting. */
TEST(slow_clients)
{
	struct serving s = start();
	static char all[BIG + 2000];
	char text[4000];
	int slow = client(&s), big = client(&s), fd;
	struct linger now = { 1, 0 };

	CHECK_EQ(send(slow, "GET /" TOKEN, 10, MSG_NOSIGNAL), 10);
	say(&s, big, "GET /" TOKEN "/api/big", "Connection: close\r\n");
	fd = client(&s);
	say(&s, fd, "GET /" TOKEN "/api/one", "Connection: close\r\n");
	hear(fd, NULL, text, sizeof(text));
	CHECK(strstr(text, "\r\n\r\none"));
	close(fd);
	CHECK(hear(big, NULL, all, sizeof(all)) > BIG);
	close(big);
	/* One that is gone before, while and after it is answered. */
	for (int i = 0; i < 20; i++) {
		fd = client(&s);
		say(&s, fd, "GET /" TOKEN "/api/big", "");
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		if (i & 1)
			hear(fd, "HTTP", text, sizeof(text));
		close(fd);
	}
	close(slow);
	stop(&s);
}

/* What nobody waits for any longer is not answered. */
TEST(left)
{
	struct serving s = start();
	int first = client(&s), second = client(&s), third = client(&s);
	char text[4000];

	say(&s, first, "GET /" TOKEN "/api/slow", "");
	CHECK_EQ(read(s.said, text, 1), 1);
	say(&s, second, "GET /" TOKEN "/api/left", "");
	close(second);
	say(&s, third, "GET /" TOKEN "/api/third", "");
	hear(third, "\r\n\r\nthird", text, sizeof(text));
	CHECK_EQ(status_of(text), 200);
	CHECK_EQ(read(s.said, text, 1), 1);
	CHECK_EQ(text[0], 't');
	close(first);
	close(third);
	stop(&s);
}

/* Nobody waits for the end of an answer to end the server. */
TEST(ended)
{
	struct serving s = start();
	int fd = client(&s);
	char text[2];
	int status = 1;

	say(&s, fd, "GET /" TOKEN "/api/endless", "");
	CHECK_EQ(read(s.said, text, 1), 1);
	kill(s.pid, SIGTERM);
	CHECK_EQ(waitpid(s.pid, &status, 0), s.pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(read(s.said, text, 1), 0);
	close(fd);
	close(s.said);
	close(s.more);
}

TEST(events)
{
	struct serving s = start();
	int fd = client(&s);
	char text[4000];

	say(&s, fd, "GET /" TOKEN "/api/events", "");
	hear(fd, "retry: 2000\n\n", text, sizeof(text));
	CHECK_EQ(status_of(text), 200);
	CHECK(strstr(text, "Content-Type: text/event-stream\r\n"));
	CHECK_EQ(write(s.more, "", 1), 1);
	hear(fd, "}\n\n", text, sizeof(text));
	CHECK_STR(text, "event: change\ndata: {\"observations\":7}\n\n");
	/* What a tab sends is thrown away. */
	say(&s, fd, "GET /" TOKEN "/api/one", "");
	CHECK_EQ(write(s.more, "", 1), 1);
	hear(fd, "}\n\n", text, sizeof(text));
	CHECK_STR(text, "event: change\ndata: {\"observations\":7}\n\n");
	close(fd);
	stop(&s);
}

/* Nobody can keep others out by connecting often. */
TEST(many)
{
	struct serving s = start();
	int fds[100], fd;
	char text[4000];

	for (size_t i = 0; i < op_countof(fds); i++)
		fds[i] = client(&s);
	fd = client(&s);
	say(&s, fd, "GET /" TOKEN "/api/one", "Connection: close\r\n");
	hear(fd, NULL, text, sizeof(text));
	CHECK(strstr(text, "\r\n\r\none"));
	close(fd);
	for (size_t i = 0; i < op_countof(fds); i++)
		close(fds[i]);
	stop(&s);
}

/* Nor where there are fewer descriptors than connections are allowed. */
TEST(descriptors)
{
	static const struct rlimit few = { 20, 20 };
	struct serving s = start();
	int fds[40], fd;
	char text[4000];

	CHECK_EQ(prlimit(s.pid, RLIMIT_NOFILE, &few, NULL), 0);
	for (size_t i = 0; i < op_countof(fds); i++)
		fds[i] = client(&s);
	fd = client(&s);
	say(&s, fd, "GET /" TOKEN "/api/one", "Connection: close\r\n");
	hear(fd, NULL, text, sizeof(text));
	CHECK(strstr(text, "\r\n\r\none"));
	close(fd);
	for (size_t i = 0; i < op_countof(fds); i++)
		close(fds[i]);
	stop(&s);
}

/* One that goes on sending while it waits does not keep others waiting. */
TEST(flood)
{
	struct serving s = start();
	int slow = client(&s), flood = client(&s), fd = client(&s);
	static char junk[1 << 20];
	char text[4000];

	say(&s, slow, "GET /" TOKEN "/api/slow", "");
	CHECK_EQ(read(s.said, text, 1), 1);
	say(&s, flood, "GET /" TOKEN "/api/flood", "");
	send(flood, junk, sizeof(junk), MSG_NOSIGNAL | MSG_DONTWAIT);
	say(&s, fd, "GET /" TOKEN "/api/one", "");
	hear(fd, "\r\n\r\none", text, sizeof(text));
	CHECK_EQ(status_of(text), 200);
	close(slow);
	close(flood);
	close(fd);
	stop(&s);
}

/* Asks as another user, and gives the status. */
static int ask_as(const struct serving *s, uid_t uid)
{
	char text[4000];
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		int fd;

		if (setresuid(uid, uid, uid))
			_exit(1);
		fd = client(s);
		say(s, fd, "GET /" TOKEN "/api/one", "Connection: close\r\n");
		hear(fd, NULL, text, sizeof(text));
		_exit(status_of(text) / 100);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

TEST(other_users)
{
	struct serving s;

	if (geteuid())
		TEST_SKIP("only root can be another user");
	s = start();
	CHECK_EQ(ask_as(&s, 0), 2);
	CHECK_EQ(ask_as(&s, 65533), 2);
	stop(&s);
	own_user = true;
	s = start();
	own_user = false;
	CHECK_EQ(ask_as(&s, 0), 2);
	CHECK_EQ(ask_as(&s, 65533), 4);
	stop(&s);
}

TEST(ports)
{
	struct serving s = start();
	struct op_site site = { 0 };
	struct op_server_opts o = { .site = &site, .port = s.port };
	struct op_err err = { 0 };

	CHECK(!op_server_new(&o, &err));
	CHECK_EQ(err.code, OP_EIO);
	stop(&s);
}

TEST_MAIN(keep_alive, refused, too_large, files, slow_clients, left, ended,
	  events, many, descriptors, flood, other_users, ports)
