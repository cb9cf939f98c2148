// SPDX-License-Identifier: Apache-2.0
#include "sym/elf.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "test.h"
#include "write/elf.h"

#define TEXT(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

static struct elf f;

/* A library whose code is loaded where it does not lie in the file, with data
 * in the same page of the file behind it. */
static void library(bool is_64)
{
	static const uint8_t code[0x80] = { 0xc3 };
	static const uint8_t data[0x40] = { 7 };

	elf_start(&f, is_64);
	elf_segment(&f, PT_LOAD, PF_R | PF_X, 0x41000,
		    elf_add(&f, ".text", SHT_PROGBITS, 0x41000,
			    op_view(code, sizeof(code))));
	elf_segment(&f, PT_LOAD, PF_R | PF_W, 0x52000,
		    elf_add(&f, ".data", SHT_PROGBITS, 0x52000,
			    op_view(data, sizeof(data))));
	elf_add(&f, ".bss", SHT_NOBITS, 0x53000, (struct op_view){ 0 });
	f.sections[f.nr_sections - 1].sh_size = UINT32_MAX;
}

/* op_elf_open() of a copy that ends where the file ends. */
static int open_copy(struct op_elf *e, struct op_view v, struct op_err *err)
{
	static uint8_t *copy;

	free(copy);
	copy = malloc(v.n ? v.n : 1);
	memcpy(copy, v.p, v.n);
	return op_elf_open(e, op_view(copy, v.n), err);
}

static struct op_elf opened(void)
{
	struct op_err err = { 0 };
	struct op_elf e = { 0 };

	elf_finish(&f);
	CHECK_EQ(open_copy(&e, elf_view(&f), &err), OP_OK);
	CHECK_STR(err.text, "");
	return e;
}

