// SPDX-License-Identifier: Apache-2.0
/* Samples of perf events, in the form that BPF has. */
#include "record/stack_copy.h"

#include <stddef.h>

#include "sym/regs_x86_64.h"
#include "test.h"

enum { NR_REGS = 17, STACK = 64, MAX = 512 };

struct sample {
	uint8_t bytes[MAX];
	uint16_t n;
};

static void put(struct sample *s, uint64_t v)
{
	memcpy(s->bytes + s->n, &v, sizeof(v));
	s->n = (uint16_t)(s->n + sizeof(v));
}

/* As the kernel writes it: a frame of the kernel behind its marker, registers
 * with their numbers as values, a stack of which some is valid. */
static struct sample make(uint64_t abi, uint64_t valid)
{
	struct sample s = { .n = 8 };

	put(&s, 0x401000);
	put(&s, (uint64_t)78 << 32 | 77);
	put(&s, 123456789);
	put(&s, 3);
	put(&s, 2);
	put(&s, (uint64_t)PERF_CONTEXT_KERNEL);
	put(&s, 0xffffffff81000010);
	put(&s, abi);
	for (uint64_t i = 0; abi && i < NR_REGS; i++)
		put(&s, 1000 + i);
	put(&s, abi ? STACK : 0);
	for (uint64_t i = 0; abi && i < STACK / 8; i++)
		put(&s, i);
	if (abi)
		put(&s, valid);
	return s;
}

static struct op_record record_of(const struct sample *s, uint16_t size)
{
	return (struct op_record){ s->bytes, OP_RECORD_SAMPLE, 0, size, false };
}

TEST(decodes)
{
	struct sample in = make(2, 40);
	struct op_record r = record_of(&in, in.n);
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	const struct op_bpf_sample *s = op_stack_copy(&r, &out);
	const struct op_bpf_rest *rest;
	const uint64_t *frames;

	CHECK(s);
	CHECK_EQ(op_stack_copy_time(&r), 123456789);
	CHECK_EQ(s->time, 123456789);
	CHECK_EQ(s->pid, 77);
	CHECK_EQ(s->tid, 78);
	CHECK_EQ(s->cpu, 3);
	CHECK_EQ(s->nr_kernel, 1);
	CHECK_EQ(s->nr_user, 1);
	CHECK_EQ(s->end, OP_BPF_NEW_PROCESS);
	CHECK_EQ(s->nr_stack, 40);
	frames = (const uint64_t *)(s + 1);
	CHECK_EQ(frames[0], 0xffffffff81000010);
	CHECK_EQ(frames[1], 1008 | OP_BPF_EXACT);
	rest = (const struct op_bpf_rest *)(frames + 2);
	CHECK_EQ(rest->regs[OP_RAX], 1000);
	CHECK_EQ(rest->regs[OP_RBX], 1001);
	CHECK_EQ(rest->regs[OP_RSP], 1007);
	CHECK_EQ(rest->regs[OP_RIP], 1008);
	CHECK_EQ(rest->regs[OP_R8], 1009);
	CHECK_EQ(rest->regs[OP_R15], 1016);
	CHECK_EQ(rest->stack[8], 1);
	op_buf_free(&out);
}

/* A thread of the kernel has no registers of a program. */
TEST(without_registers)
{
	struct sample in = make(0, 0);
	struct op_record r = record_of(&in, in.n);
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	const struct op_bpf_sample *s = op_stack_copy(&r, &out);

	CHECK(s);
	CHECK_EQ(s->nr_kernel, 1);
	CHECK_EQ(s->nr_user, 0);
	CHECK_EQ(s->end, OP_BPF_DONE);
	op_buf_free(&out);
}

TEST(cut_anywhere)
{
	struct sample in = make(2, STACK);
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	for (uint16_t n = 8; n < in.n; n++) {
		struct op_record r = record_of(&in, n);
		const struct op_bpf_sample *s = op_stack_copy(&r, &out);

		CHECK(!s || s->nr_stack <= STACK);
		CHECK(!s || !s->nr_stack || n == in.n);
	}
	op_buf_free(&out);
}

TEST_MAIN(decodes, without_registers, cut_anywhere)
