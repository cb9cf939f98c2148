// SPDX-License-Identifier: Apache-2.0
/* model/obs.c: pieces of packed observations: adds, joins and walks them. */
#include "model/obs.h"

enum { ALIGN = 8, SPARE = 8 }; /* SPARE: loads may read beyond the last piece */

enum kind { TIMES, VALUES };

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void store32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* --- pieces --- */

static uint32_t next_of(const struct op_obs *c, const struct op_obs_row *r,
			uint32_t at)
{
	return at == r->last ? 0 : load32(c->pool.p + at);
}

static uint32_t bytes_of(const struct op_obs *c, const struct op_obs_row *r,
			 uint32_t at)
{
	return at == r->last ? r->used : load32(c->pool.p + at + 4);
}

/* Allocates n bytes of the pool. The first bytes are never used: offset 0 means
 * none. */
static uint32_t pool_take(struct op_obs *c, struct op_arena *mem, size_t n)
{
	uint32_t at;

	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!op_vec_reserve(mem, &c->pool, ALIGN + n + SPARE))
		return 0;
	if (!c->pool.n)
		c->pool.n = ALIGN;
	at = (uint32_t)c->pool.n;
	c->pool.n += n;
	return at;
}

/* The size of the next piece of a list of n bytes: few pieces while lists are
 * short, little waste when they are long. */
static uint32_t times_room(uint32_t n)
{
	uint32_t most = n < 256 ? n : 192 + n / 4;

	if (most < 6)
		most = 6;
	if (most > OP_OBS_MAX)
		most = OP_OBS_MAX;
	return sizeof(uint64_t) + most * OP_OBS_WIDTH +
	       (uint32_t)(sizeof(uint64_t) - OP_OBS_WIDTH);
}

static uint32_t values_room(uint32_t n)
{
	uint32_t room = n < 6 ? 24 : 3 * n + OP_VARINT_MAX;

	if (n >= 256)
		room = n < OP_OBS_MAX_BYTES ? 512 + n : OP_OBS_MAX_BYTES;
	return room < OP_OBS_MAX_BYTES ? room : OP_OBS_MAX_BYTES;
}

/* Appends a piece; base is for timestamps only. */
static bool piece_add(struct op_obs *c, struct op_arena *mem,
		      struct op_obs_row *r, enum kind kind, uint64_t base)
{
	uint32_t room = kind == TIMES ? times_room(r->n) : values_room(r->n);
	uint32_t at = pool_take(c, mem, OP_OBS_HEAD + room);

	if (!at)
		return false;
	if (r->last) {
		store32(c->pool.p + r->last, at);
		store32(c->pool.p + r->last + 4, r->used);
	} else {
		r->first = at;
	}
	r->last = at;
	r->used = 0;
	r->room = (uint16_t)room;
	if (kind == TIMES) {
		memcpy(c->pool.p + at + OP_OBS_HEAD, &base, sizeof(base));
		r->base = base;
		r->used = sizeof(base);
	}
	return true;
}

static bool fits(const struct op_obs_row *r, enum kind kind, uint64_t v)
{
	if (kind == VALUES)
		return r->used + OP_VARINT_MAX <= r->room;
	return r->used + sizeof(v) <= r->room &&
	       !((v - r->base + OP_OBS_BIAS) >> 8 * OP_OBS_WIDTH);
}

static void put(struct op_obs *c, struct op_obs_row *r, enum kind kind,
		uint64_t v)
{
	uint8_t *to = c->pool.p + r->last + OP_OBS_HEAD + r->used;
	uint64_t above = v - r->base + OP_OBS_BIAS;
	unsigned int n = OP_OBS_WIDTH;

	if (kind == VALUES)
		n = op_varint_put(to, v);
	else
		memcpy(to, &above, sizeof(above));
	r->used = (uint16_t)(r->used + n);
}

/* Moves the number in the row to the first piece. */
static bool one_move(struct op_obs *c, struct op_arena *mem,
		     struct op_obs_row *r, enum kind kind)
{
	uint64_t one = r->base;

	if (r->last || !r->n)
		return true;
	if (!piece_add(c, mem, r, kind, one))
		return false;
	put(c, r, kind, one);
	return true;
}

/* --- adding --- */

