// SPDX-License-Identifier: Apache-2.0
/* sym/tables.c: one unwind table per binary. */
#include "sym/tables.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

/* What is read into memory while a table is made. */
enum { MAX_FILE = 512 << 20 };

static bool key_eq(const void *table, uint32_t id, const void *key)
{
	struct op_file_table *const *rows = table;

	return !memcmp(&rows[id]->key, key, sizeof(struct op_file_key));
}

static uint32_t key_hash(const struct op_file_key *k)
{
	uint64_t words[] = { k->dev, k->ino, k->mtime_ns, k->size };

	return op_hash_words(words, op_countof(words));
}

static size_t cost(const struct op_file_table *a)
{
	return sizeof(*a) + a->block.n;
}

/* --- rows --- */

static void drop(struct op_tables *t, struct op_file_table *a)
{
	t->bytes -= cost(a);
	op_intern_remove(&t->index, key_hash(&a->key), a->row);
	t->rows.p[a->row] = NULL;
	/* There is room: see row_add(). */
	t->free_rows.p[t->free_rows.n++] = a->row;
	op_heap_free((void *)a->block.p);
	op_heap_free(a);
}

static struct op_file_table *oldest_unused(const struct op_tables *t)
{
	struct op_file_table *old = NULL;

	for (size_t i = 0; i < t->rows.n; i++) {
		struct op_file_table *a = t->rows.p[i];

		if (a && !a->nr_users && (!old || a->used < old->used))
			old = a;
	}
	return old;
}

/* Whether n more bytes fit, after others went. */
static bool make_room(struct op_tables *t, size_t n)
{
	struct op_file_table *old;

	while (t->bytes + n > t->max_bytes && (old = oldest_unused(t)))
		drop(t, old);
	return t->bytes + n <= t->max_bytes;
}

static bool row_add(struct op_tables *t, struct op_file_table *a)
{
	size_t all = t->rows.n + 1;

	if (!t->free_rows.n) {
		if (!op_vec_reserve(&t->mem, &t->free_rows,
				    all - t->free_rows.n) ||
		    !op_vec_push(&t->mem, &t->rows, NULL))
			return false;
		t->free_rows.p[t->free_rows.n++] = (uint32_t)t->rows.n - 1;
	}
	a->row = t->free_rows.p[t->free_rows.n - 1];
	if (!op_intern_add(&t->index, &t->mem, key_hash(&a->key), a->row))
		return false;
	t->free_rows.n--;
	t->rows.p[a->row] = a;
	t->bytes += cost(a);
	return true;
}

/* --- making one --- */

/* A copy of a table, whose parts lie in one block. */
static void block_keep(struct op_tables *t, struct op_file_table *a,
		       const struct op_unwind_table *from, struct op_err *err)
{
	uint32_t n = from->head->bytes;
	void *block;

	if (!make_room(t, cost(a) + n)) {
		t->nr_refused++;
		return;
	}
	block = op_heap_resize(NULL, n, err);
	if (!block)
		return;
	memcpy(block, from->head, n);
	a->table.head = block;
	a->block = op_view(block, n);
}

/* What a table is made of takes many times its place and goes. That a file is
 * broken is not an error: it has no table. */
static void make(struct op_tables *t, struct op_file_table *a,
		 op_file_elf_fn *fn, void *arg, struct op_err *err)
{
	struct op_err why = { 0 };
	struct op_arena mem = { .err = &why };
	struct op_unwind_build build;
	struct op_unwind_table made;
	struct op_cfi cfi;
	struct op_elf elf;

	if (fn(arg, &mem, &elf) && !op_unwind_elf(&elf, &mem, &cfi, &why) &&
	    !op_unwind_build_init(&build, &cfi, &mem, &why) &&
	    !op_unwind_build_all(&build) &&
	    !op_unwind_build_table(&build, &made)) {
		t->nr_made++;
		block_keep(t, a, &made, &why);
	}
	op_arena_free(&mem);
	if (why.code == OP_ENOMEM && !err->code)
		*err = why;
}

const struct op_file_table *op_tables_get(struct op_tables *t,
					  const struct op_file_key *key,
					  op_file_elf_fn *elf, void *arg,
					  struct op_err *err)
{
	uint32_t id = op_intern_find(&t->index, key_hash(key), key_eq,
				     t->rows.p, key);
	struct op_file_table *a;

	op_arena_tells(&t->mem, err);
	if (id != OP_NO_ID) {
		a = t->rows.p[id];
		a->nr_users++;
		a->used = ++t->nr_used;
		return a;
	}
	a = op_heap_resize(NULL, sizeof(*a), err);
	if (!a)
		return NULL;
	*a = (struct op_file_table){ .key = *key,
				     .nr_users = 1,
				     .used = ++t->nr_used };
	make(t, a, elf, arg, err);
	if (!err->code && row_add(t, a))
		return a;
	op_heap_free((void *)a->block.p);
	op_heap_free(a);
	return NULL;
}

/* --- files --- */

struct open_file {
	int fd;
	size_t n;
};

/* Read and not mapped: it may shrink meanwhile. */
static bool file_elf(void *arg, struct op_arena *mem, struct op_elf *out)
{
	const struct open_file *f = arg;
	struct op_err err = { 0 };
	size_t done = 0;
	uint8_t *p;

	if (f->n > MAX_FILE)
		return false;
	p = op_arena_alloc(mem, f->n);
	while (p && done < f->n) {
		ssize_t got = pread(f->fd, p + done, f->n - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return p && !op_elf_open(out, op_view(p, f->n), &err);
}

const struct op_file_table *op_tables_get_fd(struct op_tables *t, int fd,
					     struct op_err *err)
{
	struct op_file_key key;
	struct open_file f;
	struct stat st;

	if (fstat(fd, &st)) {
		op_fail_sys(err, "cannot inspect a binary");
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		op_fail(err, OP_EUSAGE, "a binary is not a regular file");
		return NULL;
	}
	key = (struct op_file_key){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
			    (uint64_t)st.st_mtim.tv_nsec,
		.size = (uint64_t)st.st_size,
	};
	f = (struct open_file){ fd, (size_t)st.st_size };
	return op_tables_get(t, &key, file_elf, &f, err);
}

/* --- users --- */

void op_tables_share(const struct op_file_table *table)
{
	((struct op_file_table *)table)->nr_users++;
}

void op_tables_put(struct op_tables *t, const struct op_file_table *table)
{
	if (!table)
		return;
	((struct op_file_table *)table)->nr_users--;
	make_room(t, 0);
}

void op_tables_fini(struct op_tables *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.p[i])
			drop(t, t->rows.p[i]);
	op_arena_free(&t->mem);
	*t = (struct op_tables){ .max_bytes = t->max_bytes };
}
