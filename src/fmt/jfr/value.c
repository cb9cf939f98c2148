// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/value.c: values of any type.
 *
 * A string begins with a byte that says how it is written: 0 none, 1 empty,
 * 2 an id of a pool, 3 UTF-8, 4 UTF-16 as chars, 5 Latin-1. Others are the
 * fields of their type one behind the other; an array begins with how many
 * there are. */
#include "fmt/jfr/value.h"

#include "base/ends.h"
#include "base/utf8.h"
#include "base/word.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"

enum { MAX_DEPTH = 16 };

/* --- skipping --- */

static void skip(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		 const struct op_jfr_field *f, int depth);

static void skip_string(struct op_jfr_cur *in)
{
	const uint8_t *at = in->c.p;
	uint64_t n;

	switch (op_jfr_byte(in)) {
	case 0:
	case 1:
		break;
	case 2:
		op_jfr_long(in);
		break;
	case 3:
	case 5:
		op_cur_take(&in->c, op_jfr_int(in));
		break;
	case 4:
		n = op_jfr_int(in);
		while (n-- && !in->c.err->code)
			op_jfr_uint(in, 2);
		break;
	default:
		if (!in->c.err->code)
			op_cur_fail(&in->c, at, OP_EFORMAT,
				    "a string of unknown encoding");
	}
}

static void skip_struct(struct op_jfr_chunk *c, struct op_jfr_cur *in,
			const struct op_jfr_field *f, int depth)
{
	const uint8_t *from = in->c.p;
	struct op_jfr_type *t;

	if (f->type == OP_NO_ID || depth == MAX_DEPTH) {
		op_cur_fail(&in->c, in->c.p, OP_EFORMAT,
			    depth == MAX_DEPTH ?
				    "values nested more than %d deep" :
				    "a value of unknown type",
			    MAX_DEPTH);
		return;
	}
	t = &c->types.p[f->type];
	if (t->is_empty)
		return;
	for (uint32_t i = 0; i < t->nr_fields && !c->err->code; i++) {
		const struct op_jfr_field *part =
			&c->fields.p[t->first_field + i];

		if (part->is_packed)
			op_jfr_varint(&in->c);
		else
			skip(c, in, part, depth + 1);
	}
	/* Types that hold each other would take ages to hold nothing. */
	t->is_empty = in->c.p == from && !c->err->code;
}

/* Passes numbers 32 bytes at a time, as long as all that end there are to be
 * passed; gives how many bytes of one that has not ended were passed too. Stops
 * before a number so long that it does not end as others do. */
static unsigned int skip_most(struct op_cur *c, uint64_t *n)
{
	unsigned int before = 0;

	while (*n >= 32 && op_cur_left(c) >= 32) {
		uint32_t ends = op_ends(c->p);

		if (op_unlikely(op_ends_has_long(ends) ||
				before + (unsigned int)__builtin_ctz(ends) >=
					8))
			break;
		*n -= op_ends_count(ends);
		before = (unsigned int)__builtin_clz(ends);
		c->p += 32;
	}
	return before;
}

/* Word by word, as many as end in each, wherever they began: no word waits for
 * the one before it. One so long that it does not end as others do is read, and
 * so are those behind it. */
static void skip_numbers(struct op_jfr_cur *in, uint64_t n)
{
	struct op_cur c = in->c;
	unsigned int before = skip_most(&c, &n); /* of one that has not ended */

	while (n && c.p < c.words_end && op_cur_left(&c) >= 8) {
		uint64_t w, ends;
		unsigned int nr;

		memcpy(&w, c.p, sizeof(w));
		ends = op_varint_ends(w);
		nr = op_varint_count(ends);
		if (op_unlikely(!nr || before + op_word_first(ends) >= 8))
			break;
		if (nr >= n) {
			while (--n)
				ends &= ends - 1;
			in->c.p = c.p + op_word_first(ends) + 1;
			return;
		}
		n -= nr;
		before = (unsigned int)__builtin_clzll(ends) / 8;
		c.p += 8;
	}
	c.p -= before;
	while (n && !c.err->code) {
		op_jfr_varint(&c);
		n--;
	}
	in->c = c;
}

static void skip_one(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		     const struct op_jfr_field *f, int depth)
{
	switch (f->kind) {
	case OP_JFR_STRING:
		skip_string(in);
		break;
	case OP_JFR_STRUCT:
		skip_struct(c, in, f, depth);
		break;
	default:
		op_jfr_number(in, f->kind);
	}
}

