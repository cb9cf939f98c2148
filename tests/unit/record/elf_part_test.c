// SPDX-License-Identifier: Apache-2.0
#include "record/elf_part.h"

#include <elf.h>

#include "binary_fixture.h"
#include "random.h"
#include "sym/build_id.h"
#include "sym/unwind_elf.h"

static const char *const frame_sections[] = { ".eh_frame", ".eh_frame_hdr",
					      ".debug_frame" };

static void section_is(const struct op_elf *part, const struct op_elf *whole,
		       const char *name)
{
	struct op_elf_section a, b;
	bool has = op_elf_section(whole, name, &b);

	CHECK_EQ(op_elf_section(part, name, &a), has);
	if (!has)
		return;
	CHECK_EQ(a.bytes.n, b.bytes.n);
	CHECK_EQ(a.vaddr, b.vaddr);
	CHECK(!memcmp(a.bytes.p, b.bytes.p, b.bytes.n));
}

static void segments_are(const struct op_elf *part, const struct op_elf *whole)
{
	struct op_elf_segment a, b;

	CHECK_EQ(part->segments.nr, whole->segments.nr);
	for (uint32_t i = 0; op_elf_segment(whole, i, &b); i++) {
		CHECK(op_elf_segment(part, i, &a));
		CHECK(!memcmp(&a, &b, sizeof(a)));
	}
}

static void ids_are(const struct op_elf *part, const struct op_elf *whole)
{
	struct op_view a, b;
	bool has = op_build_id_gnu(whole, &b);

	CHECK_EQ(op_build_id_gnu(part, &a), has);
	if (has)
		CHECK(a.n == b.n && !memcmp(a.p, b.p, a.n));
}

/* Call frame information is found, and has the same bytes. */
static void cfi_is(const struct op_elf *part, const struct op_elf *whole)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_cfi a, b;

	CHECK_EQ(op_unwind_elf(part, &mem, &a, &err), OP_OK);
	CHECK_EQ(op_unwind_elf(whole, &mem, &b, &err), OP_OK);
	CHECK(b.eh.bytes.n > 0);
	CHECK_EQ(a.eh.bytes.n, b.eh.bytes.n);
	CHECK(!memcmp(a.eh.bytes.p, b.eh.bytes.p, b.eh.bytes.n));
	op_arena_free(&mem);
}

static void part_is(const uint8_t *p, size_t n)
{
	int fd = file_of(p, n);
	struct op_err err = { 0 };
	struct op_elf_part part;
	struct op_elf whole;

	CHECK_EQ(op_elf_open(&whole, op_view(p, n), &err), OP_OK);
	CHECK(op_elf_part_open(&part, fd, false));
	CHECK_EQ(part.bytes, n);
	segments_are(&part.elf, &whole);
	ids_are(&part.elf, &whole);
	op_elf_part_close(&part);
	CHECK(op_elf_part_open(&part, fd, true));
	segments_are(&part.elf, &whole);
	ids_are(&part.elf, &whole);
	for (size_t i = 0; i < op_countof(frame_sections); i++)
		section_is(&part.elf, &whole, frame_sections[i]);
	cfi_is(&part.elf, &whole);
	op_elf_part_close(&part);
	close(fd);
}

/* What is read is as in the whole file. */
TEST(like_whole)
{
	const char *const paths[] = { "/proc/self/exe", libc_path() };

	for (size_t i = 0; i < op_countof(paths); i++) {
		size_t n;
		uint8_t *p = file_read(paths[i], &n);

		part_is(p, n);
		free(p);
	}
}

/* --- unusual files --- */

static Elf64_Ehdr *head_of(uint8_t *p)
{
	return (Elf64_Ehdr *)(void *)p;
}

static void no_sections(uint8_t *p)
{
	head_of(p)->e_shoff = 0;
	head_of(p)->e_shnum = head_of(p)->e_shstrndx = 0;
}

TEST(without_section_headers)
{
	size_t n;
	uint8_t *p = file_read(libc_path(), &n);

	no_sections(p);
	part_is(p, n);
	free(p);
}

/* Older linkers put everything that is not written to into one segment. */
TEST(frames_among_code)
{
	size_t n;
	uint8_t *p = file_read(libc_path(), &n);
	Elf64_Phdr *ph = (void *)(p + head_of(p)->e_phoff);

	no_sections(p);
	for (int i = 0; i < head_of(p)->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			ph[i].p_flags |= PF_X;
	part_is(p, n);
	free(p);
}

TEST(program_headers_at_the_end)
{
	size_t n, bytes, at;
	uint8_t *p = file_read(libc_path(), &n);

	bytes = (size_t)head_of(p)->e_phnum * sizeof(Elf64_Phdr);
	at = (n + 7) & ~(size_t)7;
	p = realloc(p, at + bytes);
	memset(p + n, 0, at - n);
	memcpy(p + at, p + head_of(p)->e_phoff, bytes);
	memset(p + head_of(p)->e_phoff, 0, bytes);
	head_of(p)->e_phoff = at;
	part_is(p, at + bytes);
	free(p);
}

/* --- hostile files --- */

static bool try(const void *p, size_t n)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_elf_part part;
	struct op_cfi cfi;
	struct op_view id;
	int fd = file_of(p, n);
	bool ok = op_elf_part_open(&part, fd, true);

	if (ok) {
		op_build_id_gnu(&part.elf, &id);
		op_unwind_elf(&part.elf, &mem, &cfi, &err);
	} else {
		CHECK(!part.memory);
	}
	op_elf_part_close(&part);
	op_arena_free(&mem);
	close(fd);
	return ok;
}