TEST(header)
{
	static const struct {
		const char *name;
		size_t at, n;
		uint8_t byte;
		const char *text;
		uint64_t err_at;
	} rows[] = {
		{ "empty", 0, 0, 0x7f, "is not an ELF file", 0 },
		{ "short", 0, 15, 0x7f, "is not an ELF file", 0 },
		{ "magic", 1, 9999, 'L', "is not an ELF file", 0 },
		{ "class", 4, 9999, 3, "an ELF file of unknown class 3", 4 },
		{ "big-endian", 5, 9999, 2,
		  "an ELF file that is not little-endian", 5 },
		{ "cut off", 0, 63, 0x7f, "truncated ELF header", 63 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_elf e;
		size_t n;

		library(true);
		elf_finish(&f);
		f.p[rows[i].at] = rows[i].byte;
		n = rows[i].n < f.n ? rows[i].n : f.n;
		if (open_copy(&e, op_view(f.p, n), &err) != OP_EFORMAT)
			TEST_FAIL("%s is opened", rows[i].name);
		CHECK_STR(err.text, rows[i].text);
		CHECK_EQ(err.at, rows[i].err_at);
	}
}

static void check_library(const struct op_elf *e)
{
	struct op_elf_section s = { 0 };
	struct op_elf_segment g = { 0 };

	CHECK_EQ(e->sections.nr, 5);
	CHECK_EQ(e->segments.nr, 2);
	CHECK(op_elf_section(e, ".data", &s));
	CHECK_EQ(s.index, 2);
	CHECK_EQ(s.vaddr, 0x52000);
	CHECK_EQ(s.bytes.n, 0x40);
	CHECK_EQ(s.bytes.p[0], 7);
	CHECK(op_elf_section_of(e, SHT_NOBITS, &s));
	CHECK(op_view_is(s.name, ".bss"));
	CHECK_EQ(s.bytes.n, 0);
	CHECK_EQ(s.size, UINT32_MAX);
	CHECK(!op_elf_section(e, ".dat", &s));
	CHECK(!op_elf_section_at(e, 0, &s));
	CHECK(!op_elf_section_at(e, 5, &s));
	CHECK(op_elf_segment(e, 1, &g));
	CHECK_EQ(g.vaddr, 0x52000);
	CHECK_EQ(g.file_bytes, 0x40);
	CHECK_EQ(g.flags, PF_R | PF_W);
	CHECK(!op_elf_segment(e, 2, &g));
}

TEST(both_classes)
{
	for (int is_64 = 0; is_64 < 2; is_64++)
		for (int many = 0; many < 2; many++) {
			struct op_elf e;

			library(is_64);
			f.many = many;
			e = opened();
			CHECK_EQ(e.is_64, is_64);
			CHECK_EQ(e.type, ET_DYN);
			CHECK_EQ(e.machine, is_64 ? EM_X86_64 : EM_386);
			check_library(&e);
		}
}

/* What lies is as if it were not there. */
TEST(lies)
{
	struct op_elf_section s = { 0 };
	struct op_elf e;
	uint64_t v;

	library(true);
	f.no_sections = true;
	e = opened();
	CHECK_EQ(e.sections.nr, 0);
	CHECK(!op_elf_section(&e, ".text", &s));
	CHECK(op_elf_offset_to_vaddr(&e, f.segments[0].p_offset, &v));

	library(true);
	f.head.e_shentsize = 63;
	f.head.e_phentsize = 8;
	e = opened();
	CHECK_EQ(e.sections.nr, 0);
	CHECK_EQ(e.segments.nr, 0);
	CHECK(!op_elf_offset_to_vaddr(&e, f.segments[0].p_offset, &v));

	library(true);
	f.sections[1].sh_size = UINT64_MAX;
	f.sections[2].sh_offset = UINT64_MAX;
	f.sections[2].sh_name = 1000000;
	e = opened();
	CHECK(op_elf_section(&e, ".text", &s));
	CHECK_EQ(s.bytes.n, 0);
	CHECK(op_elf_section_at(&e, 2, &s));
	CHECK_EQ(s.bytes.n, 0);
	CHECK_EQ(s.name.n, 0);

	library(true);
	f.segments[0].p_offset = UINT64_MAX - 4;
	f.segments[0].p_filesz = UINT64_MAX;
	f.segments[1].p_filesz = UINT64_MAX;
	e = opened();
	CHECK_EQ(op_elf_at(&e, 0x41000, 8).n, 0);
	CHECK_EQ(op_elf_at(&e, 0x52000, 8).n, 8);
	CHECK_EQ(op_elf_at(&e, 0x52000, SIZE_MAX).n,
		 f.n - f.segments[1].p_offset);
}

/* Every prefix of a file can be opened or not, but nothing past its end is
 * ever looked at. */
TEST(every_cut)
{
	library(true);
	elf_build_id(&f, TEXT("12345678901234567890"));
	elf_finish(&f);
	for (size_t n = 0; n < f.n; n++) {
		struct op_elf_section s;
		struct op_elf_link l;
		struct op_view id;
		struct op_err err = { 0 };
		struct op_elf e;

		if (open_copy(&e, op_view(f.p, n), &err))
			continue;
		for (uint32_t i = 0; i < 9; i++)
			op_elf_section_at(&e, i, &s);
		op_elf_note(&e, "GNU", NT_GNU_BUILD_ID, &id);
		op_elf_debuglink(&e, &l);
		CHECK(op_elf_at(&e, 0x41000, 0x80).n <= n);
	}
}

TEST(addresses)
{
	uint64_t text, data, got = 0;
	struct op_elf e;

	library(true);
	text = f.segments[0].p_offset;
	data = f.segments[1].p_offset;
	e = opened();
	CHECK(op_elf_offset_to_vaddr(&e, text + 0x7f, &got));
	CHECK_EQ(got, 0x4107f);
	CHECK(op_elf_offset_to_vaddr(&e, data, &got));
	CHECK_EQ(got, 0x52000);
	/* Before the code, but in a page that is mapped for it. */
	CHECK(op_elf_offset_to_vaddr(&e, text - 1, &got));
	CHECK_EQ(got, 0x40fff);
	CHECK(!op_elf_offset_to_vaddr(&e, 0x10000, &got));
	CHECK(op_elf_memory_to_vaddr(&e, 0x7f0000000000, 0,
				     0x7f0000000000 + text + 16, &got));
	CHECK_EQ(got, 0x41010);
	CHECK(!op_elf_memory_to_vaddr(&e, 0x7f0000000000, 0, 16, &got));
	CHECK(!op_elf_memory_to_vaddr(&e, 0, UINT64_MAX, 16, &got));
	CHECK_EQ(op_elf_at(&e, 0x52000, 1).p[0], 7);
	CHECK_EQ(op_elf_at(&e, 0x5203f, 8).n, 1);
	CHECK_EQ(op_elf_at(&e, 0x53000, 8).n, 0);
}

TEST(notes)
{
	struct op_view id = { 0 };
	uint8_t two[256];
	struct op_elf e;
	size_t n;

	n = elf_note(two, "Go", 4, TEXT("abc"));
	n += elf_note(two + n, "GNU", NT_GNU_BUILD_ID, TEXT("12345"));
	CHECK(op_elf_note_in(op_view(two, n), 4, "Go", 4, &id));
	CHECK(op_view_is(id, "abc"));
	CHECK(op_elf_note_in(op_view(two, n), 4, "GNU", 3, &id));
	CHECK(op_view_is(id, "12345"));
	CHECK(!op_elf_note_in(op_view(two, n), 4, "GNU", 4, &id));
	/* The last may lack its padding, but nothing else. */
	CHECK(op_elf_note_in(op_view(two, n - 3), 4, "GNU", 3, &id));
	CHECK(!op_elf_note_in(op_view(two, n - 4), 4, "GNU", 3, &id));
	memset(two, 0xff, 8);
	CHECK(!op_elf_note_in(op_view(two, n), 4, "GNU", 3, &id));

	library(true);
	elf_build_id(&f, TEXT("12345678901234567890"));
	e = opened();
	CHECK(op_elf_note(&e, "GNU", NT_GNU_BUILD_ID, &id));
	CHECK(op_view_is(id, "12345678901234567890"));
	f.nr_segments = 0;
	library(false);
	elf_build_id(&f, TEXT("123"));
	f.nr_segments = 0; /* only the section is left */
	e = opened();
	CHECK(op_elf_note(&e, "GNU", NT_GNU_BUILD_ID, &id));
	CHECK(op_view_is(id, "123"));
}

TEST(debuglink)
{
	static const struct {
		const char *name;
		struct op_view bytes;
		const char *file; /* NULL: there is none */
	} rows[] = {
		{ "as it should be", TEXT("ab.debug\0\0\0\0\1\2\3\4"),
		  "ab.debug" },
		{ "no padding", TEXT("abc\0\1\2\3\4"), "abc" },
		{ "no sum", TEXT("abc\0"), NULL },
		{ "sum cut off", TEXT("abc\0\1\2\3"), NULL },
		{ "name without end", TEXT("abcdefgh"), NULL },
		{ "no name", TEXT("\0\0\0\0\1\2\3\4"), NULL },
		{ "empty", { 0 }, NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_elf_link l = { 0 };
		struct op_elf e;
		bool found;

		library(true);
		elf_add(&f, ".gnu_debuglink", SHT_PROGBITS, 0, rows[i].bytes);
		e = opened();
		found = op_elf_debuglink(&e, &l);
		if (found != (rows[i].file != NULL))
			TEST_FAIL("%s: found %d", rows[i].name, found);
		if (!found)
			continue;
		CHECK(op_view_is(l.name, rows[i].file));
		CHECK_EQ(l.crc, 0x04030201);
	}
}

/* --- packed sections --- */

enum { PLAIN = 5000 };

static uint8_t plain[PLAIN];
static uint8_t packed[PLAIN + 64];

static size_t zlib_pack(uint8_t *to, size_t most)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t n = libdeflate_zlib_compress(c, plain, PLAIN, to, most);

	libdeflate_free_compressor(c);
	return n;
}

static size_t chdr(bool is_64, uint32_t kind, uint64_t size)
{
	Elf64_Chdr large = { .ch_type = kind, .ch_size = size };
	Elf32_Chdr small = { .ch_type = kind, .ch_size = (uint32_t)size };

	memcpy(packed, is_64 ? (void *)&large : (void *)&small,
	       is_64 ? sizeof(large) : sizeof(small));
	return is_64 ? sizeof(large) : sizeof(small);
}

static int unpack(bool is_64, const char *name, uint64_t flags, size_t n,
		  struct op_buf *out)
{
	struct op_elf_section s = { 0 };
	struct op_elf e;

	elf_start(&f, is_64);
	elf_add(&f, name, SHT_PROGBITS, 0, op_view(packed, n));
	f.sections[1].sh_flags = flags;
	e = opened();
	CHECK(op_elf_section(&e, name, &s));
	return op_elf_unpack(&e, &s, out);
}

static void check_plain(struct op_buf *out)
{
	CHECK_STR(out->err->text, "");
	CHECK(op_view_eq(op_view(out->p, out->n), op_view(plain, PLAIN)));
	op_buf_free(out);
}

TEST(unpacking)
{
	for (size_t i = 0; i < PLAIN; i++)
		plain[i] = (uint8_t)(i / 7 % 13);
	for (int is_64 = 0; is_64 < 2; is_64++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err, .limit = PLAIN };
		size_t n = chdr(is_64, ELFCOMPRESS_ZLIB, PLAIN);

		n += zlib_pack(packed + n, sizeof(packed) - n);
		unpack(is_64, ".debug_line", SHF_COMPRESSED, n, &out);
		check_plain(&out);
		n = chdr(is_64, 2, PLAIN);
		n += ZSTD_compress(packed + n, sizeof(packed) - n, plain, PLAIN,
				   3);
		out = (struct op_buf){ .err = &err, .limit = PLAIN };
		unpack(is_64, ".debug_line", SHF_COMPRESSED, n, &out);
		check_plain(&out);
	}
}

