// SPDX-License-Identifier: Apache-2.0
#include "agent/walk.h"

#include <ucontext.h>

#include "agent_fixture.h"

static struct fixture f;
static struct op_agent_walk walk;
static uint64_t frames[OP_AGENT_MAX_FRAMES];
static volatile uint64_t sink;

static __attribute__((noinline)) uint32_t walk_here(uint32_t max, uint8_t *end)
{
	struct op_unwind_regs regs = { .known = 1 << OP_RIP | 1 << OP_RSP |
						1 << OP_RBP | 1 << OP_RBX |
						1 << OP_R12 | 1 << OP_R13 |
						1 << OP_R14 | 1 << OP_R15 };
	ucontext_t u;

	getcontext(&u);
	regs.r[OP_RIP] = (uint64_t)u.uc_mcontext.gregs[REG_RIP];
	regs.r[OP_RSP] = (uint64_t)u.uc_mcontext.gregs[REG_RSP];
	regs.r[OP_RBP] = (uint64_t)u.uc_mcontext.gregs[REG_RBP];
	regs.r[OP_RBX] = (uint64_t)u.uc_mcontext.gregs[REG_RBX];
	regs.r[OP_R12] = (uint64_t)u.uc_mcontext.gregs[REG_R12];
	regs.r[OP_R13] = (uint64_t)u.uc_mcontext.gregs[REG_R13];
	regs.r[OP_R14] = (uint64_t)u.uc_mcontext.gregs[REG_R14];
	regs.r[OP_R15] = (uint64_t)u.uc_mcontext.gregs[REG_R15];
	return op_agent_unwind(&walk, &regs, frames, max, end);
}

static __attribute__((noinline)) uint32_t deep(int n, uint32_t max,
					       uint8_t *end)
{
	uint32_t r = n ? deep(n - 1, max, end) : walk_here(max, end);

	sink++;
	return r;
}

TEST(no_map)
{
	fixture_open(&f);
	CHECK(!op_agent_map(f.channel));
	fixture_close(&f);
}

TEST(own_stack)
{
	uint32_t n, more;
	uint8_t end = 99;

	fixture_open(&f);
	fixture_helper(&f);
	walk.map = op_agent_map(f.channel);
	walk.tables = f.tables;
	CHECK(walk.map && walk.map->nr > 3);
	n = deep(0, OP_AGENT_MAX_FRAMES, &end);
	CHECK_EQ(end, OP_UNWIND_DONE);
	CHECK(n > 4 && !walk.has_unknown);
	CHECK(frames[0] & OP_AGENT_EXACT && !(frames[1] & OP_AGENT_EXACT));
	more = deep(10, OP_AGENT_MAX_FRAMES, &end);
	CHECK_EQ(more, n + 10);
	CHECK_EQ(end, OP_UNWIND_DONE);
	CHECK_EQ(deep(10, 5, &end), 5);
	CHECK_EQ(end, OP_UNWIND_LIMIT);
	fixture_close(&f);
}

TEST(unknown_code)
{
	static struct op_channel_map none;
	uint8_t end = 99;

	walk.map = &none;
	walk.tables = NULL;
	CHECK_EQ(walk_here(10, &end), 1);
	CHECK(walk.has_unknown && end != OP_UNWIND_DONE);
}

TEST_MAIN(no_map, own_stack, unknown_code)
