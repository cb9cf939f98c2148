// SPDX-License-Identifier: Apache-2.0
/* The time is the test's: who waits for a time has it at once. */
#include "rpc/exporter.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test.h"
#include "write/folder.h"

static const enum op_signal P = OP_SIGNAL_PROFILES, L = OP_SIGNAL_LOGS;
static const uint64_t second = 1000000000;

/* A server that answers as its script says, a letter a try: . taken, r try
 * again, R the same in 20 s, E in 30 years, N in a nanosecond, x refused, p
 * taken in part, w with a warning, h held until the gate is opened and then
 * taken. Behind the end all is taken. */
struct server {
	pthread_mutex_t mu;
	pthread_cond_t changed;
	const char *script;
	int nr_tries;
	bool is_open, is_held, is_stopped;
	char got[1000];	  /* what was taken, a space behind each */
	char tried[1000]; /* all of it */
	uint64_t times[64];
	_Atomic uint64_t now;
	char log[4000]; /* a line each */
	int nr_released;
	struct op_exporter *e;
	struct op_exporter_clock clock;
};

static void put_word(char *out, size_t n, struct op_view v)
{
	size_t len = strlen(out);

	snprintf(out + len, n - len, "%.*s ", (int)v.n, (const char *)v.p);
}

static void hold(struct server *s)
{
	s->is_held = true;
	pthread_cond_broadcast(&s->changed);
	while (!s->is_open)
		pthread_cond_wait(&s->changed, &s->mu);
	s->is_held = false;
}

static void answer(struct op_answer *a, char c)
{
	if (strchr("rREN", c)) {
		a->verdict = OP_VERDICT_RETRY;
		a->delay_ns = c == 'R' ? 20 * second :
			      c == 'E' ? 1000000000 * second :
					 c == 'N';
		snprintf(a->text, sizeof(a->text), "UNAVAILABLE: busy");
	} else if (c == 'x') {
		a->verdict = OP_VERDICT_REFUSED;
		snprintf(a->text, sizeof(a->text), "INVALID_ARGUMENT: no");
	} else if (strchr("pw", c)) {
		a->rejected = c == 'p' ? 3 : 0;
		snprintf(a->text, sizeof(a->text), "some are odd");
	}
}

static void send_to(void *ctx, enum op_signal signal, struct op_view message,
		    struct op_answer *a)
{
	struct server *s = ctx;
	char c = '.';

	(void)signal;
	pthread_mutex_lock(&s->mu);
	if (*s->script)
		c = *s->script++;
	s->times[s->nr_tries++ % 64] = s->now;
	put_word(s->tried, sizeof(s->tried), message);
	answer(a, c);
	if (c == 'h')
		hold(s);
	if (a->verdict == OP_VERDICT_DONE)
		put_word(s->got, sizeof(s->got), message);
	pthread_mutex_unlock(&s->mu);
}

static void stop(void *ctx)
{
	struct server *s = ctx;

	pthread_mutex_lock(&s->mu);
	s->is_stopped = s->is_open = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mu);
}

static void log_line(void *ctx, const char *text)
{
	struct server *s = ctx;
	size_t n;

	pthread_mutex_lock(&s->mu);
	n = strlen(s->log);
	snprintf(s->log + n, sizeof(s->log) - n, "%s\n", text);
	pthread_mutex_unlock(&s->mu);
}

static uint64_t fake_now(void *ctx)
{
	return ((struct server *)ctx)->now;
}

static void fake_wait(void *ctx, pthread_cond_t *cond, pthread_mutex_t *mu,
		      uint64_t until_ns)
{
	struct server *s = ctx;

	(void)cond, (void)mu;
	if (s->now < until_ns)
		s->now = until_ns;
}

static struct op_exporter_opts opts_of(struct server *s, const char *script)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->mu, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->script = script;
	s->now = 1000 * second;
	s->clock = (struct op_exporter_clock){ .mono_ns = fake_now,
					       .wall_ns = fake_now,
					       .wait = fake_wait,
					       .seed = 7,
					       .ctx = s };
	return (struct op_exporter_opts){
		.send = send_to,
		.stop = stop,
		.send_ctx = s,
		.log = log_line,
		.log_ctx = s,
		.clock = &s->clock,
	};
}

static void start(struct server *s, const struct op_exporter_opts *opts)
{
	struct op_err err = { 0 };

	s->e = NULL;
	if (op_exporter_new(opts, &s->e, &err))
		abort();
}

static void put(struct server *s, enum op_signal signal, const char *text)
{
	struct op_err err = { 0 };

	CHECK_EQ(op_exporter_put(s->e, signal, op_view_z(text), NULL, NULL,
				 &err),
		 OP_OK);
}

