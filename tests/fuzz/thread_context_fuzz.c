// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the memory of a process with a library and a program: where a
 * thread context is found is a place that can be one. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/prop.h"
#include "host/thread_context.h"
#include "unit/host/image_fixture.h"

/* The input is the memory from LIBRARY_AT on. */
static char root[] = "/tmp/otprof-fuzz-XXXXXX";
static int memory = -1;

static void end(void)
{
	static const char *const names[] = { "5/maps", "5/mem", "5", "" };
	char path[64];

	for (size_t i = 0; i < op_countof(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		(void)remove(path);
	}
}

static int file_make(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/5/%s", root, name);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	PROP(fd >= 0);
	return fd;
}

static void begin(void)
{
	const ssize_t n = (ssize_t)strlen(image_maps);
	char path[64];
	int fd;

	PROP(mkdtemp(root) && !atexit(end));
	snprintf(path, sizeof(path), "%s/5", root);
	PROP(!mkdir(path, 0700));
	fd = file_make("maps");
	PROP(write(fd, image_maps, (size_t)n) == n);
	close(fd);
	memory = file_make("mem");
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_proc proc = { .root = root };
	struct op_thread_context c;
	bool is_found;

	if (memory < 0)
		begin();
	PROP(!ftruncate(memory, 0));
	PROP(pwrite(memory, p, n, LIBRARY_AT) == (ssize_t)n);
	is_found = op_thread_context_find(&proc, 5, &c);
	PROP(is_found == (c.kind != OP_THREAD_CONTEXT_NONE));
	if (c.kind == OP_THREAD_CONTEXT_STATIC)
		PROP(!c.module && c.offset < 0 && c.offset > -(1 << 30));
	else if (c.kind == OP_THREAD_CONTEXT_DTV)
		PROP(c.module && c.module <= 4096 && c.offset >= 0);
	else
		PROP(!c.kind && !c.module && !c.offset);
	return 0;
}
