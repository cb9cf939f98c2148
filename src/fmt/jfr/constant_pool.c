// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/constant_pool.c: checkpoints, each a list of pools.
 *
 *	size, type 1, start, duration, delta, flags,
 *	number of pools, { type, number of values, { id, value }... }...
 *
 * A checkpoint says how far from it the next one is, 0 at the last. Values have
 * no size: to find the next one each is gone through. Only those of types that
 * something may refer to are remembered, by where they begin. */
#include "fmt/jfr/constant_pool.h"

#include "base/hash.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/value.h"

static bool id_eq(const void *table, uint32_t i, const void *key)
{
	return ((const uint64_t *)table)[i] == *(const uint64_t *)key;
}

static uint32_t slot_find(const struct op_jfr_pool *p, uint64_t id)
{
	if (p->nr_in_row && id - p->ids.p[0] < p->nr_in_row)
		return (uint32_t)(id - p->ids.p[0]);
	return op_intern_find(&p->index, op_hash_words(&id, 1), id_eq, p->ids.p,
			      &id);
}

/* Notes that the id has the next slot. The index is as large as the list at
 * once, where it is needed at all. */
static bool slot_add(struct op_jfr_chunk *c, struct op_jfr_pool *p, uint64_t id)
{
	uint32_t slot = (uint32_t)p->ids.n;

	if (p->nr_in_row == slot && (!slot || id - p->ids.p[0] == slot)) {
		p->nr_in_row++;
		return true;
	}
	return (p->index.nr ||
		op_intern_reserve(&p->index, &c->mem, p->ids.cap)) &&
	       op_intern_add(&p->index, &c->mem, op_hash_words(&id, 1), slot);
}

/* Makes room for n more values, each of which takes a byte at least. */
static void pool_reserve(struct op_jfr_chunk *c, struct op_jfr_pool *p,
			 uint64_t n, size_t bytes_left)
{
	n = n < bytes_left ? n : bytes_left;
	(void)(op_vec_reserve(&c->mem, &p->ids, n) &&
	       op_vec_reserve(&c->mem, &p->at, n) &&
	       op_vec_reserve(&c->mem, &p->bytes, n) &&
	       op_vec_reserve(&c->mem, &p->made, n));
}

static void pool_add(struct op_jfr_chunk *c, struct op_jfr_pool *p, uint64_t id,
		     uint64_t at, uint64_t bytes)
{
	/* What comes again is the same. */
	if (slot_find(p, id) != OP_NO_ID)
		return;
	(void)(slot_add(c, p, id) && op_vec_push(&c->mem, &p->ids, id) &&
	       op_vec_push(&c->mem, &p->at, at) &&
	       op_vec_push(&c->mem, &p->bytes, bytes) &&
	       op_vec_push(&c->mem, &p->made, OP_NO_ID));
}

static void pool_read(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	const uint8_t *at = in->c.p;
	uint64_t type_id = op_jfr_long(in);
	uint64_t n = op_jfr_int(in);
	struct op_jfr_field whole = { .type = op_jfr_type_of(c, type_id) };
	struct op_jfr_type *t;

	if (c->err->code || !n)
		return;
	if (whole.type == OP_NO_ID) {
		op_cur_fail(&in->c, at, OP_EFORMAT,
			    "constants of unknown type %llu",
			    (unsigned long long)type_id);
		return;
	}
	t = &c->types.p[whole.type];
	whole.kind = t->kind;
	pool_reserve(c, &t->pool, n, op_cur_left(&in->c));
	while (n-- && !c->err->code) {
		uint64_t id = op_jfr_long(in);
		const uint8_t *from = in->c.p;

		op_jfr_skip(c, in, &whole);
		pool_add(c, &t->pool, id, (uint64_t)(from - c->bytes.p),
			 (uint64_t)(in->c.p - from));
	}
}

int64_t op_jfr_checkpoint_read(struct op_jfr_chunk *c, uint64_t at)
{
	struct op_jfr_cur in = op_jfr_cursor(c, at);
	const uint8_t *start = in.c.p;
	uint64_t n = op_jfr_int(&in); /* its size */
	int64_t delta;

	if (n < (uint64_t)(in.c.p - start) || n > (uint64_t)(in.c.end - start))
		return op_fail_at(c->err, OP_EFORMAT, at,
				  "invalid size of constants: %llu bytes, %zu "
				  "are left",
				  (unsigned long long)n,
				  (size_t)(in.c.end - start));
	in.c.end = start + n;
	c->pool_bytes += n;
	if (op_jfr_long(&in) != 1 && !c->err->code)
		op_fail_at(c->err, OP_EFORMAT, at, "expected constants");
	op_jfr_long(&in); /* start */
	op_jfr_long(&in); /* duration */
	delta = (int64_t)op_jfr_long(&in);
	op_jfr_byte(&in);
	n = op_jfr_int(&in);
	while (n-- && !c->err->code)
		pool_read(c, &in);
	return c->err->code ? 0 : delta;
}

int op_jfr_pools_read(struct op_jfr_chunk *c, uint64_t at)
{
	for (;;) {
		int64_t delta = op_jfr_checkpoint_read(c, at);
		uint64_t next = at + (uint64_t)delta;

		if (!delta || c->err->code)
			return c->err->code;
		if (next >= c->h.size)
			return op_fail_at(c->err, OP_EFORMAT, at,
					  "the offset of the next constants is "
					  "outside the chunk");
		/* Each is a part of the chunk of its own. */
		if (c->pool_bytes > c->h.size)
			return op_fail_at(c->err, OP_EFORMAT, at,
					  "the list of constants is circular");
		at = next;
	}
}

bool op_jfr_pool_find(const struct op_jfr_chunk *c, uint32_t type, uint64_t id,
		      uint64_t *at, uint32_t *slot)
{
	const struct op_jfr_pool *p;

	if (type == OP_NO_ID)
		return false;
	p = &c->types.p[type].pool;
	*slot = slot_find(p, id);
	if (*slot == OP_NO_ID)
		return false;
	*at = p->at.p[*slot];
	return true;
}

/* A type that is a text, or holds one as its first field. References lead from
 * one to the next no more than a few times. */
struct op_view op_jfr_pool_text(struct op_jfr_chunk *c, uint32_t type,
				uint64_t id)
{
	for (int i = 0; i < 4 && type != OP_NO_ID && !c->err->code; i++) {
		const struct op_jfr_type *t = &c->types.p[type];
		const struct op_jfr_field *f;
		struct op_jfr_cur in;
		uint64_t at;
		uint32_t slot;

		if (!op_jfr_pool_find(c, type, id, &at, &slot))
			break;
		in = op_jfr_cursor(c, at);
		f = t->nr_fields ? &c->fields.p[t->first_field] : NULL;
		if (t->kind != OP_JFR_STRING && !f)
			break;
		if (f && f->kind == OP_JFR_REF) {
			type = f->type;
			id = op_jfr_long(&in);
			continue;
		}
		if (f && f->kind != OP_JFR_STRING)
			break;
		/* A reference to a string of the pool, once. */
		if (in.c.p < in.c.end && *in.c.p == 2) {
			in.c.p++;
			type = c->t_string;
			id = op_jfr_long(&in);
			continue;
		}
		return op_jfr_text(c, &in);
	}
	return (struct op_view){ 0 };
}
