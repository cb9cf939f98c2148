// SPDX-License-Identifier: Apache-2.0
/* agent/walk.c: unwinds stacks of this process. */
#include "agent/walk.h"

#include "agent/frame_search.h"

const struct op_channel_map *op_agent_map(const struct op_channel *c)
{
	uint64_t version = __atomic_load_n(&c->current, __ATOMIC_ACQUIRE);

	return version ? &c->maps[version % OP_CHANNEL_MAPS] : NULL;
}

static bool stack_read(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	struct op_agent_walk *c = arg;

	return op_memory_read(&c->memory, at, n, out);
}

static enum op_code_kind code_at(void *arg, uint64_t pc,
				 struct op_unwind_code *out)
{
	struct op_agent_walk *c = arg;
	const struct op_channel_range *r = c->map->ranges;
	uint32_t nr = c->map->nr;

	while (nr > 1) {
		uint32_t half = nr / 2;

		if (r[half].start <= pc)
			r += half;
		nr -= half;
	}
	if (!nr || pc < r->start || pc >= r->end) {
		c->has_unknown = true;
		return OP_CODE_NONE;
	}
	if (!r->table)
		return OP_CODE_BARE;
	out->table.head = (const void *)(c->tables + r->table);
	out->bias = r->bias;
	return OP_CODE_TABLE;
}

/* What a failed search has looked at says nothing about the code. */
static bool frame_find(struct op_agent_walk *c, struct op_unwind *u,
		       uint32_t max)
{
	bool has_unknown = c->has_unknown;

	if (u->end == OP_UNWIND_LOST && op_frame_search(u, max))
		return true;
	c->has_unknown = has_unknown;
	return false;
}

uint32_t op_agent_unwind(struct op_agent_walk *c,
			 const struct op_unwind_regs *regs, uint64_t *frames,
			 uint32_t max, uint8_t *end)
{
	const struct op_unwind_env env = { stack_read, code_at, c };
	struct op_unwind u;
	uint32_t n = 0;

	op_memory_reset(&c->memory);
	c->has_unknown = false;
	op_unwind_begin(&u, &env, regs);
	do {
		if (n == max) {
			*end = OP_UNWIND_LIMIT;
			return n;
		}
		frames[n++] = u.regs.r[OP_RIP] |
			      (u.is_exact ? OP_AGENT_EXACT : 0);
	} while (op_unwind_next(&u) ||
		 (frame_find(c, &u, max - n) && op_unwind_next(&u)));
	*end = (uint8_t)u.end;
	return n;
}
