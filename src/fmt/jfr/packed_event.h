// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/packed_event.h: events of a few packed numbers and nothing else.
 *
 *	size, type, number...
 *
 * Most events of most recordings are such, and take less than 32 bytes. Where
 * their numbers end is found for all of them at once (base/ends.h). */
#ifndef OP_FMT_JFR_PACKED_EVENT_H
#define OP_FMT_JFR_PACKED_EVENT_H

#include "base/ends.h"
#include "fmt/jfr/key_cache.h"

enum {
	OP_JFR_PACKED_BYTES = 32,   /* longer events are read field by field */
	OP_JFR_PACKED_NUMBERS = 16, /* and so are those with more numbers */
	OP_JFR_PACKED_ROOM = 64, /* that may be looked at from the first byte */
};

/* What the numbers of an event type are for. */
struct op_jfr_packed_event {
	uint32_t nr;	    /* 0: the type has other fields */
	uint32_t nr_wanted; /* numbers behind the last wanted are passed */
	uint32_t key_from, key_to;
	uint8_t slots[OP_JFR_PACKED_NUMBERS];
};

/* An event that is being read. */
struct op_jfr_packed_cur {
	const uint8_t *p;
	uint64_t ends; /* of the numbers to come */
	uint32_t at;   /* where the next begins */
};

/* Begins behind the size and the type. Numbers that are missing seem to be a
 * byte each behind the event. False if there is a number of more than eight
 * bytes, whose last one may look like any other. */
op_inline bool op_jfr_packed_begin(struct op_jfr_packed_cur *c,
				   const uint8_t *p, uint32_t size)
{
	uint64_t ends = op_ends(p) | UINT64_MAX << size;

	*c = (struct op_jfr_packed_cur){ p, ends & ~(uint64_t)3, 2 };
	return !op_ends_has_long((uint32_t)ends);
}

/* Passes a number; gives where it ends. */
op_inline uint32_t op_jfr_packed_pass(struct op_jfr_packed_cur *c)
{
	uint32_t end = (uint32_t)__builtin_ctzll(c->ends) + 1;

	c->ends &= c->ends - 1;
	return end;
}

op_inline void op_jfr_packed_numbers(struct op_jfr_packed_cur *c,
				     const uint8_t *slot_of, uint32_t nr,
				     uint64_t *slots)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t end = op_jfr_packed_pass(c);

		slots[slot_of[i]] = op_ends_value(c->p + c->at, end - c->at);
		c->at = end;
	}
}

/* The first n bytes of what may be a key, 1 to 16. */
op_inline void op_jfr_packed_key(const uint8_t *p, size_t n,
				 struct op_jfr_key *key)
{
	static const uint8_t bytes[2 * sizeof(*key)] = {
		255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 255, 255,
	};
	struct op_jfr_key mask;

	memcpy(key, p, sizeof(*key));
	memcpy(&mask, bytes + sizeof(*key) - n, sizeof(mask));
	key->w[0] &= mask.w[0];
	key->w[1] &= mask.w[1];
}

/* Reads the event at p: numbers into their slots, those of the key as its
 * bytes. False if it is not such an event of this type, whatever is then in the
 * slots. */
op_inline bool op_jfr_packed_read(const struct op_jfr_packed_event *l,
				  const uint8_t *p, uint64_t *slots,
				  struct op_jfr_key *key)
{
	uint32_t size = p[0], end = 0;
	struct op_jfr_packed_cur c;

	if (op_unlikely(size > OP_JFR_PACKED_BYTES ||
			!op_jfr_packed_begin(&c, p, size)))
		return false;
	op_jfr_packed_numbers(&c, l->slots, l->key_from, slots);
	for (uint32_t i = l->key_from; i < l->key_to; i++)
		end = op_jfr_packed_pass(&c);
	if (op_unlikely(end - c.at > sizeof(*key)))
		return false;
	op_jfr_packed_key(p + c.at, end - c.at, key);
	c.at = end;
	op_jfr_packed_numbers(&c, l->slots + l->key_to,
			      l->nr_wanted - l->key_to, slots);
	for (uint32_t i = l->nr_wanted; i < l->nr; i++)
		c.at = op_jfr_packed_pass(&c);
	return op_likely(c.at <= size);
}

/* The length of the next nr numbers, where *ends are those from their first
 * byte on, *at; 0: they do not all end there. Takes them out of *ends. */
op_inline uint32_t op_jfr_packed_take(uint32_t *ends, uint32_t nr, uint32_t *at)
{
	uint32_t last = *ends, n;

	for (uint32_t i = 1; i < nr; i++)
		last &= last - 1;
	if (op_unlikely(!last))
		return 0;
	n = (uint32_t)__builtin_ctz(last) + 1 - *at;
	*ends = last & (last - 1);
	*at += n;
	return n;
}

#endif
