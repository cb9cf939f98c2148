// SPDX-License-Identifier: Apache-2.0
#include "sym/debugdata.h"

#include "base/hex.h"
#include "test.h"
#include "write/elf.h"

/* "symbols\n" a hundred times, made by: xz --check=crc32 */
static const char packed[] =
	"fd377a585a0000016922de36020021011c00000010cf58cce0031f00125d"
	"00399e49dd94714796074a1633ca86627910000000002a9f573100012aa0"
	"06000000c7322e303e300d8b020000000001595a";

enum { PLAIN = 800 };

static struct elf f;

static bool unpack(size_t cut, struct op_buf *out)
{
	uint8_t bytes[sizeof(packed) / 2];
	struct op_err err = { 0 };
	struct op_elf e;

	CHECK(op_unhex(op_view(packed, sizeof(packed) - 1), bytes,
		       sizeof(bytes)));
	elf_start(&f, true);
	elf_add(&f, ".gnu_debugdata", SHT_PROGBITS, 0,
		op_view(bytes, sizeof(bytes) - cut));
	elf_finish(&f);
	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	return op_debugdata(&e, out);
}

TEST(unpacking)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	if (!unpack(0, &out))
		return; /* no liblzma */
	CHECK_EQ(out.n, PLAIN);
	CHECK(!memcmp(out.p, "symbols\nsymbols\n", 16));
	op_buf_free(&out);
	for (size_t cut = 1; cut < sizeof(packed) / 2; cut++)
		CHECK(!unpack(cut, &out));
	out.limit = PLAIN - 1;
	CHECK(!unpack(0, &out));
	CHECK_EQ(out.n, 0);
	CHECK_EQ(err.code, OP_OK);
}

TEST(without_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		CHECK(!unpack(0, &out) || !op_alloc_failed());
		CHECK_EQ(err.code, OP_OK);
		op_buf_free(&out);
	}
}

TEST_MAIN(unpacking, without_memory)
