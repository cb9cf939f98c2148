// SPDX-License-Identifier: Apache-2.0
/* host/sideband.c: what records say of mappings; any record by its type. */
#include <stdio.h>
#include <sys/mman.h>

#include "host/host.h"

/* --- the kernel --- */

/* Of the kernel only what it can execute after its start is recorded, but its
 * first callers are in what comes behind that. */
static void kernel_grow(const struct op_host *h, struct op_host_map *map)
{
	const uint64_t most = (uint64_t)1 << 30;
	uint64_t end = map->start + most < most ? UINT64_MAX :
						  map->start + most;
	uint64_t next = op_host_map_next(&h->maps.kernel, map->end);

	if (end > next)
		end = next;
	if (end > map->end)
		map->end = end;
}

/* "[kernel.kallsyms]_text" says what its address is of. */
static void kernel_name(struct op_host_binary *b)
{
	const uint8_t *end = b->name.n ? memchr(b->name.p, ']', b->name.n) :
					 NULL;

	if (end && b->name.p[0] == '[')
		b->name.n = (size_t)(end + 1 - b->name.p);
}

static void kernel_add(struct op_host *h, struct op_host_map *map,
		       struct op_host_binary *b)
{
	b->kind = OP_BINARY_KERNEL;
	map->base = map->start;
	map->binary = op_host_binary(h, b);
	if (!h->err->code)
		op_host_map_add(h, &h->maps.kernel, map);
}

void op_host_ksymbol(struct op_host *h, const struct op_host_ksymbol *r)
{
	struct op_host_binary b = { .name = r->name };
	struct op_host_map map = { .start = r->start,
				   .end = r->start + r->len,
				   .user = OP_NO_ID };

	if (map.end < map.start)
		return;
	if (r->is_gone)
		op_host_map_cut(h, &h->maps.kernel, map.start, map.end);
	else
		kernel_add(h, &map, &b);
}

/* --- processes --- */

static bool begins(struct op_view v, const char *s)
{
	size_t n = strlen(s);

	return v.n >= n && !memcmp(v.p, s, n);
}

/* Code that was made at run time is named by the file that says what it is,
 * which perf looks for too. */
static void code_name(struct op_host_binary *b, uint32_t pid, char *text,
		      size_t n)
{
	if (!begins(b->name, "//anon") && !begins(b->name, "/dev/zero") &&
	    !begins(b->name, "/anon_hugepage") && b->name.n)
		return;
	snprintf(text, n, "/tmp/perf-%d.map", (int32_t)pid);
	b->name = op_view_z(text);
	b->kind = OP_BINARY_CODE;
}

/* A live process with too many mappings keeps those it has. */
static bool is_full(struct op_host *h, struct op_host_process *p)
{
	if (!h->is_live || !p->space || p->space->nr < OP_HOST_MAX_MAPS - 1)
		return false;
	p->is_full = true;
	h->nr_full++;
	return true;
}

static void user_add(struct op_host *h, uint32_t pid, struct op_host_map *map,
		     struct op_host_binary *b)
{
	uint32_t process = op_host_process(h, pid);
	struct op_host_process *p;
	char text[40];

	code_name(b, pid, text, sizeof(text));
	if (b->name.p[0] == '[' && !op_view_is(b->name, "[vdso]"))
		b->kind = OP_BINARY_CODE;
	map->base = b->kind == OP_BINARY_CODE ? map->start : map->offset;
	map->binary = op_host_binary(h, b);
	if (h->err->code)
		return;
	p = &h->tasks.processes.p[process];
	if (p->is_fresh && b->kind == OP_BINARY_FILE && b->name.p[0] == '/') {
		p->is_fresh = false;
		p->program = map->binary;
		p->version = op_host_version(h);
	}
	if (!is_full(h, p) && op_host_space_own(h, &p->space))
		op_host_map_add(h, p->space, map);
}

void op_host_mmap(struct op_host *h, const struct op_host_mmap *r)
{
	struct op_host_map map = { .start = r->start,
				   .end = r->start + r->len,
				   .offset = r->offset,
				   .user = OP_NO_ID };
	struct op_host_binary b;

	if (!r->is_kernel && !(r->prot & PROT_EXEC))
		return;
	b = (struct op_host_binary){ .name = r->name,
				     .maj = r->maj,
				     .min = r->min,
				     .inode = r->inode,
				     .id_len = r->id_len };
	memcpy(b.id, r->id, sizeof(b.id));
	if (map.end < map.start)
		map.end = UINT64_MAX;
	if (!r->is_kernel) {
		user_add(h, r->pid, &map, &b);
		return;
	}
	kernel_name(&b);
	if (op_view_is(b.name, "[kernel.kallsyms]"))
		kernel_grow(h, &map);
	kernel_add(h, &map, &b);
}

/* --- any record --- */

static bool mmap_apply(struct op_host *h, const struct op_record *r)
{
	unsigned int mode = r->misc & OP_MISC_MODE;
	struct op_host_mmap m;

	if (!op_record_mmap(r, &m))
		return false;
	/* Those of guests are not of this host. */
	if (mode <= OP_MISC_USER)
		op_host_mmap(h, &m);
	return true;
}

bool op_host_apply(struct op_host *h, const struct op_record *r)
{
	struct op_host_ksymbol ksymbol;
	struct op_host_cgroup cgroup;
	struct op_host_comm comm;
	struct op_host_task task;
	bool ok = false;

	switch (r->type) {
	case OP_RECORD_MMAP:
	case OP_RECORD_MMAP2:
		return mmap_apply(h, r);
	case OP_RECORD_COMM:
		ok = op_record_comm(r, &comm);
		if (ok)
			op_host_comm(h, &comm);
		return ok;
	case OP_RECORD_FORK:
	case OP_RECORD_EXIT:
		ok = op_record_task(r, &task);
		if (ok && r->type == OP_RECORD_FORK)
			op_host_fork(h, &task);
		else if (ok)
			op_host_exit(h, &task);
		return ok;
	case OP_RECORD_KSYMBOL:
		ok = op_record_ksymbol(r, &ksymbol);
		if (ok)
			op_host_ksymbol(h, &ksymbol);
		return ok;
	case OP_RECORD_CGROUP:
		ok = op_record_cgroup(r, &cgroup);
		if (ok)
			op_host_cgroup_add(h, &cgroup);
		return ok;
	}
	return ok;
}