static struct op_exporter_stats stats(struct server *s)
{
	struct op_exporter_stats out;

	op_exporter_stats(s->e, &out);
	return out;
}

/* Waits until the server holds a message. */
static void wait_held(struct server *s)
{
	pthread_mutex_lock(&s->mu);
	while (!s->is_held)
		pthread_cond_wait(&s->changed, &s->mu);
	pthread_mutex_unlock(&s->mu);
}

static void open_gate(struct server *s)
{
	pthread_mutex_lock(&s->mu);
	s->is_open = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mu);
}

/* --- answers --- */

static const struct {
	const char *name, *script;
	const char *tried, *got;
	int sent, refused, rejected, dropped;
	const char *log; /* its beginning */
} rows[] = {
	{ "all is well", "", "a b c ", "a b c ", 3, 0, 0, 0, "" },
	{ "tried again, after the others", "r", "a b c a ", "b c a ", 3, 0, 0,
	  0,
	  "cannot send: UNAVAILABLE: busy; retrying; messages in "
	  "memory: 3\n" },
	{ "refused", "x", "a b c ", "b c ", 2, 1, 0, 0,
	  "refused: INVALID_ARGUMENT: no; messages dropped: 1\n" },
	{ "refused more than once", "xx", "a b c ", "c ", 1, 2, 0, 0,
	  "refused: INVALID_ARGUMENT: no; messages dropped: 1\n"
	  "more messages refused and dropped: 1\n" },
	{ "taken in part is not tried again", "pp", "a b c ", "a b c ", 3, 0, 6,
	  0,
	  "some are odd; profiles or records dropped: 3\n"
	  "more profiles or records rejected: 3\n" },
	{ "a warning", "w", "a b c ", "a b c ", 3, 0, 0, 0,
	  "accepted with a warning: some are odd\n" },
	{ "again and again", "rrrrr", "a b c a b c a b ", "c a b ", 3, 0, 0, 0,
	  "cannot send: UNAVAILABLE: busy; retrying; messages in "
	  "memory: 3\nmore failed tries: 4\n" },
};

/* The server holds a first message until the others are there. */
TEST(answers)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct server s;
		struct op_exporter_opts opts;
		char script[32];

		snprintf(script, sizeof(script), "h%s", rows[i].script);
		opts = opts_of(&s, script);
		start(&s, &opts);
		put(&s, P, "first");
		wait_held(&s);
		put(&s, P, "a");
		put(&s, P, "b");
		put(&s, P, "c");
		CHECK_EQ(stats(&s).waiting, 4);
		CHECK_EQ(stats(&s).waiting_bytes, 8);
		open_gate(&s);
		CHECK(op_exporter_flush(s.e, 0));
		CHECK_EQ(stats(&s).put, 4);
		CHECK_EQ(stats(&s).put_bytes, 8);
		CHECK_EQ(stats(&s).sent, rows[i].sent + 1);
		CHECK_EQ(stats(&s).refused, rows[i].refused);
		CHECK_EQ(stats(&s).rejected, rows[i].rejected);
		CHECK_EQ(stats(&s).dropped, rows[i].dropped);
		CHECK_EQ(stats(&s).waiting, 0);
		CHECK_EQ(stats(&s).tries, s.nr_tries);
		op_exporter_free(s.e);
		CHECK_STR(s.tried + strlen("first "), rows[i].tried);
		CHECK_STR(s.got + strlen("first "), rows[i].got);
		CHECK_STR(s.log, rows[i].log);
		if (before != test_failed)
			fprintf(stderr, "  in row '%s': %s%s", rows[i].name,
				s.tried, s.log);
	}
}

/* --- time --- */

TEST(backoff)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "rrrrrrrr");

	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(s.nr_tries, 9);
	for (int i = 1; i < 9; i++) {
		uint64_t wait = s.times[i] - s.times[i - 1];
		double want = 1e9;

		for (int k = 1; k < i; k++)
			want *= 1.5;
		want = want > 30e9 ? 30e9 : want;
		CHECK((double)wait >= want / 2 - 1);
		CHECK((double)wait <= want * 1.5 + 1);
	}
	op_exporter_free(s.e);
}

TEST(what_the_server_asks_for)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "R");

	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(s.times[1] - s.times[0], 20 * second);
	op_exporter_free(s.e);
}

/* What is asked for without reason is cut to the longest wait of our own. */
TEST(the_server_asks_for_ever)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "E");

	start(&s, &opts);
	for (int i = 0; i < 20; i++)
		put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).sent, 20);
	CHECK(s.now <= 1030 * second);
	op_exporter_free(s.e);
}

