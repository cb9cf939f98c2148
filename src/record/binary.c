// SPDX-License-Identifier: Apache-2.0
/* record/binary.c: binaries that processes map: their unwind tables, and their
 * rows of the model.
 *
 * A file is opened through the process that maps it, so that it is the right
 * one even if it was replaced or is in a container. What comes from there is
 * not trusted. */
#include "record/binary.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "record/elf_part.h"
#include "sym/build_id.h"
#include "sym/open.h"
#include "sym/vdso.h"

/* How often it is tried to open a file. */
enum { MAX_TRIES = 64 };

struct op_rec_binary *op_rec_binary(struct op_binaries *l, uint32_t binary)
{
	struct op_host_binary *h = &l->host->maps.binaries.p[binary];
	struct op_rec_binary *b = h->user;

	if (b)
		return b;
	b = op_heap_resize(NULL, sizeof(*b), l->err);
	if (!b)
		return NULL;
	*b = (struct op_rec_binary){ .table = OP_BPF_NO_TABLE };
	h->user = b;
	return b;
}

void op_rec_binary_gone(struct op_binaries *l, struct op_host_binary *h)
{
	struct op_rec_binary *b = h->user;

	if (!b)
		return;
	if (b->is_kept)
		op_kept_gone(l->kept, op_view_z(b->htlhash));
	if (b->table != OP_BPF_NO_TABLE)
		op_rec_tables_drop(l->tables, b->table);
	for (size_t i = 0; i < b->rows.n; i++)
		for (int k = 0; k < OP_BINARIES_LIVES; k++)
			if (l->live[k])
				op_live_binary_drop(l->live[k],
						    b->rows.p[i].row[k]);
	op_heap_free(b->rows.p);
	op_heap_free(b->loads);
	op_heap_free(b);
	h->user = NULL;
}

/* --- files ---------------------------------------------------------------- */

/* Whether an open file is the one that was mapped. */
static bool is_mapped_file(const struct op_host_binary *h, int fd,
			   const struct stat *st)
{
	struct op_elf_part part;
	struct op_view id;
	bool same;

	if (h->inode)
		return st->st_ino == h->inode;
	if (!h->id_len || !op_elf_part_open(&part, fd, false))
		return false;
	same = op_build_id_gnu(&part.elf, &id) && id.n >= h->id_len &&
	       !memcmp(id.p, h->id, h->id_len);
	op_elf_part_close(&part);
	return same;
}

