// SPDX-License-Identifier: Apache-2.0
#include "sym/sigreturn.h"

#include "test.h"
#include "write/cfi.h"

TEST(code)
{
	static const struct {
		const char *hex;
		bool begins;
		size_t at, n; /* n 0: not in it */
	} rows[] = {
		{ "48c7c00f0000000f05", true, 0, 9 },
		{ "b80f0000000f05", true, 0, 7 },
		{ "9048c7c00f0000000f0590", false, 1, 9 },
		{ "90b80f0000000f05", false, 1, 7 },
		{ "0f0000000f05b80f0000000f05", false, 6, 7 },
		{ "0f0000000f05", false, 0, 0 },
		{ "b80f0000000f", false, 0, 0 },
		{ "48c7c0e70000000f05", false, 0, 0 },
		{ "90", false, 0, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct cfi_bytes b = { 0 };
		struct op_view v;
		size_t at = 0, n = 0;

		cfi_raw(&b, rows[i].hex);
		v = op_view(b.p, b.n);
		CHECK_EQ(op_sigreturn_at(v), rows[i].begins);
		CHECK_EQ(op_sigreturn_find(v, &at, &n), rows[i].n > 0);
		if (rows[i].n)
			CHECK(at == rows[i].at && n == rows[i].n);
		cfi_free(&b);
	}
}

/* Each register has a word of its own. */
TEST(sigcontext)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < op_countof(op_sigcontext_word); i++)
		seen |= 1u << op_sigcontext_word[i];
	CHECK_EQ(seen, (1 << 17) - 1);
}

TEST_MAIN(code, sigcontext)