/* Nor can it keep us busy. */
TEST(the_server_always_asks_for_now)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "NNNNNNNNNNNNNNNNNNNN");

	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).sent, 1);
	CHECK(s.now >= 1002 * second);
	CHECK(s.now <= 1010 * second);
	op_exporter_free(s.e);
}

TEST(the_server_always_asks_for_ever)
{
	char script[200];
	struct op_exporter_opts opts;
	struct server s;

	memset(script, 'E', sizeof(script));
	script[sizeof(script) - 1] = 0;
	opts = opts_of(&s, script);
	start(&s, &opts);
	for (int i = 0; i < 20; i++)
		put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).dropped, 20);
	CHECK(s.now <= 4600 * second);
	op_exporter_free(s.e);
}

/* In memory a message is tried for so long. */
TEST(given_up)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(
		&s, "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr");

	opts.retry_ns = 60 * second;
	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).sent, 0);
	CHECK_EQ(stats(&s).dropped, 1);
	CHECK(s.now <= 1060 * second);
	CHECK(s.now >= 1015 * second);
	CHECK(strstr(s.log, "not sent within 60 s: UNAVAILABLE: busy; "
			    "messages dropped: 1\n") != NULL);
	op_exporter_free(s.e);
}

/* One signal does not wait for the other. */
TEST(signals_wait_apart)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "hR");

	start(&s, &opts);
	put(&s, L, "first");
	wait_held(&s);
	put(&s, P, "a");
	put(&s, L, "b");
	put(&s, L, "c");
	open_gate(&s);
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_STR(s.tried, "first a b c a ");
	CHECK_EQ(s.times[3] - s.times[1], 0);
	CHECK_EQ(s.times[4] - s.times[1], 20 * second);
	op_exporter_free(s.e);
}

TEST(a_deadline_passes)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");

	start(&s, &opts);
	put(&s, P, "a");
	wait_held(&s);
	CHECK(!op_exporter_flush(s.e, s.now + 5 * second));
	open_gate(&s);
	CHECK(op_exporter_flush(s.e, 0));
	op_exporter_free(s.e);
}

/* --- bounds --- */

TEST(the_oldest_goes)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");
	struct op_err err = { 0 };

	opts.queue_bytes = 10;
	start(&s, &opts);
	put(&s, P, "first");
	wait_held(&s);
	put(&s, P, "aaaa");
	put(&s, L, "bbbb");
	put(&s, P, "cccc");
	put(&s, P, "dddd");
	CHECK_EQ(op_exporter_put(s.e, P, op_view_z("01234567890"), NULL, NULL,
				 &err),
		 OP_ELIMIT);
	CHECK(!op_exporter_wait_room(s.e, 3, s.now));
	CHECK(op_exporter_wait_room(s.e, 2, s.now));
	open_gate(&s);
	CHECK(op_exporter_wait_room(s.e, 10, 0));
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).dropped, 2);
	op_exporter_free(s.e);
	CHECK_STR(s.got, "first cccc dddd ");
	CHECK_STR(s.log,
		  "messages dropped, the oldest first: 1; at most 10 bytes "
		  "may wait in memory\n"
		  "more messages dropped at a limit: 1\n");
}

TEST(what_is_left_is_told)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");

	start(&s, &opts);
	put(&s, P, "a");
	wait_held(&s);
	put(&s, P, "bb");
	put(&s, L, "c");
	op_exporter_free(s.e);
	CHECK(s.is_stopped);
	CHECK_STR(s.got, "a ");
	CHECK_STR(s.log, "messages dropped at exit, not yet sent: 2, of 3 "
			 "bytes\n");
}

/* --- bytes of the caller's --- */

static void released(void *ctx)
{
	struct server *s = ctx;

	pthread_mutex_lock(&s->mu);
	s->nr_released++;
	pthread_mutex_unlock(&s->mu);
}

static const uint8_t *seen;

static void see(void *ctx, enum op_signal signal, struct op_view message,
		struct op_answer *a)
{
	(void)ctx, (void)signal, (void)a;
	seen = message.p;
}

TEST(nothing_is_copied)
{
	static const char text[] = "bytes";
	struct op_err err = { 0 };
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "");

	opts.send = see;
	start(&s, &opts);
	CHECK_EQ(op_exporter_put(s.e, P, op_view_z(text), released, &s, &err),
		 OP_OK);
	CHECK(op_exporter_flush(s.e, 0));
	CHECK(seen == (const uint8_t *)text);
	CHECK_EQ(s.nr_released, 1);
	op_exporter_free(s.e);
	CHECK_EQ(s.nr_released, 1);
}

