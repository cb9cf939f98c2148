// SPDX-License-Identifier: Apache-2.0
/* host/proc.c: running processes, from /proc. */
#include "host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "sym/build_id.h"
#include "sym/elf.h"
#include "sym/open.h"

/* Enough for program headers and notes; a line is a path and a few numbers. */
enum { HEAD_BYTES = 64 << 10, TEXT_BYTES = 64 << 10, MAX_IDS = 8192 };

static const char *root_of(const struct op_proc *p)
{
	return p->root ? p->root : "/proc";
}

static bool path_of(const struct op_proc *p, uint32_t pid, const char *name,
		    char out[PATH_MAX])
{
	int n = snprintf(out, PATH_MAX, "%s/%u%s%s", root_of(p), pid,
			 *name ? "/" : "", name);

	return n > 0 && n < PATH_MAX;
}

static int file_open(const struct op_proc *p, uint32_t pid, const char *name)
{
	char path[PATH_MAX];

	return path_of(p, pid, name, path) ?
		       open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) :
		       -1;
}

/* As much as there is, up to n bytes. */
static int64_t read_all(int fd, uint8_t *out, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = read(fd, out + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

int64_t op_proc_file(const struct op_proc *p, uint32_t pid, const char *name,
		     void *out, size_t n)
{
	int fd = file_open(p, pid, name);
	int64_t got = fd < 0 ? -1 : read_all(fd, out, n);

	if (fd >= 0)
		close(fd);
	return got;
}

bool op_proc_link(const struct op_proc *p, uint32_t pid, const char *name,
		  char *out, size_t n)
{
	char path[PATH_MAX];
	ssize_t got = path_of(p, pid, name, path) ? readlink(path, out, n) : -1;

	if (got < 0 || (size_t)got >= n)
		return false;
	out[got] = 0;
	return true;
}

/* --- lists --- */

static bool number(const char *s, uint32_t *out)
{
	uint64_t v = 0;

	for (; *s >= '0' && *s <= '9' && v <= INT32_MAX; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*out = (uint32_t)v;
	return !*s && v && v <= INT32_MAX;
}

static bool each_number(const char *path, op_proc_id_fn *fn, void *arg)
{
	DIR *d = opendir(path);
	struct dirent *e;
	uint32_t id;

	if (!d)
		return false;
	while ((e = readdir(d)))
		if (number(e->d_name, &id))
			fn(arg, id);
	closedir(d);
	return true;
}

bool op_proc_pids(const struct op_proc *p, op_proc_id_fn *fn, void *arg)
{
	return each_number(root_of(p), fn, arg);
}

bool op_proc_tids(const struct op_proc *p, uint32_t pid, op_proc_id_fn *fn,
		  void *arg)
{
	char path[PATH_MAX];

	return path_of(p, pid, "task", path) && each_number(path, fn, arg);
}

bool op_proc_is_alive(const struct op_proc *p, uint32_t pid)
{
	char path[PATH_MAX];

	return path_of(p, pid, "", path) && !access(path, F_OK);
}

/* --- build ids --- */

static bool id_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_proc_id *a = (const struct op_proc_id *)table + id;
	const struct op_proc_id *b = key;

	return a->dev == b->dev && a->ino == b->ino &&
	       a->mtime_ns == b->mtime_ns && a->size == b->size;
}

static uint32_t id_hash(const struct op_proc_id *i)
{
	uint64_t words[] = { i->dev, i->ino, i->mtime_ns, i->size };

	return op_hash_words(words, op_countof(words));
}

static struct op_proc_id id_key(const struct stat *st)
{
	return (struct op_proc_id){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			    (uint64_t)st->st_mtim.tv_nsec,
		.size = (uint64_t)st->st_size,
	};
}

static bool id_find(const struct op_proc *p, struct op_proc_id *i)
{
	uint32_t found = op_intern_find(&p->index, id_hash(i), id_eq, p->ids.p,
					i);

	if (found != OP_NO_ID)
		*i = p->ids.p[found];
	return found != OP_NO_ID;
}

void op_proc_fini(struct op_proc *p)
{
	op_arena_free(&p->mem);
	p->index = (struct op_intern){ 0 };
	p->ids.p = NULL;
	p->ids.n = p->ids.cap = 0;
}

/* What there is no memory for is looked at again. */
static void id_keep(struct op_proc *p, const struct op_proc_id *i)
{
	op_arena_tells(&p->mem, OP_IGNORED);
	if (p->ids.n >= MAX_IDS)
		op_proc_fini(p);
	if (!op_vec_push(&p->mem, &p->ids, *i))
		return;
	if (!op_intern_add(&p->index, &p->mem, id_hash(i),
			   (uint32_t)p->ids.n - 1))
		p->ids.n--;
}

static void id_read(struct op_proc *p, int fd, struct op_proc_id *i)
{
	uint8_t head[HEAD_BYTES];
	struct op_err err = { 0 };
	struct op_view id;
	struct op_elf elf;
	ssize_t n = pread(fd, head, sizeof(head), 0);

	p->nr_opened++;
	if (n > 0 && !op_elf_open(&elf, op_view(head, (size_t)n), &err) &&
	    op_build_id_gnu(&elf, &id) && id.n <= sizeof(i->id)) {
		i->id_len = (uint8_t)id.n;
		memcpy(i->id, id.p, id.n);
	}
	id_keep(p, i);
}

/* By the link of the mapping itself, which always leads to the file that is
 * mapped, but needs a privilege. */
static bool id_by_link(struct op_proc *p, const struct op_host_mmap *m,
		       struct op_proc_id *out)
{
	char path[PATH_MAX], name[64];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "map_files/%llx-%llx",
		 (unsigned long long)m->start,
		 (unsigned long long)(m->start + m->len));
	if (!path_of(p, m->pid, name, path) || stat(path, &st) ||
	    !S_ISREG(st.st_mode))
		return false;
	*out = id_key(&st);
	if (id_find(p, out))
		return true;
	fd = op_open_in(NULL, path, &st);
	if (fd < 0)
		return false;
	*out = id_key(&st);
	id_read(p, fd, out);
	close(fd);
	return true;
}

/* By its name in the root of the process: another file may have it now. */
static bool id_by_name(struct op_proc *p, const struct op_host_mmap *m,
		       struct op_proc_id *out)
{
	char root[PATH_MAX], path[PATH_MAX];
	struct stat st;
	bool is_same;
	int fd;

	if (!path_of(p, m->pid, "root", root) || m->name.n >= sizeof(path) ||
	    memchr(m->name.p, 0, m->name.n))
		return false;
	memcpy(path, m->name.p, m->name.n);
	path[m->name.n] = 0;
	fd = op_open_in(root, path, &st);
	if (fd < 0)
		return false;
	is_same = st.st_ino == m->inode && major(st.st_dev) == m->maj &&
		  minor(st.st_dev) == m->min;
	*out = id_key(&st);
	if (is_same && !id_find(p, out))
		id_read(p, fd, out);
	close(fd);
	return is_same;
}

/* As the kernel does it: the id takes the place of the inode. So a binary is
 * the same one whether a record or /proc told of it. */
static void build_id(struct op_proc *p, struct op_host_mmap *m)
{
	struct op_proc_id i = { 0 };

	if (!m->inode || !m->name.n || m->name.p[0] != '/' ||
	    (!id_by_link(p, m, &i) && !id_by_name(p, m, &i)) || !i.id_len)
		return;
	m->id_len = i.id_len;
	memcpy(m->id, i.id, sizeof(m->id));
	m->inode = 0;
	m->maj = m->min = 0;
}

/* --- mappings --- */

struct text {
	const uint8_t *p, *end;
	bool is_bad;
};

static uint64_t digits(struct text *t, unsigned int base)
{
	const uint8_t *begin = t->p;
	uint64_t v = 0;

	for (; t->p < t->end; t->p++) {
		uint8_t c = op_ascii_lower(*t->p);
		unsigned int d = c >= 'a' ? c - 'a' + 10u : c - '0' + 0u;

		if (c < '0' || (c > '9' && c < 'a') || d >= base)
			break;
		v = v * base + d;
	}
	t->is_bad |= t->p == begin || t->p - begin > 20;
	return v;
}

static void skip(struct text *t, char c)
{
	if (t->p < t->end && *t->p == c)
		t->p++;
	else
		t->is_bad = true;
}

/* "r-xp" */
static uint32_t protection(struct text *t)
{
	uint32_t prot = 0;

	if (t->end - t->p < 4) {
		t->is_bad = true;
		return 0;
	}
	prot |= t->p[0] == 'r' ? PROT_READ : 0;
	prot |= t->p[1] == 'w' ? PROT_WRITE : 0;
	prot |= t->p[2] == 'x' ? PROT_EXEC : 0;
	t->p += 4;
	return prot;
}

/* "7f0000001000-7f0000002000 r-xp 00001000 fe:00 1234    /lib/x" */
bool op_proc_map_line(struct op_view line, struct op_host_mmap *out)
{
	struct text t = { line.p, line.p + line.n, false };

	*out = (struct op_host_mmap){ 0 };
	out->start = digits(&t, 16);
	skip(&t, '-');
	out->len = digits(&t, 16) - out->start;
	skip(&t, ' ');
	out->prot = protection(&t);
	skip(&t, ' ');
	out->offset = digits(&t, 16);
	skip(&t, ' ');
	out->maj = (uint32_t)digits(&t, 16);
	skip(&t, ':');
	out->min = (uint32_t)digits(&t, 16);
	skip(&t, ' ');
	out->inode = digits(&t, 10);
	while (t.p < t.end && *t.p == ' ')
		t.p++;
	out->name = op_view(t.p, (size_t)(t.end - t.p));
	return !t.is_bad && out->start + out->len > out->start;
}

/* The kernel writes a newline in a name as \012. In place. */
static void unescape(struct op_view *name)
{
	uint8_t *to = (uint8_t *)name->p;
	const uint8_t *p = name->p, *end = p + name->n;

	while (p < end) {
		bool is_newline = end - p >= 4 && !memcmp(p, "\\012", 4);

		*to++ = is_newline ? '\n' : *p;
		p += is_newline ? 4 : 1;
	}
	name->n = (size_t)(to - name->p);
}

struct lines {
	op_proc_line_fn *fn;
	void *arg;
	bool is_done;
};

/* The lines of text; how many bytes are left of the last. */
static size_t map_lines(struct lines *l, uint8_t *text, size_t n)
{
	uint8_t *p = text, *end;
	struct op_host_mmap m;

	while (!l->is_done && (end = memchr(p, '\n', n - (size_t)(p - text)))) {
		if (op_proc_map_line(op_view(p, (size_t)(end - p)), &m))
			l->is_done = !l->fn(l->arg, &m);
		p = end + 1;
	}
	n -= (size_t)(p - text);
	memmove(text, p, n);
	return n;
}

bool op_proc_map_lines(const struct op_proc *p, uint32_t pid,
		       op_proc_line_fn *fn, void *arg)
{
	struct lines l = { .fn = fn, .arg = arg };
	uint8_t text[TEXT_BYTES];
	int fd = file_open(p, pid, "maps");
	size_t left = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	do {
		/* A line that does not fit is no line of maps. */
		if (left == sizeof(text))
			left = 0;
		got = read(fd, text + left, sizeof(text) - left);
		if (got > 0)
			left = map_lines(&l, text, left + (size_t)got);
	} while (!l.is_done && (got > 0 || (got < 0 && errno == EINTR)));
	close(fd);
	return l.is_done || !got;
}

struct reading {
	struct op_proc *p;
	uint32_t pid;
	op_proc_map_fn *fn;
	void *arg;
};

static bool map_line(void *arg, struct op_host_mmap *m)
{
	const struct reading *r = arg;

	if (!(m->prot & PROT_EXEC) || op_view_is(m->name, "[vsyscall]"))
		return true;
	m->pid = m->tid = r->pid;
	unescape(&m->name);
	/* As records call it. */
	if (!m->name.n)
		m->name = op_view_z("//anon");
	build_id(r->p, m);
	r->fn(r->arg, m);
	return true;
}

bool op_proc_maps(struct op_proc *p, uint32_t pid, op_proc_map_fn *fn,
		  void *arg)
{
	struct reading r = { p, pid, fn, arg };

	return op_proc_map_lines(p, pid, map_line, &r);
}

/* --- a process --- */

/* "12 (any name) S 1 ...": what follows the name is behind the last ')'; the
 * parent is the second of that, the start the twentieth. */
static bool stat_read(struct op_view text, struct op_proc_stat *out)
{
	const uint8_t *close = text.n ? memrchr(text.p, ')', text.n) : NULL;
	struct text t = { close, text.p + text.n, !close };

	if (!close || text.n - (size_t)(close - text.p) < 4)
		return false;
	t.p += 4;
	out->parent_pid = (uint32_t)digits(&t, 10);
	for (int i = 0; i < 18; i++) {
		skip(&t, ' ');
		if (t.p < t.end && *t.p == '-')
			t.p++;
		out->start_ticks = digits(&t, 10);
	}
	return !t.is_bad;
}

bool op_proc_stat(const struct op_proc *p, uint32_t pid,
		  struct op_proc_stat *out)
{
	char path[PATH_MAX], text[1024];
	int64_t n = op_proc_file(p, pid, "stat", text, sizeof(text));
	struct stat st;

	*out = (struct op_proc_stat){ 0 };
	if (n <= 0 || !stat_read(op_view(text, (size_t)n), out) ||
	    !path_of(p, pid, "", path) || stat(path, &st))
		return false;
	out->uid = st.st_uid;
	return true;
}

struct telling {
	struct op_proc *p;
	struct op_host *h;
	uint32_t pid;
};

static void tell_map(void *arg, const struct op_host_mmap *m)
{
	const struct telling *t = arg;

	if (!t->h->err->code)
		op_host_mmap(t->h, m);
}

static void tell_thread(void *arg, uint32_t tid)
{
	const struct telling *t = arg;
	struct op_host_comm c = { .pid = t->pid, .tid = tid };
	char name[40], text[64];
	int64_t n;

	snprintf(name, sizeof(name), "task/%u/comm", tid);
	n = op_proc_file(t->p, t->pid, name, text, sizeof(text));
	if (n < 0 || t->h->err->code)
		return;
	if (n && text[n - 1] == '\n')
		n--;
	c.name = op_view(text, (size_t)n);
	op_host_comm(t->h, &c);
}

/* The first file that is mapped need not be the program. */
static void tell_program(const struct telling *t)
{
	uint32_t id = op_host_process_find(t->h, t->pid);
	struct op_host_process *p;
	char exe[PATH_MAX];

	if (id == OP_NO_ID ||
	    !op_proc_link(t->p, t->pid, "exe", exe, sizeof(exe)))
		return;
	p = &t->h->tasks.processes.p[id];
	for (uint32_t i = 0; p->space && i < p->space->nr; i++) {
		uint32_t binary = p->space->maps[i].binary;

		if (!op_view_is(t->h->maps.binaries.p[binary].name, exe))
			continue;
		p->is_fresh = false;
		p->program = binary;
		p->version = op_host_version(t->h);
		return;
	}
}

bool op_proc_read(struct op_proc *p, uint32_t pid, struct op_host *h)
{
	struct telling t = { p, h, pid };

	if (!op_proc_tids(p, pid, tell_thread, &t))
		return false;
	op_host_unmap_all(h, pid);
	if (!op_proc_maps(p, pid, tell_map, &t))
		return false;
	tell_program(&t);
	return true;
}
