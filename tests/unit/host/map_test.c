// SPDX-License-Identifier: Apache-2.0
#include "host/map.h"

#include "host_fixture.h"

/* Random mappings over each other are what an array of pages says. */
TEST(like_pages)
{
	enum { PAGES = 64, ROUNDS = 4000 };
	struct op_host_space *s;
	uint32_t page[PAGES], offset[PAGES];
	uint64_t random = 1;

	host_begin(false);
	s = op_host_space_new(&host);
	memset(page, 0xff, sizeof(page));
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct op_host_map m = { .binary = round, .user = 5 };
		uint32_t from, to;

		random = random * 6364136223846793005u + 1442695040888963407u;
		from = (uint32_t)(random >> 33) % PAGES;
		to = from + (uint32_t)(random >> 50) % (PAGES - from + 1);
		m.start = from * 4096;
		m.end = to * 4096;
		if (random >> 20 & 1)
			op_host_map_add(&host, s, &m);
		else
			op_host_map_cut(&host, s, m.start, m.end);
		for (uint32_t i = from; i < to; i++) {
			page[i] = random >> 20 & 1 ? round : OP_NO_ID;
			offset[i] = (i - from) * 4096;
		}
		for (uint32_t i = 0; i < PAGES; i++) {
			const struct op_host_map *f = op_host_map_find(
				s, i * 4096 + 5);

			CHECK_EQ(f ? f->binary : OP_NO_ID, page[i]);
			if (f)
				CHECK_EQ(i * 4096 - f->start + f->offset,
					 offset[i]);
		}
	}
	CHECK_EQ(err.code, 0);
	host_end();
}

TEST(next)
{
	struct op_host_space *s;
	struct op_host_map m = { .start = 100, .end = 200 };

	host_begin(false);
	s = op_host_space_new(&host);
	CHECK(op_host_map_next(s, 0) == UINT64_MAX);
	op_host_map_add(&host, s, &m);
	CHECK_EQ(op_host_map_next(s, 0), 100);
	CHECK_EQ(op_host_map_next(s, 100), 100);
	CHECK(op_host_map_next(s, 101) == UINT64_MAX);
	host_end();
}

/* Binaries differ by name, device, inode and build id. */
TEST(binaries)
{
	struct op_host_binary b = { .name = op_view_z("/a"), .inode = 1 };
	uint32_t a;

	host_begin(false);
	a = op_host_binary(&host, &b);
	CHECK_EQ(op_host_binary(&host, &b), a);
	b.inode = 2;
	CHECK(op_host_binary(&host, &b) != a);
	b.inode = 1;
	b.min = 1;
	CHECK(op_host_binary(&host, &b) != a);
	b.min = 0;
	b.id_len = 1;
	CHECK(op_host_binary(&host, &b) != a);
	b.id_len = 0;
	b.name = op_view_z("/b");
	CHECK(op_host_binary(&host, &b) != a);
	CHECK_EQ(host.maps.binaries.n, 5);
	host_end();
}

static unsigned int nr_gone;

static void gone(void *arg, struct op_host_binary *b)
{
	CHECK(arg == &nr_gone && b->user == &host);
	nr_gone++;
}

/* A binary goes when nobody maps it, unless it is pinned. */
TEST(sweep)
{
	uint32_t a;

	host_begin(true);
	host.binary_gone = gone;
	host.arg = &nr_gone;
	host_map(5, 0x1000, 0x1000, "/a");
	host_map(5, 0x2000, 0x1000, "/b");
	host_map(5, 0x3000, 0x1000, "/c");
	for (size_t i = 0; i < 3; i++)
		host.maps.binaries.p[i].user = &host;
	op_host_sweep(&host, NULL, NULL);
	CHECK_EQ(nr_gone, 0);
	op_host_pin(&host, 1);
	op_host_unmap_all(&host, 5);
	op_host_sweep(&host, NULL, NULL);
	/* /a is the program, /b is pinned. */
	CHECK_EQ(nr_gone, 1);
	CHECK(host.maps.binaries.p[2].is_free);
	op_host_unpin(&host, 1);
	op_host_sweep(&host, NULL, NULL);
	CHECK_EQ(nr_gone, 2);
	CHECK(op_view_is(host_program(5), "/a"));
	host_map(5, 0x3000, 0x1000, "/d");
	a = host.maps.binaries.p[1].is_free ? 2 : 1;
	CHECK(op_view_is(host.maps.binaries.p[a].name, "/d"));
	CHECK_EQ(host.maps.binaries.n, 3);
	/* It may stay for a while, and may be mapped again meanwhile. */
	host.maps.binaries.p[a].user = &host;
	host.keep_sweeps = 1;
	op_host_unmap_all(&host, 5);
	op_host_sweep(&host, NULL, NULL);
	host_map(5, 0x3000, 0x1000, "/d");
	op_host_sweep(&host, NULL, NULL);
	op_host_unmap_all(&host, 5);
	op_host_sweep(&host, NULL, NULL);
	CHECK_EQ(nr_gone, 2);
	op_host_sweep(&host, NULL, NULL);
	CHECK_EQ(nr_gone, 3);
	host_end();
}

/* Too many mappings are an error in a file; a live process keeps those that it
 * has, and says so. */
TEST(too_many)
{
	for (int live = 0; live < 2; live++) {
		uint32_t id;

		host_begin(live);
		for (uint64_t i = 0; i <= OP_HOST_MAX_MAPS && !err.code; i++)
			host_map(5, i << 13, 0x1000, "/a");
		id = op_host_process_find(&host, 5);
		CHECK_EQ(err.code, live ? 0 : OP_ELIMIT);
		CHECK_EQ(host.tasks.processes.p[id].is_full, live);
		CHECK_EQ(host.nr_full, live ? 2 : 0);
		op_host_unmap_all(&host, 5);
		CHECK(!host.tasks.processes.p[id].is_full);
		host_end();
	}
}

TEST_MAIN(like_pages, next, binaries, sweep, too_many)
