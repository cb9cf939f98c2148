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
	struct op_agent_helper_opts o;

	fixture_open(&f);
	o = helper_opts(&f);
	o.pid = o.sampler = 1 << 30;
	CHECK_EQ(op_agent_helper_init(&f.helper, &o, &f.err), 0);
	CHECK(f.helper.has_ended);
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

TEST_MAIN(other_version, gone_program, ends, broken_ring)
