// SPDX-License-Identifier: Apache-2.0
#include "record/tables.h"

#include "binary_fixture.h"
#include "record/elf_part.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

static struct op_err err;
static struct op_arena mem;
static struct op_rec_tables tables;
static struct op_bpf_table shared[OP_BPF_MAX_TABLES];

static void begin(uint64_t max_bytes)
{
	err = (struct op_err){ 0 };
	mem = (struct op_arena){ .err = &err };
	memset(shared, 0, sizeof(shared));
	CHECK_EQ(op_rec_tables_init(&tables, &mem, NULL, shared, max_bytes,
				    &err),
		 OP_OK);
}

static void end(void)
{
	op_rec_tables_fini(&tables);
	op_arena_free(&mem);
}

static enum op_table_load load(uint32_t nr, const char *path)
{
	struct op_elf_part part;
	enum op_table_load result;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(op_elf_part_open(&part, fd, true));
	result = op_rec_tables_load(&tables, nr, &part.elf);
	op_elf_part_close(&part);
	close(fd);
	return result;
}

/* The bytes of a table. */
static uint64_t size_of(const char *path)
{
	uint64_t n;

	begin(64 << 20);
	CHECK_EQ(load(op_rec_tables_add(&tables), path), OP_TABLE_LOADED);
	n = tables.rows.p[0].bytes;
	end();
	return n;
}

/* --- */

/* As built from the whole file. */
TEST(like_whole)
{
	const char *const paths[] = { "/proc/self/exe", libc_path() };

	begin(64 << 20);
	for (size_t i = 0; i < op_countof(paths); i++) {
		size_t n;
		uint8_t *p = file_read(paths[i], &n);
		uint32_t nr = op_rec_tables_add(&tables);
		struct op_arena built = { .err = &err };
		struct op_unwind_table want, got;
		struct op_unwind_build b;
		struct op_bpf_table *s = &shared[nr];
		struct op_cfi cfi;
		struct op_elf e;

		CHECK(!op_rec_tables_get(&tables, nr, &got));
		CHECK_EQ(load(nr, paths[i]), OP_TABLE_LOADED);
		CHECK(op_rec_tables_get(&tables, nr, &got));
		op_elf_open(&e, op_view(p, n), &err);
		op_unwind_elf(&e, &built, &cfi, &err);
		op_unwind_build_init(&b, &cfi, &built, &err);
		op_unwind_build_all(&b);
		CHECK_EQ(op_unwind_build_table(&b, &want), OP_OK);
		CHECK_EQ(got.head->bytes, want.head->bytes);
		CHECK(!memcmp(got.head, want.head, want.head->bytes));
		CHECK_EQ(s->base, want.head->base);
		CHECK_EQ(s->nr_pages, want.head->nr_pages);
		CHECK(op_slabs_at(&tables.slabs, s->pages) == got.head + 1);
		CHECK_EQ(s->rows - s->pages,
			 want.head->rows - sizeof(*want.head));
		CHECK_EQ(s->rules - s->rows,
			 want.head->rules - want.head->rows);
		op_arena_free(&built);
		free(p);
	}
	end();
}

