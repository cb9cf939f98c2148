// SPDX-License-Identifier: Apache-2.0
#include "host/container.h"

#include "test.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba98765432100123456789abcdef0123456789abcdef0123456789abcdef"
#define ECS "0123456789abcdef0123456789abcdef-1234567890"

static const struct {
	const char *path, *id;
} ids[] = {
	{ "", "" },
	{ "/", "" },
	{ "/docker/" ID, ID },
	{ "/system.slice/docker-" ID ".scope", ID },
	{ "/system.slice/docker-" ID ".scope/init", ID },
	{ "/kubepods/besteffort/pod1234-5678/" ID, ID },
	{ "/kubepods.slice/kubepods-pod1_2.slice/cri-containerd-" ID ".scope",
	  ID },
	{ "/system.slice/containerd.service/kubepods-besteffort-pod1.slice:"
	  "cri-containerd:" ID,
	  ID },
	{ "/default/" ID, ID },
	{ "/kubepods.slice/crio-" ID ".scope", ID },
	{ "/kubepods.slice/crio-conmon-" ID ".scope", "" },
	{ "/machine.slice/libpod-" ID ".scope", ID },
	{ "/machine.slice/libpod-" ID ".scope/container", ID },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "" },
	{ "/user.slice/user-0.slice/user@0.service/user.slice/libpod-" ID
	  ".scope/container",
	  ID },
	{ "/libpod_parent/libpod-" ID, ID },
	{ "/ecs/task/" ID, ID },
	{ "/ecs/0123456789abcdef/" ECS, ECS },
	{ "/docker/" ID "/docker/" ID2, ID2 },
	{ "/docker/" ID "0", "" },
	{ "/docker/0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789"
	  "ABCDEF",
	  "" },
	{ "/system.slice/nginx.service", "" },
	{ ID, ID },
	{ "/-", "" },
	{ "/.scope", "" },
};

TEST(container)
{
	for (size_t i = 0; i < op_countof(ids); i++) {
		struct op_view got = op_container_id(op_view_z(ids[i].path));

		if (!op_view_is(got, ids[i].id))
			TEST_FAIL("%s: %.*s", ids[i].path, (int)got.n, got.p);
	}
}

static const struct {
	const char *path, *unit;
} units[] = {
	{ "", "" },
	{ "/", "" },
	{ "/system.slice/nginx.service", "nginx" },
	{ "/system.slice/nginx.service/worker", "nginx" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1" },
	{ "/user.slice/user-1000.slice/session-3.scope", "" },
	{ "/user.slice/user@1000.service/app.slice/app-x.service", "app-x" },
	{ "/user.slice/user@1000.service/tmux-1.scope", "" },
	{ "/system.slice/.service", "" },
};

TEST(unit)
{
	for (size_t i = 0; i < op_countof(units); i++) {
		struct op_view got = op_systemd_service(
			op_view_z(units[i].path));

		if (!op_view_is(got, units[i].unit))
			TEST_FAIL("%s: %.*s", units[i].path, (int)got.n, got.p);
	}
}

TEST(path)
{
	static const char v1[] = "12:pids:/user.slice\n"
				 "4:cpu,cpuacct:/docker/abc\n0::/x\n";

	CHECK(op_view_is(op_cgroup_path(op_view_z("0::/a:b\n")), "/a:b"));
	CHECK(op_view_is(op_cgroup_path(op_view_z("0::/a")), "/a"));
	CHECK(op_view_is(op_cgroup_path(op_view_z(v1)), "/user.slice"));
	CHECK_EQ(op_cgroup_path(op_view_z("")).n, 0);
	CHECK_EQ(op_cgroup_path(op_view_z("\n\n:\n::\n0:\n")).n, 0);
}

TEST_MAIN(container, unit, path)
