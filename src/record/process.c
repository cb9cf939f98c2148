// SPDX-License-Identifier: Apache-2.0
/* record/process.c: processes: what BPF knows of them, and their resources. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/semconv.h"
#include "record/recorder_int.h"

/* How often the mappings of a process are read again, at most. */
enum { REREAD_NS = 1000000000 };

/* --- mappings ------------------------------------------------------------- */

static void read_maps(struct op_recorder *r, uint32_t pid)
{
	char path[64], line[8192];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		struct op_host_mmap m = { .pid = pid, .tid = pid };
		uint64_t end;
		char prot[8];
		int at = 0;

		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
			   " %x:%x %" SCNu64 " %n",
			   &m.start, &end, prot, &m.offset, &m.maj, &m.min,
			   &m.inode, &at) < 7 ||
		    prot[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = 0;
		m.len = end - m.start;
		m.prot = PROT_READ | PROT_EXEC;
		m.name = op_view_z(line + at);
		if (!m.name.n)
			m.name = op_view_z("//anon");
		op_host_mmap(&r->host, &m);
	}
	fclose(f);
}

struct op_host_space *op_rec_space(struct op_recorder *r, uint32_t pid)
{
	uint32_t i = op_host_process_find(&r->host, pid);

	return i == OP_NO_ID ? NULL : r->host.tasks.processes.p[i].space;
}

void op_rec_reread(struct op_recorder *r, struct op_rec_process *p,
		   uint64_t now)
{
	if (p->read_ns && now - p->read_ns < REREAD_NS)
		return;
	p->read_ns = now;
	op_host_unmap_all(&r->host, p->pid);
	read_maps(r, p->pid);
}

/* What runs already is read before the first sample: a process that ends soon
 * is gone when its first sample is looked at, and its children have its
 * mappings. */
void op_rec_scan(struct op_recorder *r, uint64_t now)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	char *end;

	while (d && (e = readdir(d))) {
		unsigned long pid = strtoul(e->d_name, &end, 10);

		if (pid && !*end)
			op_rec_process(r, (uint32_t)pid, now);
	}
	if (d)
		closedir(d);
}

/* --- what BPF knows ------------------------------------------------------- */

void op_rec_process_dirty(struct op_recorder *r, struct op_rec_process *p)
{
	if (!r->bpf || p->is_dirty)
		return;
	p->is_dirty = op_vec_push(&r->mem, &r->dirty, p->pid);
}

static void bpf_forget(struct op_recorder *r, struct op_rec_process *p)
{
	if (p->is_known)
		op_bpf_proc_drop(r->bpf, p->pid);
	if (p->nr)
		op_ranges_free(&r->ranges, p->first, p->nr);
	p->is_known = false;
	p->nr = 0;
	p->space = 0;
}

/* Starts over: every process comes back with its next sample. */
static void bpf_forget_all(struct op_recorder *r)
{
	for (size_t i = 0; i < r->host.tasks.processes.n; i++) {
		struct op_rec_process *p = r->host.tasks.processes.p[i].user;

		if (p)
			bpf_forget(r, p);
	}
	op_ranges_reset(&r->ranges);
}

static void bpf_write(struct op_recorder *r, struct op_rec_process *p,
		      struct op_host_space *s)
{
	struct op_bpf_range *ranges = op_bpf_ranges(r->bpf);
	struct op_bpf_proc row = { .nr = s->nr };
	uint32_t first;

	if (!op_ranges_alloc(&r->ranges, s->nr, &first)) {
		bpf_forget_all(r);
		if (!op_ranges_alloc(&r->ranges, s->nr, &first))
			return;
	}
	for (uint32_t i = 0; i < s->nr; i++) {
		struct op_host_map *m = &s->maps[i];
		struct op_rec_binary *b;

		op_rec_locate(r, p->pid, m);
		b = op_rec_binary(r, m->binary);
		ranges[first + i] = (struct op_bpf_range){
			.start = m->start,
			.end = m->end,
			.bias = m->start - m->base,
			.table = b && !b->has_no_table ? b->table :
							 OP_BPF_NO_TABLE,
		};
	}
	row.first = first;
	if (!op_bpf_proc_set(r->bpf, p->pid, &row)) {
		op_ranges_free(&r->ranges, first, s->nr);
		return;
	}
	if (p->nr)
		op_ranges_free(&r->ranges, p->first, p->nr);
	p->first = first;
	p->nr = s->nr;
	p->is_known = true;
	p->space = s->version;
}

void op_rec_process_flush(struct op_recorder *r)
{
	for (size_t i = 0; i < r->dirty.n; i++) {
		uint32_t at = op_host_process_find(&r->host, r->dirty.p[i]);
		struct op_host_process *h;
		struct op_rec_process *p;

		if (at == OP_NO_ID)
			continue;
		h = &r->host.tasks.processes.p[at];
		p = h->user;
		if (!p || !p->is_dirty)
			continue;
		p->is_dirty = false;
		if (h->space && h->space->nr && !h->ended &&
		    h->space->version != p->space)
			bpf_write(r, p, h->space);
	}
	r->dirty.n = 0;
	op_ranges_tick(&r->ranges);
}

