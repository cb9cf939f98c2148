// SPDX-License-Identifier: Apache-2.0
#include "sym/sha256.h"

#include "base/hex.h"
#include "test.h"

/* FIPS 180-4's examples, and lengths about the ends of a block. */
static const struct {
	const char *name;
	const char *text;
	size_t times;
	const char *want;
} rows[] = {
	{ "nothing", "", 1,
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "abc", 1,
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "two blocks",
	  "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a million", "a", 1000000,
	  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	{ "55", "a", 55,
	  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ "56", "a", 56,
	  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ "63", "a", 63,
	  "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ "64", "a", 64,
	  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ "65", "a", 65,
	  "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
};

TEST(vectors)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t got[OP_SHA256_BYTES], want[OP_SHA256_BYTES];
		struct op_sha256 s;

		op_sha256_init(&s);
		for (size_t k = 0; k < rows[i].times; k++)
			op_sha256_add(&s, op_view_z(rows[i].text));
		op_sha256_end(&s, got);
		CHECK(op_unhex(op_view_z(rows[i].want), want, sizeof(want)));
		if (memcmp(got, want, sizeof(got)))
			TEST_FAIL("%s: another sum", rows[i].name);
	}
}

TEST_MAIN(vectors)