static void skip(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		 const struct op_jfr_field *f, int depth)
{
	uint64_t n = f->is_array ? op_jfr_int(in) : 1;

	/* An array of values without fields could claim any number. */
	if (f->is_array && n > op_cur_left(&in->c) && !c->err->code)
		op_cur_fail(&in->c, in->c.p, OP_EFORMAT,
			    "%llu elements declared, but only %zu bytes are "
			    "left",
			    (unsigned long long)n, op_cur_left(&in->c));
	if (f->kind == OP_JFR_STRUCT && f->type != OP_NO_ID &&
	    c->types.p[f->type].is_numbers) {
		skip_numbers(in, n * c->types.p[f->type].nr_fields);
		return;
	}
	while (n-- && !c->err->code) {
		const uint8_t *from = in->c.p;

		skip_one(c, in, f, depth);
		if (in->c.p == from) /* nor do the others take a byte */
			break;
	}
}

void op_jfr_skip(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		 const struct op_jfr_field *f)
{
	skip(c, in, f, 0);
}

uint64_t op_jfr_number(struct op_jfr_cur *in, enum op_jfr_kind kind)
{
	switch (kind) {
	case OP_JFR_BYTE:
		return op_jfr_byte(in);
	case OP_JFR_SHORT:
		return op_jfr_uint(in, 2);
	case OP_JFR_INT:
		return op_jfr_int(in);
	case OP_JFR_FLOAT:
		return op_jfr_wide(&in->c, 4);
	case OP_JFR_DOUBLE:
		return op_jfr_wide(&in->c, 8);
	default:
		return op_jfr_long(in);
	}
}

/* --- text --- */

/* Units of UTF-16, each a number; half a pair becomes U+FFFD. */
static struct op_view text_utf16(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	uint64_t n = op_jfr_int(in);
	uint32_t high = 0;
	uint8_t *p, *to;

	if (n > op_cur_left(&in->c)) {
		op_cur_fail(&in->c, in->c.p, OP_EFORMAT,
			    "a string declares %llu characters, but only %zu "
			    "bytes are left",
			    (unsigned long long)n, op_cur_left(&in->c));
		return (struct op_view){ 0 };
	}
	p = to = op_arena_alloc(&c->mem, 3 * n + 3);
	if (!p)
		return (struct op_view){ 0 };
	while (n-- && !c->err->code) {
		uint32_t u = op_jfr_uint(in, 2) & 0xffff;

		if (high && u >= 0xdc00 && u < 0xe000) {
			to += op_utf8_put(to, 0x10000 +
						      ((high - 0xd800) << 10) +
						      (u - 0xdc00));
			high = 0;
			continue;
		}
		if (high)
			to += op_utf8_put(to, 0xfffd);
		high = u >= 0xd800 && u < 0xdc00 ? u : 0;
		if (!high)
			to += op_utf8_put(
				to, u >= 0xdc00 && u < 0xe000 ? 0xfffd : u);
	}
	if (high)
		to += op_utf8_put(to, 0xfffd);
	return op_view(p, (size_t)(to - p));
}

static struct op_view text_latin1(struct op_jfr_chunk *c, struct op_view v)
{
	uint8_t *p, *to;
	size_t i = 0;

	while (i < v.n && v.p[i] < 0x80)
		i++;
	if (i == v.n)
		return v;
	p = to = op_arena_alloc(&c->mem, 2 * v.n);
	if (!p)
		return (struct op_view){ 0 };
	for (i = 0; i < v.n; i++)
		to += op_utf8_put(to, v.p[i]);
	return op_view(p, (size_t)(to - p));
}

struct op_view op_jfr_text(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	const uint8_t *at = in->c.p;

	switch (op_jfr_byte(in)) {
	case 2:
		return op_jfr_pool_text(c, c->t_string, op_jfr_long(in));
	case 3:
		return op_cur_take(&in->c, op_jfr_int(in));
	case 4:
		return text_utf16(c, in);
	case 5:
		return text_latin1(c, op_cur_take(&in->c, op_jfr_int(in)));
	case 0:
	case 1:
		break;
	default:
		if (!in->c.err->code)
			op_cur_fail(&in->c, at, OP_EFORMAT,
				    "a string of unknown encoding");
	}
	return (struct op_view){ 0 };
}
