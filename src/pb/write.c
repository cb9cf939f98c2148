// SPDX-License-Identifier: Apache-2.0
/* pb/write.c: writes the protobuf wire format, from the back to the front. */
#include "pb/write.h"

#include "base/arena.h"
#include "base/utf8.h"

enum { FIRST_CAP = 4096 };

bool op_pbw_grow(struct op_pbw *w, size_t n)
{
	size_t used = op_pbw_mark(w);
	size_t cap = (size_t)(w->end - w->start);
	uint8_t *p;

	if (w->err->code)
		return false;
	if (w->limit && used > w->limit) {
		op_fail(w->err, OP_ELIMIT, "a message of more than %zu bytes",
			w->limit);
		return false;
	}
	if (n > SIZE_MAX / 4) {
		op_fail(w->err, OP_ELIMIT, "%zu bytes are too many", n);
		return false;
	}
	cap = cap ? cap * 2 : FIRST_CAP;
	while (cap - used < n)
		cap *= 2;
	p = op_heap_resize(NULL, cap, w->err);
	if (!p)
		return false;
	op_heap_hint(p, cap);
	if (used)
		memcpy(p + cap - used, w->p, used);
	op_heap_free(w->start);
	w->start = p;
	w->end = p + cap;
	w->p = w->end - used;
	return true;
}

void op_pbw_fixed64(struct op_pbw *w, uint32_t num, uint64_t v)
{
	if (!v || !op_pbw_room(w, 18))
		return;
	w->p -= sizeof(v);
	memcpy(w->p, &v, sizeof(v));
	op_pbw_raw_varint(w, OP_PB(num, OP_PB_I64));
}

void op_pbw_raw(struct op_pbw *w, struct op_view v)
{
	if (!v.n || !op_pbw_room(w, v.n))
		return;
	w->p -= v.n;
	memcpy(w->p, v.p, v.n);
}

void op_pbw_bytes(struct op_pbw *w, uint32_t num, struct op_view v)
{
	size_t end = op_pbw_mark(w);

	op_pbw_raw(w, v);
	op_pbw_len(w, num, end);
}

void op_pbw_string(struct op_pbw *w, uint32_t num, struct op_view v)
{
	size_t end = op_pbw_mark(w);
	size_t n;

	if (op_likely(op_utf8_valid(v))) {
		op_pbw_bytes(w, num, v);
		return;
	}
	n = op_utf8_fixed_size(v);
	if (!op_pbw_room(w, n))
		return;
	w->p -= n;
	op_utf8_fix(v, w->p);
	op_pbw_len(w, num, end);
}

/* Numbers are written in slices, so that room is made once for many. */
enum { SLICE = 64, FEW = 8 };

/* Writes v[from .. to) before what is written, from the last on. Whether an id
 * takes one byte or two follows no pattern, so there is no branch on it: two
 * are written, and the next id overwrites the one that is too many. */
static void ids_put(struct op_pbw *w, const uint32_t *v, size_t from, size_t to)
{
	uint8_t *p = w->p;

	for (size_t i = to; i-- > from;) {
		uint32_t id = v[i], is_two = id > 0x7f;
		uint32_t two = (id & 0x7f) | 0x80 | (id & 0x3f80) << 1;
		uint16_t bytes = (uint16_t)(is_two ? two : id << 8);

		if (op_unlikely(id > 0x3fff)) {
			w->p = p;
			op_pbw_raw_varint(w, id);
			p = w->p;
			continue;
		}
		memcpy(p - sizeof(bytes), &bytes, sizeof(bytes));
		p -= 1 + is_two;
	}
	w->p = p;
}

void op_pbw_packed_u32(struct op_pbw *w, uint32_t num, const uint32_t *v,
		       size_t n)
{
	size_t end = op_pbw_mark(w);
	size_t i = n;

	while (i) {
		size_t stop = i > SLICE ? i - SLICE : 0;

		if (!op_pbw_room(w, 5 * SLICE + 1))
			return;
		if (i - stop > FEW)
			ids_put(w, v, stop, i);
		else
			for (size_t k = i; k-- > stop;)
				op_pbw_raw_varint(w, v[k]);
		i = stop;
	}
	op_pbw_len_nonempty(w, num, end);
}

void op_pbw_packed_i64(struct op_pbw *w, uint32_t num, const int64_t *v,
		       size_t n)
{
	size_t end = op_pbw_mark(w);
	size_t i = n;

	while (i) {
		size_t stop = i > SLICE ? i - SLICE : 0;

		if (!op_pbw_room(w, 10 * SLICE))
			return;
		while (i > stop)
			op_pbw_raw_varint(w, (uint64_t)v[--i]);
	}
	op_pbw_len_nonempty(w, num, end);
}

void op_pbw_packed_fixed64(struct op_pbw *w, uint32_t num,
			   const op_unaligned_u64 *v, size_t n)
{
	size_t end = op_pbw_mark(w);

	op_pbw_raw(w, op_view(v, n * sizeof(*v)));
	op_pbw_len_nonempty(w, num, end);
}

struct op_view op_pbw_result(const struct op_pbw *w)
{
	if (w->limit && op_pbw_mark(w) > w->limit)
		op_fail(w->err, OP_ELIMIT, "a message of more than %zu bytes",
			w->limit);
	if (w->err->code)
		return (struct op_view){ 0 };
	return op_view(w->p, op_pbw_mark(w));
}

void op_pbw_free(struct op_pbw *w)
{
	op_heap_free(w->start);
	*w = (struct op_pbw){ .err = w->err };
}
