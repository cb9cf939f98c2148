// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/native_leaks.c: memory that was taken and not given back: where the
 * last taking of an address has no giving after it. Events of different threads
 * do not come in the order of time. */
#include "fmt/jfr/native_leaks.h"

#include "base/hash.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/target.h"
#include "model/semconv.h"

static bool address_eq(const void *table, uint32_t i, const void *key)
{
	const struct op_jfr_block *rows = table;

	return rows[i].address == *(const uint64_t *)key;
}

/* The row of an address; NULL without memory. */
static struct op_jfr_block *row_of(struct op_jfr *j, uint64_t address)
{
	struct op_jfr_block row = { .address = address };
	uint32_t hash = op_hash_words(&address, 1);
	uint32_t i = op_intern_find(&j->mallocs.index, hash, address_eq,
				    j->mallocs.blocks.p, &address);

	if (i != OP_NO_ID)
		return &j->mallocs.blocks.p[i];
	i = (uint32_t)j->mallocs.blocks.n;
	if (op_vec_push(&j->mem, &j->mallocs.blocks, row) &&
	    op_intern_add(&j->mallocs.index, &j->mem, hash, i))
		return &j->mallocs.blocks.p[i];
	return NULL;
}

void op_jfr_malloc_add(struct op_jfr *j, const struct op_jfr_block *block)
{
	struct op_jfr_block *row = row_of(j, block->address);
	uint64_t free_ns;

	if (!row || row->malloc_ns > block->malloc_ns)
		return;
	free_ns = row->free_ns;
	*row = *block;
	row->free_ns = free_ns;
}

void op_jfr_free_add(struct op_jfr *j, uint64_t address, uint64_t time_ns)
{
	struct op_jfr_block *row = row_of(j, address);

	if (row && time_ns > row->free_ns)
		row->free_ns = time_ns;
}

/* The head of the profile that blocks were taken in, with the leaks' name. */
static struct op_profile leak_head(struct op_jfr *j, const char *type,
				   const char *unit)
{
	struct op_profile head = *op_build_profile_head(&j->b,
							j->mallocs.profile);
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };

	head.attrs = op_build_set_with(
		&j->b, head.attrs,
		op_build_attr(&j->b, op_view_z(OP_ATTR_EVENT_LEAK), &yes,
			      (struct op_view){ 0 }, NULL));
	head.sample_type.type = op_build_string(&j->b, op_view_z(type));
	head.sample_type.unit = op_build_string(&j->b, op_view_z(unit));
	return head;
}

static void target_add(struct op_jfr *j, uint32_t profile)
{
	struct op_jfr_target t = { .profile = profile };

	(void)op_vec_push(&j->mem, &j->targets, t);
}

void op_jfr_leaks_end(struct op_jfr *j)
{
	struct op_builder *b = &j->b;
	uint32_t objects = OP_NO_ID, space = 0;
	uint64_t tail = (uint64_t)((double)(j->last_ns - j->first_ns) *
				   j->opts.tail);

	for (size_t i = 0; i < j->mallocs.blocks.n && !j->err->code; i++) {
		const struct op_jfr_block *k = &j->mallocs.blocks.p[i];
		struct op_profile head;
		uint32_t sample;

		if (k->free_ns >= k->malloc_ns ||
		    (tail && k->malloc_ns >= j->last_ns - tail))
			continue;
		if (objects == OP_NO_ID) {
			head = leak_head(j, "leak_objects", "count");
			objects = op_build_profile(b, j->scope, &head);
			head = leak_head(j, "leak_space", "bytes");
			space = op_build_profile_like(b, objects, &head);
			target_add(j, objects);
			target_add(j, space);
		}
		sample = op_build_sample(
			b, objects,
			op_build_identity(b, j->mallocs.profile, k->sample));
		op_build_observe(b, objects, sample, 1, k->malloc_ns);
		op_build_observe_like(b, space, k->size);
	}
}
