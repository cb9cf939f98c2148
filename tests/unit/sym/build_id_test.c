// SPDX-License-Identifier: Apache-2.0
#include "sym/build_id.h"

#include "test.h"
#include "write/elf.h"

#define TEXT(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

static struct elf f;
static uint8_t bytes[10000];

TEST(htlhash)
{
	static const struct {
		const char *name;
		const char *text; /* NULL: made below */
		size_t n;
		const char *want;
	} rows[] = {
		{ "empty", "", 0, "af5570f5a1810b7af78caf4bc70a660f" },
		{ "short", "hello world\n", 12,
		  "2ce54797688b1f770b04e463f8efd041" },
		{ "head and tail overlap", NULL, 5000,
		  "c5917a8b578adea64fad36a06d2e5a29" },
		{ "long", NULL, 10000, "29e3194e821b97b5565d43a5156ad97a" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t out[OP_HTLHASH_BYTES];
		const void *p = rows[i].text ? (const void *)rows[i].text :
					       bytes;

		for (size_t k = 0; !rows[i].text && k < rows[i].n; k++)
			bytes[k] = rows[i].n == 5000 ? 'A' : (uint8_t)(k % 251);
		op_htlhash(op_view(p, rows[i].n), out);
		if (!op_hex_is(op_view_z(rows[i].want), op_view(out, 16)))
			TEST_FAIL("%s: another hash", rows[i].name);
	}
}

/* A file with these ids; NULL: without. */
static struct op_elf file(const char *gnu, const char *go)
{
	struct op_err err = { 0 };
	struct op_elf e = { 0 };
	uint8_t note[1024];
	size_t n;

	elf_start(&f, true);
	if (gnu)
		elf_build_id(&f, op_view_z(gnu));
	if (go) {
		n = elf_note(note, "Go", 4, op_view_z(go));
		elf_segment(&f, PT_NOTE, PF_R, 0,
			    elf_add(&f, ".note.go.buildid", SHT_NOTE, 0,
				    op_view(note, n)));
	}
	elf_finish(&f);
	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	return e;
}

TEST(notes)
{
	struct op_view v = { 0 };
	struct op_elf e = file("\x01\xab\xff", "abc/def");

	CHECK(op_build_id_gnu(&e, &v));
	CHECK(op_hex_is(TEXT("01abff"), v));
	CHECK(op_build_id_go(&e, &v));
	CHECK(op_view_is(v, "abc/def"));
	e = file("", "with\nline");
	CHECK(!op_build_id_gnu(&e, &v));
	CHECK(!op_build_id_go(&e, &v));
	memset(bytes, 'x', 600);
	bytes[OP_BUILD_ID_MAX + 1] = 0;
	e = file((const char *)bytes, "");
	CHECK(!op_build_id_gnu(&e, &v));
	CHECK(!op_build_id_go(&e, &v));
}

TEST(hex)
{
	CHECK(op_hex_is(TEXT("00fFaB"), TEXT("\x00\xff\xab")));
	CHECK(!op_hex_is(TEXT("00ff"), TEXT("\x00\xff\xab")));
	CHECK(!op_hex_is(TEXT("00ffxx"), TEXT("\x00\xff\xab")));
	CHECK(op_hex_is(TEXT(""), TEXT("")));
}

TEST(matching)
{
	static const struct {
		const char *name;
		const char *gnu, *go, *htlhash; /* what the profile says */
		const char *has_gnu, *has_go;	/* what the file has */
		enum op_id_match want;
	} rows[] = {
		{ "nothing said", "", "", "", "ab", "go", OP_ID_UNKNOWN },
		{ "gnu", "6162", "", "", "ab", NULL, OP_ID_SAME },
		{ "another gnu", "6163", "", "", "ab", NULL, OP_ID_OTHER },
		{ "gnu is gone", "6162", "", "", NULL, NULL, OP_ID_OTHER },
		{ "go", "", "x/y", "", NULL, "x/y", OP_ID_SAME },
		{ "another go", "", "x/y", "", "ab", "x/z", OP_ID_OTHER },
		{ "gnu goes before go", "6162", "x/y", "", "ab", "x/z",
		  OP_ID_SAME },
		{ "gnu goes before the hash", "6162", "",
		  "00000000000000000000000000000000", "ab", NULL, OP_ID_SAME },
		{ "another hash", "", "", "00000000000000000000000000000000",
		  "ab", NULL, OP_ID_OTHER },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_build_ids ids = { op_view_z(rows[i].gnu),
					    op_view_z(rows[i].go),
					    op_view_z(rows[i].htlhash) };
		struct op_elf e = file(rows[i].has_gnu, rows[i].has_go);
		enum op_id_match got = op_build_ids_match(&ids, &e);

		if (got != rows[i].want)
			TEST_FAIL("%s: %d", rows[i].name, (int)got);
	}
}

TEST(matching_by_hash)
{
	struct op_elf e = file(NULL, NULL);
	uint8_t hash[OP_HTLHASH_BYTES];
	char hex[2 * OP_HTLHASH_BYTES + 1];
	struct op_build_ids ids = { .gnu = TEXT("ab") };

	op_htlhash(e.file, hash);
	for (size_t i = 0; i < sizeof(hash); i++)
		snprintf(hex + 2 * i, 3, "%02X", hash[i]);
	ids.htlhash = op_view_z(hex);
	CHECK_EQ(op_build_ids_match(&ids, &e), OP_ID_SAME);
	hex[0] = hex[0] == '0' ? '1' : '0';
	CHECK_EQ(op_build_ids_match(&ids, &e), OP_ID_OTHER);
}

TEST_MAIN(htlhash, notes, hex, matching, matching_by_hash)