/* The least used goes, two ticks later there is room, and it comes back. */
TEST(eviction)
{
	const char *path = libc_path();
	uint64_t both = 2 * (size_of(path) + OP_SLAB_UNIT);
	struct op_unwind_table t;
	uint32_t nr[3];

	CHECK(both > 2 * (OP_BPF_SLAB + OP_SLAB_UNIT));
	/* Two have room, but not a third. */
	begin(both + OP_BPF_SLAB);
	for (int i = 0; i < 3; i++)
		nr[i] = op_rec_tables_add(&tables);
	CHECK_EQ(load(nr[0], path), OP_TABLE_LOADED);
	CHECK_EQ(load(nr[1], path), OP_TABLE_LOADED);
	/* Both were used just now. */
	CHECK_EQ(load(nr[2], path), OP_TABLE_NO_ROOM);
	CHECK_EQ(tables.nr_dropped, 0);
	op_rec_tables_tick(&tables);
	shared[nr[0]].used = 1; /* as BPF says it */
	op_rec_tables_tick(&tables);
	CHECK_EQ(shared[nr[0]].used, 0);
	op_rec_tables_tick(&tables);
	CHECK_EQ(load(nr[2], path), OP_TABLE_NO_ROOM);
	CHECK_EQ(tables.nr_dropped, 1);
	CHECK(op_rec_tables_get(&tables, nr[0], &t));
	CHECK(!op_rec_tables_get(&tables, nr[1], &t));
	CHECK_EQ(shared[nr[1]].nr_pages, 0);
	/* BPF may be reading it still. */
	CHECK_EQ(load(nr[2], path), OP_TABLE_NO_ROOM);
	op_rec_tables_tick(&tables);
	CHECK_EQ(load(nr[2], path), OP_TABLE_NO_ROOM);
	op_rec_tables_tick(&tables);
	CHECK_EQ(load(nr[2], path), OP_TABLE_LOADED);
	CHECK(op_rec_tables_get(&tables, nr[2], &t));
	CHECK(shared[nr[2]].nr_pages > 0);
	for (int i = 0; i < 10 && load(nr[1], path) == OP_TABLE_NO_ROOM; i++)
		op_rec_tables_tick(&tables);
	CHECK(op_rec_tables_get(&tables, nr[1], &t));
	CHECK(shared[nr[1]].nr_pages > 0);
	end();
}

/* One that can never fit does not drive out the others. */
TEST(above_the_limit)
{
	uint32_t small, large;
	struct op_unwind_table t;
	uint64_t most = size_of(libc_path()) / OP_BPF_SLAB * OP_BPF_SLAB;

	begin(most);
	small = op_rec_tables_add(&tables);
	large = op_rec_tables_add(&tables);
	tables.slabs.max = 64;
	CHECK_EQ(load(small, "/proc/self/exe"), OP_TABLE_LOADED);
	tables.slabs.max = (uint32_t)(most / OP_BPF_SLAB);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(load(large, libc_path()), OP_TABLE_NONE);
		op_rec_tables_tick(&tables);
	}
	CHECK(op_rec_tables_get(&tables, small, &t));
	CHECK_EQ(tables.nr_dropped, 0);
	end();
}

/* A number that is given back is given out again. */
TEST(numbers)
{
	struct op_unwind_table t;
	uint32_t nr;

	begin(64 << 20);
	for (uint32_t i = 0; i < OP_BPF_MAX_TABLES; i++)
		CHECK_EQ(op_rec_tables_add(&tables), i);
	CHECK_EQ(op_rec_tables_add(&tables), OP_BPF_NO_TABLE);
	CHECK(!op_rec_tables_get(&tables, OP_BPF_NO_TABLE, &t));
	CHECK_EQ(load(7, libc_path()), OP_TABLE_LOADED);
	op_rec_tables_drop(&tables, 7);
	CHECK_EQ(shared[7].nr_pages, 0);
	nr = op_rec_tables_add(&tables);
	CHECK_EQ(nr, 7);
	CHECK(!op_rec_tables_get(&tables, nr, &t));
	op_rec_tables_tick(&tables);
	op_rec_tables_tick(&tables);
	CHECK_EQ(tables.slabs.nr, 0);
	end();
}

TEST(file_without)
{
	static const uint8_t head[4096] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	struct op_elf_part part;
	int fd = file_of(head, sizeof(head));

	begin(64 << 20);
	CHECK(op_elf_part_open(&part, fd, true));
	CHECK_EQ(op_rec_tables_load(&tables, op_rec_tables_add(&tables),
				    &part.elf),
		 OP_TABLE_NONE);
	op_elf_part_close(&part);
	close(fd);
	end();
}

TEST_MAIN(like_whole, eviction, above_the_limit, numbers, file_without)
