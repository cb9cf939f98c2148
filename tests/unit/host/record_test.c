// SPDX-License-Identifier: Apache-2.0
#include "host/record.h"

#include <sys/mman.h>

#include "test.h"

static uint8_t bytes[200];
static bool is_swapped;

/* Numbers in the byte order of the round. */
static void put(unsigned int at, unsigned int n, uint64_t v)
{
	for (unsigned int i = 0; i < n; i++)
		bytes[at + (is_swapped ? n - 1 - i : i)] = (uint8_t)(v >>
								     8 * i);
}

static struct op_record head(uint32_t type, uint16_t misc, uint16_t size)
{
	put(0, 4, type);
	put(4, 2, misc);
	put(6, 2, size);
	return op_record(bytes, is_swapped);
}

static void fill(void)
{
	for (unsigned int at = 8; at + 8 <= sizeof(bytes); at += 4)
		put(at, 4, at * 0x01010101u);
}

/* The 64-bit number that fill() puts at a place. */
static uint64_t word(unsigned int at)
{
	uint64_t lo = at * 0x01010101u, hi = (at + 4) * 0x01010101u;

	return is_swapped ? lo << 32 | hi : hi << 32 | lo;
}

#define BOTH_ORDERS for (int o_ = 0; is_swapped = o_, o_ < 2; o_++)

TEST(mmap2)
{
	BOTH_ORDERS
	{
		struct op_host_mmap m;
		struct op_record r;

		fill();
		memcpy(bytes + 72, "/bin/x", 7);
		r = head(OP_RECORD_MMAP2, OP_MISC_USER, 80);
		CHECK(op_record_mmap(&r, &m));
		CHECK_EQ(m.pid, 8 * 0x01010101u);
		CHECK_EQ(m.tid, 12 * 0x01010101u);
		CHECK_EQ(m.start, word(16));
		CHECK_EQ(m.len, word(24));
		CHECK_EQ(m.offset, word(32));
		CHECK_EQ(m.maj, 40 * 0x01010101u);
		CHECK_EQ(m.min, 44 * 0x01010101u);
		CHECK_EQ(m.inode, word(48));
		CHECK_EQ(m.prot, 64 * 0x01010101u);
		CHECK_EQ(m.flags, 68 * 0x01010101u);
		CHECK(!m.is_kernel && !m.id_len);
		CHECK(op_view_is(m.name, "/bin/x"));
		r.size = 72;
		CHECK(!op_record_mmap(&r, &m));
		/* A name without its NUL ends with the record. */
		r.size = 75;
		CHECK(op_record_mmap(&r, &m) && op_view_is(m.name, "/bi"));
	}
}

TEST(mmap2_build_id)
{
	BOTH_ORDERS
	{
		struct op_host_mmap m;
		struct op_record r;

		fill();
		bytes[40] = 20;
		r = head(OP_RECORD_MMAP2, OP_MISC_USER | OP_MISC_BUILD_ID, 80);
		CHECK(op_record_mmap(&r, &m));
		CHECK_EQ(m.id_len, 20);
		CHECK(!memcmp(m.id, bytes + 44, 20));
		CHECK_EQ(m.inode, 0);
		bytes[40] = 255;
		CHECK(op_record_mmap(&r, &m));
		CHECK_EQ(m.id_len, 20);
		bytes[40] = 3;
		CHECK(op_record_mmap(&r, &m));
		CHECK_EQ(m.id_len, 3);
		CHECK_EQ(m.id[3], 0);
	}
}

TEST(mmap1)
{
	BOTH_ORDERS
	{
		struct op_host_mmap m;
		struct op_record r;

		fill();
		memcpy(bytes + 40, "[k]", 4);
		r = head(OP_RECORD_MMAP, OP_MISC_KERNEL, 48);
		CHECK(op_record_mmap(&r, &m));
		CHECK(m.is_kernel && m.prot & PROT_EXEC);
		CHECK(op_view_is(m.name, "[k]"));
		CHECK(!m.inode && !m.maj && !m.id_len);
		r.misc = OP_MISC_USER | OP_MISC_DATA;
		CHECK(op_record_mmap(&r, &m));
		CHECK(!m.is_kernel && !(m.prot & PROT_EXEC));
		r.size = 40;
		CHECK(!op_record_mmap(&r, &m));
	}
}

