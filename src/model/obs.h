// SPDX-License-Identifier: Apache-2.0
/* model/obs.h: packed observations of each sample.
 *
 * A profile with timestamps has one struct op_obs for its timestamps, and one
 * for its values unless all of them are 1. Each sample has a list of its own
 * that only grows, so nothing has to be sorted at the end, and writing a sample
 * means walking its list. A list is a chain of pieces; the pieces of all
 * samples are in one pool and are identified by their offset. A list of one
 * number has no piece: the number is in the row of the sample.
 *
 *	piece of times  = { next 4, bytes 4, base 8, entries of 5 bytes }
 *	                  entry = time - base + OP_OBS_BIAS
 *	piece of values = { next 4, bytes 4, varints as in protobuf }
 *
 * The next piece and the number of bytes used are written when a piece is full;
 * for the last piece they are in the row of the sample.
 */
#ifndef OP_MODEL_OBS_H
#define OP_MODEL_OBS_H

#include "base/varint.h"
#include "base/vec.h"
#include "model/model.h"

enum {
	OP_OBS_HEAD = 8,	 /* of a piece */
	OP_OBS_WIDTH = 5,	 /* of a time */
	OP_OBS_MAX = 2048,	 /* times in a piece */
	OP_OBS_MAX_BYTES = 8192, /* of values in a piece */
};
#define OP_OBS_BIAS ((uint64_t)1 << (8 * OP_OBS_WIDTH - 1))

struct op_obs_row {
	uint64_t base;	      /* of the last piece; without one, the number */
	uint32_t first, last; /* offsets of pieces; 0: none */
	uint32_t n;	      /* numbers in total */
	uint16_t used, room;  /* bytes of the last piece, without its head */
};

/* All zero is empty. */
struct op_obs {
	OP_VEC(struct op_obs_row) rows; /* may lack the last samples */
	OP_VEC(uint8_t) pool;
};

/* Like the two functions below, for all cases. */
bool op_obs_push_time_slow(struct op_obs *c, struct op_arena *mem,
			   uint32_t sample, uint64_t t);
bool op_obs_push_value_slow(struct op_obs *c, struct op_arena *mem,
			    uint32_t sample, uint64_t v);

/* Adds a time to the list of a sample; false if out of memory. */
op_inline bool op_obs_push_time(struct op_obs *c, struct op_arena *mem,
				uint32_t sample, uint64_t t)
{
	struct op_obs_row *r;
	uint64_t above;

	if (op_unlikely(sample >= c->rows.n))
		return op_obs_push_time_slow(c, mem, sample, t);
	r = &c->rows.p[sample];
	above = t - r->base + OP_OBS_BIAS;
	if (op_unlikely(r->used + sizeof(above) > r->room ||
			above >> 8 * OP_OBS_WIDTH))
		return op_obs_push_time_slow(c, mem, sample, t);
	memcpy(c->pool.p + r->last + OP_OBS_HEAD + r->used, &above,
	       sizeof(above));
	r->used = (uint16_t)(r->used + OP_OBS_WIDTH);
	r->n++;
	return true;
}

/* Adds a value. */
op_inline bool op_obs_push_value(struct op_obs *c, struct op_arena *mem,
				 uint32_t sample, uint64_t v)
{
	struct op_obs_row *r;

	if (op_unlikely(sample >= c->rows.n))
		return op_obs_push_value_slow(c, mem, sample, v);
	r = &c->rows.p[sample];
	if (op_unlikely(r->used + OP_VARINT_MAX > r->room))
		return op_obs_push_value_slow(c, mem, sample, v);
	r->used = (uint16_t)(r->used +
			     op_varint_put(c->pool.p + r->last + OP_OBS_HEAD +
						   r->used,
					   v));
	r->n++;
	return true;
}

/* Length of the list of a sample. */
op_inline uint32_t op_obs_count(const struct op_obs *c, uint32_t sample)
{
	return sample < c->rows.n ? c->rows.p[sample].n : 0;
}

/* Extends the list of a sample to at least n values; new ones are v. */
bool op_obs_pad(struct op_obs *c, struct op_arena *mem, uint32_t sample,
		uint32_t n, uint64_t v);

/* Appends the lists of another one, whose sample i is map[i] here. Copies
 * pieces, not single numbers. */
bool op_obs_join_times(struct op_obs *c, struct op_arena *mem,
		       const struct op_obs *from, const uint32_t *map);
bool op_obs_join_values(struct op_obs *c, struct op_arena *mem,
			const struct op_obs *from, const uint32_t *map);

/* Frees the memory. */
void op_obs_drop(struct op_obs *c, struct op_arena *mem);

/* The pieces of a list, from first to last:
 *	op_obs_walk(&w, c, sample);
 *	while ((n = op_obs_next_times(&w, out)))
 */
struct op_obs_walk {
	const struct op_obs *c;
	const struct op_obs_row *r;
	uint32_t at; /* 0: the end */
	bool is_one; /* the number in the row is next */
	uint8_t one[OP_VARINT_MAX + sizeof(uint64_t)];
};

void op_obs_walk(struct op_obs_walk *w, const struct op_obs *c,
		 uint32_t sample);

/* Copies the times of the next piece to out, which may be unaligned and must
 * have room for 8 * OP_OBS_MAX bytes. Returns their number, 0 at the end. */
uint32_t op_obs_next_times(struct op_obs_walk *w, uint8_t *out);

/* The varints of the next piece, followed by at least eight readable bytes;
 * empty at the end. */
struct op_view op_obs_next_values(struct op_obs_walk *w);

/* The values of a sample, one by one. */
struct op_obs_values {
	struct op_obs_walk w;
	const uint8_t *p, *end;
};

op_inline void op_obs_values(struct op_obs_values *r, const struct op_obs *c,
			     uint32_t sample)
{
	op_obs_walk(&r->w, c, sample);
	r->p = r->end = NULL;
}

/* There must be another value. */
op_inline uint64_t op_obs_next_value(struct op_obs_values *r)
{
	if (op_unlikely(r->p == r->end)) {
		struct op_view v = op_obs_next_values(&r->w);

		r->p = v.p;
		r->end = v.p + v.n;
	}
	return op_varint_get(&r->p);
}

/* Size of the values of a sample as varints. */
size_t op_obs_value_bytes(const struct op_obs *c, uint32_t sample);

/* A whole list. */
typedef void op_obs_get_fn(const struct op_obs *c, uint32_t sample,
			   uint64_t *out);
op_obs_get_fn op_obs_get_times, op_obs_get_values;

/* Prefetches the lists of samples soon after this one, for callers that walk
 * through them in order. */
void op_obs_hint(const struct op_obs *c, uint32_t sample);

/* The same for a profile, if its observations are packed. */
op_inline void op_packed_hint(const struct op_profile *p, uint32_t sample)
{
	if (p->packed_times)
		op_obs_hint(p->packed_times, sample);
	if (p->packed_values)
		op_obs_hint(p->packed_values, sample);
}

#endif