/* --- targets -------------------------------------------------------------- */

void op_rec_target(struct op_recorder *r, uint32_t pid)
{
	struct op_rec_process *p = op_rec_process(r, pid, 0);

	if (!p)
		return;
	p->is_target = true;
	op_bpf_target_add(r->bpf, pid);
}

void op_rec_forked(struct op_recorder *r, uint32_t from, uint32_t to)
{
	uint32_t i = op_host_process_find(&r->host, from);
	struct op_rec_process *p;

	if (from == to || i == OP_NO_ID)
		return;
	p = r->host.tasks.processes.p[i].user;
	if (p && p->is_target)
		op_rec_target(r, to);
}

/* --- filters -------------------------------------------------------------- */

/* When it started, in CLOCK_BOOTTIME; 0: not known. */
static uint64_t started_ns(uint32_t pid)
{
	char path[64], text[1024];
	unsigned long long ticks = 0;
	const char *at;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	/* The name, in parentheses, may contain anything; field 22 is the 20th
	 * behind it. */
	at = strrchr(text, ')');
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu", &ticks) != 1)
		return 0;
	return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void filter_init(const struct op_recorder *r, struct op_rec_process *p)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", p->pid);
	p->is_wanted = r->opts.uid < 0 ||
		       (!stat(path, &st) && st.st_uid == r->opts.uid);
	if (r->opts.min_age_s > 0)
		p->started_ns = started_ns(p->pid);
}

bool op_rec_is_wanted(struct op_recorder *r, const struct op_rec_process *p,
		      struct op_view thread)
{
	struct timespec t;

	if (!p->is_wanted)
		return false;
	if (r->opts.min_age_s > 0) {
		clock_gettime(CLOCK_BOOTTIME, &t);
		if (!p->started_ns ||
		    (double)t.tv_sec - (double)p->started_ns / 1e9 <
			    r->opts.min_age_s)
			return false;
	}
	return !r->opts.comm || op_regex_matches(r->opts.comm, thread, r->err);
}

/* --- processes ------------------------------------------------------------ */

void op_rec_process_gone(void *arg, struct op_host_process *h)
{
	struct op_rec_process *p = h->user;
	struct op_recorder *r = arg;

	if (!p)
		return;
	if (r->bpf)
		bpf_forget(r, p);
	if (p->is_target)
		op_bpf_target_drop(r->bpf, p->pid);
	if (p->live != OP_NO_ID)
		op_live_process_drop(&r->live, p->live);
	op_heap_free(p);
	h->user = NULL;
}

struct op_rec_process *op_rec_process(struct op_recorder *r, uint32_t pid,
				      uint64_t now)
{
	uint32_t i = op_host_process(&r->host, pid);
	struct op_host_process *h;
	struct op_rec_process *p;

	if (i == OP_NO_ID)
		return NULL;
	h = &r->host.tasks.processes.p[i];
	p = h->user;
	if (!p) {
		p = op_heap_resize(NULL, sizeof(*p), r->err);
		if (!p)
			return NULL;
		*p = (struct op_rec_process){ .pid = pid, .live = OP_NO_ID };
		p->of = h->version;
		h->user = p;
		filter_init(r, p);
		if (!h->is_born && !h->space)
			op_rec_reread(r, p, now);
	}
	if (p->of != h->version) {
		/* It has another program now. */
		p->of = h->version;
		filter_init(r, p);
		if (p->live != OP_NO_ID)
			op_live_process_drop(&r->live, p->live);
		p->live = OP_NO_ID;
	}
	return p;
}

uint32_t op_rec_resource(struct op_recorder *r, struct op_rec_process *p,
			 struct op_view thread)
{
	struct op_view path, name;
	struct op_kv kv[8];
	struct op_kvs attrs = { kv, 0 };
	uint32_t i;

	if (p->live != OP_NO_ID)
		return p->live;
	i = op_host_process_find(&r->host, p->pid);
	path = i == OP_NO_ID ? (struct op_view){ 0 } :
			       op_host_program(&r->host, i);
	name = path;
	for (size_t k = path.n; k > 0; k--)
		if (path.p[k - 1] == '/') {
			name = op_view(path.p + k, path.n - k);
			break;
		}
	if (!name.n)
		name = thread;
	kv[attrs.n++] = (struct op_kv){
		.key = op_view_z(OP_ATTR_PID),
		.value = { .kind = OP_ANY_INT, .num = p->pid },
	};
	kv[attrs.n++] = (struct op_kv){
		.key = op_view_z("process.executable.name"),
		.value = { .kind = OP_ANY_STRING, .bytes = name },
	};
	kv[attrs.n++] = (struct op_kv){
		.key = op_view_z("service.name"),
		.value = { .kind = OP_ANY_STRING, .bytes = name },
	};
	p->live = op_live_process(&r->live, &attrs);
	r->counts.processes++;
	return p->live;
}
