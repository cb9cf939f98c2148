// SPDX-License-Identifier: Apache-2.0
/* sym/helper.c: the client: starts helpers, limits their time, and decides what
 * to ask after one of them died. */
#include "sym/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
	STEP_MS = 500,
	NAME_MS = 100,
	TOTAL_MS = 2500,
	WALL_MS = 30000,
	DATA_MIB = 512,
	LOOK_MS = 50,	    /* interval of time checks */
	SLACK_US = 200000,  /* a helper needs some to end itself */
	MAX_STARTED = 24,   /* helpers in total */
	MAX_SLOW_NAMES = 4, /* per binary */
	/* Reading all DWARF of a file takes about 10 ns per byte, a lookup less
	 * than 2 us. */
	BYTES_PER_US = 32,
	US_PER_ADDRESS = 3,
	MAX_MIB = 8192,
};

static uint32_t or_default(uint32_t v, uint32_t by_default)
{
	return v ? v : by_default;
}

/* --- time --- */

static uint64_t us_of_timeval(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static uint64_t clock_us(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The time that helpers have used so far. */
static uint64_t spent_us(const struct op_helper *h)
{
	clockid_t id;

	if (!h->pid || clock_getcpuclockid(h->pid, &id))
		return h->spent_us;
	return h->spent_us + clock_us(id);
}

static uint64_t left_us(const struct op_helper *h)
{
	uint64_t all = (uint64_t)or_default(h->limits.total_ms, TOTAL_MS) *
			       1000 +
		       h->earned_us;
	uint64_t spent = spent_us(h);

	return spent < all ? all - spent : 0;
}

/* --- processes --- */

static void stop(struct op_helper *h)
{
	uint64_t spent = spent_us(h);
	struct rusage used;
	pid_t got;

	if (!h->pid)
		return;
	close(h->fd);
	kill(h->pid, SIGKILL);
	do
		got = wait4(h->pid, NULL, 0, &used);
	while (got < 0 && errno == EINTR);
	/* If the host ignores SIGCHLD, the usage is unknown. */
	if (got > 0)
		spent = h->spent_us + us_of_timeval(used.ru_utime) +
			us_of_timeval(used.ru_stime);
	h->spent_us = spent;
	h->pid = 0;
	h->in.n = 0;
}

/* What was spent so far is given back. */
uint64_t op_helper_spent_us(const struct op_helper *h)
{
	return spent_us(h);
}

void op_helper_renew(struct op_helper *h)
{
	h->earned_us = spent_us(h);
	h->nr_started = h->pid ? 1 : 0;
	h->is_off = false;
}

void op_helper_close(struct op_helper *h)
{
	stop(h);
	op_buf_free(&h->in);
	op_buf_free(&h->name);
}

/* The socket is its standard input; it has no other descriptor. */
static int spawn(struct op_helper *h, int fd)
{
	char *argv[] = { (char *)"otprof", (char *)OP_HELPER_ARG, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int why;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	why = posix_spawn(&h->pid, h->program, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (why)
		h->pid = 0;
	return why;
}

static int start(struct op_helper *h, struct op_err *err)
{
	int pair[2], why;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return op_fail_sys(err, "cannot communicate with the symbol "
					"helper");
	why = spawn(h, pair[1]);
	close(pair[1]);
	if (why) {
		close(pair[0]);
		errno = why;
		return op_fail_sys(err, "cannot start %s as the symbol helper",
				   h->program);
	}
	h->fd = pair[0];
	h->nr_started++;
	h->in.err = &h->in_err;
	return OP_OK;
}

/* Whether a request is possible: a helper runs, and there is time. */
static bool is_ready(struct op_helper *h, struct op_err *err)
{
	if (h->is_off || err->code)
		return false;
	if (!left_us(h) || (!h->pid && h->nr_started == MAX_STARTED)) {
		h->is_off = true;
		stop(h);
		return false;
	}
	return h->pid || !start(h, err);
}

/* --- asking --- */

static uint32_t file_flags(const int fds[OP_BINARY_FILES])
{
	uint32_t flags = 0;

	for (int i = 0; i < OP_BINARY_FILES; i++)
		if (fds[i] >= 0)
			flags |= 1u << i;
	return flags;
}

/* A request is far smaller than what a socket buffers, and the helper reads
 * nothing else: one that does not fit counts as a failure. */
static bool send_ask(struct op_helper *h, const struct op_helper_ask *ask,
		     const int *fds, struct op_view body)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int) * OP_BINARY_FILES)];
	} control = { 0 };
	struct iovec parts[] = { { (void *)ask, sizeof(*ask) },
				 { (void *)body.p, body.n } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	size_t nr = 0;
	int list[OP_BINARY_FILES];

	for (int i = 0; fds && i < OP_BINARY_FILES; i++)
		if (fds[i] >= 0)
			list[nr++] = fds[i];
	if (nr) {
		m.msg_control = control.room;
		m.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(&control.head), list, nr * sizeof(int));
	}
	return sendmsg(h->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)(sizeof(*ask) + body.n);
}

