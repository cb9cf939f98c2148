// SPDX-License-Identifier: Apache-2.0
#include "sym/unwind_build.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/unwind_elf.h"
#include "test.h"
#include "write/cfi.h"
#include "write/cfi_text.h"

enum { EH = 0x800000, CODE = 0x10000, PAGE = OP_PAGE_BYTES };

static const char function[] =
	"+2 cfa_offset 16 offset r15 2 +2 cfa_offset 24 offset r14 3 "
	"+1 cfa_offset 32 offset rbx 4 +4 cfa_offset 80 "
	"+20 remember cfa_offset 32 +1 cfa_offset 24 +2 cfa_offset 16 "
	"+2 cfa_offset 8 +1 recall";

struct made {
	struct cfi_bytes eh;
	struct op_cfi cfi;
	struct op_arena mem;
	struct op_err err;
	struct op_unwind_build b;
	struct op_unwind_table t;
};

static void made_begin(struct made *m)
{
	*m = (struct made){ .eh = { .vaddr = EH, .encoding = 0x1b },
			    .mem.err = &m->err };
	m->cfi.code_start = CODE;
	m->cfi.code_end = CODE + 8 * PAGE;
	cfi_cie(&m->eh, "zR", "cfa rsp 8 offset ra 1");
}

static void made_init(struct made *m)
{
	m->cfi.eh = cfi_section(&m->eh);
	CHECK(!op_unwind_build_init(&m->b, &m->cfi, &m->mem, &m->err));
}

static void made_free(struct made *m)
{
	op_arena_free(&m->mem);
	cfi_free(&m->eh);
}

static void check_at(const struct made *m, uint64_t vaddr, const char *want)
{
	static struct cfi_text text;

	cfi_text_find(&text, &m->t, vaddr);
	if (strcmp(text.s, want))
		TEST_FAIL("%llx: %.60s, not %.60s", (unsigned long long)vaddr,
			  text.s, want);
}

/* Every address of a span as the second reading has it. */
static void check_span(const struct made *m, uint64_t from, uint64_t to)
{
	static struct cfi_text naive;

	for (; from < to; from++) {
		cfi_text_naive(&naive, &m->b.index, from);
		check_at(m, from, naive.s);
	}
}

/* Runs of pushes and pops are one row each once they have been seen. */
TEST(runs)
{
	struct made m;

	made_begin(&m);
	for (uint64_t i = 0; i < 100; i++)
		cfi_fde(&m.eh, CODE + i * 48, 48, function);
	made_init(&m);
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	check_span(&m, CODE, CODE + 100 * 48 + 8);
	/* Nine rows a function without runs. */
	CHECK(m.t.head->nr_rows < 450);
	CHECK(m.t.head->nr_steps > 0);
	made_free(&m);
}

TEST(pages)
{
	struct made m;

	made_begin(&m);
	/* Rows on both sides of the begin of a page, one that lasts for pages,
	 * and one that begins with a page. */
	cfi_fde(&m.eh, CODE + PAGE - 20, 40,
		"+18 cfa_offset 16 +2 cfa_offset 24 +2 cfa_offset 32");
	cfi_fde(&m.eh, CODE + 2 * PAGE, 16, "cfa_offset 48 +4 cfa_offset 8");
	cfi_fde(&m.eh, CODE + 3 * PAGE - 1, 3 * PAGE, "+1 cfa_offset 64");
	made_init(&m);
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	check_span(&m, CODE + PAGE - 30, CODE + PAGE + 30);
	check_span(&m, CODE + 2 * PAGE - 3, CODE + 2 * PAGE + 30);
	check_span(&m, CODE + 3 * PAGE - 3, CODE + 3 * PAGE + 3);
	check_at(&m, CODE + 5 * PAGE - 1, "rsp+64");
	check_at(&m, CODE + 5 * PAGE, "rsp+64");
	check_at(&m, CODE + 6 * PAGE - 2, "rsp+64");
	check_at(&m, CODE + 6 * PAGE - 1, "none");
	check_at(&m, CODE + 8 * PAGE - 1, "none");
	check_at(&m, CODE + 8 * PAGE, "outside");
	check_at(&m, CODE - 1, "outside");
	made_free(&m);
}