static int open_in(const struct op_host_binary *h, const char *root,
		   const char *path)
{
	struct stat st;
	int fd = op_open_in(root, path, &st);

	if (fd >= 0 && !is_mapped_file(h, fd, &st)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool path_of(const struct op_host_binary *h, char path[PATH_MAX])
{
	if (h->kind != OP_BINARY_FILE || h->name.n >= PATH_MAX || !h->name.n ||
	    h->name.p[0] != '/')
		return false;
	memcpy(path, h->name.p, h->name.n);
	path[h->name.n] = 0;
	return true;
}

/* By its place in a process. */
static int open_place(uint32_t pid, const struct op_host_map *m)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	return op_open_in(NULL, path, &st);
}

/* By its name in the process, which may have a root of its own; by its place,
 * which works for a file that was deleted too; by its name here, if the process
 * is gone. */
static int open_mapped(const struct op_binaries *l, uint32_t pid,
		       const struct op_host_map *m)
{
	const struct op_host_binary *h = &l->host->maps.binaries.p[m->binary];
	char path[PATH_MAX], root[64];
	int fd;

	if (!path_of(h, path))
		return -1;
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = open_in(h, root, path);
	if (fd >= 0)
		return fd;
	fd = open_place(pid, m);
	return fd >= 0 ? fd : open_in(h, "/", path);
}

static void take_ids(struct op_rec_binary *b, struct op_host_binary *h,
		     const struct op_elf_part *part, int fd)
{
	struct op_elf_part all = *part;
	uint8_t hash[OP_HTLHASH_BYTES];
	struct op_view id;
	size_t n = part->bytes,
	       tail = n < OP_HTLHASH_PART ? n : OP_HTLHASH_PART;

	if (op_build_id_gnu(&part->elf, &id) && id.n <= sizeof(h->id))
		op_hex_text(b->build_id, id);
	else if (h->id_len)
		op_hex_text(b->build_id, op_view(h->id, h->id_len));
	if (pread(fd, (uint8_t *)all.memory + n - tail, tail,
		  (off_t)(n - tail)) == (ssize_t)tail) {
		op_htlhash(op_view(all.memory, n), hash);
		op_hex_text(b->htlhash, op_view(hash, sizeof(hash)));
	}
}

/* The vDSO is the same in every process, and so is ours. */
static void open_vdso(struct op_rec_binary *b)
{
	struct op_view id;

	b->is_vdso = b->is_tried = true;
	b->is_elf = op_vdso_open(&b->elf);
	if (b->is_elf && op_build_id_gnu(&b->elf, &id) &&
	    id.n <= OP_HOST_ID_BYTES)
		op_hex_text(b->build_id, id);
}

static void open_file(struct op_binaries *l, struct op_rec_binary *b,
		      struct op_host_binary *h, int fd)
{
	struct op_elf_part part;

	if (!op_elf_part_open(&part, fd, false))
		return;
	b->loads = op_elf_part_loads(&part.elf, &b->elf, l->err);
	b->is_elf = b->loads;
	take_ids(b, h, &part, fd);
	op_elf_part_close(&part);
}

/* Whether its name leads to this file, for who has no process to ask. */
static bool is_here(const struct op_rec_binary *b,
		    const struct op_host_binary *h)
{
	char path[PATH_MAX];
	struct stat st;

	return path_of(h, path) && !stat(path, &st) && st.st_dev == b->dev &&
	       st.st_ino == b->ino;
}

/* Gives the file, which is closed in any case, to who looks up names. */
static void keep(struct op_binaries *l, struct op_rec_binary *b, int fd)
{
	b->is_kept = op_kept_put(l->kept, op_view_z(b->htlhash), fd);
}

static void keep_or_close(struct op_binaries *l, struct op_rec_binary *b,
			  const struct op_host_binary *h, int fd)
{
	struct stat st;

	if (!fstat(fd, &st)) {
		b->dev = st.st_dev;
		b->ino = st.st_ino;
	}
	if (l->kept && b->is_elf && !is_here(b, h))
		keep(l, b, fd);
	else
		close(fd);
}

/* Looks at the file once. A process may be gone before its file could be
 * opened; then another one may help. */
static void try_open(struct op_binaries *l, uint32_t pid,
		     const struct op_host_map *m, struct op_rec_binary *b)
{
	struct op_host_binary *h = &l->host->maps.binaries.p[m->binary];
	int fd;

	b->is_tried = ++b->nr_tries == MAX_TRIES;
	if (op_view_is(h->name, "[vdso]")) {
		open_vdso(b);
	} else {
		fd = open_mapped(l, pid, m);
		if (fd < 0) {
			op_hex_text(b->build_id, op_view(h->id, h->id_len));
			return;
		}
		b->is_tried = true;
		open_file(l, b, h, fd);
		keep_or_close(l, b, h, fd);
	}
	if (b->is_elf)
		b->table = op_rec_tables_add(l->tables);
}

void op_rec_locate(struct op_binaries *l, uint32_t pid, struct op_host_map *m)
{
	struct op_rec_binary *b = op_rec_binary(l, m->binary);

	if (!b || m->is_located)
		return;
	if (!b->is_tried)
		try_open(l, pid, m, b);
	op_host_map_locate(m, b->is_elf ? &b->elf : NULL, m->start);
}

static enum op_table_load load_file(struct op_binaries *l, uint32_t nr, int fd)
{
	struct op_elf_part part;
	enum op_table_load result = OP_TABLE_NONE;

	if (fd < 0)
		return result;
	if (op_elf_part_open(&part, fd, true)) {
		result = op_rec_tables_load(l->tables, nr, &part.elf);
		op_elf_part_close(&part);
	}
	close(fd);
	return result;
}

bool op_rec_table(struct op_binaries *l, uint32_t pid, struct op_host_map *m,
		  struct op_unwind_table *out)
{
	struct op_rec_binary *b = op_rec_binary(l, m->binary);
	enum op_table_load result;

	if (!b)
		return false;
	op_rec_locate(l, pid, m);
	if (b->table == OP_BPF_NO_TABLE || b->has_no_table)
		return false;
	if (op_rec_tables_get(l->tables, b->table, out))
		return true;
	result = b->is_vdso ? op_rec_tables_load(l->tables, b->table, &b->elf) :
			      load_file(l, b->table, open_mapped(l, pid, m));
	b->has_no_table = result == OP_TABLE_NONE;
	return result == OP_TABLE_LOADED &&
	       op_rec_tables_get(l->tables, b->table, out);
}

/* --- rows ----------------------------------------------------------------- */

const uint32_t *op_rec_rows(struct op_binaries *l, struct op_host_map *m)
{
	const struct op_host_binary *h = &l->host->maps.binaries.p[m->binary];
	struct op_rec_binary *b = op_rec_binary(l, m->binary);
	uint64_t limit = m->base + (m->end - m->start);
	struct op_rec_row *rows;

	if (!b || h->kind != OP_BINARY_FILE)
		return NULL;
	for (size_t i = 0; i < b->rows.n; i++)
		if (b->rows.p[i].base == m->base &&
		    b->rows.p[i].limit == limit &&
		    b->rows.p[i].offset == m->offset)
			return b->rows.p[i].row;
	rows = op_heap_resize(b->rows.p, (b->rows.n + 1) * sizeof(*rows),
			      l->err);
	if (!rows)
		return NULL;
	b->rows.p = rows;
	rows += b->rows.n++;
	*rows = (struct op_rec_row){ m->base, limit, m->offset, { 0 } };
	for (int k = 0; k < OP_BINARIES_LIVES; k++)
		if (l->live[k])
			rows->row[k] = op_live_binary(
				l->live[k],
				&(struct op_live_binary){
					.name = h->name,
					.start = m->base,
					.limit = limit,
					.offset = m->offset,
					.build_id = op_view_z(b->build_id),
					.htlhash = op_view_z(b->htlhash),
				});
	return rows->row;
}

/* --- files that were replaced --------------------------------------------- */

/* Opens a binary through any process that maps it. */
static int open_by_any(struct op_binaries *l, uint32_t binary)
{
	const struct op_host_tasks *tasks = &l->host->tasks;

	for (size_t i = 0; i < tasks->processes.n; i++) {
		const struct op_host_process *p = &tasks->processes.p[i];
		const struct op_host_space *s = p->space;
		int fd = -1;

		for (uint32_t k = 0; s && !p->ended && k < s->nr && fd < 0; k++)
			if (s->maps[k].binary == binary)
				fd = open_place(p->pid, &s->maps[k]);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

static void keep_if_replaced(struct op_binaries *l, uint32_t binary)
{
	const struct op_host_binary *h = &l->host->maps.binaries.p[binary];
	struct op_rec_binary *b = h->user;
	struct stat st;
	int fd;

	if (!b || !b->is_elf || b->is_vdso || b->is_kept || !b->rows.n ||
	    is_here(b, h))
		return;
	fd = open_by_any(l, binary);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_dev == b->dev && st.st_ino == b->ino)
		keep(l, b, fd);
	else
		close(fd);
}

void op_rec_keep_replaced(struct op_binaries *l)
{
	for (uint32_t i = 0; i < l->host->maps.binaries.n; i++)
		if (!l->host->maps.binaries.p[i].is_free)
			keep_if_replaced(l, i);
}
