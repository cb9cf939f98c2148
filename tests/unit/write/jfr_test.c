// SPDX-License-Identifier: Apache-2.0
/* The bytes of small recordings; a JDK judges large ones (tests/interop). */
#include "test.h"
#include "write/jfr_int.h"

#include <stdlib.h>

/* The file from an offset on, in hex; good until the next call. */
static const char *hex(const struct jfr *j, size_t from, size_t n)
{
	static char text[4096];

	text[0] = 0;
	if (n > j->out.n - from)
		n = j->out.n - from;
	for (size_t i = 0; i < n && i < sizeof(text) / 2 - 1; i++)
		snprintf(text + 2 * i, 3, "%02x", j->out.p[from + i]);
	return text;
}

static uint64_t header(const struct jfr *j, size_t chunk, size_t at, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | j->out.p[chunk + at++];
	return v;
}

TEST(bare_values)
{
	static const struct {
		const char *text, *varints, *fixed;
	} rows[] = {
		{ "0", "00", "0000000000000000" },
		{ "127 128i", "7f8001", "000000000000007f00000080" },
		{ "-1", "ffffffffffffffffff", "ffffffffffffffff" },
		{ "-1i", "ffffffff0f", "ffffffff" },
		{ "-1s -1b", "ffff03ff", "ffffff" },
		{ "65c", "41", "0041" },
		{ "0x0100000000000000", "808080808080808001",
		  "0100000000000000" },
		{ "0x00ffffffffffffff", "ffffffffffffff7f",
		  "00ffffffffffffff" },
		{ "0xff00000000000000", "8080808080808080ff",
		  "ff00000000000000" },
		{ "5~4", "85808000", "0000000000000005" },
		{ "5~9", "858080808080808000", "0000000000000005" },
		{ "null '' 'ab'",
		  "0001"
		  "03026162",
		  "0001"
		  "03000000026162" },
		{ "u'a\xc3\xa9'", "040261e901", "0400000002006100e9" },
		{ "u'\xf0\x9f\x98\x80'", "0402bdb00380bc03",
		  "0400000002d83dde00" },
		{ "l'a\xc3\xa9\xff'", "050361e9ff", "050000000361e9ff" },
		{ "&5", "0205", "020000000000000005" },
		{ "'\\'\\\\'", "0302275c", "0300000002275c" },
		{ "=00ff true false", "00ff0100", "00ff0100" },
		{ "{1i =02}*3", "010201020102",
		  "000000010200000001020000000102" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int fixed = 0; fixed < 2; fixed++) {
			struct jfr j;

			jfr_begin(&j, JFR_JDK17);
			j.is_fixed = fixed;
			jfr_raw(&j, "%s", rows[i].text);
			CHECK_STR(hex(&j, JFR_HEADER, 200),
				  fixed ? rows[i].fixed : rows[i].varints);
			jfr_free(&j);
		}
}

TEST(typed_values)
{
	static const struct {
		const char *fields, *values, *want;
	} rows[] = {
		{ "a:int b:long", "1 -1", "01ffffffffffffffffff" },
		{ "a:int b:byte c:boolean", "-1 -1 true", "ffffffff0fff01" },
		{ "a:float b:double", "1.5 -2", "3fc00000c000000000000000" },
		{ "a:int b:String c:int[] d:Thread*", "", "00000000" },
		{ "a:int b:int c:int", "b=5", "000500" },
		{ "a:int b:int c:int", "1 .", "01" },
		{ "a:int", "1 2 -1i 'x'", "0102ffffffff0f030178" },
		{ "a:int[] b:int", "[1 2 300] 4", "030102ac0204" },
		{ "a:int[]", "[!1000000000 1]", "8094ebdc0301" },
		{ "a:P b:int", "(1 2) 3", "010203" },
		{ "a:P[] b:int", "[(1 2) (3)] 4", "020102030004" },
		{ "a:P b:int", "", "000000" },
		{ "a:#99 b:int", "=aabb 3", "aabb03" },
		{ "a:ThreadState*", "`STATE_PARKED`", "9105" },
		{ "17|a:int 25|b:int jdk|c:int !jdk|d:int !ap|e:int", "1 2 3",
		  "010203" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct jfr j;
		char want[200];

		jfr_begin(&j, JFR_JDK17);
		jfr_type(&j, "my.P", "x:int y:int");
		jfr_type(&j, "my.E #70 event", rows[i].fields);
		jfr_event(&j, "my.E", "%s", rows[i].values);
		snprintf(want, sizeof(want), "%02zx46%s",
			 strlen(rows[i].want) / 2 + 2, rows[i].want);
		CHECK_STR(hex(&j, JFR_HEADER, 200), want);
		jfr_free(&j);
	}
}

TEST(event_sizes)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	jfr_event(&j, "#70", "{=00}*125");
	CHECK_STR(hex(&j, JFR_HEADER, 3), "7f4600");
	jfr_event(&j, "#70", "{=00}*126");
	CHECK_STR(hex(&j, JFR_HEADER + 127, 4), "81014600");
	j.size_bytes = 4;
	jfr_event(&j, "#70", "1 ^2");
	CHECK_STR(hex(&j, JFR_HEADER + 256, 9), "87808000460102");
	CHECK_EQ(j.mark, JFR_HEADER + 262);
	j.is_fixed = true;
	jfr_event(&j, "#70", "1i");
	CHECK_STR(hex(&j, JFR_HEADER + 263, 99),
		  "00000010000000000000004600000001");
	jfr_raw(&j, "0i");
	CHECK_EQ(jfr_here(&j), JFR_HEADER + 263 + 16 + 4);
	jfr_free(&j);
}

TEST(chunk_header)
{
	struct jfr j;
	size_t second;

	jfr_begin(&j, JFR_JDK17);
	jfr_next(&j, JFR_ASYNC);
	second = j.chunk;
	jfr_header(&j, JFR_SIZE, 0);
	jfr_header(&j, JFR_STATE, 255);
	CHECK_EQ(jfr_end(&j).n, j.out.n);
	CHECK_STR(hex(&j, 0, 8), "464c520000020001");
	CHECK_EQ(header(&j, 0, JFR_SIZE, 8), second);
	CHECK_EQ(header(&j, 0, JFR_CHECKPOINT, 8), JFR_HEADER);
	CHECK_EQ(header(&j, 0, JFR_METADATA, 8), JFR_HEADER + 10);
	CHECK_EQ(header(&j, 0, JFR_START_NS, 8), 1700000000000000000);
	CHECK_EQ(header(&j, 0, JFR_FLAGS, 2), 1);
	CHECK_STR(hex(&j, second, 8), "464c520000020000");
	CHECK_EQ(header(&j, second, JFR_SIZE, 8), 0);
	CHECK_EQ(header(&j, second, JFR_STATE, 1), 255);
	CHECK_EQ(header(&j, second, JFR_FLAGS, 2), 1);
	jfr_free(&j);

	jfr_begin(&j, JFR_JDK25);
	j.is_fixed = true;
	jfr_end(&j);
	CHECK_EQ(header(&j, 0, JFR_FLAGS, 2), 2);
	jfr_free(&j);
}

TEST(metadata)
{
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	jfr_metadata_text(&j, "root{ a(k=v w='x y')!9 b{ a }!1000000000 }");
	CHECK_STR(hex(&j, JFR_HEADER, 200),
		  "b7808000" /* size */ "00000001" /* type to metadata id */
		  "07"
		  "0304726f6f74"
		  "030161"
		  "03016b"
		  "030176"
		  "030177"
		  "0303782079"
		  "030162"
		  "000002"
		  "0109"
		  "02030405"
		  "00"
		  "0600"
		  "8094ebdc03"
		  "010000");
	CHECK_EQ(j.metadata, JFR_HEADER);
	jfr_metadata_raw(&j, "1 2 3 1000000000i");
	CHECK_EQ(j.metadata, JFR_HEADER + 55);
	CHECK_STR(hex(&j, j.metadata, 99), "8d80800000010203"
					   "8094ebdc03");
	jfr_free(&j);

	/* Structs that hold one another are written, and end. */
	jfr_begin(&j, JFR_JDK17);
	jfr_type(&j, "A", "b:B x:int");
	jfr_type(&j, "B", "a:A");
	jfr_event(&j, "A", " ");
	jfr_end(&j);
	jfr_free(&j);
}

TEST(checkpoints)
{
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	jfr_pool(&j, "#30", 1, "'a'");
	jfr_pool(&j, "#0", 2, " ");
	jfr_pool(&j, "#30", 3, "null");
	jfr_pool_split(&j, "#30");
	jfr_pool(&j, "#30", 4, "7");
	jfr_checkpoint(&j);
	CHECK_STR(hex(&j, JFR_HEADER, 200), "99808000"
					    "010000"
					    "00"
					    "00"
					    "03"
					    "1e02"
					    "01030161"
					    "0300"
					    "000102"
					    "1e01"
					    "0407");
	jfr_checkpoint(&j);
	CHECK_STR(hex(&j, JFR_HEADER + 25, 200), "92808000"
						 "010000"
						 "e7ffffffffffffffff"
						 "00"
						 "00");
	CHECK_EQ(j.checkpoint, JFR_HEADER + 25);
	jfr_checkpoint_to(&j, 8, 5);
	CHECK_STR(hex(&j, JFR_HEADER + 43, 200), "8a808000"
						 "010000"
						 "05"
						 "08"
						 "00");
	jfr_free(&j);
}

TEST(forward_checkpoints)
{
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	j.is_forward = true;
	jfr_checkpoint(&j);
	jfr_event(&j, "#70", "1");
	jfr_checkpoint(&j);
	CHECK_EQ(j.checkpoint, JFR_HEADER);
	CHECK_STR(hex(&j, JFR_HEADER, 200), "92808000"
					    "010000"
					    "958080808080808000"
					    "00"
					    "00"
					    "034601"
					    "92808000"
					    "010000"
					    "808080808080808000"
					    "00"
					    "00");
	jfr_free(&j);
}

/* The pool of a type in the next checkpoint, in hex. */
static const char *pool(struct jfr *j, const char *type)
{
	uint64_t id = jfr_type_id(j, type);
	struct jfr out = { 0 };

	for (const struct jfr_pool *p = j->pools; p; p = p->next)
		if (p->type_id == id)
			out.out = p->b;
	return hex(&out, 0, out.out.n);
}

TEST(stacks)
{
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	j.next_id = 1;
	jfr_stack(&j, 9, "f:300;a/B.f(I;)V:7@3+inlined;lib.f(int)+cpp");
	/* Methods 1, 4 and 9; symbols 2 f, 3 ()V, 6 a/B, 7 (I;)V, ... */
	CHECK_STR(pool(&j, "Symbol"), "02030166"
				      "0303032829"
				      "56"
				      "060303612f42"
				      "0703052849"
				      "3b2956"
				      "0a03036c6962"
				      "0b0306"
				      "6628696e7429"
				      "0c01");
	CHECK_STR(pool(&j, "Class"), "0500060001"
				     "09000a0001");
	CHECK_STR(pool(&j, "Method"), "010002030100"
				      "040502070100"
				      "08090b0c0100");
	CHECK_STR(pool(&j, "StackTrace"), "090003"
					  "08000004"
					  "04070302"
					  "01ac020001");
	jfr_stack(&j, 10, "...;f:300");
	jfr_stack(&j, 11, "");
	CHECK_STR(pool(&j, "StackTrace") + 32, "0a0101"
					       "01ac020001"
					       "0b0000");
	jfr_free(&j);
}

TEST(threads)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK25);
	jfr_thread(&j, 3, "a'", 4, 5);
	CHECK_STR(pool(&j, "Thread"), "03"
				      "03026127"
				      "04"
				      "03026127"
				      "05"
				      "0000");
	CHECK_EQ(jfr_id(&j, "Thread", "b"), jfr_id(&j, "Thread", "b"));
	CHECK(jfr_id(&j, "Thread", "b") != jfr_id(&j, "Thread", "c"));
	jfr_free(&j);
}

/* Enums are in the first checkpoint behind their type, once a chunk. */
TEST(enums)
{
	struct jfr j;
	size_t n;

	jfr_begin(&j, JFR_ASYNC);
	jfr_declare(&j, "ThreadState");
	jfr_checkpoint(&j);
	n = j.out.n;
	CHECK(n > JFR_HEADER + 50);
	jfr_checkpoint(&j);
	CHECK_EQ(j.out.n - n, 18);
	jfr_next(&j, JFR_ASYNC);
	j.has_no_enums = true;
	jfr_declare(&j, "ThreadState");
	jfr_checkpoint(&j);
	CHECK_EQ(jfr_here(&j), JFR_HEADER + 10);
	jfr_free(&j);
}

TEST_MAIN(bare_values, typed_values, event_sizes, chunk_header, metadata,
	  checkpoints, forward_checkpoints, stacks, threads, enums)