/* A page at a time, in any order, gives what all at once gives. */
TEST(lazy)
{
	static const uint32_t order[] = { 5, 1, 0, 7, 6, 2 };
	struct made m;
	uint32_t page;

	made_begin(&m);
	for (uint64_t i = 0; i < 1000; i++)
		cfi_fde(&m.eh, CODE + i * 500 + 7, 490, function);
	made_init(&m);
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	check_at(&m, CODE + 7, "unbuilt");
	for (size_t i = 0; i < op_countof(order); i++) {
		CHECK(op_unwind_build_page_of(
			&m.b, CODE + order[i] * (uint64_t)PAGE + 99, &page));
		CHECK_EQ(page, order[i]);
		CHECK(!op_unwind_build_pages(&m.b, page, 1));
		CHECK(!op_unwind_build_table(&m.b, &m.t));
		check_span(&m, CODE + page * (uint64_t)PAGE,
			   CODE + page * (uint64_t)PAGE + 2000);
	}
	check_at(&m, CODE + 3 * PAGE, "unbuilt");
	CHECK_EQ(m.b.nr_built, 6);
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	CHECK_EQ(m.b.nr_built, 8);
	for (uint32_t i = 0; i < 8; i++)
		check_span(&m, CODE + i * (uint64_t)PAGE - (i ? 200 : 0),
			   CODE + i * (uint64_t)PAGE + 700);
	CHECK(!op_unwind_build_page_of(&m.b, CODE - 1, &page));
	CHECK(!op_unwind_build_page_of(&m.b, m.cfi.code_end, &page));
	CHECK_EQ(op_unwind_build_pages(&m.b, 7, 2), OP_EUSAGE);
	made_free(&m);
}

/* More rules than there is room for: those that came later are unknown. */
TEST(too_many_rules)
{
	struct made m;
	uint64_t nr = OP_MAX_RULES + 50;
	char program[64];

	made_begin(&m);
	for (uint64_t i = 0; i < nr; i++) {
		snprintf(program, sizeof(program), "cfa rsp %llu",
			 (unsigned long long)(8 * i));
		cfi_fde(&m.eh, CODE + i * 4, 4, program);
	}
	made_init(&m);
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	CHECK_EQ(m.b.nr_lost, 51);
	check_at(&m, CODE + 4 * 20, "rsp+160");
	check_at(&m, CODE + 4 * (nr - 52), "rsp+262128");
	check_at(&m, CODE + 4 * (nr - 1), "none");
	made_free(&m);
}

TEST(nothing)
{
	struct made m;

	made_begin(&m);
	m.cfi.code_end = m.cfi.code_start;
	made_init(&m);
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	check_at(&m, CODE, "outside");
	made_free(&m);
}

TEST(no_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct made m;
		int rc;

		made_begin(&m);
		for (uint64_t i = 0; i < 20; i++)
			cfi_fde(&m.eh, CODE + (20 - i) * 48, 48, function);
		cfi_fde(&m.eh, CODE + 0x1000, 48, "cfa_expr 30 expr rbx 31");
		m.cfi.eh = cfi_section(&m.eh);
		rc = op_unwind_build_init(&m.b, &m.cfi, &m.mem, &m.err);
		if (!rc)
			rc = op_unwind_build_all(&m.b);
		if (!rc)
			rc = op_unwind_build_table(&m.b, &m.t);
		CHECK_EQ(rc, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(rc, m.err.code);
		made_free(&m);
	}
}

static struct op_view own_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? (struct op_view){ 0 } :
				 op_view(p, (size_t)st.st_size);
}

/* This very program: all that a compiler and a linker made, each address of
 * the first functions and the ends of the others. */
TEST(own)
{
	struct op_view file = own_program();
	struct op_elf e;
	struct made m = { 0 };
	uint64_t base;

	CHECK(!op_elf_open(&e, file, &m.err));
	CHECK(!op_unwind_elf(&e, &m.mem, &m.cfi, &m.err));
	CHECK(!op_unwind_build_init(&m.b, &m.cfi, &m.mem, &m.err));
	CHECK(!op_unwind_build_all(&m.b));
	CHECK(!op_unwind_build_table(&m.b, &m.t));
	CHECK_EQ(m.b.index.nr_broken, 0);
	CHECK_EQ(m.b.nr_lost, 0);
	CHECK(m.b.index.ranges.n > 50);
	base = m.b.index.base;
	for (size_t i = 0; i < m.b.index.ranges.n; i++) {
		const struct op_cfi_range *r = &m.b.index.ranges.p[i];

		if (i < 30 && r->end - r->start < 1000)
			check_span(&m, base + r->start - 1, base + r->end + 1);
		else
			check_span(&m, base + r->end - 2, base + r->end);
	}
	made_free(&m);
	munmap((void *)file.p, file.n);
}

TEST_MAIN(runs, pages, lazy, too_many_rules, nothing, no_memory, own)
