// SPDX-License-Identifier: Apache-2.0
/* A host program: it has a locale, a umask, signal handlers and threads of its
 * own, which read, convert, write and send by the library at the same time.
 * Afterwards all results are right and nothing of the host has changed. */
#include <otprof.h>

#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/serve.h"
#include "test.h"
#include "write/folder.h"
#include "write/locale.h"

enum { NR_THREADS = 8, ROUNDS = 6, HOST_UMASK = 077 };

static const char json[] =
	"{\"resourceProfiles\":[{\"resource\":{\"attributes\":["
	"{\"key\":\"pi\",\"value\":{\"doubleValue\":3.14159}},"
	"{\"key\":\"half\",\"value\":{\"doubleValue\":1.5}}]},"
	"\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":"
	"{\"typeStrindex\":1,\"unitStrindex\":2},\"samples\":["
	"{\"stackIndex\":1,\"values\":[\"3\"]}]}]}]}],"
	"\"dictionary\":{\"stringTable\":[\"\",\"cpu\",\"count\",\"main\"],"
	"\"mappingTable\":[{}],\"linkTable\":[{}],\"attributeTable\":[{}],"
	"\"functionTable\":[{},{\"nameStrindex\":3}],"
	"\"locationTable\":[{},{\"lines\":[{\"functionIndex\":1}]}],"
	"\"stackTable\":[{},{\"locationIndices\":[1]}]}}";

/* --- what the host has --- */

static atomic_int nr_signals;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	nr_signals++;
}

static const int handled[] = { SIGBUS, SIGPIPE, SIGXFSZ, SIGSEGV };

static void host_begin(void)
{
	struct sigaction act = { .sa_sigaction = on_signal,
				 .sa_flags = SA_SIGINFO | SA_RESTART };

	umask(HOST_UMASK);
	for (size_t i = 0; i < op_countof(handled); i++)
		sigaction(handled[i], &act, NULL);
}

static void host_end(void)
{
	umask(022);
	for (size_t i = 0; i < op_countof(handled); i++)
		signal(handled[i], SIG_DFL);
}

static size_t nr_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* The umask as the kernel tells it: without changing it. */
static unsigned int umask_now(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned int mask = HOST_UMASK;
	char line[200];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Umask:", 6))
			mask = (unsigned int)strtoul(line + 6, NULL, 8);
	if (f)
		fclose(f);
	return mask;
}

struct state {
	char locale[200], cwd[4096];
	struct sigaction all[32];
	sigset_t blocked;
	size_t nr_files, nr_variables;
	unsigned int mask;
};

static void state_read(struct state *s)
{
	memset(s, 0, sizeof(*s));
	snprintf(s->locale, sizeof(s->locale), "%s", setlocale(LC_ALL, NULL));
	CHECK(getcwd(s->cwd, sizeof(s->cwd)) != NULL);
	for (int i = 1; i < 32; i++)
		sigaction(i, NULL, &s->all[i]);
	pthread_sigmask(SIG_SETMASK, NULL, &s->blocked);
	s->nr_files = nr_files();
	for (char **e = environ; *e; e++)
		s->nr_variables++;
	s->mask = umask_now();
}

static void state_compare(const struct state *a, const struct state *b)
{
	CHECK_STR(b->locale, a->locale);
	CHECK_STR(b->cwd, a->cwd);
	for (int i = 1; i < 32; i++) {
		CHECK(a->all[i].sa_sigaction == b->all[i].sa_sigaction);
		CHECK_EQ(b->all[i].sa_flags, a->all[i].sa_flags);
	}
	for (int i = 1; i < 32; i++)
		CHECK_EQ(sigismember(&b->blocked, i),
			 sigismember(&a->blocked, i));
	CHECK_EQ(b->nr_files, a->nr_files);
	CHECK_EQ(b->nr_variables, a->nr_variables);
	CHECK_EQ(b->mask, a->mask);
	CHECK_EQ(nr_signals, 0);
}

/* --- what its threads do --- */

struct worker {
	pthread_t thread;
	char path[FOLDER_PATH + 20];
	char url[64];
	char why[300]; /* the first thing that went wrong */
};

