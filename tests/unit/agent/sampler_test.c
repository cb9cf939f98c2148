// SPDX-License-Identifier: Apache-2.0
#include "agent/sampler.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>

#include "agent_fixture.h"

static struct fixture f;
static struct op_sampler sampler;
static struct op_ring_reader reader;

static void begin(void)
{
	struct op_sampler_opts o = { .interval_ns = 10000000 };

	fixture_open(&f);
	fixture_helper(&f);
	memset(&sampler, 0, sizeof(sampler));
	memset(&reader, 0, sizeof(reader));
	reader.channel = o.channel = f.channel;
	o.tables = f.tables;
	o.alive = f.alive[0];
	CHECK_EQ(op_handler_open(SIGURG, &f.err), 0);
	CHECK_EQ(op_sampler_open(&sampler, &o, &f.err), 0);
}

static void end(void)
{
	op_sampler_close(&sampler);
	op_handler_close();
	fixture_close(&f);
}

struct seen {
	int nr, repeats, complete, lost, blocked, moved, names;
	uint8_t state;
	uint32_t frames;
};

/* What is in the ring of a thread. */
static struct seen see(uint32_t tid)
{
	const struct op_channel_record *r;
	struct seen seen = { 0 };

	while ((r = op_ring_next(&reader)) != NULL) {
		const struct op_channel_sample *s = (const void *)r;
		const struct op_channel_repeat *again = (const void *)r;
		const struct op_channel_thread *t = (const void *)r;

		if (r->type == OP_CHANNEL_THREAD)
			seen.names += t->tid == tid;
		if (r->type == OP_CHANNEL_REPEAT && again->when.tid == tid) {
			seen.nr++;
			seen.repeats++;
		}
		if (r->type != OP_CHANNEL_SAMPLE || s->when.tid != tid)
			continue;
		seen.nr++;
		seen.complete += s->end == OP_UNWIND_DONE;
		seen.lost += s->end == OP_UNWIND_LOST;
		seen.blocked += s->end == OP_AGENT_END_BLOCKED;
		if (s->end == OP_AGENT_END_MOVED) {
			seen.moved++;
			CHECK_EQ(s->nr, 1);
		}
		seen.state = s->state;
		seen.frames = s->nr;
	}
	CHECK(!reader.is_broken);
	return seen;
}

static void rounds(int n)
{
	while (n--)
		CHECK_EQ(op_sampler_round(&sampler, &f.err), 0);
}

static struct op_thread *thread_of(uint32_t tid)
{
	for (uint32_t i = 0; i < sampler.threads.nr; i++)
		if (sampler.threads.p[i].tid == tid)
			return &sampler.threads.p[i];
	CHECK(!"the thread is listed");
	return NULL;
}

TEST(waiting_thread)
{
	struct worker w = { .waits = true };
	struct seen s;

	begin();
	worker_start(&w);
	rounds(5);
	s = see(w.tid);
	CHECK_EQ(s.nr, 5);
	CHECK_EQ(s.repeats, 4); /* it has not run */
	/* The frame pointer of a thread that waits is not known, and code of
	 * sanitizers needs it. */
	CHECK_EQ(s.complete + s.lost, 1);
	CHECK_EQ(s.state, OP_STATE_IO);
	CHECK(s.lost || s.frames >= 3);
	CHECK_EQ(s.names, 1);
	CHECK_EQ(sampler.nr_signals, 0); /* nobody was disturbed */
	worker_stop(&w);
	end();
}

/* The first stack is taken with a map that does not have the code. */
TEST(waiting_thread_in_new_code)
{
	struct worker w = { .waits = true };
	struct op_channel_map *map;
	struct seen s;

	begin();
	worker_start(&w);
	map = (struct op_channel_map *)(uintptr_t)op_agent_map(f.channel);
	map->nr = 0;
	rounds(2);
	s = see(w.tid);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(s.repeats, 1);
	CHECK_EQ(s.complete, 0);
	CHECK(op_agent_helper_code_read(&f.helper.code));
	rounds(2);
	s = see(w.tid);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(s.repeats, 1);
	CHECK_EQ(s.complete + s.lost, 1);
	worker_stop(&w);
	end();
}

static struct seen last_seen;

static bool round_has_sample(void *ctx)
{
	const struct worker *w = ctx;

	rounds(1);
	last_seen = see(w->tid);
	return last_seen.nr > 0;
}

