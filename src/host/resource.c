// SPDX-License-Identifier: Apache-2.0
/* host/resource.c: resource attributes of a running process. */
#include "host/resource.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/pairs.h"
#include "base/utf8.h"
#include "host/container.h"
#include "model/semconv.h"

/* Of the environment and the arguments no more is looked at. */
enum { ENV_BYTES = 256 << 10, ARG_BYTES = 32 << 10, MAX_ARGS = 512 };

struct work {
	const struct op_proc *p;
	uint32_t pid;
	const struct op_resource_opts *o;
	struct op_resource_attrs *out;
	struct op_arena mem; /* for texts that are read */
	struct op_view env;
};

/* --- attributes --- */

static bool has(const struct op_resource_attrs *a, struct op_view key)
{
	for (size_t i = 0; i < a->kvs.n; i++)
		if (op_view_eq(a->kvs.p[i].key, key))
			return true;
	return false;
}

/* A copy that is UTF-8, whatever it was. */
static struct op_view copy(struct op_resource_attrs *a, struct op_view v)
{
	size_t n = op_utf8_fixed_size(v);
	uint8_t *p = op_arena_alloc(a->mem, n);

	if (!p)
		return (struct op_view){ 0 };
	op_utf8_fix(v, p);
	return op_view(p, n);
}

void op_resource_put(struct op_resource_attrs *a, struct op_view key,
		     struct op_any value)
{
	struct op_kv kv = { .value = value };

	if (!key.n || has(a, key))
		return;
	kv.key = copy(a, key);
	if (kv.key.p)
		(void)op_vec_push(a->mem, &a->kvs, kv);
}

void op_resource_text(struct op_resource_attrs *a, struct op_view key,
		      struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING };

	if (!text.n || has(a, key))
		return;
	v.bytes = copy(a, text);
	if (v.bytes.p)
		op_resource_put(a, key, v);
}

static void text(struct work *w, const char *key, struct op_view v)
{
	op_resource_text(w->out, op_view_z(key), v);
}

static void num(struct work *w, const char *key, uint64_t n)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = (int64_t)n };

	op_resource_put(w->out, op_view_z(key), v);
}

/* --- the process --- */

/* A file of the process, of which more than n bytes are not read. */
static struct op_view file(struct work *w, const char *name, size_t n)
{
	uint8_t *p = op_arena_alloc(&w->mem, n);
	int64_t got = p ? op_proc_file(w->p, w->pid, name, p, n) : -1;

	return op_view(p, got > 0 ? (size_t)got : 0);
}

/* The next of strings that end with a NUL each; false at the end. */
static bool next(struct op_view *all, struct op_view *one)
{
	const uint8_t *end = all->n ? memchr(all->p, 0, all->n) : NULL;
	size_t n = end ? (size_t)(end - all->p) : all->n;

	if (!all->n)
		return false;
	*one = op_view(all->p, n);
	n += end != NULL;
	*all = op_view(all->p + n, all->n - n);
	return true;
}

/* The value of a variable, which ends with a NUL; NULL: not set, or empty. */
static const char *variable(const struct work *w, const char *name)
{
	struct op_view all = w->env, one;
	size_t n = strlen(name);

	while (next(&all, &one))
		if (one.n > n + 1 && one.p[n] == '=' && !memcmp(one.p, name, n))
			return (const char *)one.p + n + 1;
	return NULL;
}

static void env_read(struct work *w)
{
	struct op_view v = file(w, "environ", ENV_BYTES);
	const uint8_t *end = v.n ? memrchr(v.p, 0, v.n) : NULL;

	/* What was cut off is no variable. */
	w->env = op_view(v.p, end ? (size_t)(end + 1 - v.p) : 0);
}

static void args_read(struct work *w)
{
	struct op_view all = file(w, "cmdline", ARG_BYTES), one;
	struct op_any v = { .kind = OP_ANY_ARRAY };

	v.array = op_new(w->out->mem, struct op_any, MAX_ARGS);
	if (!v.array)
		return;
	while (v.n < MAX_ARGS && next(&all, &one))
		v.array[v.n++] = (struct op_any){ .kind = OP_ANY_STRING,
						  .bytes = copy(w->out, one) };
	if (v.n)
		op_resource_put(w->out, op_view_z("process.command_args"), v);
}

static struct op_view base_name(struct op_view path)
{
	const uint8_t *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	return slash ? op_view(slash + 1,
			       path.n - (size_t)(slash + 1 - path.p)) :
		       path;
}

/* "name:x:uid:..." */
static bool is_user(struct op_view line, uint32_t uid, struct op_view *name)
{
	char want[16];
	const uint8_t *a = line.n ? memchr(line.p, ':', line.n) : NULL;
	const uint8_t *end = line.p + line.n, *b, *c;
	int n = snprintf(want, sizeof(want), "%u", uid);

	b = a ? memchr(a + 1, ':', (size_t)(end - a - 1)) : NULL;
	c = b ? memchr(b + 1, ':', (size_t)(end - b - 1)) : NULL;
	if (!c || c - b - 1 != n || memcmp(b + 1, want, (size_t)n))
		return false;
	*name = op_view(line.p, (size_t)(a - line.p));
	return true;
}

