// SPDX-License-Identifier: Apache-2.0
#include "host/task.h"

#include "host_fixture.h"

TEST(exec_and_fork)
{
	host_begin(false);
	host_exec(10, "sh");
	host_map(10, 0x1000, 0x1000, "/bin/sh");
	host_map(10, 0x4000, 0x1000, "/lib/c");
	CHECK(op_view_is(host_program(10), "/bin/sh"));
	host_fork(10, 11, 11);
	CHECK(op_view_is(host_program(11), "/bin/sh"));
	CHECK(op_view_is(host_name(11), "sh"));
	CHECK(op_view_is(host_at(11, 0x4fff), "/lib/c"));
	/* A change of the child's is not the parent's. */
	host_exec(11, "ls");
	host_map(11, 0x1000, 0x1000, "/bin/ls");
	CHECK(op_view_is(host_program(11), "/bin/ls"));
	CHECK(op_view_is(host_name(11), "ls"));
	CHECK(op_view_is(host_at(11, 0x1000), "/bin/ls"));
	CHECK(op_view_is(host_at(11, 0x4000), "/lib/c"));
	CHECK(op_view_is(host_at(10, 0x1000), "/bin/sh"));
	CHECK(op_view_is(host_name(10), "sh"));
	CHECK(op_view_is(host_name(0), ""));
	op_host_thread(&host, 0, 0);
	CHECK(op_view_is(host_name(0), "swapper"));
	CHECK_EQ(err.code, 0);
	host_end();
}

/* Of what is recorded now, what was mapped before exec() is gone. */
TEST(live_exec)
{
	host_begin(true);
	host_exec(10, "sh");
	host_map(10, 0x1000, 0x1000, "/bin/sh");
	host_fork(10, 11, 11);
	host_exec(11, "ls");
	CHECK(op_view_is(host_at(11, 0x1000), ""));
	CHECK(op_view_is(host_at(10, 0x1000), "/bin/sh"));
	host_end();
}

/* A row that another thread has now has another life and version. */
TEST(versions)
{
	const struct op_host_thread *t;
	uint64_t version, life;
	uint32_t id;

	host_begin(false);
	host_fork(1, 10, 10);
	id = op_host_thread_find(&host, 10);
	t = &host.tasks.threads.p[id];
	version = t->version;
	life = t->life;
	CHECK_EQ(op_host_thread(&host, 10, 10), id);
	CHECK_EQ(t->version, version);
	CHECK_EQ(op_host_thread(&host, 99, 10), id);
	CHECK(t->version != version && t->life == life && t->pid == 99);
	version = t->version;
	host_exec(99, "a");
	CHECK_EQ(t->version, version);
	host_exec(10, "a");
	CHECK(t->version != version && t->life == life);
	host_end();
}

/* What ended is known for a while, and not for ever. */
TEST(ended_is_kept)
{
	host_begin(true);
	host_exec(1, "init");
	for (uint32_t pid = 2; pid <= 2 + OP_HOST_ENDED_PROCESSES; pid++) {
		host_fork(1, pid, pid);
		host_map(pid, 0x1000, 0x1000, "/bin/a");
		host_exit(pid, pid);
		CHECK(op_view_is(host_at(pid, 0x1000), "/bin/a"));
	}
	CHECK_EQ(op_host_process_find(&host, 2), OP_NO_ID);
	CHECK(op_view_is(host_at(3, 0x1000), "/bin/a"));
	CHECK(op_view_is(host_name(3), "init"));
	host_end();
}

/* Of a file the names stay, since they take little. */
TEST(ended_in_a_file)
{
	host_begin(false);
	host_exec(1, "init");
	for (uint32_t pid = 2; pid <= 2 + 2 * OP_HOST_ENDED_THREADS; pid++) {
		host_fork(1, pid, pid);
		host_map(pid, 0x1000, 0x1000, "/bin/a");
		host_exit(pid, pid);
	}
	CHECK(op_view_is(host_program(2), "/bin/a"));
	CHECK(op_view_is(host_name(2), "init"));
	CHECK(op_view_is(host_at(2, 0x1000), ""));
	host_end();
}

/* A number that is used again is that of a new process. */
TEST(pid_again)
{
	host_begin(true);
	host_exec(1, "init");
	host_fork(1, 2, 2);
	host_map(2, 0x1000, 0x1000, "/bin/old");
	host_exit(2, 2);
	host_fork(1, 2, 2);
	CHECK(op_view_is(host_at(2, 0x1000), ""));
	/* Its end was of the old one: it stays whatever else ends. */
	for (uint32_t i = 0; i < 3 * OP_HOST_ENDED_THREADS; i++) {
		host_fork(1, 1000 + i, 1000 + i);
		host_exit(1000 + i, 1000 + i);
	}
	CHECK(op_host_process_find(&host, 2) != OP_NO_ID);
	CHECK(op_host_thread_find(&host, 2) != OP_NO_ID);
	CHECK(op_view_is(host_name(2), "init"));
	host_end();
}

