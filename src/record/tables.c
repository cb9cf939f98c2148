// SPDX-License-Identifier: Apache-2.0
/* record/tables.c: unwind tables of binaries, where BPF and this process find
 * them. */
#include "record/tables.h"

#include "base/intern.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

int op_rec_tables_init(struct op_rec_tables *t, struct op_arena *mem,
		       const struct op_slab_maps *maps,
		       struct op_bpf_table *shared, uint64_t max_bytes,
		       struct op_err *err)
{
	*t = (struct op_rec_tables){ .shared = shared, .mem = mem };
	return op_slabs_init(&t->slabs, maps, max_bytes, err);
}

void op_rec_tables_fini(struct op_rec_tables *t)
{
	op_slabs_fini(&t->slabs);
}

uint32_t op_rec_tables_add(struct op_rec_tables *t)
{
	struct op_table_row row = { .is_taken = true };
	uint32_t nr;

	if (t->free.n) {
		nr = t->free.p[--t->free.n];
		t->rows.p[nr] = row;
		return nr;
	}
	nr = (uint32_t)t->rows.n;
	if (nr == OP_BPF_MAX_TABLES || !op_vec_push(t->mem, &t->rows, row))
		return OP_BPF_NO_TABLE;
	return nr;
}

/* BPF no longer begins to read it; its place is free two ticks later. */
static void unload(struct op_rec_tables *t, uint32_t nr)
{
	struct op_table_row *row = &t->rows.p[nr];

	if (!row->place)
		return;
	if (t->shared)
		__atomic_store_n(&t->shared[nr].nr_pages, 0, __ATOMIC_SEQ_CST);
	if (op_vec_push(t->mem, &t->old[1], *row))
		t->nr_dropped++;
	row->place = row->bytes = 0;
}

void op_rec_tables_drop(struct op_rec_tables *t, uint32_t nr)
{
	unload(t, nr);
	t->rows.p[nr].is_taken = false;
	(void)op_vec_push(t->mem, &t->free, nr);
}

void op_rec_tables_tick(struct op_rec_tables *t)
{
	OP_VEC(struct op_table_row) swap;

	t->tick++;
	for (uint32_t i = 0; t->shared && i < t->rows.n; i++)
		if (t->shared[i].used) {
			t->shared[i].used = 0;
			t->rows.p[i].last_used = t->tick;
		}
	for (size_t i = 0; i < t->old[0].n; i++)
		op_slabs_free(&t->slabs, t->old[0].p[i].place,
			      t->old[0].p[i].bytes);
	t->old[0].n = 0;
	memcpy(&swap, &t->old[0], sizeof(swap));
	memcpy(&t->old[0], &t->old[1], sizeof(swap));
	memcpy(&t->old[1], &swap, sizeof(swap));
}

static uint32_t least_used(const struct op_rec_tables *t)
{
	uint32_t found = OP_NO_ID;

	for (uint32_t i = 0; i < t->rows.n; i++)
		if (t->rows.p[i].place && t->rows.p[i].last_used < t->tick &&
		    (found == OP_NO_ID ||
		     t->rows.p[i].last_used < t->rows.p[found].last_used))
			found = i;
	return found;
}

/* Where there is no room, one is dropped that nobody used of late; the place is
 * free soon, and the next sample of this binary asks again. */
static enum op_table_load store(struct op_rec_tables *t, uint32_t nr,
				const struct op_unwind_table *made)
{
	const struct op_unwind_head *h = made->head;
	struct op_table_row *row = &t->rows.p[nr];
	uint32_t place = op_slabs_alloc(&t->slabs, h->bytes), other;

	/* To drop all others would not help. */
	if (!place && h->bytes > (uint64_t)t->slabs.max * OP_BPF_SLAB)
		return OP_TABLE_NONE;
	if (!place) {
		other = least_used(t);
		if (other != OP_NO_ID)
			unload(t, other);
		return OP_TABLE_NO_ROOM;
	}
	memcpy(op_slabs_at(&t->slabs, place), h, h->bytes);
	row->place = place;
	row->bytes = h->bytes;
	row->last_used = t->tick;
	t->nr_built++;
	if (!t->shared)
		return OP_TABLE_LOADED;
	t->shared[nr] = (struct op_bpf_table){
		.base = h->base,
		.pages = place + (uint32_t)sizeof(*h),
		.rows = place + h->rows,
		.rules = place + h->rules,
		.steps = place + h->steps,
	};
	__atomic_store_n(&t->shared[nr].nr_pages, h->nr_pages,
			 __ATOMIC_RELEASE);
	return OP_TABLE_LOADED;
}

enum op_table_load op_rec_tables_load(struct op_rec_tables *t, uint32_t nr,
				      const struct op_elf *elf)
{
	enum op_table_load result = OP_TABLE_NONE;
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_unwind_build build;
	struct op_unwind_table made;
	struct op_cfi cfi;

	if (!op_unwind_elf(elf, &mem, &cfi, &err) &&
	    !op_unwind_build_init(&build, &cfi, &mem, &err) &&
	    !op_unwind_build_all(&build) &&
	    !op_unwind_build_table(&build, &made) && made.head->nr_rules > 1)
		result = store(t, nr, &made);
	op_arena_free(&mem);
	return result;
}

bool op_rec_tables_get(struct op_rec_tables *t, uint32_t nr,
		       struct op_unwind_table *out)
{
	struct op_table_row *row;

	if (nr == OP_BPF_NO_TABLE || !t->rows.p[nr].place)
		return false;
	row = &t->rows.p[nr];
	row->last_used = t->tick;
	out->head = op_slabs_at(&t->slabs, row->place);
	return true;
}
