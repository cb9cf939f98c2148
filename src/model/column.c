// SPDX-License-Identifier: Apache-2.0
#include "model/column.h"

#include <string.h>

enum { HEAD = 11, SPARE = 8 };

struct head {
	uint64_t least;
	uint16_t last; /* index of the last number */
	uint8_t width;
};

static void head_put(uint8_t *p, const struct head *h)
{
	memcpy(p, &h->least, 8);
	memcpy(p + 8, &h->last, 2);
	p[10] = h->width;
}

static struct head head_get(const uint8_t *p)
{
	struct head h = { .width = p[10] };

	memcpy(&h.least, p, 8);
	memcpy(&h.last, p + 8, 2);
	return h;
}

static struct head head_of(const uint64_t *v, size_t n)
{
	struct head h = { .last = (uint16_t)(n - 1) };
	uint64_t least = v[0], most = v[0];

	for (size_t i = 1; i < n; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	h.least = least;
	for (uint64_t above = most - least; above; above >>= 8)
		h.width++;
	return h;
}

/* Every number is written as eight bytes, of which the next one overwrites
 * what the width does not count. */
static bool block_put(struct op_column *c, struct op_arena *mem,
		      const uint64_t *v, size_t n)
{
	struct head h = head_of(v, n);
	uint8_t *p;

	if (!op_vec_reserve(mem, &c->packed, HEAD + n * h.width + SPARE))
		return false;
	p = c->packed.p + c->packed.n;
	head_put(p, &h);
	p += HEAD;
	for (size_t i = 0; i < n && h.width; i++, p += h.width) {
		uint64_t above = v[i] - h.least;

		memcpy(p, &above, 8);
	}
	c->packed.n += HEAD + n * h.width;
	return true;
}

static bool flush(struct op_column *c, struct op_arena *mem)
{
	if (c->fill.n && !block_put(c, mem, c->fill.p, c->fill.n))
		return false;
	c->fill.n = 0;
	return true;
}

bool op_column_room(struct op_column *c, struct op_arena *mem)
{
	if (c->n >= OP_VEC_MAX)
		return false;
	if (c->fill.n < OP_COLUMN_BLOCK)
		return op_vec_reserve(mem, &c->fill, 1);
	return flush(c, mem);
}

bool op_column_push_all(struct op_column *c, struct op_arena *mem,
			const uint64_t *v, size_t n)
{
	while (n) {
		size_t some;

		if (c->fill.n == c->fill.cap && !op_column_room(c, mem))
			return false;
		some = c->fill.cap - c->fill.n;
		some = some < n ? some : n;
		memcpy(c->fill.p + c->fill.n, v, some * sizeof(*v));
		c->fill.n += some;
		c->n += some;
		v += some;
		n -= some;
	}
	return true;
}

bool op_column_is_all(const struct op_column *c, uint64_t v)
{
	size_t at = 0;

	for (size_t i = 0; i < c->fill.n; i++)
		if (c->fill.p[i] != v)
			return false;
	while (at < c->packed.n) {
		struct head h = head_get(c->packed.p + at);

		if (h.width || h.least != v)
			return false;
		at += HEAD;
	}
	return true;
}

void op_column_clear(struct op_column *c)
{
	c->n = c->fill.n = c->packed.n = 0;
}

void op_column_drop(struct op_column *c, struct op_arena *mem)
{
	op_arena_drop(mem, c->packed.p, c->packed.cap);
	op_arena_drop(mem, c->fill.p, c->fill.cap * sizeof(*c->fill.p));
	*c = (struct op_column){ 0 };
}

/* --- reading --- */

void op_column_read(struct op_column_reader *r, const struct op_column *c)
{
	r->c = c;
	r->at = 0;
	r->i = r->n = 0;
}

static void block_get(const uint8_t *p, struct head h, uint64_t *out)
{
	uint64_t mask = h.width == 8 ? UINT64_MAX :
				       ((uint64_t)1 << 8 * h.width) - 1;

	for (uint32_t i = 0; i <= h.last; i++, p += h.width) {
		uint64_t above;

		memcpy(&above, p, 8);
		out[i] = h.least + (above & mask);
	}
}

void op_column_refill(struct op_column_reader *r)
{
	const struct op_column *c = r->c;
	struct head h;

	r->i = 0;
	if (r->at == c->packed.n) {
		r->n = (uint32_t)c->fill.n;
		if (r->n)
			memcpy(r->block, c->fill.p, r->n * sizeof(*r->block));
		return;
	}
	h = head_get(c->packed.p + r->at);
	block_get(c->packed.p + r->at + HEAD, h, r->block);
	r->n = h.last + 1u;
	r->at += HEAD + (size_t)r->n * h.width;
}

/* --- joining --- */

static bool packed_append(struct op_column *c, struct op_arena *mem,
			  const struct op_column *from)
{
	if (!from->packed.n)
		return true;
	if (!flush(c, mem) ||
	    !op_vec_reserve(mem, &c->packed, from->packed.n + SPARE))
		return false;
	memcpy(c->packed.p + c->packed.n, from->packed.p, from->packed.n);
	c->packed.n += from->packed.n;
	c->n += from->n - from->fill.n;
	return true;
}

bool op_column_append(struct op_column *c, struct op_arena *mem,
		      const struct op_column *from, const uint32_t *map)
{
	struct op_column_reader r;

	if (from->n > OP_VEC_MAX - c->n)
		return false;
	op_column_read(&r, from);
	for (size_t i = 0; map && i < from->n; i++)
		if (!op_column_push(c, mem, map[op_column_next(&r)]))
			return false;
	if (map)
		return true;
	if (!packed_append(c, mem, from))
		return false;
	for (size_t i = 0; i < from->fill.n; i++)
		if (!op_column_push(c, mem, from->fill.p[i]))
			return false;
	return true;
}
