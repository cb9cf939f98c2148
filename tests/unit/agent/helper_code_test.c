// SPDX-License-Identifier: Apache-2.0
#include "agent/helper_code.h"

#include "agent_fixture.h"

static struct fixture f;

static const struct op_channel_range *range_at(uintptr_t pc)
{
	const struct op_channel_map *m = op_agent_map(f.channel);

	for (uint32_t i = 0; m && i < m->nr; i++)
		if (m->ranges[i].start <= pc && pc < m->ranges[i].end)
			return &m->ranges[i];
	return NULL;
}

TEST(publishes)
{
	const struct op_channel_map *m;
	const struct op_channel_range *r;

	fixture_open(&f);
	fixture_helper(&f);
	m = op_agent_map(f.channel);
	CHECK(m && m->version == 1 && f.channel->current == 1);
	for (uint32_t i = 1; i < m->nr; i++)
		CHECK(m->ranges[i - 1].end <= m->ranges[i].start);
	r = range_at((uintptr_t)range_at);
	CHECK(r && r->table);
	r = range_at((uintptr_t)memcpy);
	CHECK(r && r->table);
	CHECK(!range_at((uintptr_t)&f));
	CHECK(op_agent_helper_code_find(&f.helper.code, (uintptr_t)range_at) !=
	      NULL);
	CHECK(!op_agent_helper_code_find(&f.helper.code, 16));
	fixture_close(&f);
}

/* A place of a map that is in use is not written to. */
TEST(waits_for_users)
{
	fixture_open(&f);
	fixture_helper(&f);
	f.channel->oldest = 1;
	for (int i = 2; i <= OP_CHANNEL_MAPS; i++)
		CHECK(op_agent_helper_code_read(&f.helper.code));
	CHECK_EQ(f.channel->current, OP_CHANNEL_MAPS);
	CHECK(!op_agent_helper_code_read(&f.helper.code));
	f.channel->oldest = 2;
	CHECK(op_agent_helper_code_read(&f.helper.code));
	CHECK_EQ(f.channel->current, OP_CHANNEL_MAPS + 1);
	fixture_close(&f);
}

TEST(new_code)
{
	uint8_t *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fixture_open(&f);
	fixture_helper(&f);
	CHECK(range_at((uintptr_t)p) && !range_at((uintptr_t)p)->table);
	munmap(p, 4096);
	f.channel->changes = 5;
	CHECK(op_agent_helper_code_read(&f.helper.code));
	CHECK_EQ(f.channel->seen, 5);
	CHECK(!range_at((uintptr_t)p));
	fixture_close(&f);
}

static _Atomic bool is_over;

/* Does what a program with a wild pointer may do. */
static void *scribble(void *arg)
{
	while (!is_over)
		for (int i = 0; i < OP_CHANNEL_MAPS; i++)
			__atomic_store_n(&f.channel->maps[i].nr, 0x7fffffff,
					 __ATOMIC_RELAXED);
	return arg;
}

TEST(overwritten_while_published)
{
	pthread_t t;

	fixture_open(&f);
	fixture_helper(&f);
	pthread_create(&t, NULL, scribble, NULL);
	for (int i = 0; i < 100; i++) {
		f.channel->oldest = f.channel->current;
		CHECK(op_agent_helper_code_read(&f.helper.code));
	}
	is_over = true;
	pthread_join(t, NULL);
	fixture_close(&f);
}

TEST_MAIN(publishes, waits_for_users, new_code, overwritten_while_published)
