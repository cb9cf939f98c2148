// SPDX-License-Identifier: Apache-2.0
/* libotprof-agent.so, as a program that loads it has it. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent_fixture.h"
#include "child.h"
#include "otprof.h"

static int (*start)(const struct otprof_agent_opts *, struct otprof_err *);
static void (*stop)(void);

static bool load(void)
{
	const char *build = getenv("BUILD");
	char path[4096];
	void *lib;

	snprintf(path, sizeof(path), "%s/libotprof-agent.so",
		 build ? build : "build");
	lib = dlopen(path, RTLD_NOW);
	if (!lib)
		return false;
	*(void **)&start = dlsym(lib, "otprof_agent_start");
	*(void **)&stop = dlsym(lib, "otprof_agent_stop");
	dlclose(lib); /* it stays */
	snprintf(path, sizeof(path), "%s/otprof", build ? build : "build");
	setenv("OTPROF_PROGRAM", path, 1);
	return start && stop;
}

static bool is_there(void *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size;
}

static void in_child(const void *ctx)
{
	struct otprof_agent_opts o = { .sz = sizeof(o), .interval_ms = 5 };
	struct otprof_err err = { 0 };
	struct worker w = { 0 };
	char output[200];

	setenv("OTPROF_AGENT_REPORT", "1", 1);
	snprintf(output, sizeof(output), "file:%s", (const char *)ctx);
	o.output = output;
	if (start(&o, &err) || start(&o, &err))
		_exit(3);
	worker_start(&w);
	usleep(600000);
	worker_stop(&w);
	stop();
	stop();
	_exit(start(&o, &err) == OTPROF_EUSAGE ? 0 : 4);
}

TEST(starts_and_stops)
{
	char path[64], said[2000];
	int status;

	if (!load())
		TEST_SKIP("the agent cannot be loaded here");
	snprintf(path, sizeof(path), "agent-%d.otlp", (int)getpid());
	status = child_run(in_child, path, said, sizeof(said));
	CHECK_EQ(status, 0);
	CHECK(wait_until(is_there, path));
	CHECK(strstr(said, "samples in"));
	unlink(path);
}

static void refused(const void *ctx)
{
	struct otprof_agent_opts o = { .sz = sizeof(o) };
	struct otprof_err err = { 0 };

	if (!strcmp(ctx, "size"))
		o.sz--;
	else if (!strcmp(ctx, "interval"))
		o.interval_ms = 3600001;
	else
		setenv("SPLUNK_PROFILER_ENABLED", "false", 1);
	_exit(start(&o, &err) == OTPROF_EUSAGE && err.text[0] ? 0 : 1);
}

TEST(refuses)
{
	static const char *const what[] = { "size", "interval", "environment" };
	char said[2000];

	if (!load())
		TEST_SKIP("the agent cannot be loaded here");
	for (size_t i = 0; i < op_countof(what); i++)
		CHECK_EQ(child_run(refused, what[i], said, sizeof(said)), 0);
}

TEST_MAIN(starts_and_stops, refuses)