static struct op_helper_ask ask_of(const struct op_helper *h,
				   const struct op_helper_binary *b)
{
	uint64_t bytes = b ? b->file_bytes : 0;
	uint64_t step_ms = or_default(h->limits.step_ms, STEP_MS) +
			   bytes / BYTES_PER_US / 1000;
	uint64_t mib = or_default(h->limits.data_mib, DATA_MIB) +
		       4 * (bytes >> 20);
	uint64_t left_ms = left_us(h) / 1000 + 1;

	return (struct op_helper_ask){
		.step_ms = (uint32_t)(step_ms < left_ms ? step_ms : left_ms),
		.name_ms = or_default(h->limits.name_ms, NAME_MS),
		.data_mib = (uint32_t)(mib < MAX_MIB ? mib : MAX_MIB),
	};
}

/* --- answers --- */

/* Waits until there is something to read; false if the helper must be stopped:
 * out of time, or no response. */
static bool wait_for(struct op_helper *h)
{
	uint64_t wall_us = (uint64_t)or_default(h->limits.wall_ms, WALL_MS) *
			   1000;
	uint64_t until = clock_us(CLOCK_MONOTONIC) + wall_us;
	uint64_t most = spent_us(h) + left_us(h) + SLACK_US;
	struct pollfd p = { .fd = h->fd, .events = POLLIN };
	int got;

	do {
		got = poll(&p, 1, LOOK_MS);
		if (got < 0 && errno != EINTR)
			return false;
		if (got <= 0 &&
		    (spent_us(h) > most || clock_us(CLOCK_MONOTONIC) > until))
			return false;
	} while (got <= 0);
	return true;
}

