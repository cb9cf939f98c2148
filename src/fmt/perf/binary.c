// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/binary.c: binaries of the recording that are at hand.
 *
 * A file is the one that was recorded if its build id is that of the
 * recording, or, where the recording has none, if it has the inode that was
 * mapped. Of any other nothing is used. Files are read and not mapped, since
 * nobody here would handle one that shrinks; each is read once, however many
 * names lead to it. */
#include "fmt/perf/binary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "fmt/perf/header.h"
#include "fmt/perf/perf_int.h"
#include "host/map.h"
#include "sym/build_id.h"
#include "sym/open.h"

/* Enough for program headers and notes; all of a file, which is in memory only
 * while its unwind table is made; and of all files together. */
enum { HEAD_BYTES = 64 << 10, MAX_FILE = 512 << 20 };
#define MAX_FILES ((uint64_t)2 << 30)

static bool read_some(int fd, uint8_t *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, p + done, n - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* Inside the root, which whoever reads the recording has to allow. */
static int open_file(const struct op_perf *f, const struct op_host_binary *d,
		     struct stat *st)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s", (int)d->name.n,
			 (const char *)d->name.p);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	return op_open_in(f->opts.root, path, st);
}

/* The first n bytes. */
static bool file_read(struct op_perf *f, struct op_arena *mem, int fd,
		      uint64_t n, struct op_view *out)
{
	uint8_t *p;

	if (f->binaries.bytes + n > MAX_FILES)
		return false;
	p = op_arena_alloc(mem, n);
	if (!p || !read_some(fd, p, n))
		return false;
	f->binaries.bytes += n;
	*out = op_view(p, n);
	return true;
}

/* Whether it is what was recorded; gives a build id to what has none. */
static bool is_same(struct op_host_binary *d, const struct op_elf *e,
		    uint64_t inode)
{
	struct op_view id = { 0 };
	bool has_id = op_build_id_gnu(e, &id) && id.n <= sizeof(d->id);

	if (d->id_len)
		return has_id && id.n >= d->id_len &&
		       !memcmp(id.p, d->id, d->id_len);
	if (!d->inode || d->inode != inode)
		return false;
	if (has_id) {
		d->id_len = (uint8_t)id.n;
		memcpy(d->id, id.p, id.n);
	}
	return true;
}

/* What the kernel gives to every process is here too. */
static bool vdso_open(struct op_host_binary *d, struct op_perf_file *file)
{
	enum { MOST = 4096 }; /* as much as is surely there */
	const void *p = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct op_err err = { 0 };

	file->is_vdso = true;
	return p && d->id_len &&
	       !op_elf_open(&file->elf, op_view(p, MOST), &err) &&
	       is_same(d, &file->elf, 0);
}

/* A file that was met under another name is not read again. */
static struct op_perf_file *file_of(struct op_perf *f, const struct stat *st)
{
	struct op_perf_file *i = f->binaries.files;

	while (i && (i->dev != st->st_dev || i->ino != st->st_ino))
		i = i->next;
	return i;
}

static struct op_perf_file *file_new(struct op_perf *f, int fd,
				     const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;
	struct op_perf_file *i = op_new(&f->mem, struct op_perf_file, 1);
	struct op_err err = { 0 };
	struct op_view head;

	if (!i)
		return NULL;
	*i = (struct op_perf_file){ .dev = st->st_dev,
				    .ino = st->st_ino,
				    .next = f->binaries.files };
	f->binaries.files = i;
	i->is_elf = file_read(f, &f->mem, fd,
			      size < HEAD_BYTES ? size : HEAD_BYTES, &head) &&
		    !op_elf_open(&i->elf, head, &err);
	return i;
}

static struct op_perf_file *file_open(struct op_perf *f,
				      const struct op_host_binary *d)
{
	struct op_perf_file *i;
	struct stat st;
	int fd = open_file(f, d, &st);

	if (fd < 0)
		return NULL;
	i = file_of(f, &st);
	if (!i)
		i = file_new(f, fd, &st);
	close(fd);
	return i;
}

bool op_perf_may_open(const struct op_perf *f)
{
	return f->opts.root && *f->opts.root;
}

/* The head of the file is kept; the whole of it is read when it is unwound. */
static struct op_perf_binary *binary_open(struct op_perf *f,
					  struct op_host_binary *d)
{
	struct op_perf_binary *b = op_new(&f->mem, struct op_perf_binary, 1);

	if (!b)
		return NULL;
	d->user = b;
	if (!d->id_len)
		op_perf_build_id_named(f, d->name, d);
	if (d->kind != OP_BINARY_FILE || !op_perf_may_open(f))
		return b;
	if (op_view_is(d->name, "[vdso]")) {
		b->file = op_new(&f->mem, struct op_perf_file, 1);
		b->is_there = b->file && vdso_open(d, b->file);
	} else if (d->name.p[0] == '/' && (d->id_len || d->inode)) {
		b->file = file_open(f, d);
		b->is_there = b->file && b->file->is_elf &&
			      is_same(d, &b->file->elf, b->file->ino);
	}
	return b;
}

struct op_perf_binary *op_perf_binary(struct op_perf *f, uint32_t id)
{
	struct op_host_binary *d = &f->host.maps.binaries.p[id];
	struct op_perf_binary *b = d->user ? d->user : binary_open(f, d);

	return b && b->is_there ? b : NULL;
}

void op_perf_locate(struct op_perf *f, struct op_host_map *m, uint64_t ip)
{
	const struct op_perf_binary *b;

	if (m->is_located)
		return;
	b = op_perf_binary(f, m->binary);
	op_host_map_locate(m, b ? &b->file->elf : NULL, ip);
}

bool op_perf_binary_whole(struct op_perf *f, uint32_t id, struct op_arena *mem,
			  struct op_elf *out)
{
	struct op_host_binary *d = &f->host.maps.binaries.p[id];
	const struct op_perf_binary *b = d->user;
	const struct op_perf_file *file = b->file;
	struct op_err err = { 0 };
	struct op_view all;
	struct stat st;
	bool ok;
	int fd;

	*out = file->elf;
	if (file->is_vdso)
		return true;
	fd = open_file(f, d, &st);
	if (fd < 0)
		return false;
	ok = st.st_dev == file->dev && st.st_ino == file->ino &&
	     st.st_size <= MAX_FILE &&
	     file_read(f, mem, fd, (uint64_t)st.st_size, &all) &&
	     !op_elf_open(out, all, &err) && is_same(d, out, file->ino);
	close(fd);
	return ok;
}
