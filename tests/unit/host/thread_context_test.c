// SPDX-License-Identifier: Apache-2.0
/* Where the variable is found to be is where the process itself has it. */
#include "host/thread_context.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include "context_fixture.h"
#include "host/proc_memory.h"
#include "proc_tree.h"

static struct op_proc proc;
static struct op_thread_context found;

/* A program or library that was built beside this test. */
static const char *path_of(const char *name)
{
	static char path[PATH_MAX + 40];
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	snprintf(path, sizeof(path), "%s/%s", self, name);
	return path;
}

static bool is_built(void)
{
	return !access(path_of("tls_pie"), X_OK);
}

/* As a recorder computes it. */
static uint64_t address(uint32_t pid, uint64_t thread_pointer)
{
	uint64_t dtv = 0, block = 0;

	if (found.kind == OP_THREAD_CONTEXT_STATIC)
		return thread_pointer + (uint64_t)found.offset;
	if (found.kind != OP_THREAD_CONTEXT_DTV ||
	    !op_proc_memory(&proc, pid, thread_pointer + 8, &dtv, 8) ||
	    !op_proc_memory(&proc, pid, dtv + 16 * found.module, &block, 8))
		return 0;
	return block + (uint64_t)found.offset;
}

/* --- libraries --- */

enum { CONTEXT, LOAD, THREAD_POINTER };

static const char *libraries[2];

static uint64_t load(void)
{
	void *(*fn)(void) = NULL;

	for (size_t i = 0; i < op_countof(libraries) && libraries[i]; i++) {
		void *lib = dlopen(path_of(libraries[i]),
				   RTLD_NOW | RTLD_GLOBAL);

		if (!lib)
			fprintf(stderr, "%s\n", dlerror());
		*(void **)&fn = lib ? dlsym(lib, "tls_address") : NULL;
	}
	return fn ? (uint64_t)(uintptr_t)fn() : 0;
}

static uint64_t host(int step)
{
	switch (step) {
	case CONTEXT:
		context_map();
		break;
	case LOAD:
		return load();
	case THREAD_POINTER:
		return (uint64_t)pthread_self();
	}
	return 0;
}

TEST(in_libraries)
{
	enum { ANY = 99 };
	static const struct {
		const char *names[2];
		uint32_t kind;
	} rows[] = {
		{ { "tls_ie.so" }, OP_THREAD_CONTEXT_STATIC },
		{ { "tls_ie_local.so" }, OP_THREAD_CONTEXT_STATIC },
		/* Whether a small one is in static TLS is up to glibc. */
		{ { "tls_desc.so" }, ANY },
		{ { "tls_desc_local.so" }, ANY },
		{ { "tls_desc_big.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_local.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_big.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_sysv.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_variable.so", "tls_reference.so" },
		  OP_THREAD_CONTEXT_STATIC },
	};

	if (!is_built())
		TEST_SKIP("thread contexts are for x86-64");
	proc = (struct op_proc){ 0 };
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct child c;
		uint32_t pid;
		uint64_t want;

		memcpy(libraries, rows[i].names, sizeof(libraries));
		c = child_begin(host);
		pid = (uint32_t)c.pid;
		want = child_do(&c, LOAD);
		CHECK(want != 0);
		CHECK(!op_thread_context_find(&proc, pid, &found));
		child_do(&c, CONTEXT);
		CHECK(op_thread_context_find(&proc, pid, &found));
		if (address(pid, child_do(&c, THREAD_POINTER)) != want ||
		    (rows[i].kind != ANY && rows[i].kind != found.kind))
			TEST_FAIL("%s: kind %u, module %u, offset %lld",
				  rows[i].names[0], found.kind, found.module,
				  (long long)found.offset);
		child_end(&c);
	}
}

/* A process with a context, but without the variable. */
TEST(none)
{
	struct child c = child_begin(host);

	proc = (struct op_proc){ 0 };
	child_do(&c, CONTEXT);
	CHECK(!op_thread_context_find(&proc, (uint32_t)c.pid, &found));
	CHECK_EQ(found.kind, OP_THREAD_CONTEXT_NONE);
	child_end(&c);
	CHECK(!op_thread_context_find(&proc, (uint32_t)c.pid, &found));
}

/* --- programs --- */

static pid_t program_begin(const char *name, int *to, uint64_t where[2])
{
	int in[2], out[2];
	pid_t pid;

	CHECK_EQ(pipe(in), 0);
	CHECK_EQ(pipe(out), 0);
	pid = fork();
	if (!pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl(path_of(name), name, NULL);
		_exit(3);
	}
	close(in[0]);
	close(out[1]);
	CHECK_EQ(read(out[0], where, 16), 16);
	close(out[0]);
	*to = in[1];
	return pid;
}

TEST(in_programs)
{
	static const char *const names[] = { "tls_pie", "tls_exec" };

	if (!is_built())
		TEST_SKIP("thread contexts are for x86-64");
	proc = (struct op_proc){ 0 };
	for (size_t i = 0; i < op_countof(names); i++) {
		uint64_t where[2] = { 0 };
		int status = 0, to;
		pid_t pid = program_begin(names[i], &to, where);

		CHECK(op_thread_context_find(&proc, (uint32_t)pid, &found));
		CHECK_EQ(found.kind, OP_THREAD_CONTEXT_STATIC);
		CHECK(where[1] && address((uint32_t)pid, where[0]) == where[1]);
		close(to);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

TEST(schemas)
{
	CHECK(op_thread_context_is_schema(op_view_z("tls_v1")));
	CHECK(op_thread_context_is_schema(op_view_z("tlsdesc_v1_dev")));
	CHECK(!op_thread_context_is_schema(op_view_z("go_pprof_labels_v1")));
	CHECK(!op_thread_context_is_schema(op_view_z("")));
}

TEST_MAIN(in_libraries, none, in_programs, schemas)
