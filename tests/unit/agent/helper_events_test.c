// SPDX-License-Identifier: Apache-2.0
#include "agent/helper_events.h"

#include "agent_fixture.h"
#include "model/model.h"

static struct fixture f;

static void put(const void *record, const uint64_t *frames)
{
	const struct op_channel_record *r = record;
	uint8_t *to = op_ring_reserve(f.channel, r->bytes);
	size_t head = r->bytes;

	if (frames)
		head = sizeof(struct op_channel_sample);
	memcpy(to, record, head);
	if (frames)
		memcpy(to + head, frames, r->bytes - head);
	op_ring_commit(f.channel, r->bytes);
}

static void put_thread(uint32_t tid, enum op_channel_type type)
{
	struct op_channel_thread t = {
		{ sizeof(t), type }, .tid = tid, .index = 1, .name = "one"
	};

	put(&t, NULL);
}

static void put_sample(uint32_t tid, uint32_t nr)
{
	uint64_t frames[3] = { (uintptr_t)put_thread | OP_AGENT_EXACT,
			       (uintptr_t)put + 4, (uintptr_t)memcpy + 4 };
	struct op_channel_sample s = {
		{ (uint32_t)sizeof(s) + 8 * nr, OP_CHANNEL_SAMPLE },
		.when = { .time_ns = 1700000000000000000, .tid = tid },
		.nr = nr,
		.has_trace = 1,
		.trace = { 1 },
	};

	put(&s, nr ? frames : NULL);
}

static void put_repeat(uint32_t tid)
{
	struct op_channel_repeat r = {
		{ sizeof(r), OP_CHANNEL_REPEAT },
		.when = { .time_ns = 1700000000010000000, .tid = tid },
	};

	put(&r, NULL);
}

static void window_free(struct op_model m[OP_AGENT_KINDS])
{
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		op_model_free(&m[i]);
}

TEST(counts)
{
	struct op_channel_round r = { { sizeof(r), OP_CHANNEL_ROUND },
				      .spread_ns = 7,
				      .nr_signals = 3 };
	struct op_model m[OP_AGENT_KINDS];

	fixture_open(&f);
	fixture_helper(&f);
	put_sample(5, 1); /* of no known thread */
	put_thread(7, OP_CHANNEL_THREAD);
	put_thread(5, OP_CHANNEL_THREAD);
	put_thread(5, OP_CHANNEL_THREAD);
	put_sample(5, 3);
	put_repeat(5);
	put_repeat(7); /* there is nothing to repeat */
	put(&r, NULL);
	put_thread(5, OP_CHANNEL_GONE);
	put_thread(6, OP_CHANNEL_GONE);
	put_repeat(5);
	op_agent_helper_events(&f.helper);
	CHECK(!f.helper.ring.is_broken && !f.err.code);
	CHECK_EQ(f.helper.counts.samples, 2);
	CHECK_EQ(f.helper.counts.complete, 2);
	CHECK_EQ(f.helper.counts.rounds, 1);
	CHECK_EQ(f.helper.counts.signals, 3);
	CHECK_EQ(f.helper.counts.max_spread_ns, 7);
	CHECK_EQ(f.helper.threads.n, 1);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		CHECK_EQ(m[i].nr_resources, 1);
	window_free(m);
	fixture_close(&f);
}

/* An attribute of the one profile; -1: it has none of this name. */
static int64_t window_attr(const struct op_model *m, const char *key)
{
	const struct op_profile *p = &m->resources[0].scopes[0].profiles[0];
	const struct op_attr *a = op_set_find(m, p->attrs, key);

	return a ? a->value.num : -1;
}

static void put_round(uint64_t spread_ns, uint32_t is_snapshot)
{
	struct op_channel_round r = { { sizeof(r), OP_CHANNEL_ROUND },
				      .spread_ns = spread_ns,
				      .is_snapshot = is_snapshot };

	put(&r, NULL);
}

static void take(struct op_model m[OP_AGENT_KINDS])
{
	CHECK_EQ(op_agent_helper_step(&f.helper, 0), 0);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
}

static void window_drop(void)
{
	struct op_model m[OP_AGENT_KINDS];

	take(m);
	window_free(m);
}

