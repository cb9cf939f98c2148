// SPDX-License-Identifier: Apache-2.0
/* base/utf8.c: validates UTF-8, and replaces what is invalid. */
#include "base/utf8.h"

static const uint8_t replacement[3] = { 0xef, 0xbf, 0xbd };

/* What the first byte asks for: the length of the sequence (0: not a first
 * byte) and the range of the second. The ranges keep out over-long forms,
 * surrogates and what lies past U+10FFFF. */
struct lead {
	uint8_t n, lo, hi;
};

static struct lead lead_of(uint8_t b)
{
	if (b >= 0xc2 && b <= 0xdf)
		return (struct lead){ 2, 0x80, 0xbf };
	if (b == 0xe0)
		return (struct lead){ 3, 0xa0, 0xbf };
	if (b == 0xed)
		return (struct lead){ 3, 0x80, 0x9f };
	if (b >= 0xe1 && b <= 0xef)
		return (struct lead){ 3, 0x80, 0xbf };
	if (b == 0xf0)
		return (struct lead){ 4, 0x90, 0xbf };
	if (b >= 0xf1 && b <= 0xf3)
		return (struct lead){ 4, 0x80, 0xbf };
	if (b == 0xf4)
		return (struct lead){ 4, 0x80, 0x8f };
	return (struct lead){ 0, 0, 0 };
}

/* How many bytes of the sequence at v are as they should be; *whole says
 * whether that is all of it. */
static size_t good_bytes(struct op_view v, bool *whole)
{
	struct lead l = lead_of(v.p[0]);
	size_t i;

	*whole = false;
	if (!l.n)
		return 0;
	for (i = 1; i < l.n; i++) {
		uint8_t lo = i == 1 ? l.lo : 0x80;
		uint8_t hi = i == 1 ? l.hi : 0xbf;

		if (i >= v.n || v.p[i] < lo || v.p[i] > hi)
			return i;
	}
	*whole = true;
	return i;
}

size_t op_utf8_bad(struct op_view v)
{
	bool whole;
	size_t n = good_bytes(v, &whole);

	return n ? n : 1;
}

/* Skips ASCII, eight bytes at a time. */
static size_t ascii_run(struct op_view v, size_t i)
{
	uint64_t w;

	while (v.n - i >= sizeof(w)) {
		memcpy(&w, v.p + i, sizeof(w));
		if (w & 0x8080808080808080u)
			break;
		i += sizeof(w);
	}
	/* The rest as a word too: bytes seen twice do no harm. */
	if (v.n >= sizeof(w) && v.n - i < sizeof(w)) {
		memcpy(&w, v.p + v.n - sizeof(w), sizeof(w));
		if (!(w & 0x8080808080808080u))
			return v.n;
	}
	while (i < v.n && v.p[i] < 0x80)
		i++;
	return i;
}

size_t op_utf8_prefix(struct op_view v)
{
	size_t i = 0;
	bool whole;

	while ((i = ascii_run(v, i)) < v.n) {
		size_t n = good_bytes(op_view(v.p + i, v.n - i), &whole);

		if (!whole)
			break;
		i += n;
	}
	return i;
}

size_t op_utf8_fixed_size(struct op_view v)
{
	size_t size = 0;

	while (v.n) {
		size_t n = op_utf8_prefix(v);

		size += n;
		v = op_view(v.p + n, v.n - n);
		if (!v.n)
			break;
		size += sizeof(replacement);
		n = op_utf8_bad(v);
		v = op_view(v.p + n, v.n - n);
	}
	return size;
}

void op_utf8_fix(struct op_view v, uint8_t *out)
{
	while (v.n) {
		size_t n = op_utf8_prefix(v);

		memcpy(out, v.p, n);
		out += n;
		v = op_view(v.p + n, v.n - n);
		if (!v.n)
			break;
		memcpy(out, replacement, sizeof(replacement));
		out += sizeof(replacement);
		n = op_utf8_bad(v);
		v = op_view(v.p + n, v.n - n);
	}
}
