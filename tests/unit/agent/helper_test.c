// SPDX-License-Identifier: Apache-2.0
#include "agent/helper.h"

#include "agent_fixture.h"
#include "model/model.h"

static struct fixture f;

TEST(other_version)
{
	struct op_agent_helper_opts o;

	fixture_open(&f);
	o = helper_opts(&f);
	f.channel->version++;
	CHECK_EQ(op_agent_helper_init(&f.helper, &o, &f.err), OP_EUSAGE);
	CHECK(strstr(f.err.text, "another version"));
	fixture_close(&f);
}

/* A program that is gone has no maps, which is no failure. */
TEST(gone_program)
{
	struct op_model m[OP_AGENT_KINDS];
	struct op_agent_helper_opts o;

	fixture_open(&f);
	o = helper_opts(&f);
	o.pid = o.sampler = 1 << 30;
	CHECK_EQ(op_agent_helper_init(&f.helper, &o, &f.err), 0);
	CHECK(f.helper.has_ended);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		CHECK_EQ(m[i].nr_resources, 0);
	fixture_close(&f);
}

static void *hang_up(void *arg)
{
	usleep(20000);
	f.channel->has_ended = 1;
	shutdown(f.alive[0], SHUT_RDWR);
	return arg;
}

/* The end of the program wakes it, long before the time is over. */
TEST(ends)
{
	struct op_model m[OP_AGENT_KINDS];
	pthread_t t;

	fixture_open(&f);
	fixture_helper(&f);
	CHECK_EQ(op_agent_helper_step(&f.helper, 1), 0);
	CHECK(!f.helper.has_ended);
	pthread_create(&t, NULL, hang_up, NULL);
	CHECK_EQ(op_agent_helper_step(&f.helper, 100000), 0);
	pthread_join(t, NULL);
	CHECK(f.helper.has_ended);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		op_model_free(&m[i]);
	fixture_close(&f);
}

static void *end_late(void *arg)
{
	shutdown(f.alive[0], SHUT_RDWR);
	usleep(50000);
	f.channel->has_ended = 1;
	return arg;
}

/* Files of a program are closed before its threads are gone, which nothing
 * tells. */
TEST(ends_after_files)
{
	pthread_t t;

	fixture_open(&f);
	fixture_helper(&f);
	pthread_create(&t, NULL, end_late, NULL);
	for (int i = 0; i < 50 && !f.helper.has_ended; i++)
		CHECK_EQ(op_agent_helper_step(&f.helper, 100000), 0);
	pthread_join(t, NULL);
	CHECK(f.helper.has_ended);
	fixture_close(&f);
}

/* A window that is full is to be taken first, even at the end. */
TEST(full)
{
	struct op_channel_round r = { .r = { sizeof(r), OP_CHANNEL_ROUND } };
	struct op_model m[OP_AGENT_KINDS];
	void *to;

	fixture_open(&f);
	fixture_helper(&f);
	CHECK(!op_agent_helper_is_full(&f.helper));
	f.helper.nr_frames = UINT32_MAX;
	CHECK(op_agent_helper_is_full(&f.helper));
	to = op_ring_reserve(f.channel, sizeof(r));
	memcpy(to, &r, sizeof(r));
	op_ring_commit(f.channel, sizeof(r));
	f.channel->has_ended = 1;
	CHECK_EQ(op_agent_helper_step(&f.helper, 1), 0);
	CHECK(!f.helper.has_ended);
	CHECK_EQ(f.helper.counts.rounds, 0);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		op_model_free(&m[i]);
	CHECK(!op_agent_helper_is_full(&f.helper));
	CHECK_EQ(op_agent_helper_step(&f.helper, 100000), 0);
	CHECK(f.helper.has_ended);
	CHECK_EQ(f.helper.counts.rounds, 1);
	fixture_close(&f);
}

static void record_put(const void *r, uint32_t bytes)
{
	memcpy(op_ring_reserve(f.channel, bytes), r, bytes);
	op_ring_commit(f.channel, bytes);
}

static bool has_mapping(const struct op_dict *d, const char *end)
{
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++)
		if (op_view_ends(d->strings[d->mappings[i].filename], end))
			return true;
	return false;
}

/* A library is unloaded after a sample was taken in it, and another one is
 * loaded to its place, before the helper reads either. */
TEST(unloaded_library)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct op_channel_thread t = { .r = { sizeof(t), OP_CHANNEL_THREAD },
				       .tid = 1 };
	struct {
		struct op_channel_sample head;
		uint64_t frame;
	} s = { .head = { .r = { sizeof(s), OP_CHANNEL_SAMPLE },
			  .when.tid = 1,
			  .nr = 1 } };
	struct op_model m[OP_AGENT_KINDS];

	fixture_open(&f);
	fixture_helper(&f);
	s.frame = ((uintptr_t)p + 16) | OP_AGENT_EXACT;
	record_put(&t, sizeof(t));
	record_put(&s, sizeof(s));
	CHECK(mmap(p, 4096, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
	f.channel->unloads++;
	f.channel->changes++;
	CHECK_EQ(op_agent_helper_step(&f.helper, 0), 0);
	CHECK_EQ(f.channel->seen, 1);
	CHECK_EQ(f.helper.counts.samples, 1);
	CHECK_EQ(op_agent_helper_take(&f.helper, m), 0);
	for (int i = 0; i < OP_AGENT_KINDS; i++) {
		CHECK(has_mapping(&m[i].dict, "helper_test"));
		op_model_free(&m[i]);
	}
	munmap(p, 4096);
	close(fd);
	fixture_close(&f);
}

TEST(broken_ring)
{
	fixture_open(&f);
	fixture_helper(&f);
	f.channel->head = 64;
	CHECK_EQ(op_agent_helper_step(&f.helper, 0), OP_EFORMAT);
	CHECK(f.helper.has_ended);
	CHECK(strstr(f.err.text, "has overwritten memory"));
	fixture_close(&f);
}

TEST_MAIN(other_version, gone_program, ends, ends_after_files, full,
	  unloaded_library, broken_ring)
