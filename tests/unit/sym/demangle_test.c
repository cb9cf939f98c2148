// SPDX-License-Identifier: Apache-2.0
#include "sym/demangle.h"

#include "test.h"

/* NULL: the name stands for itself. */
static const struct {
	const char *name;
	const char *want;
} rows[] = {
	{ "main", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "_Z", NULL },
	{ "_Zzz", NULL },
	{ "_ZN3foo3barEiPKc", "foo::bar(int, char const*)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backEOi",
	  "std::vector<int, std::allocator<int> >::push_back(int&&)" },
	{ "_ZL5innerv.part.0", "inner() [clone .part.0]" },
	{ "_ZN12_GLOBAL__N_11fEv.cold",
	  "(anonymous namespace)::f() [clone .cold]" },
	{ "_ZTV3foo", "vtable for foo" },
	/* Rust's older scheme, without its hash. */
	{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	  "core::fmt::Formatter::write_str" },
	{ "_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$"
	  "3fmt17h0123456789abcdefE",
	  "<alloc::string::String as core::fmt::Display>::fmt" },
	/* Its newer one. */
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
	{ "_RINvC1a1bFG_RL0_hEuE", "a::b::<for<'a> fn(&'a u8)>" },
	/* A binder of more lifetimes than anybody has time for; what only looks
	 * like one is in a name, behind a constant, a number. */
	{ "_RMMMINvNtC3std3mem8aligFFGFFFFF_odE", NULL },
	{ "_RMMMINvNtC3std3mem8aligFFsFGFFFFF_0odE", NULL },
	{ "_RINvC1a1bFGFFFFF_hEuE", NULL },
	{ "__RINvC1a1bFGFFFFF_hEuE", NULL },
	{ "_RNvC1a12DGreat_thing", "a::DGreat_thing" },
	{ "_RNvNtC1a1bs4_8FGabcd_e", "a::b::FGabcd_e" },
	{ "_RINvC1a8FGabcd_eKj1f_E", "a::FGabcd_e::<31>" },
	{ "_RINvNtCsgEmfK2I1SDS_4core3ptr10swap_chunkKj8_ECsjrHSEGnQ3l9_3std",
	  "core::ptr::swap_chunk::<8>" },
	{ "foo.cold", NULL },
	{ "memcpy@plt", NULL },
	{ "_ZN3foo3barEv@plt", "foo::bar()@plt" },
};

/* Without the library no name changes. */
static bool is_there(void)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	bool there = op_demangle(op_view_z("_Z1fv"), &out);

	op_buf_free(&out);
	return there;
}

TEST(names)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		bool done = op_demangle(op_view_z(rows[i].name), &out);

		if (done != (rows[i].want && is_there()))
			TEST_FAIL("%.60s: %d", rows[i].name, done);
		else if (done &&
			 !op_view_is(op_view(out.p, out.n), rows[i].want))
			TEST_FAIL("%.60s: %.*s", rows[i].name, (int)out.n,
				  out.p);
		op_buf_free(&out);
	}
}

/* A name in which each type is twice the one before: it would be longer than
 * any memory. */
TEST(bomb)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	char name[512] = "_Z1fSt4pairIiiE";
	size_t n = strlen(name);

	/* S_ is std::pair, S0_ the first type, S1_ what follows... */
	for (int i = 0; i < 30; i++, n += strlen(name + n)) {
		char last = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

		snprintf(name + n, sizeof(name) - n, "S_IS%c_S%c_E", last,
			 last);
	}
	CHECK(!op_demangle(op_view_z(name), &out));
	CHECK_EQ(out.n, 0);
	CHECK_EQ(err.code, OP_OK);
	op_buf_free(&out);
}

TEST(limits)
{
	static uint8_t name[OP_DEMANGLE_NAME + 1];
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	memset(name, 'P', sizeof(name));
	memcpy(name, "_Z1f", 4);
	CHECK(!op_demangle(op_view(name, sizeof(name)), &out));
	CHECK(!op_demangle(op_view(name, sizeof(name) - 2), &out));
	CHECK(!op_demangle(op_view("_Z1f\0v", 6), &out));
	op_buf_free(&out);
}

TEST(without_memory)
{
	bool there = is_there();

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		bool done = op_demangle(op_view_z(rows[6].name), &out);

		if (op_alloc_failed())
			CHECK_EQ(err.code, OP_ENOMEM);
		CHECK_EQ(done, there && !op_alloc_failed());
		op_buf_free(&out);
	}
}

TEST_MAIN(names, bomb, limits, without_memory)
