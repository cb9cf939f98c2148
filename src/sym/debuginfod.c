// SPDX-License-Identifier: Apache-2.0
/* sym/debuginfod.c: debug files from debuginfod servers. */
#include "sym/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define LIBRARY "libdebuginfod.so.1"

typedef void *begin_fn(void);
typedef void end_fn(void *client);
typedef int find_fn(void *client, const unsigned char *id, int n, char **path);
typedef int progress_fn(void *client, long a, long b);
typedef void set_progress_fn(void *client, progress_fn *fn);
typedef void set_data_fn(void *client, void *data);
typedef void *get_data_fn(void *client);

/* Called by the library, which passes only its client: our state is stored
 * there. */
static int progress(void *client, long a, long b)
{
	void *self = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	get_data_fn *get;
	struct op_debuginfod *d;

	if (!self)
		return 0;
	get = (get_data_fn *)dlsym(self, "debuginfod_get_user_data");
	d = get ? get(client) : NULL;
	dlclose(self);
	return d && d->progress && d->progress(d->ctx, a, b);
}

static bool load(struct op_debuginfod *d)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	set_progress_fn *set_progress;
	set_data_fn *set_data;
	begin_fn *begin;

	if (!urls || !*urls)
		return false;
	/* Its dependencies cannot all be unloaded cleanly, so it stays loaded.
	 */
	d->handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!d->handle)
		return false;
	begin = (begin_fn *)dlsym(d->handle, "debuginfod_begin");
	if (begin)
		d->client = begin();
	if (!d->client)
		return false;
	set_data = (set_data_fn *)dlsym(d->handle, "debuginfod_set_user_data");
	set_progress = (set_progress_fn *)dlsym(d->handle,
						"debuginfod_set_progressfn");
	if (set_data && set_progress && d->progress) {
		set_data(d->client, d);
		set_progress(d->client, progress);
	}
	return true;
}

int op_debuginfod_find(struct op_debuginfod *d, enum op_debuginfod_kind kind,
		       struct op_view build_id)
{
	static const char *const names[] = {
		[OP_DEBUGINFOD_EXECUTABLE] = "debuginfod_find_executable",
		[OP_DEBUGINFOD_DEBUGINFO] = "debuginfod_find_debuginfo",
	};
	find_fn *find;
	int fd;

	if (d->is_off || !build_id.n || build_id.n > INT_MAX)
		return -1;
	if (!d->client && !load(d)) {
		d->is_off = true;
		return -1;
	}
	find = (find_fn *)dlsym(d->handle, names[kind]);
	if (!find)
		return -1;
	fd = find(d->client, build_id.p, (int)build_id.n, NULL);
	/* A server that lacks the file is fine. One that cannot be reached
	 * would cost the timeout again and again. */
	if (fd < 0 && fd != -ENOENT)
		d->is_off = true;
	return fd < 0 ? -1 : fd;
}

void op_debuginfod_close(struct op_debuginfod *d)
{
	end_fn *end;

	if (d->client) {
		end = (end_fn *)dlsym(d->handle, "debuginfod_end");
		if (end)
			end(d->client);
	}
	if (d->handle)
		dlclose(d->handle);
	d->client = d->handle = NULL;
}