TEST(comm)
{
	BOTH_ORDERS
	{
		struct op_host_comm c;
		struct op_record r;

		fill();
		memcpy(bytes + 16, "sh\0\0", 4);
		r = head(OP_RECORD_COMM, OP_MISC_EXEC, 24);
		CHECK(op_record_comm(&r, &c));
		CHECK_EQ(c.pid, 8 * 0x01010101u);
		CHECK_EQ(c.tid, 12 * 0x01010101u);
		CHECK(c.is_exec && op_view_is(c.name, "sh"));
		r.misc = 0;
		CHECK(op_record_comm(&r, &c) && !c.is_exec);
		r.size = 16;
		CHECK(!op_record_comm(&r, &c));
	}
}

TEST(task)
{
	BOTH_ORDERS
	{
		struct op_host_task t;
		struct op_record r;

		fill();
		r = head(OP_RECORD_FORK, 0, 32);
		CHECK(op_record_task(&r, &t));
		CHECK_EQ(t.pid, 8 * 0x01010101u);
		CHECK_EQ(t.parent_pid, 12 * 0x01010101u);
		CHECK_EQ(t.tid, 16 * 0x01010101u);
		CHECK_EQ(t.parent_tid, 20 * 0x01010101u);
		CHECK_EQ(t.time, word(24));
		r.size = 31;
		CHECK(!op_record_task(&r, &t));
	}
}

TEST(ksymbol)
{
	BOTH_ORDERS
	{
		struct op_host_ksymbol k;
		struct op_record r;

		fill();
		put(22, 2, 1);
		memcpy(bytes + 24, "bpf_x", 6);
		r = head(OP_RECORD_KSYMBOL, 0, 32);
		CHECK(op_record_ksymbol(&r, &k));
		CHECK_EQ(k.start, word(8));
		CHECK_EQ(k.len, 16 * 0x01010101u);
		CHECK(k.is_gone && op_view_is(k.name, "bpf_x"));
		put(22, 2, 2);
		CHECK(op_record_ksymbol(&r, &k) && !k.is_gone);
		r.size = 24;
		CHECK(!op_record_ksymbol(&r, &k));
	}
}

TEST(cgroup)
{
	BOTH_ORDERS
	{
		struct op_host_cgroup c;
		struct op_record r;

		fill();
		memcpy(bytes + 16, "/a", 3);
		r = head(OP_RECORD_CGROUP, 0, 24);
		CHECK(op_record_cgroup(&r, &c));
		CHECK_EQ(c.id, word(8));
		CHECK(op_view_is(c.path, "/a"));
		r.size = 16;
		CHECK(!op_record_cgroup(&r, &c));
	}
}

/* TID TIME ID STREAM CPU IDENTIFIER, as far as there are any, at the end. */
TEST(id)
{
	const uint64_t all = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 9 |
			     1 << 16;

	BOTH_ORDERS
	{
		struct op_record_id id;
		struct op_record r;

		fill();
		r = head(OP_RECORD_COMM, 0, 72);
		CHECK(op_record_id(&r, all, &id));
		CHECK_EQ(id.pid, 24 * 0x01010101u);
		CHECK_EQ(id.tid, 28 * 0x01010101u);
		CHECK_EQ(id.time, word(32));
		CHECK_EQ(id.cpu, 56 * 0x01010101u);
		CHECK_EQ(id.id, word(64));
		/* Of the rest of sample_type nothing is there. */
		CHECK(op_record_id(&r, ~all | 1 << 2, &id));
		CHECK_EQ(id.time, word(64));
		CHECK(!id.pid && !id.id && !id.cpu);
		r.size = 55;
		CHECK(!op_record_id(&r, all, &id));
	}
}

TEST_MAIN(mmap2, mmap2_build_id, mmap1, comm, task, ksymbol, cgroup, id)
