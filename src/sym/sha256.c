// SPDX-License-Identifier: Apache-2.0
/* sym/sha256.c: SHA-256. */
#include "sym/sha256.h"

/* The fractions of the cube roots of the first 64 primes. */
static const uint32_t roots[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static void schedule(uint32_t w[64], const uint8_t *block)
{
	for (int i = 0; i < 16; i++)
		w[i] = big_endian(block + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		a = turn(a, 7) ^ turn(a, 18) ^ a >> 3;
		b = turn(b, 17) ^ turn(b, 19) ^ b >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
}

static void mix(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	schedule(w, block);
	memcpy(v, h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
		uint32_t s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
		uint32_t t = v[7] + s1 + ((e & v[5]) ^ (~e & v[6])) + roots[i] +
			     w[i];

		s0 += (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t;
		v[0] = t + s0;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void op_sha256_init(struct op_sha256 *s)
{
	/* The fractions of the square roots of the first eight primes. */
	*s = (struct op_sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
					0xa54ff53a, 0x510e527f, 0x9b05688c,
					0x1f83d9ab, 0x5be0cd19 } };
}

void op_sha256_add(struct op_sha256 *s, struct op_view v)
{
	while (v.n) {
		size_t at = s->n % OP_SHA256_BLOCK;
		size_t n = OP_SHA256_BLOCK - at;

		if (n > v.n)
			n = v.n;
		memcpy(s->block + at, v.p, n);
		s->n += n;
		v = op_view(v.p + n, v.n - n);
		if (at + n == OP_SHA256_BLOCK)
			mix(s->h, s->block);
	}
}

void op_sha256_end(struct op_sha256 *s, uint8_t out[OP_SHA256_BYTES])
{
	static const uint8_t pad[OP_SHA256_BLOCK] = { 0x80 };
	uint64_t bits = s->n * 8;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	/* A bit 1, then zeros, so that the length ends a block. */
	op_sha256_add(s, op_view(pad, 1 + (119 - s->n % 64) % 64));
	op_sha256_add(s, op_view(length, sizeof(length)));
	for (int i = 0; i < OP_SHA256_BYTES; i++)
		out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}
