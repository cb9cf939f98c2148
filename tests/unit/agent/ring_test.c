// SPDX-License-Identifier: Apache-2.0
#include "agent/ring.h"

#include <stdlib.h>

#include "random.h"
#include "test.h"

static struct op_channel channel;
static struct op_ring_reader reader;

static void begin(uint64_t at)
{
	memset(&channel, 0, sizeof(channel));
	memset(&reader, 0, sizeof(reader));
	reader.channel = &channel;
	channel.head = channel.tail = reader.at = at;
}

static bool put(uint32_t bytes, uint8_t fill)
{
	struct op_channel_record r = { bytes, OP_CHANNEL_SAMPLE };
	uint8_t *to = op_ring_reserve(&channel, bytes);

	if (!to)
		return false;
	memcpy(to, &r, sizeof(r));
	memset(to + sizeof(r), fill, bytes - sizeof(r));
	op_ring_commit(&channel, bytes);
	return true;
}

static void take(uint32_t bytes, uint8_t fill)
{
	const struct op_channel_record *r = op_ring_next(&reader);

	CHECK(r != NULL);
	if (!r)
		return;
	CHECK_EQ(r->bytes, bytes);
	CHECK_EQ(r->type, OP_CHANNEL_SAMPLE);
	for (uint32_t i = sizeof(*r); i < bytes; i++)
		if (((const uint8_t *)r)[i] != fill) {
			CHECK_EQ(((const uint8_t *)r)[i], fill);
			break;
		}
}

TEST(order)
{
	begin(0);
	CHECK(!op_ring_next(&reader));
	CHECK(put(24, 1) && put(OP_RING_MAX_RECORD, 2) && put(8, 3));
	take(24, 1);
	take(OP_RING_MAX_RECORD, 2);
	take(8, 3);
	CHECK(!op_ring_next(&reader) && !reader.is_broken);
	CHECK_EQ(channel.tail, channel.head);
}

/* Around the end of the ring and of 64 bits, in every alignment. */
TEST(wraps)
{
	for (uint64_t back = 8; back <= 128; back += 8) {
		begin(0 - back);
		CHECK(put(64, 4) && put(40, 5));
		take(64, 4);
		take(40, 5);
		CHECK(!op_ring_next(&reader) && !reader.is_broken);
	}
}

TEST(full)
{
	uint32_t n = 0, after;

	begin(0);
	while (put(1024, (uint8_t)n))
		n++;
	CHECK_EQ(n, OP_CHANNEL_RING / 1024);
	CHECK(!put(8, 0));
	CHECK_EQ(channel.head, OP_CHANNEL_RING);
	take(1024, 0);
	take(1024, 1);
	(void)op_ring_next(&reader); /* frees what was read before */
	for (after = 0; put(1024, 9); after++)
		;
	CHECK_EQ(after, 2);
	CHECK_EQ(channel.lost, 0); /* who writes counts */
}

TEST(random_sizes)
{
	uint64_t seed = 7;
	uint32_t sizes[64];
	uint64_t written = 0, read = 0;

	begin(0);
	for (int i = 0; i < 20000; i++) {
		uint32_t bytes = 8 + 8 * (uint32_t)(random_next(&seed) % 900);

		if (written - read < op_countof(sizes) &&
		    put(bytes, (uint8_t)written))
			sizes[written++ % op_countof(sizes)] = bytes;
		else
			while (read < written) {
				take(sizes[read % op_countof(sizes)],
				     (uint8_t)read);
				read++;
			}
	}
	CHECK(!reader.is_broken && written > 10000);
}

/* What a program may have written over its memory. */
TEST(broken)
{
	static const struct {
		const char *what;
		uint32_t bytes, type;
		uint64_t head;
	} rows[] = {
		{ "no bytes", 0, OP_CHANNEL_SAMPLE, 64 },
		{ "shorter than its head", 4, OP_CHANNEL_SAMPLE, 64 },
		{ "not a multiple of 8", 12, OP_CHANNEL_SAMPLE, 64 },
		{ "beyond what is written", 128, OP_CHANNEL_SAMPLE, 64 },
		{ "longer than any", OP_RING_MAX_RECORD + 8, OP_CHANNEL_SAMPLE,
		  64 << 10 },
		{ "padding beyond", 128, OP_CHANNEL_PAD, 64 },
		{ "empty padding", 0, OP_CHANNEL_PAD, 64 },
		{ "more written than fits", 8, OP_CHANNEL_SAMPLE,
		  OP_CHANNEL_RING + 8 },
		{ "odd head", 8, OP_CHANNEL_SAMPLE, 63 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_channel_record r = { rows[i].bytes, rows[i].type };

		begin(0);
		memcpy(channel.ring, &r, sizeof(r));
		channel.head = rows[i].head;
		if (op_ring_next(&reader) || !reader.is_broken)
			TEST_FAIL("%s", rows[i].what);
		CHECK(!op_ring_next(&reader));
	}
	begin(OP_CHANNEL_RING - 8);
	memcpy(channel.ring + OP_CHANNEL_RING - 8,
	       &(struct op_channel_record){ 16, OP_CHANNEL_SAMPLE }, 8);
	channel.head = OP_CHANNEL_RING + 64;
	CHECK(!op_ring_next(&reader) && reader.is_broken);
}

TEST_MAIN(order, wraps, full, random_sizes, broken)