/* All of a file: two sections that are packed and one that is not. */
TEST(unpacking_all)
{
	for (int is_64 = 0; is_64 < 2; is_64++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_elf_section s = { 0 };
		struct op_elf e, all;
		size_t n = chdr(is_64, ELFCOMPRESS_ZLIB, PLAIN);

		n += zlib_pack(packed + n, sizeof(packed) - n);
		elf_start(&f, is_64);
		elf_add(&f, ".debug_info", SHT_PROGBITS, 0, op_view(packed, n));
		f.sections[1].sh_flags = SHF_COMPRESSED;
		elf_add(&f, ".other", SHT_PROGBITS, 0, TEXT("other"));
		e = opened();
		CHECK(!op_elf_has_zstd(&e));
		n = chdr(is_64, 2, PLAIN);
		n += ZSTD_compress(packed + n, sizeof(packed) - n, plain, PLAIN,
				   3);
		elf_start(&f, is_64);
		elf_add(&f, ".other", SHT_PROGBITS, 0, TEXT("other"));
		elf_add(&f, ".debug_line", SHT_PROGBITS, 0, op_view(packed, n));
		f.sections[2].sh_flags = SHF_COMPRESSED;
		e = opened();
		CHECK(op_elf_has_zstd(&e));
		CHECK_EQ(op_elf_unpack_all(&e, &out), OP_OK);
		CHECK_EQ(op_elf_open(&all, op_view(out.p, out.n), &err), OP_OK);
		CHECK(op_elf_section(&all, ".debug_line", &s));
		CHECK(!op_elf_is_packed(&s));
		CHECK(op_view_eq(s.bytes, op_view(plain, PLAIN)));
		CHECK(op_elf_section(&all, ".other", &s));
		CHECK(op_view_is(s.bytes, "other"));
		op_buf_free(&out);
		out.limit = f.n + PLAIN - 1;
		CHECK_EQ(op_elf_unpack_all(&e, &out), OP_ELIMIT);
		op_buf_free(&out);
	}
}

