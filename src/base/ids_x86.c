// SPDX-License-Identifier: Apache-2.0
/* base/ids_x86.c: packed lists of ids, read with SSE 4.2.
 *
 * The run is read in blocks of 64 bytes. One mask has a bit for each byte: set
 * if its number goes on in the next byte. A block is then read in windows: of
 * eight bytes if none of its numbers is longer than two bytes, else of four.
 * The bits of a window and of the bytes before it select a row of a table,
 * which has the place of each byte of each number that ends in the window. All
 * windows start at fixed places, so none waits for the one before it.
 *
 * A block with a number of more than four bytes, or with one that is not below
 * the limit, is left to ids.c, which finds out where that number is.
 */
#include "base/ids.h"

#include <nmmintrin.h>
#include <pthread.h>
#include <stdatomic.h>

#define op_sse42 __attribute__((target("sse4.2,popcnt")))

enum {
	BLOCK = 64,
	LOADED = BLOCK + 16, /* the last window of a block loads so far */
	PAIR_BITS = 9,	     /* one byte before, and a window of eight */
	QUAD_BITS = 7,	     /* three bytes before, and a window of four */
	NO_BYTE = 0x80,	     /* pshufb: zero */
};

/* By the bits of a window; the first byte is the lowest bit. */
struct tables {
	uint8_t pairs[1 << PAIR_BITS][16]; /* up to two bytes per number */
	uint8_t quads[1 << QUAD_BITS][16]; /* up to four */
	uint8_t back[1 << QUAD_BITS]; /* bytes before that are part of it */
};

static struct tables tables; /* constant once made */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_ready;

/* The row for so many bytes of which goes_on says which do not end a number. */
static void row_make(uint8_t *row, unsigned int width, unsigned int bytes,
		     unsigned int goes_on)
{
	unsigned int at = 0, n;

	memset(row, NO_BYTE, 16);
	for (uint8_t *to = row;; to += width, at += n) {
		n = 1;
		while (at + n <= bytes && goes_on >> (at + n - 1) & 1)
			n++;
		if (at + n > bytes || n > width)
			return;
		for (unsigned int i = 0; i < n; i++)
			to[i] = (uint8_t)(at + i);
	}
}

static void tables_make(void)
{
	for (unsigned int i = 0; i < 1 << PAIR_BITS; i++) {
		unsigned int back = i & 1;

		row_make(tables.pairs[i], 2, 8 + back, i >> (1 - back));
	}
	for (unsigned int i = 0; i < 1 << QUAD_BITS; i++) {
		unsigned int back = 0;

		while (back < 3 && i >> (2 - back) & 1)
			back++;
		row_make(tables.quads[i], 4, 4 + back, i >> (3 - back));
		tables.back[i] = (uint8_t)back;
	}
	atomic_store_explicit(&is_ready,
			      __builtin_cpu_supports("sse4.2") &&
				      __builtin_cpu_supports("popcnt"),
			      memory_order_release);
}

static bool is_able(void)
{
	if (op_likely(atomic_load_explicit(&is_ready, memory_order_acquire)))
		return true;
	pthread_once(&once, tables_make);
	return atomic_load_explicit(&is_ready, memory_order_acquire);
}

op_sse42 op_inline __m128i load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

op_sse42 op_inline uint64_t block_mask(const uint8_t *p)
{
	uint64_t mask = 0;

	for (int i = 3; i >= 0; i--)
		mask = mask << 16 |
		       (uint32_t)_mm_movemask_epi8(load(p + 16 * i));
	return mask;
}

/* A block, and what is known of it. */
struct block {
	const uint8_t *p;
	size_t n;	  /* bytes of the run in it */
	uint64_t goes_on; /* also set for what is behind the run */
	uint64_t before;  /* the same of the bytes before, last one highest */
};

/* The numbers that end in a block, none longer than two bytes. Gives their
 * end, or NULL if one is above most. */
