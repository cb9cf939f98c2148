// SPDX-License-Identifier: Apache-2.0
/* cli/symbol_helper.c: the server: reads binaries that may be hostile, in an
 * expendable process.
 *
 * A timer of the CPU time of this process ends it if one address or one name
 * takes too long; a memory limit ends it if libdw needs too much. Whatever ends
 * it, it first sends the complete responses and then what it was doing, so that
 * the client knows which address was too much. It can open no files; it gets
 * descriptors with the requests. */
#include "symbol_helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sym/demangle.h"
#include "sym/helper_wire.h"

enum {
	TICK_MS = 10,
	OUT_BYTES = OP_HELPER_REPLY_MAX + 256 * 1024,
	SEND_AT = 64 * 1024,
	NO_FILES = 3, /* 0, 1 and 2 are open, and no more can be opened */
	SOME_FILES = NO_FILES + OP_BINARY_FILES,
	SPLIT_FILES = 512,
	CPU_SECONDS = 600,
};

/* For signal handlers. */
static struct {
	uint8_t *out;	      /* OUT_BYTES */
	volatile size_t done; /* bytes of complete responses */
	volatile uint32_t ticks, most_ticks;
	volatile enum op_helper_phase phase;
} now;

/* --- the end --- */

static bool send_bytes(const void *p, size_t n)
{
	const uint8_t *at = p;

	while (n) {
		ssize_t sent = send(0, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		n -= (size_t)sent;
	}
	return true;
}

static void die(void)
{
	struct op_helper_reply head = { 0, OP_REPLY_DYING,
					(uint16_t)now.phase };

	if (send_bytes(now.out, now.done))
		send_bytes(&head, sizeof(head));
	/* Not _exit(): sanitizers would open files first. */
	kill(getpid(), SIGKILL);
}

static void on_signal(int sig)
{
	if (sig != SIGPROF || ++now.ticks > now.most_ticks)
		die();
}

/* The time limit of the next step. */
static void begin(enum op_helper_phase phase, uint32_t ms)
{
	now.most_ticks = UINT32_MAX;
	now.ticks = 0;
	now.phase = phase;
	now.most_ticks = ms / TICK_MS + 1;
}

/* --- limits --- */

static void limit(unsigned int what, rlim_t soft, rlim_t hard)
{
	struct rlimit r = { soft, hard };

	setrlimit(what, &r);
}

static void limit_soft(unsigned int what, rlim_t soft)
{
	struct rlimit r;

	if (getrlimit(what, &r))
		return;
	r.rlim_cur = soft < r.rlim_max ? soft : r.rlim_max;
	setrlimit(what, &r);
}

/* Memory that the program had before it read anything does not count: a build
 * with sanitizers begins with terabytes. */
static uint64_t data_now(void)
{
	unsigned long long pages[6] = { 0 };
	FILE *f = fopen("/proc/self/statm", "re");
	int n;

	if (!f)
		return 0;
	n = fscanf(f, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1],
		   &pages[2], &pages[3], &pages[4], &pages[5]);
	fclose(f);
	return n == 6 ? pages[5] * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void handle(int sig)
{
	struct sigaction a = { .sa_handler = on_signal,
			       .sa_flags = SA_ONSTACK | SA_RESTART };

	sigaction(sig, &a, NULL);
}

/* A stack overflow is one of the possible ends, so handlers have another stack.
 */
static bool ends_prepare(void)
{
	static const int ends[] = { SIGPROF, SIGSEGV, SIGBUS, SIGFPE,
				    SIGILL,  SIGABRT, SIGXCPU };
	static char room[64 * 1024];
	stack_t other = { .ss_sp = room, .ss_size = sizeof(room) };
	struct itimerval tick = { { 0, TICK_MS * 1000 },
				  { 0, TICK_MS * 1000 } };

	now.out = op_heap_resize(NULL, OUT_BYTES, OP_IGNORED);
	if (!now.out || sigaltstack(&other, NULL))
		return false;
	for (size_t i = 0; i < op_countof(ends); i++)
		handle(ends[i]);
	/* libdw and libiberty call exit() without memory. */
	return !atexit(die) && !setitimer(ITIMER_PROF, &tick, NULL);
}

static void limits_prepare(void)
{
	/* Closes the descriptors inherited from the client. */
	syscall(SYS_close_range, 3u, ~0u, 0u);
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_FSIZE, 0, 0);
	limit(RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 5);
	limit(RLIMIT_NOFILE, SOME_FILES, SPLIT_FILES);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* --- questions --- */

struct question {
	struct op_helper_ask ask;
	int fds[OP_BINARY_FILES];
	uint8_t body[OP_HELPER_NAME]; /* as large as addresses or a name */
};

_Static_assert(OP_HELPER_ADDRESSES * sizeof(uint64_t) <= OP_HELPER_NAME,
	       "addresses fit");

static bool read_all(void *to, size_t n)
{
	uint8_t *at = to;

	while (n) {
		ssize_t got = recv(0, at, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

/* The descriptors, by the bits that identify them. */
static void fds_take(struct question *q, struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t nr = 0, next = 0;
	int list[OP_BINARY_FILES];

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (nr > OP_BINARY_FILES)
		nr = OP_BINARY_FILES;
	if (nr)
		memcpy(list, CMSG_DATA(c), nr * sizeof(int));
	for (int i = 0; i < OP_BINARY_FILES; i++)
		q->fds[i] = q->ask.flags >> i & 1 && next < nr ? list[next++] :
								 -1;
}

static bool question_read(struct question *q)
{
	char control[CMSG_SPACE(sizeof(int) * OP_BINARY_FILES)];
	struct iovec part = { &q->ask, sizeof(q->ask) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	ssize_t got;
	size_t n;

	limit_soft(RLIMIT_NOFILE, SOME_FILES + OP_BINARY_FILES);
	do
		got = recvmsg(0, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	limit_soft(RLIMIT_NOFILE, NO_FILES);
	if (got <= 0 ||
	    !read_all((char *)&q->ask + got, sizeof(q->ask) - (size_t)got))
		return false;
	fds_take(q, &m);
	n = q->ask.nr;
	if (q->ask.kind == OP_ASK_FRAMES && n <= OP_HELPER_ADDRESSES)
		n *= sizeof(uint64_t);
	return n <= sizeof(q->body) && read_all(q->body, n);
}

/* --- answers --- */

/* The binary of the last request, which usually is that of the next. */
struct answering {
	struct op_binary binary;
	uint64_t key[2 * OP_BINARY_FILES + 1];
	bool is_open;
	bool may_split; /* libdw may open files */
	struct op_buf text;
	struct op_err err;
};

/* A response is written after the complete ones, and becomes complete with its
 * header and the number of bytes. */
static bool reply_end(size_t at, uint16_t kind, uint16_t nr)
{
	struct op_helper_reply head = { 0, kind, nr };

	head.bytes = (uint32_t)(at - now.done - sizeof(head));
	memcpy(now.out + now.done, &head, sizeof(head));
	now.done = at;
	if (now.done < SEND_AT && kind != OP_REPLY_DONE)
		return true;
	at = now.done;
	now.done = 0;
	return send_bytes(now.out, at);
}

static void readable_make(struct answering *a, const struct question *q,
			  struct op_sym_frame *f)
{
	if (q->ask.flags & OP_ASK_NO_NAMES)
		return;
	begin(OP_AT_NAME, q->ask.name_ms);
	if (op_demangle(f->name, &a->text))
		f->readable = op_view(a->text.p, a->text.n);
}

/* Drops frames that do not fit into the message: the outermost ones. */
static bool frames_reply(struct answering *a, const struct question *q,
			 struct op_sym_frame *f, size_t nr)
{
	size_t at = now.done + sizeof(struct op_helper_reply);
	size_t most = now.done + OP_HELPER_REPLY_MAX;
	uint16_t n = 0;

	for (; n < nr; n++) {
		readable_make(a, q, &f[n]);
		if (!op_helper_frame_put(now.out, &at, most, &f[n]))
			break;
	}
	return reply_end(at, OP_REPLY_FRAMES, n);
}

static void key_make(const struct question *q,
		     uint64_t key[2 * OP_BINARY_FILES + 1])
{
	struct stat st;

	memset(key, 0, (2 * OP_BINARY_FILES + 1) * sizeof(*key));
	key[0] = q->ask.flags & ~(uint32_t)OP_ASK_NO_NAMES;
	for (int i = 0; i < OP_BINARY_FILES; i++)
		if (q->fds[i] >= 0 && !fstat(q->fds[i], &st)) {
			key[1 + 2 * i] = st.st_dev;
			key[2 + 2 * i] = st.st_ino;
		}
}

static void binary_open(struct answering *a, const struct question *q)
{
	struct op_lines *l;

	a->is_open = op_binary_take(&a->binary, q->fds) &&
		     !op_binary_load(&a->binary, &a->err);
	if (a->err.code)
		die();
	if (!a->is_open)
		return;
	if (q->ask.flags & OP_ASK_NO_LINES)
		op_binary_no_lines(&a->binary);
	now.phase = OP_AT_LINES;
	l = op_binary_lines(&a->binary);
	if (!l || !(q->ask.flags & OP_ASK_SPLIT))
		return;
	/* Reading files needs descriptors as well. */
	limit_soft(RLIMIT_NOFILE, SPLIT_FILES);
	a->may_split = op_lines_may_split(l);
}

/* If the binary is already open, the new descriptors are not needed. */
static void binary_switch(struct answering *a, const struct question *q)
{
	uint64_t key[2 * OP_BINARY_FILES + 1];

	begin(OP_AT_BINARY, q->ask.step_ms);
	key_make(q, key);
	if (a->is_open && !memcmp(key, a->key, sizeof(key))) {
		for (int i = 0; i < OP_BINARY_FILES; i++)
			if (q->fds[i] >= 0)
				close(q->fds[i]);
		return;
	}
	op_binary_close(&a->binary);
	a->may_split = false;
	memcpy(a->key, key, sizeof(key));
	binary_open(a, q);
}

static bool frames_answer(struct answering *a, const struct question *q)
{
	struct op_sym_frame f[OP_LINES_MAX];

	binary_switch(a, q);
	limit_soft(RLIMIT_NOFILE, a->may_split ? SPLIT_FILES : NO_FILES);
	for (uint32_t i = 0; i < q->ask.nr; i++) {
		uint64_t vaddr;
		size_t nr = 0;

		memcpy(&vaddr, q->body + i * sizeof(vaddr), sizeof(vaddr));
		begin(OP_AT_LINES, q->ask.step_ms);
		if (a->is_open)
			nr = op_binary_frames(&a->binary, vaddr, f,
					      OP_LINES_MAX);
		if (!frames_reply(a, q, f, nr))
			return false;
	}
	return true;
}

static bool name_answer(struct answering *a, const struct question *q)
{
	struct op_sym_frame f = { .name = op_view(q->body, q->ask.nr) };

	return frames_reply(a, q, &f, 1);
}

static bool answer(struct answering *a, const struct question *q)
{
	bool ok;

	if (q->ask.kind == OP_ASK_NAME)
		ok = name_answer(a, q);
	else
		ok = frames_answer(a, q);
	now.most_ticks = UINT32_MAX;
	return ok && reply_end(now.done + sizeof(struct op_helper_reply),
			       OP_REPLY_DONE, 0);
}

int symbol_helper(void)
{
	static struct answering a;
	static struct question q;
	uint64_t data;

	now.most_ticks = UINT32_MAX;
	if (!ends_prepare())
		return 1;
	data = data_now();
	limits_prepare();
	a.text.err = &a.err;
	while (question_read(&q)) {
		limit_soft(RLIMIT_DATA, data + ((rlim_t)q.ask.data_mib << 20));
		if (!answer(&a, &q))
			break;
	}
	_exit(0);
}