TEST(unpacking_the_old_way)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	size_t n = 12;

	memcpy(packed, "ZLIB\0\0\0\0\0\0\x13\x88", 12);
	n += zlib_pack(packed + n, sizeof(packed) - n);
	unpack(true, ".zdebug_line", 0, n, &out);
	check_plain(&out);
	/* By another name it is not packed. */
	out = (struct op_buf){ .err = &err };
	unpack(true, ".debug_line", 0, n, &out);
	CHECK_EQ(out.n, n);
	op_buf_free(&out);
}

TEST(unpacking_fails)
{
	static const struct {
		const char *name;
		uint32_t kind;
		uint64_t size;
		size_t n; /* bytes of the section; 0: all */
		size_t limit;
		int code;
	} rows[] = {
		{ "header", 1, PLAIN, 23, 0, OP_EFORMAT },
		{ "kind", 9, PLAIN, 0, 0, OP_EFORMAT },
		{ "cut", 1, PLAIN, 60, 0, OP_EFORMAT },
		{ "smaller than said", 1, PLAIN + 1, 0, 0, OP_EFORMAT },
		{ "larger than said", 1, PLAIN - 1, 0, 0, OP_EFORMAT },
		{ "huge", 1, UINT64_MAX, 0, 0, OP_EFORMAT },
		{ "huge zstd", 2, UINT64_MAX, 0, 0, OP_ELIMIT },
		{ "not zstd", 2, PLAIN, 0, 0, OP_EFORMAT },
		{ "limit", 1, PLAIN, 0, PLAIN - 1, OP_ELIMIT },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err, .limit = rows[i].limit };
		size_t n = chdr(true, rows[i].kind, rows[i].size);

		n += zlib_pack(packed + n, sizeof(packed) - n);
		unpack(true, ".debug_info", SHF_COMPRESSED,
		       rows[i].n ? rows[i].n : n, &out);
		if (err.code != rows[i].code)
			TEST_FAIL("%s: code %d (%.80s)", rows[i].name, err.code,
				  err.text);
		CHECK_EQ(out.n, 0);
		op_buf_free(&out);
	}
}

