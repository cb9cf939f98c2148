// SPDX-License-Identifier: Apache-2.0
#include "sym/cfi_expr.h"

#include "test.h"
#include "write/cfi.h"

/* Registers are 0x1000 times their number; the word at an address is the
 * address with its bits turned, and at 0xbad there is none. */
static bool read_word(void *arg, uint64_t at, unsigned int n, uint64_t *out)
{
	(void)arg;
	*out = ~at & UINT64_MAX >> (64 - 8 * n);
	return at != 0xbad;
}

static bool reg(void *arg, uint64_t r, uint64_t *out)
{
	(void)arg;
	*out = r * 0x1000;
	return r < 17;
}

static const struct op_expr_env env = { read_word, reg, NULL };

TEST(values)
{
	static const struct {
		const char *hex;
		uint64_t want;
	} rows[] = {
		{ "30", 0 },
		{ "4f", 31 },
		{ "08ff", 255 },
		{ "09ff", UINT64_MAX },
		{ "0affff", 65535 },
		{ "0bffff", UINT64_MAX },
		{ "0cffffffff", UINT32_MAX },
		{ "0dffffffff", UINT64_MAX },
		{ "0e0102030405060708", 0x0807060504030201 },
		{ "0f0102030405060708", 0x0807060504030201 },
		{ "10e58e26", 624485 },
		{ "117f", UINT64_MAX },
		{ "7708", 0x7008 },
		{ "7778", 0x6ff8 },
		{ "920a08", 0xa008 },
		{ "770006", ~UINT64_C(0x7000) },
		{ "77009404", ~UINT32_C(0x7000) },
		{ "313212", 2 },	/* dup: top is 2 */
		{ "31321222", 4 },	/* 2 + 2 */
		{ "313213", 1 },	/* drop */
		{ "313214", 1 },	/* over */
		{ "3132331502", 1 },	/* pick the third */
		{ "313216", 1 },	/* swap */
		{ "31323317", 2 },	/* rot: 3 goes below */
		{ "09ff19", 1 },	/* abs */
		{ "311f", UINT64_MAX }, /* neg */
		{ "3020", UINT64_MAX }, /* not */
		{ "3f3a1a", 10 },	/* and */
		{ "3f331b", 5 },	/* div */
		{ "09f1331b", (uint64_t)-5 },
		{ "31341c", (uint64_t)-3 }, /* minus */
		{ "3f341d", 3 },	    /* mod */
		{ "3f341e", 60 },	    /* mul */
		{ "383121", 9 },	    /* or */
		{ "3831222308", 17 },	    /* plus, plus_uconst */
		{ "313424", 16 },	    /* shl */
		{ "31084024", 0 },
		{ "09ff08c025", 0 }, /* shr by 192 */
		{ "4f3225", 7 },
		{ "09f03226", (uint64_t)-4 }, /* shra */
		{ "09f0084126", UINT64_MAX },
		{ "3f3a27", 5 }, /* xor */
		{ "31312a", 1 }, /* ge */
		{ "09ff312a", 0 },
		{ "313129", 1 },	 /* eq */
		{ "31322b", 0 },	 /* gt */
		{ "31322c", 1 },	 /* le */
		{ "31322d", 1 },	 /* lt */
		{ "31322e", 1 },	 /* ne */
		{ "2f01003132", 2 },	 /* skip over one */
		{ "312801003132", 2 },	 /* bra is taken */
		{ "30280100313233", 3 }, /* and not taken */
		{ "9631", 1 },
	};
	struct cfi_bytes b = { 0 };
	uint64_t v;

	for (size_t i = 0; i < op_countof(rows); i++) {
		cfi_raw(&b, rows[i].hex);
		if (!op_expr_run(op_view(b.p, b.n), &env, NULL, &v) ||
		    v != rows[i].want)
			TEST_FAIL("%s: %llx", rows[i].hex,
				  (unsigned long long)v);
		cfi_free(&b);
	}
}

TEST(failures)
{
	static const char *const rows[] = {
		"",	/* nothing on the stack */
		"22",	/* plus of nothing */
		"3122", /* plus of one */
		"13",
		"16",
		"3117",
		"311502",
		"31301b", /* by zero */
		"31301d",
		"0e0000000000000080311f1b",
		"0f000000000000008009ff1b", /* what does not fit */
		"9211",			    /* no such register */
		"921100",
		"08",
		"0c0102", /* cut short */
		"0abd",
		"0aad0b06", /* memory that is not there */
		"31940031",
		"319409", /* of 0 and 9 bytes */
		"2ffdff", /* for ever */
		"2f0100",
		"2ff0ff",		  /* out of the expression */
		"0300000000000000000000", /* an address of the file */
		"50",
		"9c",
		"ff", /* not of this machine */
		"30303030303030303030303030303030"
		"30", /* too deep */
	};
	struct cfi_bytes b = { 0 };
	uint64_t v = 77;

	for (size_t i = 0; i < op_countof(rows); i++) {
		cfi_raw(&b, rows[i]);
		if (op_expr_run(op_view(b.p, b.n), &env, NULL, &v))
			TEST_FAIL("%s: %llx", rows[i], (unsigned long long)v);
		cfi_free(&b);
	}
	CHECK_EQ(v, 77);
}

/* A rule for a register finds the CFA on the stack. */
TEST(first)
{
	static const uint8_t plus8[] = { 0x23, 8 };
	uint64_t cfa = 0x100, v;

	CHECK(op_expr_run(op_view(plus8, 2), &env, &cfa, &v));
	CHECK_EQ(v, 0x108);
	CHECK(!op_expr_run(op_view(plus8, 2), &env, NULL, &v));
}

TEST(shapes)
{
	static const struct {
		const char *hex;
		enum op_expr_shape shape;
		int reg;
		int64_t off, arg;
	} rows[] = {
		{ "7708", OP_EXPR_REG, 7, 8, 0 },
		{ "76a07f", OP_EXPR_REG, 6, -96, 0 },
		{ "767806", OP_EXPR_DEREF, 6, -8, 0 },
		{ "7678062320", OP_EXPR_DEREF, 6, -8, 32 },
		{ "770880003f1a3b2a332422", OP_EXPR_PLT, 7, 8, 11 },
		{ "770880003f1a392a332422", OP_EXPR_PLT, 7, 8, 9 },
		{ "770880003f1a402a332422", OP_EXPR_OTHER, 0, 0, 0 },
		{ "770880003f1a3b2a332422"
		  "30",
		  OP_EXPR_OTHER, 0, 0, 0 },
		{ "76780606", OP_EXPR_OTHER, 0, 0, 0 },
		{ "7678062320"
		  "06",
		  OP_EXPR_OTHER, 0, 0, 0 },
		{ "920708", OP_EXPR_OTHER, 0, 0, 0 },
		{ "77", OP_EXPR_OTHER, 0, 0, 0 },
		{ "", OP_EXPR_OTHER, 0, 0, 0 },
	};
	struct cfi_bytes b = { 0 };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_expr e;

		cfi_raw(&b, rows[i].hex);
		e = op_expr_shape(op_view(b.p, b.n));
		if (e.shape != rows[i].shape)
			TEST_FAIL("%s: shape %d", rows[i].hex, e.shape);
		if (e.shape != OP_EXPR_OTHER)
			CHECK(e.reg == rows[i].reg && e.off == rows[i].off &&
			      e.arg == rows[i].arg);
		cfi_free(&b);
	}
}

TEST_MAIN(values, failures, first, shapes)