/* The harness counts in one thread only. */
#define EXPECT(w, cond)                                                     \
	do {                                                                \
		if (!(cond) && !(w)->why[0])                                \
			snprintf((w)->why, sizeof((w)->why), "line %d: %s", \
				 __LINE__, #cond);                          \
	} while (0)

static void expect_text(struct worker *w, struct otprof *p, const char *format,
			const char *part)
{
	struct otprof_err err = { 0 };
	struct otprof_write_opts opts;
	uint8_t *bytes = NULL;
	size_t n = 0;

	OTPROF_INIT(&opts);
	opts.format = format;
	EXPECT(w, !otprof_write_memory(p, &opts, &bytes, &n, &err));
	EXPECT(w, memmem(bytes, n, part, strlen(part)));
	otprof_bytes_free(bytes);
}

/* Through a file, twice: a new one and one that is replaced. */
static void expect_file(struct worker *w, struct otprof *p)
{
	struct otprof_err err = { 0 };
	struct otprof *again = NULL;
	struct stat st = { 0 };

	for (int i = 0; i < 2; i++) {
		EXPECT(w, !otprof_write_file(p, w->path, NULL, &err));
		EXPECT(w, !stat(w->path, &st));
		EXPECT(w, (st.st_mode & 0777) == (0666 & ~HOST_UMASK));
	}
	EXPECT(w, !otprof_open_file(w->path, NULL, &again, &err));
	if (!again)
		return;
	EXPECT(w, otprof_nr_profiles(again) == 1);
	expect_text(w, again, "otlp-json", "3.14159");
	otprof_free(again);
}

static void expect_failures(struct worker *w)
{
	struct otprof_err err = { 0 };
	struct otprof *p = NULL;

	EXPECT(w, otprof_open_memory("{\"a\":1.", 7, NULL, &p, &err));
	err.code = 0;
	EXPECT(w, otprof_open_file("nowhere/at/all", NULL, &p, &err) ==
			  OTPROF_EIO);
}

static void expect_sent(struct worker *w, struct otprof *p)
{
	struct otprof_exporter_opts opts;
	struct otprof_exporter_stats st;
	struct otprof_exporter *e = NULL;
	struct otprof_err err = { 0 };

	OTPROF_INIT(&opts);
	OTPROF_INIT(&st);
	opts.endpoint = w->url;
	EXPECT(w, !otprof_exporter_new(&opts, &e, &err));
	if (!e)
		return;
	EXPECT(w, !otprof_exporter_send(e, p, &err));
	EXPECT(w, otprof_exporter_flush(e, 60000));
	otprof_exporter_stats(e, &st);
	EXPECT(w, st.sent == 1);
	otprof_exporter_free(e, 1000);
}

/* The beginning and the end of an exporter, where libraries set things up. */
static void expect_idle(struct worker *w)
{
	for (int i = 0; i < 20; i++) {
		struct otprof_exporter *e = NULL;
		struct otprof_err err = { 0 };

		EXPECT(w, !otprof_exporter_new(NULL, &e, &err));
		otprof_exporter_free(e, 0);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < ROUNDS; i++) {
		struct otprof_err err = { 0 };
		struct otprof *p = NULL;

		EXPECT(w,
		       !otprof_open_memory(json, strlen(json), NULL, &p, &err));
		if (!p)
			break;
		expect_text(w, p, "otlp-json", "3.14159");
		expect_text(w, p, "otlp-json", "1.5");
		expect_text(w, p, "svg", "x=\"10.00\"");
		expect_text(w, p, "speedscope", "\"main\"");
		expect_file(w, p);
		expect_failures(w);
		if (*w->url) {
			expect_sent(w, p);
			expect_idle(w);
		}
		unlink(w->path);
		otprof_free(p);
	}
	EXPECT(w, uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
	return NULL;
}

static atomic_bool is_done;
static atomic_int nr_other_masks;

/* The umask must not change for a moment either. */
static void *watch(void *arg)
{
	while (!is_done)
		if (umask_now() != HOST_UMASK)
			nr_other_masks++;
	return arg;
}

static void workers_run(const struct folder *f, const char *url)
{
	static struct worker workers[NR_THREADS];
	pthread_t watcher;

	is_done = false;
	pthread_create(&watcher, NULL, watch, NULL);
	for (int i = 0; i < NR_THREADS; i++) {
		struct worker *w = &workers[i];

		memset(w, 0, sizeof(*w));
		snprintf(w->path, sizeof(w->path), "%s/%d.otlp", f->path, i);
		snprintf(w->url, sizeof(w->url), "%s", url);
		pthread_create(&w->thread, NULL, work, w);
	}
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		CHECK_STR(workers[i].why, "");
	}
	is_done = true;
	pthread_join(watcher, NULL);
	CHECK_EQ(nr_other_masks, 0);
}

/* script: of the server to send to; NULL: there is none. */
static void host_run(const char *script)
{
	struct state before, after;
	struct serve *s = NULL;
	char url[64] = "";
	struct folder f;

	folder_make(&f);
	host_begin();
	state_read(&before);
	if (script) {
		s = serve_start(script, NULL);
		snprintf(url, sizeof(url), "http://127.0.0.1:%d",
			 serve_port(s));
	}
	workers_run(&f, url);
	if (script) {
		CHECK(serve_nr(s) >= NR_THREADS * ROUNDS);
		serve_stop(s);
	}
	state_read(&after);
	state_compare(&before, &after);
	CHECK_EQ(folder_list(&f, ""), 0);
	host_end();
	folder_remove(&f);
}

TEST(guest)
{
	host_run(NULL);
}

TEST(guest_in_a_comma_locale)
{
	if (!locale_set("<U002C>"))
		TEST_SKIP(LOCALE_MISSING);
	host_run(NULL);
	setlocale(LC_ALL, "C");
}

static bool can_send(void)
{
	struct otprof_exporter *e = NULL;
	struct otprof_err err = { 0 };

	if (otprof_exporter_new(NULL, &e, &err))
		return false;
	otprof_exporter_free(e, 0);
	return true;
}

/* The server takes a message or, at times, closes the connection first. */
TEST(guest_that_sends)
{
	static const char script[] = "close\nstatus=200\nstatus=503\n"
				     "status=200\nreset\nstatus=200";

	if (!can_send())
		TEST_SKIP("this build has no libcurl");
	locale_set("<U002C>");
	host_run(script);
	setlocale(LC_ALL, "C");
}

TEST_MAIN(guest, guest_in_a_comma_locale, guest_that_sends)