TEST(all_is_released)
{
	struct op_err err = { 0 };
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");

	opts.queue_bytes = 9;
	start(&s, &opts);
	put(&s, P, "first");
	wait_held(&s);
	for (int i = 0; i < 5; i++)
		op_exporter_put(s.e, P, op_view_z("bytes"), released, &s, &err);
	CHECK_EQ(s.nr_released, 4);
	op_exporter_free(s.e);
	CHECK_EQ(s.nr_released, 5);
}

/* --- spool --- */

static int nr_files(struct folder *f)
{
	return (int)(folder_list(f, ".profiles") + folder_list(f, ".logs"));
}

TEST(spool_across_a_restart)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");

	folder_make(&f);
	opts.spool = f.path;
	start(&s, &opts);
	put(&s, P, "a");
	wait_held(&s);
	put(&s, P, "b");
	put(&s, L, "c");
	CHECK_EQ(nr_files(&f), 3);
	CHECK_EQ(stats(&s).waiting, 3);
	op_exporter_free(s.e);
	CHECK_STR(s.got, "a ");
	CHECK_STR(s.log, "");
	CHECK_EQ(nr_files(&f), 2);
	opts = opts_of(&s, "");
	opts.spool = f.path;
	start(&s, &opts);
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).sent, 2);
	op_exporter_free(s.e);
	CHECK_STR(s.got, "b c ");
	CHECK_EQ(nr_files(&f), 0);
	folder_remove(&f);
}

/* In a spool a message is tried for as long as it takes. */
TEST(spool_is_patient)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(
		&s, "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr");

	folder_make(&f);
	opts.spool = f.path;
	opts.retry_ns = second;
	start(&s, &opts);
	put(&s, P, "a");
	put(&s, P, "b");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).sent, 2);
	CHECK_EQ(stats(&s).dropped, 0);
	CHECK(s.now > 1300 * second);
	op_exporter_free(s.e);
	CHECK_EQ(nr_files(&f), 0);
	folder_remove(&f);
}

TEST(spool_bound)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "h");

	folder_make(&f);
	opts.spool = f.path;
	opts.spool_bytes = 3 * 36;
	start(&s, &opts);
	put(&s, P, "aaaa");
	wait_held(&s);
	put(&s, P, "bbbb");
	put(&s, P, "cccc");
	put(&s, P, "dddd");
	CHECK_EQ(nr_files(&f), 3);
	open_gate(&s);
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).dropped, 1);
	op_exporter_free(s.e);
	CHECK_STR(s.got, "aaaa cccc dddd ");
	CHECK_STR(s.log, "messages dropped, the oldest first: 1; at most "
			 "108 bytes may wait in the spool\n");
	folder_remove(&f);
}

/* One line says what is wrong; messages are sent all the same. */
TEST(spool_cannot_be_used)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "");

	folder_make(&f);
	folder_write(&f, "file", op_view_z(""));
	opts.spool = folder_path(&f, "file");
	start(&s, &opts);
	put(&s, P, "a");
	put(&s, P, "b");
	CHECK(op_exporter_flush(s.e, 0));
	op_exporter_free(s.e);
	CHECK_STR(s.got, "a b ");
	CHECK(strstr(s.log,
		     "the spool cannot be used: cannot open the spool") ==
	      s.log);
	CHECK(strstr(s.log, "messages wait in memory, up to 67108864 bytes, "
			    "and are lost if the process ends\n") != NULL);
	CHECK(strchr(s.log, '\n') == strrchr(s.log, '\n'));
	folder_remove(&f);
}

/* The folder is taken away and comes back; nothing is lost. */
TEST(spool_comes_and_goes)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "");
	char path[FOLDER_PATH];

	folder_make(&f);
	memcpy(path, f.path, sizeof(path));
	opts.spool = path;
	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	folder_remove(&f);
	put(&s, P, "b");
	put(&s, P, "c");
	CHECK(op_exporter_flush(s.e, 0));
	op_exporter_free(s.e);
	CHECK_STR(s.got, "a b c ");
	CHECK(strstr(s.log, "the spool cannot be used: cannot create a file") ==
	      s.log);
}

