// SPDX-License-Identifier: Apache-2.0
/* Events and frames that are read by the ends of their numbers say what they
 * say when they are read number by number. */
#include "fmt/jfr/packed_event.h"
#include "fmt/jfr/cursor.h"
#include "jfr_fixture.h"
#include "random.h"

static uint64_t state = 1;

static uint64_t any(uint32_t below)
{
	return random_below(&state, below);
}

/* --- one event --- */

/* What a cursor reads of the event, the slow way. */
static bool cursor_read(const struct op_jfr_packed_event *l, const uint8_t *p,
			uint64_t *slots, struct op_view *key)
{
	struct op_err err = { 0 };
	struct op_jfr_cur in = { op_cur(op_view(p, p[0]), &err), true };
	const uint8_t *from = p;

	op_jfr_int(&in);
	op_jfr_long(&in);
	for (uint32_t i = 0; i < l->nr; i++) {
		if (i == l->key_from)
			from = in.c.p;
		slots[l->slots[i]] = op_jfr_varint(&in.c);
		if (i + 1 == l->key_to)
			*key = op_view(from, (size_t)(in.c.p - from));
	}
	return !err.code;
}

static void layout_any(struct op_jfr_packed_event *l)
{
	l->nr = 1 + (uint32_t)any(OP_JFR_PACKED_NUMBERS);
	l->key_from = (uint32_t)any(l->nr);
	l->key_to = l->key_from + 1 + (uint32_t)any(l->nr - l->key_from);
	l->nr_wanted = l->key_to + (uint32_t)any(l->nr - l->key_to + 1);
	for (uint8_t i = 0; i < l->nr; i++)
		l->slots[i] = i;
}

/* Numbers of all lengths, as many as fit; seldom, anything. */
static void event_any(uint8_t *p, uint8_t size)
{
	uint64_t long_numbers = any(9);

	for (uint32_t i = 0; i < OP_JFR_PACKED_ROOM; i++)
		p[i] = (uint8_t)(any(128) + (any(10) < long_numbers ? 128 : 0));
	p[0] = size;
	p[1] = (uint8_t)any(128);
}

static void same(const struct op_jfr_packed_event *l, const uint8_t *p,
		 bool is_fast, const uint64_t *fast,
		 const struct op_jfr_key *key)
{
	uint64_t slow[OP_JFR_PACKED_NUMBERS] = { 0 };
	struct op_jfr_key bytes = { 0 };
	struct op_view slow_key = { 0 };
	bool is_slow = cursor_read(l, p, slow, &slow_key);

	if (!is_fast)
		return; /* it may refuse what the other can read */
	CHECK(is_slow && slow_key.n <= sizeof(bytes));
	if (slow_key.n <= sizeof(bytes) && slow_key.n)
		memcpy(&bytes, slow_key.p, slow_key.n);
	CHECK(op_jfr_key_eq(&bytes, key));
	for (uint32_t i = 0; i < l->nr_wanted; i++)
		if (i < l->key_from || i >= l->key_to)
			CHECK(fast[i] == slow[i]);
}

TEST(random_events)
{
	uint32_t nr_fast = 0;

	for (int i = 0; i < 100000; i++) {
		uint64_t fast[OP_JFR_PACKED_NUMBERS] = { 0 };
		uint8_t *p = malloc(OP_JFR_PACKED_ROOM);
		struct op_jfr_packed_event l = { 0 };
		struct op_jfr_key key;
		bool is_fast;

		layout_any(&l);
		event_any(p, (uint8_t)(2 + any(OP_JFR_PACKED_BYTES - 1)));
		is_fast = op_jfr_packed_read(&l, p, fast, &key);
		nr_fast += is_fast;
		same(&l, p, is_fast, fast, &key);
		/* A size that cannot be is never taken. */
		p[0] = (uint8_t)any(3);
		CHECK(!op_jfr_packed_read(&l, p, fast, &key));
		p[0] = (uint8_t)(OP_JFR_PACKED_BYTES + 1 + any(200));
		CHECK(!op_jfr_packed_read(&l, p, fast, &key));
		free(p);
	}
	CHECK(nr_fast > 10000);
}

TEST(ordinary_events_are_taken)
{
	static const struct {
		const char *bytes;
		bool is_packed;
	} rows[] = {
		{ "\x08\x01\x05\x06\x07\x08\x09\x0a", true },
		{ "\x05\x01\x05\x06\x07", true },
		/* A number is missing, or its end. */
		{ "\x04\x01\x05\x06", false },
		{ "\x05\x01\x05\x06\x87", false },
		/* Of eight bytes, and of nine. */
		{ "\x0c\x01\x81\x81\x81\x81\x81\x81\x81\x01\x06\x07", true },
		{ "\x0d\x01\x81\x81\x81\x81\x81\x81\x81\x81\x01\x06\x07",
		  false },
	};
	const struct op_jfr_packed_event l = { .nr = 3,
					       .nr_wanted = 3,
					       .key_from = 1,
					       .key_to = 2,
					       .slots = { 0, 1, 2 } };

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t p[OP_JFR_PACKED_ROOM] = { 0 };
		struct op_jfr_key key;
		uint64_t slots[3];

		memcpy(p, rows[i].bytes, (size_t)rows[i].bytes[0]);
		if (op_jfr_packed_read(&l, p, slots, &key) != rows[i].is_packed)
			TEST_FAIL("row %zu", i);
	}
}