op_sse42 op_inline uint32_t *pairs_read(struct block b, uint32_t most,
					uint32_t *to)
{
	const __m128i largest = _mm_set1_epi16(
		(short)(most < 0x3fff ? most : 0x3fff));
	const __m128i weights = _mm_set1_epi16((short)0x8001);
	const __m128i low_bits = _mm_set1_epi8(0x7f);
	__m128i past = _mm_setzero_si128();
	unsigned int back = (unsigned int)(b.before >> 63);

	for (size_t i = 0; i < b.n; i += 8, b.goes_on >>= 8) {
		unsigned int bits = (unsigned int)(b.goes_on & 0xff);
		const uint8_t *row = tables.pairs[bits << 1 | back];
		__m128i v = load(b.p + i - back);

		v = _mm_and_si128(_mm_shuffle_epi8(v, load(row)), low_bits);
		/* The first byte and 128 times the second. */
		v = _mm_maddubs_epi16(weights, v);
		past = _mm_or_si128(past, _mm_cmpgt_epi16(v, largest));
		_mm_storeu_si128((__m128i *)to, _mm_cvtepu16_epi32(v));
		_mm_storeu_si128((__m128i *)(to + 4),
				 _mm_cvtepu16_epi32(_mm_srli_si128(v, 8)));
		to += 8 - __builtin_popcount(bits);
		back = bits >> 7;
	}
	return _mm_movemask_epi8(past) ? NULL : to;
}

/* The same of numbers of up to four bytes. */
op_sse42 static uint32_t *quads_read(struct block b, uint32_t most,
				     uint32_t *to)
{
	const __m128i largest = _mm_set1_epi32(
		(int)(most < INT32_MAX ? most : INT32_MAX));
	const __m128i weights = _mm_set1_epi16((short)0x8001);
	const __m128i pair_weights = _mm_set1_epi32(0x40000001);
	const __m128i low_bits = _mm_set1_epi8(0x7f);
	__m128i past = _mm_setzero_si128();
	unsigned int three = (unsigned int)(b.before >> 61);

	for (size_t i = 0; i < b.n; i += 4, b.goes_on >>= 4) {
		unsigned int bits = (unsigned int)(b.goes_on & 0xf);
		unsigned int row = bits << 3 | three;
		__m128i v = load(b.p + i - tables.back[row]);

		v = _mm_shuffle_epi8(v, load(tables.quads[row]));
		v = _mm_maddubs_epi16(weights, _mm_and_si128(v, low_bits));
		/* The first two bytes and 2^14 times the others. */
		v = _mm_madd_epi16(v, pair_weights);
		past = _mm_or_si128(past, _mm_cmpgt_epi32(v, largest));
		_mm_storeu_si128((__m128i *)to, v);
		to += 4 - __builtin_popcount(bits);
		three = row >> 4;
	}
	return _mm_movemask_epi8(past) ? NULL : to;
}

/* Reads what ends in a block; NULL if it is not for these instructions. */
op_sse42 op_inline uint32_t *block_read(struct block b, uint32_t most,
					uint32_t *to)
{
	uint64_t unused = b.n < BLOCK ? UINT64_MAX << b.n : 0;
	uint64_t goes_on = b.goes_on & ~unused;
	uint64_t three = goes_on & (goes_on << 1 | b.before >> 63);
	uint64_t five = three & (goes_on << 2 | b.before >> 62) &
			(goes_on << 3 | b.before >> 61);

	b.goes_on |= unused;
	if (op_likely(!three && b.before >> 62 != 3))
		return pairs_read(b, most, to);
	return op_likely(!five) ? quads_read(b, most, to) : NULL;
}

op_sse42 static struct op_ids_end blocks_read(const uint8_t *p,
					      const uint8_t *end,
					      const uint8_t *loads_end,
					      uint32_t most, uint32_t *to)
{
	struct block b = { .p = p };

	while (b.p < end && loads_end - b.p >= LOADED) {
		size_t left = (size_t)(end - b.p);
		uint32_t *next;

		b.n = left < BLOCK ? left : BLOCK;
		b.goes_on = block_mask(b.p);
		next = block_read(b, most, to);
		if (op_unlikely(!next))
			break;
		to = next;
		b.p += b.n;
		b.before = b.goes_on << (BLOCK - b.n);
	}
	/* Back to the start of a number that is not complete. */
	return (struct op_ids_end){ b.p - __builtin_clzll(~b.before), to };
}

struct op_ids_end op_ids_read_vector(const uint8_t *p, const uint8_t *end,
				     const uint8_t *words_end, uint32_t limit,
				     uint32_t *to)
{
	if (!limit || !is_able())
		return (struct op_ids_end){ p, to };
	return blocks_read(p, end, words_end + 7, limit - 1, to);
}