TEST(running_thread)
{
	struct worker w = { 0 };
	struct seen s;

	begin();
	worker_start(&w);
	CHECK(wait_until(round_has_sample, &w));
	rounds(20);
	CHECK(wait_until(round_has_sample, &w));
	s = last_seen;
	/* A late answer counts for several rounds. */
	CHECK(s.nr > 0 && s.complete + s.repeats == s.nr);
	CHECK(s.complete > 0);
	CHECK_EQ(s.state, OP_STATE_RUNNING);
	worker_stop(&w);
	rounds(1); /* the last answer may still be there */
	see(w.tid);
	rounds(1);
	CHECK_EQ(see(w.tid).nr, 0);
	end();
}

/* A round is short, and the thread may have to wait for a CPU. */
TEST(thread_that_blocks_signals)
{
	struct worker w = { .blocks = true };

	begin();
	worker_start(&w);
	CHECK(wait_until(round_has_sample, &w));
	CHECK(last_seen.blocked > 0 && !last_seen.complete);
	worker_stop(&w);
	end();
}

/* Also while it blocks the signal, and a request waits: it sleeps. */
TEST(thread_that_blocks_signals_and_sleeps)
{
	struct worker w = { .blocks = true, .waits = true };
	struct op_thread *t;
	struct seen s;

	begin();
	worker_start(&w);
	rounds(1);
	see(w.tid);
	t = thread_of(w.tid);
	t->ask = op_ask(w.tid, sampler.map, f.tables);
	CHECK(t->ask && op_ask_cancel(t->ask));
	t->is_kept = false;
	rounds(3);
	s = see(w.tid);
	CHECK_EQ(s.nr, 3);
	CHECK_EQ(s.blocked, 0);
	CHECK_EQ(s.state, OP_STATE_IO);
	worker_stop(&w);
	end();
}

/* As a round asks. */
static void ask_now(struct op_thread *t)
{
	CHECK(op_thread_cpu_ns(t, &t->asked_ns));
	t->asked_loads = sampler.loads;
	t->silent_ns = 1;
	t->ask = op_ask(t->tid, sampler.map, f.tables);
	CHECK(t->ask);
}

/* What the handler would do. */
static void answer(struct op_ask *a)
{
	a->nr = 2;
	a->frames[0] = a->frames[1] = 1;
	a->end = OP_UNWIND_DONE;
	a->context.has_trace = false;
	a->state = OP_ASK_DONE;
}

/* It blocks the signal after it was asked, and runs. */
TEST(thread_that_blocks_signals_when_asked)
{
	struct worker w = { .blocks = true };
	struct op_thread *t;

	begin();
	worker_start(&w);
	rounds(1);
	see(w.tid);
	t = thread_of(w.tid);
	ask_now(t);
	CHECK(wait_until(round_has_sample, &w));
	CHECK(last_seen.blocked > 0 && !last_seen.complete);
	CHECK_EQ(op_ask_state(t->ask), OP_ASK_CANCELLED);
	CHECK_EQ(f.channel->late, 0);
	worker_stop(&w);
	end();
}

/* It had no time to answer. */
TEST(thread_that_loses_its_cpu_when_asked)
{
	struct worker w = { .blocks = true, .waits = true };
	struct op_thread *t;

	begin();
	worker_start(&w);
	rounds(1);
	see(w.tid);
	t = thread_of(w.tid);
	ask_now(t);
	t->asked_ns -= 20000;
	rounds(3);
	CHECK_EQ(see(w.tid).nr, 0);
	CHECK_EQ(t->ask->nr_owed, 3);
	/* After a while its mask is looked at all the same: it sleeps. */
	rounds(20);
	CHECK(see(w.tid).nr >= 20);
	CHECK_EQ(f.channel->late, 0);
	worker_stop(&w);
	end();
}

/* Rounds that have asked somebody, and those of them that have waited. */
struct waits {
	int asked, waited;
};

static bool rounds_have_asked(void *ctx)
{
	struct waits *w = ctx;
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	rounds(1);
	getrusage(RUSAGE_THREAD, &after);
	if (sampler.nr_signals) {
		w->asked++;
		w->waited += after.ru_nvcsw != before.ru_nvcsw;
	}
	return w->asked == 10;
}

/* If more threads are asked than there are CPUs, a round does not wait for
 * those that cannot answer. One runs, and one has no CPU. */
