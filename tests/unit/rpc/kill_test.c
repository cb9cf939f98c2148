// SPDX-License-Identifier: Apache-2.0
/* A process that puts numbered messages into an exporter with a spool is killed
 * at random moments, again and again. In the end every number whose put had
 * returned has been sent, whole. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rpc/exporter.h"
#include "test.h"
#include "wait.h"
#include "write/folder.h"

enum { ROUNDS = 120, MOST = 1 << 20, LARGEST = 30000 };

/* What both sides write down: in files, since who writes is killed. */
struct book {
	struct folder f;
	int acked, sent; /* numbers of eight bytes each */
	uint64_t seed;
	_Atomic uint64_t nr_tries;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

/* A message: its number again and again, as often as the number says. */
static size_t message_of(uint64_t nr, uint64_t *out)
{
	size_t n = 1 + mix(nr) % (LARGEST / 8);

	for (size_t i = 0; i < n; i++)
		out[i] = nr;
	return n * sizeof(*out);
}

static void note(int fd, uint64_t nr)
{
	if (write(fd, &nr, sizeof(nr)) != sizeof(nr))
		abort();
}

/* Takes most of them; of the others says to come again in a moment. */
static void serve(void *ctx, enum op_signal signal, struct op_view message,
		  struct op_answer *a)
{
	struct book *b = ctx;
	uint64_t want[LARGEST / 8 + 1], nr = UINT64_MAX;

	(void)signal;
	if (message.n >= sizeof(nr))
		memcpy(&nr, message.p, sizeof(nr));
	if (message.n != message_of(nr, want) ||
	    memcmp(want, message.p, message.n))
		nr = UINT64_MAX; /* it will be found */
	if (mix(b->seed + ++b->nr_tries) % 3) {
		note(b->sent, nr);
		return;
	}
	a->verdict = OP_VERDICT_RETRY;
	a->delay_ns = 200000;
}

static struct op_exporter *exporter_of(struct book *b)
{
	struct op_exporter_opts opts = { .send = serve,
					 .send_ctx = b,
					 .spool = b->f.path };
	struct op_exporter *e = NULL;
	struct op_err err = { 0 };

	if (op_exporter_new(&opts, &e, &err))
		abort();
	return e;
}

/* The process that will be killed. */
static void child(struct book *b, uint64_t nr)
{
	static uint64_t bytes[LARGEST / 8 + 1];
	struct op_exporter *e = exporter_of(b);

	for (;; nr++) {
		struct op_view v = op_view(bytes, message_of(nr, bytes));
		struct op_err err = { 0 };

		if (op_exporter_put(e, OP_SIGNAL_PROFILES, v, NULL, NULL, &err))
			abort();
		note(b->acked, nr);
	}
}

static uint64_t *numbers(int fd, size_t *n)
{
	off_t size = lseek(fd, 0, SEEK_END);
	uint64_t *p = malloc((size_t)size + 8);

	if (!p || pread(fd, p, (size_t)size, 0) != size)
		abort();
	*n = (size_t)size / sizeof(*p);
	return p;
}

/* The number after the last one that any process can have used. */
static uint64_t number_next(const struct book *b)
{
	size_t n;
	uint64_t *p = numbers(b->acked, &n);
	uint64_t next = n ? p[n - 1] + 2 : 0;

	free(p);
	return next;
}

/* How far a process is to come before it is killed. */
struct goal {
	int fd;
	off_t bytes;
};

static bool is_reached(void *ctx)
{
	const struct goal *g = ctx;

	return lseek(g->fd, 0, SEEK_END) >= g->bytes;
}

/* The process has put some messages, perhaps none, and is somewhere in the
 * next ones when it is killed, however slow the machine is. */
static void round_run(struct book *b, uint64_t k)
{
	uint64_t random = mix(b->seed ^ k);
	/* The moment of the kill: nothing waits for it to pass. */
	struct timespec t = { 0, (long)(random % 2000000) };
	off_t some = (off_t)(random >> 32 & 7) * (off_t)sizeof(uint64_t);
	struct goal goal = { b->acked, lseek(b->acked, 0, SEEK_END) + some };
	uint64_t nr = number_next(b);
	pid_t pid = fork();

	if (!pid)
		child(b, nr);
	CHECK(wait_until(is_reached, &goal));
	nanosleep(&t, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Which numbers were sent. */
static uint8_t counts[MOST];

static void compare(const struct book *b)
{
	uint64_t nr_lost = 0, nr_broken = 0;
	size_t na, ns;
	uint64_t *acked = numbers(b->acked, &na);
	uint64_t *sent = numbers(b->sent, &ns);

	for (size_t i = 0; i < ns; i++)
		if (sent[i] < MOST)
			counts[sent[i]] = 1;
		else
			nr_broken++;
	for (size_t i = 0; i < na; i++)
		nr_lost += acked[i] < MOST && !counts[acked[i]];
	CHECK(na > ROUNDS / 2);
	CHECK_EQ(nr_lost, 0);
	CHECK_EQ(nr_broken, 0);
	fprintf(stderr, "seed %llu: %zu put, %zu sent\n",
		(unsigned long long)b->seed, na, ns);
	free(acked);
	free(sent);
}

static int book_open(struct folder *f, const char *name)
{
	int fd = open(folder_path(f, name), O_RDWR | O_CREAT | O_APPEND, 0600);

	if (fd < 0)
		abort();
	return fd;
}

TEST(killed_at_random)
{
	struct op_exporter *e;
	struct folder books;
	static struct book b;

	folder_make(&books);
	folder_make(&b.f);
	b.acked = book_open(&books, "acked");
	b.sent = book_open(&books, "sent");
	b.seed = (uint64_t)time(NULL);
	for (uint64_t k = 0; k < ROUNDS; k++)
		round_run(&b, k);
	e = exporter_of(&b);
	CHECK(op_exporter_flush(e, 0));
	op_exporter_free(e);
	compare(&b);
	CHECK_EQ(folder_list(&b.f, ""), 1); /* the lock */
	close(b.acked);
	close(b.sent);
	folder_remove(&b.f);
	folder_remove(&books);
}

TEST_MAIN(killed_at_random)