static struct op_obs_row *row_of(struct op_obs *c, struct op_arena *mem,
				 uint32_t sample)
{
	size_t more;

	if (sample >= c->rows.n) {
		more = (size_t)sample + 1 - c->rows.n;
		if (!op_vec_reserve(mem, &c->rows, more))
			return NULL;
		memset(c->rows.p + c->rows.n, 0, more * sizeof(*c->rows.p));
		c->rows.n += more;
	}
	return &c->rows.p[sample];
}

static bool push(struct op_obs *c, struct op_arena *mem, uint32_t sample,
		 enum kind kind, uint64_t v)
{
	struct op_obs_row *r = row_of(c, mem, sample);

	if (!r)
		return false;
	if (r->n == UINT32_MAX)
		return op_arena_refuse(mem, SIZE_MAX);
	if (!r->n) {
		r->base = v;
		r->n = 1;
		return true;
	}
	if (!one_move(c, mem, r, kind))
		return false;
	if (!fits(r, kind, v) && !piece_add(c, mem, r, kind, v))
		return false;
	put(c, r, kind, v);
	r->n++;
	return true;
}

bool op_obs_push_time_slow(struct op_obs *c, struct op_arena *mem,
			   uint32_t sample, uint64_t t)
{
	return push(c, mem, sample, TIMES, t);
}

bool op_obs_push_value_slow(struct op_obs *c, struct op_arena *mem,
			    uint32_t sample, uint64_t v)
{
	return push(c, mem, sample, VALUES, v);
}

bool op_obs_pad(struct op_obs *c, struct op_arena *mem, uint32_t sample,
		uint32_t n, uint64_t v)
{
	for (uint32_t i = op_obs_count(c, sample); i < n; i++)
		if (!op_obs_push_value(c, mem, sample, v))
			return false;
	return true;
}

/* --- joining --- */

/* Other observations, whose pool was copied to offset shift of ours. */
struct joining {
	const struct op_obs *from;
	enum kind kind;
	uint32_t shift;
};

/* Appends the pieces of its row f to those of r. */
static void pieces_append(struct op_obs *c, struct op_obs_row *r,
			  const struct joining *in, const struct op_obs_row *f)
{
	uint32_t shift = in->shift, next;

	for (uint32_t at = f->first; at != f->last; at = next) {
		next = next_of(in->from, f, at);
		store32(c->pool.p + shift + at, shift + next);
	}
	if (r->last) {
		store32(c->pool.p + r->last, shift + f->first);
		store32(c->pool.p + r->last + 4, r->used);
	} else {
		r->first = shift + f->first;
	}
	r->last = shift + f->last;
	r->used = f->used;
	r->room = f->room;
	r->base = f->base;
	r->n += f->n;
}

/* Adds row i of the other observations to the row of a sample. */
static bool row_join(struct op_obs *c, struct op_arena *mem, uint32_t sample,
		     const struct joining *in, size_t i)
{
	const struct op_obs_row *f = &in->from->rows.p[i];
	struct op_obs_row *r;

	if (!f->last)
		return !f->n || push(c, mem, sample, in->kind, f->base);
	r = row_of(c, mem, sample);
	if (!r || !one_move(c, mem, r, in->kind))
		return false;
	if (f->n > UINT32_MAX - r->n)
		return op_arena_refuse(mem, SIZE_MAX);
	pieces_append(c, r, in, f);
	return true;
}

static bool join(struct op_obs *c, struct op_arena *mem,
		 const struct op_obs *from, const uint32_t *map, enum kind kind)
{
	struct joining in = { from, kind, 0 };

	if (from->pool.n) {
		in.shift = pool_take(c, mem, from->pool.n);
		if (!in.shift)
			return false;
		memcpy(c->pool.p + in.shift, from->pool.p, from->pool.n);
	}
	for (size_t i = 0; i < from->rows.n; i++)
		if (!row_join(c, mem, map[i], &in, i))
			return false;
	return true;
}

bool op_obs_join_times(struct op_obs *c, struct op_arena *mem,
		       const struct op_obs *from, const uint32_t *map)
{
	return join(c, mem, from, map, TIMES);
}