TEST(more_threads_than_cpus)
{
	struct worker w = { .blocks = true, .waits = true }, other = { 0 };
	struct waits two = { 0 }, none = { 0 };
	struct op_thread *t;

	begin();
	worker_start(&w);
	worker_start(&other);
	rounds(1);
	t = thread_of(w.tid);
	ask_now(t);
	sampler.nr_cpus = 2;
	CHECK(wait_until(rounds_have_asked, &two));
	sampler.nr_cpus = 0;
	CHECK(wait_until(rounds_have_asked, &none));
	CHECK(two.waited > 5 && none.waited < 5);
	CHECK_EQ(op_ask_state(t->ask), OP_ASK_ASKED);
	worker_stop(&w);
	worker_stop(&other);
	end();
}

/* Its mask need not be read. */
TEST(thread_that_has_answered)
{
	struct worker w = { .blocks = true, .waits = true };
	struct op_thread *t;

	begin();
	worker_start(&w);
	rounds(1);
	t = thread_of(w.tid);
	ask_now(t);
	rounds(1);
	CHECK(t->silent_ns > 1);
	CHECK_EQ(t->mask_ns, 0);
	answer(t->ask);
	rounds(1);
	CHECK_EQ(t->mask_ns, t->silent_ns);
	worker_stop(&w);
	end();
}

/* A library is loaded, or unloaded, after the thread has answered: all of its
 * frames but the first may be of code that is gone. */
TEST(answer_before_new_library)
{
	struct worker w = { .blocks = true, .waits = true };
	struct op_thread *t;
	struct seen s;
	void *lib;

	begin();
	worker_start(&w);
	rounds(1);
	see(w.tid);
	t = thread_of(w.tid);
	ask_now(t);
	rounds(1);
	answer(t->ask);
	lib = dlopen("libanl.so.1", RTLD_NOW);
	rounds(1);
	s = see(w.tid);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(s.moved, lib ? 1 : 0);
	if (lib)
		dlclose(lib);
	worker_stop(&w);
	end();
}

/* The helper has not read the maps since a library was unloaded. Loading one
 * changes no code that was there. */
TEST(old_map)
{
	struct worker w = { .waits = true };
	struct op_thread *t;
	struct seen s;
	void *lib = dlopen("libanl.so.1", RTLD_NOW);

	begin();
	worker_start(&w);
	rounds(1);
	s = see(w.tid);
	CHECK_EQ(s.nr - s.moved, 1);
	t = thread_of(w.tid);
	if (lib) {
		dlclose(lib);
		t->is_kept = false;
		rounds(2);
		s = see(w.tid);
		CHECK_EQ(s.nr, 2);
		CHECK_EQ(s.moved, 1);
		CHECK_EQ(s.repeats, 1);
		CHECK_EQ(op_agent_helper_step(&f.helper, 1000), 0);
		rounds(1);
		s = see(w.tid);
		CHECK_EQ(s.nr, 1);
		CHECK_EQ(s.moved, 0);
		lib = dlopen("libanl.so.1", RTLD_NOW);
		t->is_kept = false;
		rounds(1);
		s = see(w.tid);
		CHECK_EQ(s.nr, 1);
		CHECK_EQ(s.moved, 0);
		dlclose(lib);
	}
	worker_stop(&w);
	end();
}

/* Its answer is right for all the time that it has not run. */
TEST(late_answer)
{
	enum { NR = 300 };
	struct worker w = { .blocks = true, .waits = true };
	struct op_thread *t;
	struct seen s;

	begin();
	worker_start(&w);
	rounds(1);
	see(w.tid);
	t = thread_of(w.tid);
	ask_now(t);
	rounds(NR);
	CHECK_EQ(see(w.tid).nr, 0);
	CHECK_EQ(t->ask->nr_owed, NR);
	answer(t->ask);
	rounds(1);
	s = see(w.tid);
	CHECK_EQ(s.nr, NR + 1); /* and the one of this round */
	CHECK_EQ(s.complete + s.lost, 2);
	CHECK_EQ(s.repeats, NR - 1);
	CHECK_EQ(f.channel->late, 0);
	CHECK_EQ(f.channel->unheard, 0);
	worker_stop(&w);
	end();
}

/* No request is open, and the thread is not in the handler. */
static bool round_is_over(void *ctx)
{
	const struct op_thread *t = ctx;

	if (t->ask)
		rounds(1);
	return !t->ask && !op_thread_blocks(t, SIGURG);
}