/* Looked up in the host's file: other sources of users can block. */
static void owner_read(struct work *w, uint32_t uid)
{
	FILE *f = fopen(w->o->passwd ? w->o->passwd : "/etc/passwd", "re");
	char line[1024], number[16];
	struct op_view name = { 0 };

	while (f && !name.n && fgets(line, sizeof(line), f))
		is_user(op_view_z(line), uid, &name);
	if (!name.n) {
		snprintf(number, sizeof(number), "%u", uid);
		name = op_view_z(number);
	}
	text(w, "process.owner", name);
	if (f)
		fclose(f);
}

/* When the machine started, in seconds since 1970; 0: not known. */
static uint64_t boot_time(const struct work *w)
{
	char path[PATH_MAX], line[256];
	uint64_t seconds = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat",
		 w->p->root ? w->p->root : "/proc");
	f = fopen(path, "re");
	/* Of a long line the rest counts as another, without harm. */
	while (f && !seconds && fgets(line, sizeof(line), f))
		if (!strncmp(line, "btime ", 6))
			seconds = strtoull(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return seconds;
}

static void start_read(struct work *w, uint64_t ticks)
{
	uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t boot = boot_time(w);
	time_t at = (time_t)(boot + ticks / per_second);
	char day[40], all[64];
	struct tm tm;

	if (!boot || !gmtime_r(&at, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	snprintf(all, sizeof(all), "%s.%03uZ", day,
		 (unsigned int)(ticks % per_second * 1000 / per_second));
	text(w, OP_ATTR_CREATION_TIME, op_view_z(all));
}

static void process_read(struct work *w, const struct op_proc_stat *st)
{
	char exe[PATH_MAX], comm[64];
	struct op_view path = { 0 }, name;
	int64_t n;

	num(w, OP_ATTR_PID, w->pid);
	if (st->parent_pid)
		num(w, "process.parent_pid", st->parent_pid);
	if (op_proc_link(w->p, w->pid, "exe", exe, sizeof(exe))) {
		path = op_view_z(exe);
		if (op_view_ends(path, " (deleted)"))
			path.n -= strlen(" (deleted)");
	}
	name = base_name(path);
	/* The kernel's own threads, and those of others, have but a name. */
	n = name.n ? 0 : op_proc_file(w->p, w->pid, "comm", comm, sizeof(comm));
	if (n > 0)
		name = op_view(comm, (size_t)(n - (comm[n - 1] == '\n')));
	text(w, "process.executable.name", name);
	text(w, "process.executable.path", path);
	owner_read(w, st->uid);
	start_read(w, st->start_ticks);
	if (w->o->command_args)
		args_read(w);
}

/* --- the service --- */

static void variables_read(struct work *w)
{
	const char *service = variable(w, "OTEL_SERVICE_NAME");
	const char *list = variable(w, "OTEL_RESOURCE_ATTRIBUTES");
	struct op_pairs pairs = { 0 };
	struct op_err why = { 0 };

	text(w, "service.name", op_view_z(service));
	/* One that is no list is ignored as a whole, as by the SDKs. */
	if (!list || op_pairs_read(&pairs, &w->mem, list, &why))
		return;
	/* The last of a key counts, and the first that is put stays. */
	for (size_t i = pairs.n; i-- > 0;)
		op_resource_text(w->out, op_view_z(pairs.p[i].key),
				 op_view_z(pairs.p[i].value));
}

/* Of "\x2d" the byte that it stands for. */
static struct op_view unit_name(struct op_view v, char *out, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < v.n && to < n; i++) {
		unsigned int byte;
		char hex[3] = "";

		if (v.n - i >= 4 && v.p[i] == '\\' && v.p[i + 1] == 'x') {
			memcpy(hex, v.p + i + 2, 2);
			if (sscanf(hex, "%2x", &byte) == 1) {
				out[to++] = (char)byte;
				i += 3;
				continue;
			}
		}
		out[to++] = (char)v.p[i];
	}
	return op_view(out, to);
}

static void service_read(struct work *w, struct op_view cgroup)
{
	static const char key[] = "process.executable.name";
	struct op_view unit = op_systemd_service(cgroup);
	char name[256];

	text(w, "service.name", unit_name(unit, name, sizeof(name)));
	for (size_t i = 0; i < w->out->kvs.n; i++)
		if (op_view_is(w->out->kvs.p[i].key, key))
			text(w, "service.name", w->out->kvs.p[i].value.bytes);
}

static void env_put(struct work *w)
{
	char key[300];

	for (size_t i = 0; w->o->env && w->o->env[i]; i++) {
		snprintf(key, sizeof(key), "process.environment_variable.%s",
			 w->o->env[i]);
		text(w, key, op_view_z(variable(w, w->o->env[i])));
	}
}

int op_resource_read(const struct op_proc *p, uint32_t pid,
		     const struct op_resource_opts *opts,
		     struct op_resource_attrs *out)
{
	static const struct op_resource_opts none;
	struct work w = { .p = p,
			  .pid = pid,
			  .o = opts ? opts : &none,
			  .out = out,
			  .mem.err = out->mem->err };
	struct op_proc_stat st;
	struct op_view cgroup;

	if (!op_proc_stat(p, pid, &st))
		return op_fail(out->mem->err, OP_EIO, "process %u is gone",
			       pid);
	cgroup = op_cgroup_path(file(&w, "cgroup", 64 << 10));
	env_read(&w);
	process_read(&w, &st);
	text(&w, "container.id", op_container_id(cgroup));
	env_put(&w);
	variables_read(&w);
	if (w.o->context)
		w.o->context(w.o->arg, pid, out);
	service_read(&w, cgroup);
	op_arena_free(&w.mem);
	return out->mem->err->code;
}