/* A process ends with its last thread, if all of them are known. */
TEST(last_thread)
{
	uint32_t id;

	host_begin(false);
	host_fork(1, 2, 2);
	host_fork(2, 2, 3);
	id = op_host_process_find(&host, 2);
	host_exit(2, 2);
	CHECK_EQ(host.tasks.processes.p[id].ended, 0);
	host_exit(2, 3);
	CHECK_EQ(host.tasks.processes.p[id].ended, 1);
	host_fork(1, 4, 4);
	host.tasks.is_incomplete = true;
	host_exit(4, 4);
	id = op_host_process_find(&host, 4);
	CHECK_EQ(host.tasks.processes.p[id].ended, 0);
	/* Of what ran before, nobody knows how many threads there are. */
	host.tasks.is_incomplete = false;
	host_map(5, 0, 1, "/a");
	host_exit(5, 5);
	id = op_host_process_find(&host, 5);
	CHECK_EQ(host.tasks.processes.p[id].ended, 0);
	host_end();
}

/* The first thread may end before another calls exec() and takes its number. */
TEST(exec_of_another_thread)
{
	host_begin(true);
	host_fork(1, 2, 2);
	host_fork(2, 2, 3);
	host_exit(2, 2);
	host_exec(2, "new");
	for (uint32_t i = 0; i < 2 * OP_HOST_ENDED_THREADS; i++) {
		host_fork(1, 1000 + i, 1000 + i);
		host_exit(1000 + i, 1000 + i);
	}
	CHECK(op_view_is(host_name(2), "new"));
	host_end();
}

/* However many come and go, memory does not grow. */
TEST(memory_stays)
{
	size_t used = 0, used_maps = 0;
	char name[40];

	host_begin(true);
	host_exec(1, "init");
	host_map(1, 0x1000, 0x1000, "/sbin/init");
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t pid = 2 + i;

		host_fork(1, pid, pid);
		snprintf(name, sizeof(name), "/bin/program-%u", i);
		host_exec(pid, name + 5);
		host_map(pid, 0x1000, 0x1000, name);
		for (uint64_t at = 1; at <= 40 + i % 20; at++)
			host_map(pid, at << 20, 0x1000, "/lib/c");
		host_map(pid, (uint64_t)99 << 20, 0x1000, "");
		host_fork(pid, pid, 1000000 + pid);
		host_exit(pid, 1000000 + pid);
		host_exit(pid, pid);
		if (i % 100 == 0)
			op_host_sweep(&host, NULL, NULL);
		if (i == 5000) {
			used = host.mem.used;
			used_maps = host.maps.mem.used;
		}
	}
	CHECK_EQ(err.code, 0);
	CHECK_EQ(host.mem.used, used);
	CHECK_EQ(host.maps.mem.used, used_maps);
	CHECK(host.mem.used + host.maps.mem.used < 4 << 20);
	CHECK(op_view_is(host_at(1, 0x1000), "/sbin/init"));
	host_end();
}

static bool is_odd(void *arg, uint32_t pid)
{
	(void)arg;
	return pid & 1;
}

/* Ends that no record told of are found by the sweep. */
TEST(lost_ends)
{
	size_t used = 0;

	host_begin(true);
	host.tasks.is_incomplete = true;
	for (uint32_t i = 1; i < 20000; i++) {
		host_fork(1, 2 * i, 2 * i);
		host_fork(2 * i, 2 * i, 2 * i + 1000001);
		host_map(2 * i, 0x1000, 0x1000, "/bin/a");
		if (i % 100 == 0)
			op_host_sweep(&host, is_odd, NULL);
		if (i == 2000)
			used = host.mem.used;
	}
	CHECK_EQ(host.mem.used, used);
	CHECK(op_host_process_find(&host, 1) != OP_NO_ID);
	CHECK_EQ(op_host_process_find(&host, 2), OP_NO_ID);
	CHECK_EQ(op_host_thread_find(&host, 2), OP_NO_ID);
	CHECK_EQ(op_host_thread_find(&host, 1000003), OP_NO_ID);
	host_end();
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		host_begin(true);
		for (uint32_t pid = 2; pid < 400 && !err.code; pid++) {
			host_fork(1, pid, pid);
			host_exec(pid, "a");
			host_map(pid, 0x1000, 0x1000, "/bin/a");
			host_map(pid, 0x9000, 0x1000, "");
			host_exit(pid, pid);
			op_host_sweep(&host, NULL, NULL);
		}
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : 0);
		host_end();
	}
}

TEST_MAIN(exec_and_fork, live_exec, versions, ended_is_kept, ended_in_a_file,
	  pid_again, last_thread, exec_of_another_thread, memory_stays,
	  lost_ends, each_alloc_fails)