/* Each window has what has happened in it. */
TEST(attributes_of_windows)
{
	struct op_model m[OP_AGENT_KINDS];

	fixture_open(&f);
	fixture_helper(&f);
	put_thread(5, OP_CHANNEL_THREAD);
	put_sample(5, 3);
	put_round(10, false);
	put_round(4, false);
	put_round(1000, true);
	f.channel->lost = 2;
	f.channel->late = 3;
	f.channel->owed = 100;
	f.channel->skipped = 4;
	take(m);
	CHECK_EQ(window_attr(&m[0], "otprof.window.rounds"), 2);
	CHECK_EQ(window_attr(&m[0], "otprof.window.rounds_skipped"), 4);
	CHECK_EQ(window_attr(&m[0], "otprof.window.spread.mean_ns"), 7);
	CHECK_EQ(window_attr(&m[0], "otprof.window.spread.max_ns"), 10);
	CHECK_EQ(window_attr(&m[0], "otprof.window.samples_lost"), 2);
	CHECK_EQ(window_attr(&m[0], "otprof.window.samples_late"), 3);
	CHECK_EQ(window_attr(&m[1], "otprof.window.rounds"), -1);
	window_free(m);
	put_repeat(5);
	put_round(5, false);
	f.channel->lost = 3;
	f.channel->has_ended = 1;
	take(m);
	CHECK_EQ(window_attr(&m[0], "otprof.window.rounds"), 1);
	CHECK_EQ(window_attr(&m[0], "otprof.window.rounds_skipped"), 0);
	CHECK_EQ(window_attr(&m[0], "otprof.window.spread.max_ns"), 5);
	CHECK_EQ(window_attr(&m[0], "otprof.window.samples_lost"), 1);
	/* They will not come any more. */
	CHECK_EQ(window_attr(&m[0], "otprof.window.samples_late"), 100);
	window_free(m);
	fixture_close(&f);
}

/* There was no room for the record of its end. */
TEST(thread_that_is_gone)
{
	enum { GONE = 1 << 30 };
	struct op_model m[OP_AGENT_KINDS];

	fixture_open(&f);
	fixture_helper(&f);
	put_thread(own_tid(), OP_CHANNEL_THREAD);
	put_thread(GONE, OP_CHANNEL_THREAD);
	window_drop();
	CHECK_EQ(f.helper.threads.n, 2);
	put_sample(GONE, 3); /* its last one came late */
	take(m);
	CHECK_EQ(m[0].nr_resources, 1);
	window_free(m);
	CHECK_EQ(f.helper.threads.n, 1);
	CHECK_EQ(f.helper.threads.p[0].head.tid, own_tid());
	/* A thread may get the number again. */
	put_thread(GONE, OP_CHANNEL_THREAD);
	window_drop();
	put_thread(GONE, OP_CHANNEL_THREAD);
	window_drop();
	CHECK_EQ(f.helper.threads.n, 2);
	fixture_close(&f);
}

TEST(wrong_sizes)
{
	static const struct {
		uint32_t bytes, type, nr;
	} rows[] = {
		{ 16, OP_CHANNEL_THREAD, 0 },
		{ 16, OP_CHANNEL_SAMPLE, 0 },
		{ sizeof(struct op_channel_sample), OP_CHANNEL_SAMPLE, 1 },
		{ sizeof(struct op_channel_sample) + 8, OP_CHANNEL_SAMPLE, 0 },
		{ sizeof(struct op_channel_sample) + 8, OP_CHANNEL_SAMPLE,
		  OP_AGENT_MAX_FRAMES + 1 },
		{ sizeof(struct op_channel_sample), OP_CHANNEL_SAMPLE,
		  UINT32_MAX },
		{ sizeof(struct op_channel_sample), OP_CHANNEL_REPEAT, 0 },
		{ 8, OP_CHANNEL_ROUND, 0 },
		{ 8, OP_CHANNEL_GONE, 0 },
		{ 8, 77, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint64_t room[64] = { 0 };
		struct op_channel_sample *s = (void *)room;

		fixture_open(&f);
		fixture_helper(&f);
		s->r = (struct op_channel_record){ rows[i].bytes,
						   rows[i].type };
		s->nr = rows[i].nr;
		put(s, NULL);
		op_agent_helper_events(&f.helper);
		CHECK(f.helper.ring.is_broken);
		CHECK_EQ(f.helper.counts.samples, 0);
		fixture_close(&f);
	}
}

TEST_MAIN(counts, attributes_of_windows, thread_that_is_gone, wrong_sizes)
