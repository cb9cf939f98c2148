// SPDX-License-Identifier: Apache-2.0
#include "host/cgroup.h"

#include "host_fixture.h"

static void add(uint64_t id, const char *path)
{
	struct op_host_cgroup c = { id, op_view_z(path) };

	op_host_cgroup_add(&host, &c);
}

TEST(first_path_stays)
{
	host_begin(false);
	add(7, "/a");
	add(7, "/b");
	add(8, "/c");
	CHECK(op_view_is(op_host_cgroup(&host, 7), "/a"));
	CHECK(op_view_is(op_host_cgroup(&host, 8), "/c"));
	CHECK_EQ(op_host_cgroup(&host, 9).n, 0);
	host_end();
}

/* Of a live host, those that were used last are kept. */
TEST(live_limit)
{
	char path[40];
	size_t used = 0;

	host_begin(true);
	for (uint64_t i = 1; i < 20 * OP_HOST_MAX_CGROUPS; i++) {
		snprintf(path, sizeof(path), "/cgroup/%u", (unsigned int)i);
		add(i, path);
		CHECK(op_view_is(op_host_cgroup(&host, 1), "/cgroup/1"));
		CHECK(op_view_is(op_host_cgroup(&host, i), path));
		if (i == OP_HOST_MAX_CGROUPS)
			used = host.mem.used;
	}
	CHECK_EQ(op_host_cgroup(&host, 2).n, 0);
	CHECK_EQ(host.mem.used, used);
	host_end();
}

TEST_MAIN(first_path_stays, live_limit)
