// SPDX-License-Identifier: Apache-2.0
#include "agent/loads.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Small ones of the C library that nothing here is linked with. */
static void *load(void)
{
	void *lib = dlopen("libanl.so.1", RTLD_NOW);

	return lib ? lib : dlopen("libutil.so.1", RTLD_NOW);
}

TEST(changes)
{
	uint64_t before = op_loads(), with, unloaded = op_unloads();
	void *lib = load();

	if (!lib)
		TEST_SKIP("no library to load");
	with = op_loads();
	CHECK(with != before);
	CHECK_EQ(op_loads(), with);
	CHECK_EQ(op_unloads(), unloaded);
	dlclose(lib);
	CHECK(op_unloads() > unloaded);
	CHECK(op_loads() != with && op_loads() != before);
}

/* In a child, the loader and op_loads() can be used. */
static int child(void)
{
	pid_t pid = fork();
	int status = -1;
	void *lib;

	if (!pid) {
		alarm(20);
		lib = load();
		op_loads();
		if (lib)
			dlclose(lib);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static _Atomic int is_over;

static void *look(void *arg)
{
	while (!is_over)
		op_loads();
	return arg;
}

TEST(forks)
{
	pthread_t t;

	op_loads_init();
	op_loads_init();
	pthread_create(&t, NULL, look, NULL);
	for (int i = 0; i < 100; i++)
		CHECK_EQ(child(), 0);
	is_over = 1;
	pthread_join(t, NULL);
}

static int in_list(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	pid_t pid = fork();

	(void)info;
	(void)bytes;
	if (!pid)
		_exit(0);
	waitpid(pid, arg, 0);
	return 1;
}

/* While another thread waits for the lock that the forking one has. */
TEST(forks_within_the_lock)
{
	int status = -1;
	pthread_t t;

	is_over = 0;
	op_loads_init();
	pthread_create(&t, NULL, look, NULL);
	dl_iterate_phdr(in_list, &status);
	CHECK_EQ(status, 0);
	is_over = 1;
	pthread_join(t, NULL);
}

TEST_MAIN(changes, forks, forks_within_the_lock)