/* What waits in memory because the spool is full is not counted as spooled. */
TEST(spool_and_memory_are_counted_apart)
{
	char text[] = "a message that does not fit into the file system";
	struct rlimit old, small = { 64, 64 };
	struct op_exporter_opts opts;
	struct op_exporter_stats st;
	struct folder f;
	struct server s;

	folder_make(&f);
	opts = opts_of(&s, "hrrr");
	opts.spool = f.path;
	start(&s, &opts);
	put(&s, P, "first");
	wait_held(&s);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	put(&s, P, "b");
	put(&s, P, text);
	put(&s, P, text);
	setrlimit(RLIMIT_FSIZE, &old);
	st = stats(&s);
	CHECK_EQ(st.waiting, 4);
	CHECK_EQ(st.spooled, 2);
	CHECK_EQ(st.waiting_bytes - st.spooled_bytes, 2 * strlen(text));
	op_exporter_stop(s.e);
	st = stats(&s);
	CHECK_EQ(st.sent, 1);
	CHECK_EQ(st.waiting, 3);
	CHECK_EQ(st.spooled, 1);
	CHECK_EQ(nr_files(&f), 1);
	op_exporter_free(s.e);
	CHECK(strstr(s.log, "messages wait in memory, up to 67108864 bytes, "
			    "and are lost if the process ends\n") != NULL);
	CHECK(strstr(s.log, "messages dropped at exit, not yet sent: 2, ") !=
	      NULL);
	folder_remove(&f);
}

TEST(damaged_files)
{
	struct folder f;
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "");

	folder_make(&f);
	folder_write(&f, "0000000000000001-00000000.profiles", op_view_z("x"));
	opts.spool = f.path;
	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	CHECK_EQ(stats(&s).dropped, 1);
	op_exporter_free(s.e);
	CHECK_STR(s.got, "a ");
	CHECK_STR(s.log,
		  "0000000000000001-00000000.profiles in the spool is "
		  "damaged (it is truncated) and was renamed to "
		  "0000000000000001-00000000.profiles.bad; it is not sent\n");
	folder_remove(&f);
}

/* Two at once on one spool: each message is sent, and sent once. */
TEST(two_share_a_spool)
{
	struct folder f;
	struct server a, b;
	struct op_exporter_opts opts;
	char text[16];

	folder_make(&f);
	opts = opts_of(&a, "");
	opts.spool = f.path;
	opts.clock = NULL;
	start(&a, &opts);
	opts = opts_of(&b, "");
	opts.spool = f.path;
	opts.clock = NULL;
	start(&b, &opts);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%02d", i);
		put(i % 2 ? &a : &b, P, text);
	}
	CHECK(op_exporter_flush(a.e, 0));
	CHECK(op_exporter_flush(b.e, 0));
	CHECK_EQ(stats(&a).sent + stats(&b).sent, 20);
	op_exporter_free(a.e);
	op_exporter_free(b.e);
	CHECK_EQ(strlen(a.got) + strlen(b.got), 60);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%02d ", i);
		CHECK(strstr(a.got, text) || strstr(b.got, text));
	}
	folder_remove(&f);
}

/* --- the thread --- */

static _Atomic bool was_blocked;

static void look_at_signals(void *ctx, enum op_signal signal,
			    struct op_view message, struct op_answer *a)
{
	sigset_t now;

	(void)ctx, (void)signal, (void)message, (void)a;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	was_blocked = sigismember(&now, SIGTERM) && sigismember(&now, SIGPROF);
}

TEST(signals_are_blocked)
{
	struct server s;
	struct op_exporter_opts opts = opts_of(&s, "");
	sigset_t mine;

	opts.send = look_at_signals;
	start(&s, &opts);
	put(&s, P, "a");
	CHECK(op_exporter_flush(s.e, 0));
	op_exporter_free(s.e);
	CHECK(was_blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &mine);
	CHECK(!sigismember(&mine, SIGTERM));
}

TEST(no_memory)
{
	struct server s;

	EACH_ALLOC_FAILS(k) {
		struct op_exporter_opts opts = opts_of(&s, "");
		struct op_err err = { 0 };

		opts.spool = "/nonexistent/spool";
		s.e = NULL;
		if (!op_exporter_new(&opts, &s.e, &err))
			op_exporter_put(s.e, P, op_view_z("a"), NULL, NULL,
					&err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_exporter_free(s.e);
	}
}

TEST_MAIN(answers, backoff, what_the_server_asks_for, the_server_asks_for_ever,
	  the_server_always_asks_for_now, the_server_always_asks_for_ever,
	  given_up, signals_wait_apart, a_deadline_passes, the_oldest_goes,
	  what_is_left_is_told, nothing_is_copied, all_is_released,
	  spool_across_a_restart, spool_is_patient, spool_bound,
	  spool_cannot_be_used, spool_comes_and_goes,
	  spool_and_memory_are_counted_apart, damaged_files, two_share_a_spool,
	  signals_are_blocked, no_memory)
