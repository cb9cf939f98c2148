// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/binary.c: binaries of the recording that are at hand.
 *
 * A file is the one that was recorded if its build id is that of the
 * recording, or, where the recording has none, if it has the inode that was
 * mapped. Of any other nothing is used. Files are read and not mapped, since
 * nobody here would handle one that shrinks. */
#include "fmt/perf/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/build_id.h"

/* Enough for program headers and notes; all of a file, and of all files. */
enum { HEAD_BYTES = 64 << 10 };
#define MOST_FILE ((uint64_t)1 << 30)
#define MOST_FILES ((uint64_t)2 << 30)

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

/* Opens a regular file; anything else that has the name is left alone. */
static int open_file(const struct op_perf *f, const struct op_perf_dso *d,
		     struct stat *st)
{
	const char *root = f->opts.root ? f->opts.root : "";
	char path[4096];
	int fd, n;

	n = snprintf(path, sizeof(path), "%s%.*s", root, (int)d->name.n,
		     (const char *)d->name.p);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_size <= 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The first n bytes, in the memory of the recording. */
static bool file_read(struct op_perf *f, const struct op_perf_dso *d,
		      uint64_t most, struct op_view *out, uint64_t *inode)
{
	uint64_t n;
	struct stat st;
	int fd = open_file(f, d, &st);
	uint8_t *p = NULL;

	if (fd < 0)
		return false;
	n = (uint64_t)st.st_size < most ? (uint64_t)st.st_size : most;
	if (f->binary_bytes + n <= MOST_FILES) {
		p = op_arena_alloc(&f->mem, n);
		if (!p)
			op_perf_nomem(f);
	}
	if (p && read_some(fd, p, n)) {
		f->binary_bytes += n;
		*out = op_view(p, n);
		*inode = st.st_ino;
	} else {
		p = NULL;
	}
	close(fd);
	return p;
}

/* Whether it is what was recorded; gives a build id to what has none. */
static bool is_same(struct op_perf_dso *d, const struct op_elf *e,
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
static bool vdso_open(struct op_perf_dso *d, struct op_elf *e)
{
	enum { MOST = 4096 }; /* as much as is surely there */
	const void *p = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct op_err err = { 0 };

	return p && d->id_len && !op_elf_open(e, op_view(p, MOST), &err) &&
	       is_same(d, e, 0);
}

/* The head of the file is kept; the whole of it is read when it is unwound. */
static struct op_perf_binary *binary_open(struct op_perf *f,
					  struct op_perf_dso *d)
{
	struct op_perf_binary *b = op_new(&f->mem, struct op_perf_binary, 1);
	struct op_err err = { 0 };
	struct op_view head;
	uint64_t inode;

	if (!b) {
		op_perf_nomem(f);
		return NULL;
	}
	d->binary = b;
	if (!d->id_len)
		op_perf_build_id_named(f, d->name, d);
	if (d->kind != OP_PERF_FILE || (f->opts.root && !*f->opts.root))
		return b;
	if (op_view_is(d->name, "[vdso]"))
		b->is_vdso = b->is_there = vdso_open(d, &b->elf);
	else if (d->name.p[0] == '/' && (d->id_len || d->inode) &&
		 file_read(f, d, HEAD_BYTES, &head, &inode))
		b->is_there = !op_elf_open(&b->elf, head, &err) &&
			      is_same(d, &b->elf, inode);
	return b;
}

struct op_perf_binary *op_perf_binary(struct op_perf *f, uint32_t dso)
{
	struct op_perf_dso *d = &f->dsos.p[dso];
	struct op_perf_binary *b = d->binary ? d->binary : binary_open(f, d);

	return b && b->is_there ? b : NULL;
}

bool op_perf_binary_whole(struct op_perf *f, uint32_t dso)
{
	struct op_perf_dso *d = &f->dsos.p[dso];
	struct op_perf_binary *b = op_perf_binary(f, dso);
	struct op_err err = { 0 };
	struct op_view file;
	uint64_t inode;

	if (!b || b->is_vdso)
		return b;
	return file_read(f, d, MOST_FILE, &file, &inode) &&
	       !op_elf_open(&b->elf, file, &err) && is_same(d, &b->elf, inode);
}