TEST(truncated)
{
	size_t n;
	uint8_t *p = file_read(libc_path(), &n);
	uint64_t seed = 3;

	for (size_t i = 0; i < 200; i++)
		CHECK_EQ(try(p, i), i >= sizeof(Elf64_Ehdr));
	for (int i = 0; i < 50; i++)
		CHECK(try(p, 64 + random_below(&seed, (uint32_t)n - 64)));
	free(p);
}

TEST(random_bytes)
{
	uint8_t p[8192];
	uint64_t seed = 4;

	for (int round = 0; round < 500; round++) {
		for (size_t i = 0; i < sizeof(p); i++)
			p[i] = (uint8_t)random_next(&seed);
		CHECK(!try(p, sizeof(p)));
		memcpy(p, "\177ELF\2\1\1", 7);
		try(p, sizeof(p));
	}
}

/* Headers with numbers changed: sizes and places are anything. */
TEST(changed_headers)
{
	static const uint64_t odd[] = {
		0, 1, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)1 << 40, 4096
	};
	size_t n, all;
	uint8_t *p = file_read("/proc/self/exe", &all), *q;
	uint64_t seed = 5;

	/* All but the section headers are not needed. */
	n = all < 1 << 20 ? all : 1 << 20;
	q = malloc(n);
	memcpy(q, p, n);
	head_of(q)->e_shoff = n - 64 * head_of(q)->e_shnum;
	memcpy(q + head_of(q)->e_shoff, p + head_of(p)->e_shoff,
	       64 * head_of(q)->e_shnum);
	free(p);
	p = malloc(n);
	for (int round = 0; round < 300; round++) {
		uint64_t value = odd[random_below(&seed, op_countof(odd))];
		size_t at = round % 3 == 0 ? 16 + random_below(&seed, 48) :
			    round % 3 == 1 ? 64 + random_below(&seed, 700) :
					     n - 1 - random_below(&seed, 2000);

		memcpy(p, q, n);
		memcpy(p + at, &value, n - at < 8 ? n - at : 8);
		try(p, n);
	}
	free(p);
	free(q);
}

static void same_places(const struct op_elf *a, const struct op_elf *b,
			uint64_t end)
{
	for (uint64_t at = 0; at < end; at += 512) {
		uint64_t va = 0, vb = 0;

		CHECK_EQ(op_elf_offset_to_vaddr(a, at, &va),
			 op_elf_offset_to_vaddr(b, at, &vb));
		CHECK_EQ(va, vb);
	}
}

/* What is kept of a file converts addresses as the file does, wherever its
 * program headers are, and takes no more than they do. */
TEST(loads)
{
	size_t n, table;
	uint8_t *p = file_read(libc_path(), &n), *grown;
	struct op_err err = { 0 };
	struct op_elf whole, loads;
	uint8_t *kept;

	table = head_of(p)->e_phnum * sizeof(Elf64_Phdr);
	grown = calloc(1, n + table);
	memcpy(grown, p, n);
	memcpy(grown + n, p + head_of(p)->e_phoff, table);
	memset(grown + sizeof(Elf64_Ehdr), 0, table);
	head_of(grown)->e_phoff = n;
	CHECK_EQ(op_elf_open(&whole, op_view(p, n), &err), OP_OK);
	for (int i = 0; i < 2; i++) {
		int fd = i ? file_of(grown, n + table) : file_of(p, n);
		struct op_elf_part part;

		CHECK(op_elf_part_open(&part, fd, false));
		kept = op_elf_part_loads(&part.elf, &loads, &err);
		CHECK(kept);
		op_elf_part_close(&part);
		close(fd);
		CHECK(loads.segments.nr > 1);
		CHECK(loads.file.n <= sizeof(Elf64_Ehdr) + table);
		same_places(&loads, &whole, n);
		op_heap_free(kept);
	}
	EACH_ALLOC_FAILS(k) {
		err = (struct op_err){ 0 };
		kept = op_elf_part_loads(&whole, &loads, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(!kept, op_alloc_failed());
		op_heap_free(kept);
	}
	free(p);
	free(grown);
}

/* A file may claim any number of segments. */
TEST(many_loads)
{
	enum { MANY = 1000 };
	size_t bytes = sizeof(Elf64_Ehdr) + MANY * sizeof(Elf64_Phdr);
	uint8_t *p = calloc(1, bytes), *kept;
	struct op_err err = { 0 };
	struct op_elf e, loads;

	memcpy(p, "\177ELF\2\1\1", 7);
	head_of(p)->e_phoff = sizeof(Elf64_Ehdr);
	head_of(p)->e_phentsize = sizeof(Elf64_Phdr);
	head_of(p)->e_phnum = MANY;
	for (size_t i = 0; i < MANY; i++)
		p[sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Phdr)] = PT_LOAD;
	CHECK_EQ(op_elf_open(&e, op_view(p, bytes), &err), OP_OK);
	CHECK_EQ(e.segments.nr, MANY);
	kept = op_elf_part_loads(&e, &loads, &err);
	CHECK(kept);
	CHECK_EQ(loads.segments.nr, OP_ELF_PART_LOADS);
	op_heap_free(kept);
	free(p);
}

TEST(no_file)
{
	struct op_elf_part part;
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	CHECK(!op_elf_part_open(&part, fd, true));
	close(fd);
	CHECK(!op_elf_part_open(&part, -1, true));
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	CHECK(!op_elf_part_open(&part, fd, true));
	close(fd);
}

TEST_MAIN(like_whole, without_section_headers, frames_among_code,
	  program_headers_at_the_end, truncated, random_bytes, changed_headers,
	  loads, many_loads, no_file)