bool op_obs_join_values(struct op_obs *c, struct op_arena *mem,
			const struct op_obs *from, const uint32_t *map)
{
	return join(c, mem, from, map, VALUES);
}

void op_obs_drop(struct op_obs *c, struct op_arena *mem)
{
	op_arena_drop(mem, c->pool.p, c->pool.cap);
	op_arena_drop(mem, c->rows.p, c->rows.cap * sizeof(*c->rows.p));
	*c = (struct op_obs){ 0 };
}

/* --- walking --- */

void op_obs_walk(struct op_obs_walk *w, const struct op_obs *c, uint32_t sample)
{
	w->c = c;
	w->at = 0;
	w->is_one = false;
	if (sample >= c->rows.n)
		return;
	w->r = &c->rows.p[sample];
	w->at = w->r->first;
	w->is_one = w->r->n && !w->r->last;
}

uint32_t op_obs_next_times(struct op_obs_walk *w, uint8_t *out)
{
	const uint8_t *p, *end;
	uint64_t base;

	if (w->is_one) {
		w->is_one = false;
		memcpy(out, &w->r->base, sizeof(base));
		return 1;
	}
	if (!w->at)
		return 0;
	p = w->c->pool.p + w->at + OP_OBS_HEAD;
	end = p + bytes_of(w->c, w->r, w->at);
	w->at = next_of(w->c, w->r, w->at);
	memcpy(&base, p, sizeof(base));
	base -= OP_OBS_BIAS;
	p += sizeof(base);
	for (const uint8_t *q = p; q < end; q += OP_OBS_WIDTH) {
		uint64_t t;

		memcpy(&t, q, sizeof(t));
		t = base + (t & (2 * OP_OBS_BIAS - 1));
		memcpy(out, &t, sizeof(t));
		out += sizeof(t);
	}
	return (uint32_t)(end - p) / OP_OBS_WIDTH;
}

struct op_view op_obs_next_values(struct op_obs_walk *w)
{
	uint32_t at = w->at;

	if (w->is_one) {
		w->is_one = false;
		return op_view(w->one, op_varint_put(w->one, w->r->base));
	}
	if (!at)
		return (struct op_view){ 0 };
	w->at = next_of(w->c, w->r, at);
	return op_view(w->c->pool.p + at + OP_OBS_HEAD,
		       bytes_of(w->c, w->r, at));
}

size_t op_obs_value_bytes(const struct op_obs *c, uint32_t sample)
{
	const struct op_obs_row *r;
	size_t sum = 0;

	if (sample >= c->rows.n)
		return 0;
	r = &c->rows.p[sample];
	if (!r->last)
		return r->n ? op_varint_size(r->base) : 0;
	for (uint32_t at = r->first; at; at = next_of(c, r, at))
		sum += bytes_of(c, r, at);
	return sum;
}

void op_obs_get_times(const struct op_obs *c, uint32_t sample, uint64_t *out)
{
	struct op_obs_walk w;
	uint32_t n;

	op_obs_walk(&w, c, sample);
	while ((n = op_obs_next_times(&w, (uint8_t *)out)))
		out += n;
}

void op_obs_get_values(const struct op_obs *c, uint32_t sample, uint64_t *out)
{
	struct op_obs_walk w;
	struct op_view v;

	op_obs_walk(&w, c, sample);
	while ((v = op_obs_next_values(&w)).n) {
		const uint8_t *p = v.p;

		while (p < v.p + v.n)
			*out++ = op_varint_get(&p);
	}
}

/* Prefetches the first piece of lists further ahead, and a later one of nearer
 * lists: its address was prefetched before. */
void op_obs_hint(const struct op_obs *c, uint32_t sample)
{
	enum { STEP = 4, DEEP = 4, LINE = 64 };

	for (uint32_t k = 0; k < DEEP; k++) {
		size_t i = (size_t)sample + STEP * (DEEP - k);
		const struct op_obs_row *r;
		uint32_t at;

		if (i >= c->rows.n)
			continue;
		r = &c->rows.p[i];
		at = r->first;
		for (uint32_t n = 0; n < k && at; n++)
			at = next_of(c, r, at);
		if (!at)
			continue;
		__builtin_prefetch(c->pool.p + at);
		__builtin_prefetch(c->pool.p + at + LINE);
	}
}