/* A signal that was ignored when it was sent never arrives. */
TEST(signal_that_never_arrives)
{
	struct sigaction ours, none = { .sa_handler = SIG_IGN };
	struct worker w = { 0 };
	struct op_thread *t;

	begin();
	worker_start(&w);
	rounds(1);
	t = thread_of(w.tid);
	CHECK(wait_until(round_is_over, t));
	see(w.tid);
	f.channel->late = 0;
	sigaction(SIGURG, &none, &ours);
	t->ask = op_ask(w.tid, sampler.map, f.tables);
	CHECK(t->ask);
	sigaction(SIGURG, &ours, NULL);
	CHECK(wait_until(round_has_sample, &w));
	CHECK(last_seen.complete > 0);
	CHECK_EQ(f.channel->unheard, 1);
	/* What it did meanwhile is not known. */
	CHECK_EQ(f.channel->late, 15);
	worker_stop(&w);
	end();
}

TEST(new_library)
{
	struct worker w = { .waits = true };
	uint64_t before, unloads;
	void *lib;

	begin();
	worker_start(&w);
	rounds(1);
	before = f.channel->changes;
	lib = dlopen("libanl.so.1", RTLD_NOW);
	if (lib) {
		rounds(1);
		CHECK_EQ(f.channel->changes, before + 1);
		CHECK_EQ(op_agent_helper_step(&f.helper, 1000), 0);
		CHECK_EQ(f.channel->seen, before + 1);
		unloads = f.channel->unloads;
		dlclose(lib);
		rounds(1);
		CHECK(f.channel->unloads > unloads);
	}
	worker_stop(&w);
	end();
}

/* A new thread may get the ID of one that has ended since threads were listed.
 * The file that is open for it can be read no more. */
TEST(thread_with_the_id_of_another)
{
	struct worker old = { .waits = true }, w = { .waits = true };
	struct op_thread *t;
	uint32_t index;

	begin();
	worker_start(&old);
	worker_start(&w);
	rounds(1);
	t = thread_of(w.tid);
	index = t->index;
	t->is_kept = false;
	CHECK(thread_of(old.tid)->syscall >= 0 && t->syscall >= 0);
	worker_stop(&old);
	dup2(thread_of(old.tid)->syscall, t->syscall);
	see(w.tid);
	rounds(2);
	CHECK_EQ(see(w.tid).nr, 1);
	CHECK(thread_of(w.tid)->index > index);
	worker_stop(&w);
	end();
}

/* Without a reader the ring fills; what is lost is counted. */
TEST(full_ring)
{
	struct worker w = { .waits = true };
	uint64_t head;

	begin();
	worker_start(&w);
	f.channel->head = f.channel->tail = reader.at = 0;
	f.channel->head = OP_CHANNEL_RING - 8;
	head = f.channel->head;
	rounds(3);
	CHECK_EQ(f.channel->head, head);
	CHECK_EQ(f.channel->lost, 3 * sampler.threads.nr);
	worker_stop(&w);
	end();
}

TEST(signal_taken)
{
	begin();
	signal(SIGURG, SIG_DFL);
	CHECK_EQ(op_sampler_round(&sampler, &f.err), OP_EUSAGE);
	CHECK(strstr(f.err.text, "a handler for signal"));
	end();
}

TEST(helper_gone)
{
	begin();
	shutdown(f.alive[1], SHUT_RDWR);
	op_sampler_run(&sampler, &f.err);
	CHECK_STR(f.err.text, "the helper has ended");
	CHECK_EQ(f.channel->has_ended, 1);
	end();
}

TEST(descriptors_taken)
{
	int null = open("/dev/null", O_RDONLY);

	begin();
	dup2(null, f.alive[0]);
	op_sampler_run(&sampler, &f.err);
	CHECK(strstr(f.err.text, "has closed descriptors"));
	CHECK(sampler.threads.are_files_foreign);
	end();
	close(null);
}

static void *stop_soon(void *arg)
{
	usleep(30000);
	op_sampler_stop(&sampler);
	return arg;
}

TEST(stops)
{
	pthread_t t;

	begin();
	pthread_create(&t, NULL, stop_soon, NULL);
	op_sampler_run(&sampler, &f.err);
	pthread_join(t, NULL);
	CHECK_EQ(f.err.code, 0);
	end();
}

TEST_MAIN(waiting_thread, waiting_thread_in_new_code, running_thread,
	  thread_that_blocks_signals, thread_that_blocks_signals_and_sleeps,
	  thread_that_blocks_signals_when_asked,
	  thread_that_loses_its_cpu_when_asked, thread_that_has_answered,
	  more_threads_than_cpus, answer_before_new_library, old_map,
	  late_answer, signal_that_never_arrives, new_library,
	  thread_with_the_id_of_another, full_ring, signal_taken, helper_gone,
	  descriptors_taken, stops)
