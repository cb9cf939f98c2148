// SPDX-License-Identifier: Apache-2.0
/* The test asks about its own code, which the compiler described. */
#include "sym/lines.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/elf.h"
#include "test.h"
#include "write/elf.h"

static struct op_view self;
static int self_fd = -1;

static __attribute__((noinline)) uint64_t here(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

enum { INNER_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) uint64_t innermost(void)
{
	uint64_t at = here();

	__asm__ volatile("" : "+r"(at)); /* no tail call */
	return at;
}

enum { MIDDLE_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) uint64_t middle(void)
{
	uint64_t at = innermost();

	return at + 0;
}

enum { OUTER_LINE = __LINE__ + 3 };
static __attribute__((noinline, noclone)) uint64_t outermost(void)
{
	uint64_t at = middle();

	return at;
}

static int first_bias(struct dl_phdr_info *info, size_t n, void *bias)
{
	(void)n;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

/* The address of the call of here(), as the file names it. */
static uint64_t place(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(first_bias, &bias);
	return outermost() - 1 - bias;
}

static struct op_lines *self_open(int fd)
{
	struct op_err err = { 0 };
	struct stat st;

	if (!self.n) {
		self_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		if (self_fd < 0 || fstat(self_fd, &st))
			return NULL;
		self = op_view(mmap(NULL, (size_t)st.st_size, PROT_READ,
				    MAP_PRIVATE, self_fd, 0),
			       (size_t)st.st_size);
	}
	return op_lines_open(
		&(struct op_lines_source){ .file = self, .fd = fd }, &err);
}

static void check_frame(const struct op_line_frame *f, const char *name,
			int line)
{
	CHECK_STR(f->name, name);
	CHECK_EQ(f->line, line);
	CHECK(f->file && strstr(f->file, "lines_test.c"));
	CHECK(f->function_file && strstr(f->function_file, "lines_test.c"));
	CHECK_EQ(f->function_line, line - 2);
	CHECK(f->file[0] == '/' || f->dir);
}

TEST(inlined_calls)
{
	for (int mapped = 0; mapped < 2; mapped++) {
		struct op_line_frame f[OP_LINES_MAX];
		struct op_lines *l = self_open(-1);

		if (mapped) {
			op_lines_close(l);
			l = self_open(self_fd);
		}
		if (!l)
			return; /* no libdw, or built without -g */
		CHECK_EQ(op_lines_find(l, place(), f, OP_LINES_MAX), 3);
		check_frame(&f[0], "innermost", INNER_LINE);
		check_frame(&f[1], "middle", MIDDLE_LINE);
		check_frame(&f[2], "outermost", OUTER_LINE);
		CHECK_EQ(op_lines_find(l, place(), f, 2), 2);
		CHECK_STR(f[1].name, "middle");
		CHECK_EQ(op_lines_find(l, place(), f, 0), 0);
		CHECK_EQ(op_lines_find(l, 0, f, 9), 0);
		CHECK_EQ(op_lines_find(l, UINT64_MAX, f, 9), 0);
		op_lines_close(l);
	}
}

static bool opens(struct op_view file)
{
	struct op_lines_source s = { .file = file, .fd = -1 };
	struct op_err err = { 0 };
	struct op_lines *l = op_lines_open(&s, &err);
	bool ok = l;

	CHECK_EQ(err.code, OP_OK);
	op_lines_close(l);
	return ok;
}

TEST(nothing_there)
{
	static struct elf e;

	elf_start(&e, true);
	elf_finish(&e);
	CHECK(!opens(elf_view(&e)));
	CHECK(!opens(op_view_z("text")));
	op_lines_close(NULL);
}

TEST(without_memory)
{
	uint64_t at = place();

	EACH_ALLOC_FAILS(k) {
		struct op_line_frame f[OP_LINES_MAX];
		struct op_lines *l = self_open(-1);

		if (l)
			op_lines_find(l, at, f, OP_LINES_MAX);
		op_lines_close(l);
	}
}

TEST_MAIN(inlined_calls, nothing_there, without_memory)