/* Reads more; false at the end, or if there is nothing to wait for. */
static bool read_more(struct op_helper *h)
{
	enum { CHUNK = 128 * 1024 };
	uint8_t *to;
	ssize_t got;

	if (!wait_for(h))
		return false;
	to = op_buf_add(&h->in, CHUNK);
	if (!to)
		return false;
	do
		got = recv(h->fd, to, CHUNK, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	h->in.n -= CHUNK - (got > 0 ? (size_t)got : 0);
	return got > 0;
}

/* One response, whose body is a view of the buffer at *at. */
static bool next_reply(struct op_helper *h, size_t *at,
		       struct op_helper_reply *head, struct op_view *body)
{
	while (h->in.n - *at < sizeof(*head))
		if (!read_more(h))
			return false;
	memcpy(head, h->in.p + *at, sizeof(*head));
	if (head->bytes > OP_HELPER_REPLY_MAX)
		return false;
	while (h->in.n - *at - sizeof(*head) < head->bytes)
		if (!read_more(h))
			return false;
	*body = op_view(h->in.p + *at + sizeof(*head), head->bytes);
	*at += sizeof(*head) + head->bytes;
	return true;
}

/* Moves the unread rest to the front. */
static void forget(struct op_helper *h, size_t *at)
{
	enum { OFTEN = 1 << 20 };

	if (*at < OFTEN && *at != h->in.n)
		return;
	if (h->in.n > *at)
		memmove(h->in.p, h->in.p + *at, h->in.n - *at);
	h->in.n -= *at;
	*at = 0;
}

struct answers {
	size_t nr;		    /* addresses answered */
	enum op_helper_phase phase; /* why it died; 0: it did not */
};

typedef void answer_fn(void *ctx, size_t i, const struct op_sym_frame *f,
		       size_t nr);

static enum op_helper_phase phase_of(uint16_t nr)
{
	return nr == OP_AT_BINARY || nr == OP_AT_NAME ? nr : OP_AT_LINES;
}

/* Reads responses for up to most addresses. Stops a helper that violates the
 * protocol. */
static struct answers answers_read(struct op_helper *h, size_t most,
				   answer_fn *fn, void *ctx)
{
	struct op_sym_frame frames[OP_LINES_MAX];
	struct answers a = { 0, OP_AT_LINES };
	struct op_helper_reply head;
	struct op_view body;
	size_t at = 0;
	int nr;

	while (next_reply(h, &at, &head, &body)) {
		if (head.kind == OP_REPLY_DONE && a.nr == most) {
			a.phase = 0;
			break;
		}
		if (head.kind == OP_REPLY_DYING)
			a.phase = phase_of(head.nr);
		if (head.kind != OP_REPLY_FRAMES || a.nr == most)
			break;
		nr = op_helper_reply_read(body, head.nr, frames);
		if (nr < 0)
			break;
		fn(ctx, a.nr++, frames, (size_t)nr);
		forget(h, &at);
	}
	h->in.n = 0;
	if (a.phase)
		stop(h);
	return a;
}

/* --- binaries --- */

struct asking {
	const struct op_helper_question *q;
	size_t from;
	uint32_t flags;
};

static void pass_on(void *ctx, size_t i, const struct op_sym_frame *f,
		    size_t nr)
{
	const struct asking *a = ctx;

	a->q->fn(a->q->ctx, a->from + i, OP_HELPER_FRAMES, a->flags, f, nr);
}

/* Time is allowed for the bytes on disk; holes of a file do not count. */
static void measure(struct op_helper_binary *b)
{
	struct stat st;

	for (int i = 0; i < OP_BINARY_FILES; i++)
		if (b->fds[i] >= 0 && !fstat(b->fds[i], &st))
			b->file_bytes += (uint64_t)st.st_blocks * 512;
	b->is_known = true;
}

/* Decides what is skipped from now on, after a helper died on this binary. */
static void learn(struct op_helper_binary *b, enum op_helper_phase phase)
{
	if (phase == OP_AT_NAME) {
		if (++b->nr_slow_names == MAX_SLOW_NAMES)
			b->flags |= OP_ASK_NO_NAMES;
	} else if (phase == OP_AT_LINES && !(b->flags & OP_ASK_NO_LINES)) {
		b->flags |= OP_ASK_NO_LINES;
	} else {
		b->is_given_up = true;
	}
}

/* Requests up to n addresses from i on; returns how many were answered. */
static size_t ask_some(struct op_helper *h, struct asking *a, size_t n,
		       enum op_helper_phase *phase)
{
	struct op_helper_binary *b = a->q->binary;
	struct op_helper_ask ask = ask_of(h, b);
	struct answers got = { 0 };
	struct op_view body = op_view((const uint8_t *)(a->q->vaddrs + a->from),
				      n * sizeof(uint64_t));

	ask.kind = OP_ASK_FRAMES;
	ask.flags = a->flags | file_flags(b->fds) |
		    (b->may_split ? OP_ASK_SPLIT : 0);
	ask.nr = (uint32_t)n;
	/* A helper that died before the request did not die of it. */
	if (send_ask(h, &ask, b->fds, body))
		got = answers_read(h, n, pass_on, a);
	else
		stop(h);
	*phase = got.phase;
	return got.nr;
}

int op_helper_ask(struct op_helper *h, const struct op_helper_question *q,
		  struct op_err *err)
{
	struct op_helper_binary *b = q->binary;
	struct asking a = { .q = q };
	enum op_helper_phase phase = 0;

	if (!b->is_known)
		measure(b);
	h->earned_us += b->file_bytes / BYTES_PER_US + q->nr * US_PER_ADDRESS;
	while (a.from < q->nr && !b->is_given_up && is_ready(h, err)) {
		size_t n = q->nr - a.from;

		if (n > OP_HELPER_ADDRESSES)
			n = OP_HELPER_ADDRESSES;
		a.flags = b->flags;
		/* Skips only the name that was too much. */
		if (phase == OP_AT_NAME) {
			a.flags |= OP_ASK_NO_NAMES;
			n = 1;
		}
		a.from += ask_some(h, &a, n, &phase);
		if (phase)
			learn(b, phase);
	}
	for (; a.from < q->nr && !err->code; a.from++)
		q->fn(q->ctx, a.from, OP_HELPER_TOO_COSTLY, b->flags, NULL, 0);
	if (h->in_err.code)
		op_fail(err, h->in_err.code, "%s", h->in_err.text);
	return err->code;
}

/* --- names --- */

static void keep(void *ctx, size_t i, const struct op_sym_frame *f, size_t nr)
{
	struct op_helper *h = ctx;

	(void)i;
	if (nr)
		op_buf_view(&h->name, f[0].readable);
}

struct op_view op_helper_name(struct op_helper *h, struct op_view name,
			      bool *was_slow, struct op_err *err)
{
	struct op_helper_ask ask;

	h->name.n = 0;
	h->name.err = err;
	if (name.n > OP_HELPER_NAME)
		return (struct op_view){ 0 };
	if (!is_ready(h, err)) {
		*was_slow = true;
		return (struct op_view){ 0 };
	}
	ask = ask_of(h, NULL);
	ask.kind = OP_ASK_NAME;
	ask.nr = (uint32_t)name.n;
	if (!send_ask(h, &ask, NULL, name)) {
		stop(h);
		*was_slow = true;
	} else if (answers_read(h, 1, keep, h).phase) {
		h->name.n = 0;
		*was_slow = true;
	}
	return op_view(h->name.p, h->name.n);
}