/* --- recordings --- */

/* Stacks of frames whose numbers have all lengths, and events that refer to
 * them. The same each time that it starts from the same state. */
static void recording(struct jfr *j)
{
	char frames[4000];
	size_t n;

	for (uint64_t id = 1; id <= 40; id++) {
		n = 0;
		for (uint64_t k = 1 + any(60); k; k--)
			n += (size_t)snprintf(
				frames + n, sizeof(frames) - n,
				"%sA%llu.f:%llu@%llu", n ? ";" : "",
				(unsigned long long)any(200),
				(unsigned long long)any(1ull << (7 * any(4))),
				(unsigned long long)any(1ull << (8 * any(4))));
		jfr_stack(j, id << (7 * any(5)), frames);
		jfr_stack(j, id, frames);
	}
	for (int i = 0; i < 3000; i++) {
		uint64_t id = any(44);

		if (any(2))
			jfr_event(j, "jdk.ExecutionSample",
				  "startTime=%llu stackTrace=%llu",
				  (unsigned long long)any(1ull << (8 * any(4))),
				  (unsigned long long)id);
		else
			jfr_event(j, "jdk.ObjectAllocationInNewTLAB",
				  "startTime=%llu stackTrace=%llu "
				  "allocationSize=%llu tlabSize=%llu",
				  (unsigned long long)any(1 << 30),
				  (unsigned long long)id,
				  (unsigned long long)any(1ull << (8 * any(4))),
				  (unsigned long long)any(9));
	}
}

static void text_of(bool is_fixed, uint64_t seed, char **text)
{
	struct op_model m;
	struct op_err err;
	struct jfr j;

	state = seed;
	jfr_begin(&j, JFR_ASYNC);
	j.is_fixed = is_fixed;
	recording(&j);
	CHECK_EQ(read_with(&m, jfr_end(&j), NULL, &err), OP_OK);
	*text = strdup(sketch_text(&m));
	op_model_free(&m);
	jfr_free(&j);
}

TEST(packed_or_not)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		char *packed, *fixed;

		text_of(false, seed, &packed);
		text_of(true, seed, &fixed);
		CHECK(strlen(packed) > 10000);
		CHECK(!strcmp(packed, fixed));
		free(packed);
		free(fixed);
	}
}

/* --- events that nobody asks for --- */

#define UNWANTED "a.Text #77 event"

/* Of every size around those that are told by one byte. */
static void unwanted(struct jfr *j, uint64_t *x)
{
	for (uint64_t k = random_below(x, 8); k; k--)
		jfr_event(j, "a.Text", "0 '%.*s'", (int)random_below(x, 140),
			  "0123456789012345678901234567890123456789012345678901"
			  "2345678901234567890123456789012345678901234567890123"
			  "45678901234567890123456789012345678");
}

static void between_text(uint64_t seed, bool has_unwanted, char **text)
{
	struct op_model m;
	struct op_err err;
	struct jfr j;

	state = 5;
	jfr_begin(&j, JFR_ASYNC);
	jfr_type(&j, UNWANTED, "startTime:ticks text:String");
	j.size_bytes = seed % 4 ? 0 : 4;
	for (int i = 0; i < 300; i++) {
		if (has_unwanted)
			unwanted(&j, &seed);
		jfr_event(&j, "jdk.ExecutionSample", "startTime=%d `A.f%d`", i,
			  (int)any(4));
	}
	if (has_unwanted)
		unwanted(&j, &seed);
	CHECK_EQ(read_with(&m, jfr_end(&j), NULL, &err), OP_OK);
	*text = strdup(sketch_text(&m));
	op_model_free(&m);
	jfr_free(&j);
}

TEST(unwanted_events_are_skipped)
{
	char *want, *got;

	between_text(1, false, &want);
	CHECK(strlen(want) > 3000);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		between_text(seed, true, &got);
		CHECK(!strcmp(got, want));
		free(got);
	}
	free(want);
}

/* One with a size that cannot be, at each place behind it. */
TEST(unwanted_events_with_a_bad_size)
{
	static const char *const sizes[] = { "=004d", "=014d", "=7f4d",
					     "=ff7f4d" };

	for (size_t i = 0; i < op_countof(sizes); i++) {
		for (int before = 0; before < 30; before++) {
			struct op_model m;
			struct op_err err;
			struct jfr j;

			jfr_begin(&j, JFR_ASYNC);
			jfr_type(&j, UNWANTED, "startTime:ticks text:String");
			jfr_metadata(&j);
			jfr_checkpoint(&j);
			for (int k = 0; k < before; k++)
				jfr_event(&j, "a.Text", "0 '0123456789'");
			jfr_raw(&j, "%s", sizes[i]);
			CHECK_EQ(read_with(&m, jfr_end(&j), NULL, &err),
				 OP_EFORMAT);
			jfr_free(&j);
		}
	}
}

TEST_MAIN(random_events, ordinary_events_are_taken, packed_or_not,
	  unwanted_events_are_skipped, unwanted_events_with_a_bad_size)
