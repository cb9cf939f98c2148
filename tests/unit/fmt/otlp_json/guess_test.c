// SPDX-License-Identifier: Apache-2.0
/* Keys that are guessed, and numbers that are written without branches: neither
 * may change what is read. */
#include "fmt/otlp_json/schema.h"
#include "fmt/otlp_json/transcode.h"

#include "random.h"
#include "test.h"
#include "write/json_text.h"

/* The wire of one message of this kind; to be freed. */
static struct op_buf transcoded(struct op_buf text, uint8_t kind)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(op_view(text.p, text.n), &err);
	struct op_json_wire wire = { .out.err = &err, .root = kind };

	CHECK_EQ(op_json_transcode(&in, &wire), OP_OK);
	CHECK(in.p == in.end);
	return wire.out;
}

/* A sample with keys in a random order and spelling, some of them unknown. */
static void random_sample(struct op_buf *b, uint64_t *state)
{
	static const char *const keys[] = {
		"stackIndex\":%u",
		"stack_index\":%u",
		"stack\\u0049ndex\":%u",
		"stackIndex\" : %u",
		"stackInde\":%u",
		"stackIndexx\":%u",
		"\":%u",
		"linkIndex\":%u",
		"values\":[\"%u\"]",
		"values\":[%u]",
		"valuez\":[[%u]]",
		"attributeIndices\":[7,%u,300]",
	};
	unsigned int nr = random_below(state, 6);

	op_buf_z(b, "{");
	for (unsigned int i = 0; i < nr; i++) {
		op_buf_z(b, i ? ",\"" : "\"");
		op_buf_printf(b, keys[random_below(state, op_countof(keys))],
			      random_below(state, 1u << i * 5));
	}
	op_buf_z(b, "}");
}

/* Which key comes next is guessed by the messages before. One message alone
 * has none before it and must give the same. */
TEST(keys_in_any_order)
{
	struct op_err err = { 0 };
	uint64_t state = 1;

	for (int round = 0; round < 200; round++) {
		struct op_buf all = { .err = &err }, want = { .err = &err };
		struct op_buf got;

		op_buf_z(&all, "{\"samples\":[");
		for (int i = 0; i < 20; i++) {
			struct op_buf one = { .err = &err }, wire;
			size_t n;

			random_sample(&one, &state);
			op_buf_z(&all, i ? "," : "");
			op_buf_view(&all, op_view(one.p, one.n));
			wire = transcoded(one, SAMPLE);
			n = wire.n;
			op_buf_byte(&want, 0x12);
			for (int k = 0; k < 4; k++, n >>= 7)
				op_buf_byte(&want, (uint8_t)(n | 0x80));
			op_buf_byte(&want, (uint8_t)n);
			op_buf_view(&want, op_view(wire.p, wire.n));
			op_buf_free(&wire);
			op_buf_free(&one);
		}
		op_buf_z(&all, "]}");
		got = transcoded(all, PROFILE);
		CHECK(op_view_eq(op_view(got.p, got.n),
				 op_view(want.p, want.n)));
		op_buf_free(&got);
		op_buf_free(&want);
		op_buf_free(&all);
	}
	CHECK_EQ(err.code, OP_OK);
}

/* A guess looks at more bytes than the key has: not beyond the text. */
TEST(cut_anywhere)
{
	struct json_text t;

	json_set(&t, "{'resourceProfiles':[{'scopeProfiles':[{'profiles':"
		     "[{'samples':[{'stackIndex':1,'values':[1]},"
		     "{'stackIndex':1,'values':[1]},"
		     "{'stackIndex':1,'values':[1]}]}]}]}]}");
	for (size_t n = 0; n < t.n; n++) {
		struct op_model m;
		struct op_err err;

		CHECK_EQ(json_read(&m, op_view(t.p, n), NULL, &err),
			 OP_EFORMAT);
	}
}

/* Every length of a varint, and the numbers beside each change of it. */
TEST(varint_lengths)
{
	struct op_err err = { 0 };

	for (unsigned int bits = 0; bits < 63; bits++) {
		for (int more = -1; more < 2; more++) {
			uint64_t v = (UINT64_C(1) << bits) + (uint64_t)more;
			struct op_buf text = { .err = &err }, got;
			uint8_t want[16] = { 0x30 }; /* period */
			size_t n = 1;

			op_buf_printf(&text, "{\"period\":\"%llu\"}",
				      (unsigned long long)v);
			for (; v >= 0x80; v >>= 7)
				want[n++] = (uint8_t)(v | 0x80);
			want[n++] = (uint8_t)v;
			got = transcoded(text, PROFILE);
			CHECK(op_view_eq(op_view(got.p, got.n),
					 op_view(want, n)));
			op_buf_free(&got);
			op_buf_free(&text);
		}
	}
	CHECK_EQ(err.code, OP_OK);
}

TEST_MAIN(keys_in_any_order, cut_anywhere, varint_lengths)
