// SPDX-License-Identifier: Apache-2.0
#include "agent/sampler.h"

#include <dlfcn.h>
#include <signal.h>

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
	int nr, repeats, complete, lost, blocked, names;
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
		const struct op_channel_thread *t = (const void *)r;

		if (r->type == OP_CHANNEL_THREAD)
			seen.names += t->tid == tid;
		if (r->type != OP_CHANNEL_SAMPLE || s->tid != tid)
			continue;
		seen.nr++;
		seen.repeats += s->how == OP_CHANNEL_REPEAT;
		seen.complete += s->how == OP_CHANNEL_NEW &&
				 s->end == OP_UNWIND_DONE;
		seen.lost += s->how == OP_CHANNEL_NEW &&
			     s->end == OP_UNWIND_LOST;
		seen.blocked += s->end == OP_AGENT_END_BLOCKED;
		if (s->how == OP_CHANNEL_NEW) {
			seen.state = s->state;
			seen.frames = s->nr;
		}
	}
	CHECK(!reader.is_broken);
	return seen;
}

static void rounds(int n)
{
	while (n--)
		CHECK_EQ(op_sampler_round(&sampler, &f.err), 0);
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

TEST(running_thread)
{
	struct worker w = { 0 };
	struct seen s;

	begin();
	worker_start(&w);
	for (int i = 0; i < 200 && !see(w.tid).nr; i++)
		rounds(1);
	rounds(20);
	s = see(w.tid);
	CHECK(s.nr > 0 && s.complete == s.nr);
	CHECK_EQ(s.repeats, 0);
	CHECK_EQ(s.state, OP_STATE_RUNNING);
	worker_stop(&w);
	rounds(1); /* the last answer may still be there */
	see(w.tid);
	rounds(1);
	CHECK_EQ(see(w.tid).nr, 0);
	end();
}

TEST(thread_that_blocks_signals)
{
	struct worker w = { .blocks = true };
	struct seen s = { 0 };

	begin();
	worker_start(&w);
	for (int i = 0; i < 200 && !s.blocked; i++) {
		rounds(1);
		s = see(w.tid);
	}
	CHECK(s.blocked > 0 && !s.complete);
	worker_stop(&w);
	end();
}

TEST(new_library)
{
	struct worker w = { .waits = true };
	uint64_t before;
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
		dlclose(lib);
	}
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
	CHECK(strstr(f.err.text, "has taken signal"));
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

TEST_MAIN(waiting_thread, running_thread, thread_that_blocks_signals,
	  new_library, full_ring, signal_taken, helper_gone, descriptors_taken,
	  stops)