TEST(unpacking_without_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		size_t n = chdr(true, ELFCOMPRESS_ZLIB, PLAIN);

		n += zlib_pack(packed + n, sizeof(packed) - n);
		unpack(true, ".debug_line", SHF_COMPRESSED, n, &out);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_buf_free(&out);
	}
}

/* Sections may share a name of megabytes; it is not looked at to its end. */
TEST(long_names)
{
	struct op_err err = { 0 };
	struct op_elf_section s;
	struct op_elf e;

	elf_start(&f, true);
	elf_add(&f, ".text", SHT_PROGBITS, 0, op_view_z("x"));
	elf_finish(&f);
	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	CHECK(op_elf_section(&e, ".text", &s));
	memset(plain, 'a', sizeof(plain));
	plain[sizeof(plain) - 1] = 0;
	e.names = op_view(plain, sizeof(plain));
	CHECK(op_elf_section_at(&e, 1, &s));
	CHECK_EQ(s.name.n, 0);
	plain[100] = 0;
	CHECK(op_elf_section_at(&e, 1, &s));
	CHECK(s.name.n && s.name.n <= 100);
}

TEST_MAIN(header, both_classes, lies, every_cut, addresses, notes, debuglink,
	  unpacking, unpacking_all, unpacking_the_old_way, unpacking_fails,
	  unpacking_without_memory, long_names)
